"""The form that writes a goal file with one target, for designers who have none yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from wsim.errors import Mistakes, UserError, nearest
from wsim.files import write_text
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.plan import Plan
from wsim.options import Options, option
from wsim.questions.registry import Question, questions
from wsim.workbench.goal_files import goal_text
from wsim.workbench.printed import whole_numbers
from wsim.workbench.questions import Form, Texts

if TYPE_CHECKING:
    from wsim.balance.goal import Goal
    from wsim.workbench.folder import Folder

RANGE = "-3..3"
_REACH = re.compile(r"-?\d+\.\.-?\d+")
_NEEDED = {
    "figure": "choose it from the list",
    "accepted": "a range such as 20%..30%",
    "numbers": "choose at least one that may change",
}


def accepted_range(text: str) -> tuple[float | None, float | None]:
    """Read an accepted range such as ``20%..30%``, ``0.2..`` or ``..50``; raise UserError for anything else."""
    low, dots, high = text.replace(" ", "").partition("..")
    try:
        ends = tuple(None if not end else _number(end) for end in (low, high))
    except ValueError:
        ends = (None, None)
    first, last = ends
    if not dots or ends == (None, None) or (first is not None and last is not None and first >= last):
        raise UserError(f"accepted must be a range such as 20%..30%, 0.25.. (at least) or ..50 (at most), not {text!r}")
    return first, last


def _rules(texts: Texts) -> tuple[str, str]:
    """Return the game and the rule set of a form."""
    game = " ".join(texts.get("game", ())) or next(iter(GAMES))
    return game, " ".join(texts.get("ruleset", ())) or str(find_game(game).default_plan()["ruleset"])


def _number(text: str) -> float:
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def _checked_reach(name: str, value: Any) -> str:
    low, _, high = str(value).partition("..")
    if not _REACH.fullmatch(str(value)) or int(low) > int(high):
        raise UserError(f"{name} must be two whole numbers such as {RANGE}, not {value!r}")
    return str(value)


@dataclass(frozen=True)
class NewGoal(Options):
    """Say which figure must be in which range, and which numbers on cards may change to bring it there.

    The goal is written as a file in the folder, with which the search for the smallest change begins. Edit the file to
    add further targets and settings.
    """

    figure: str = option(
        "The figure that must be in the range.", "", metavar="METRIC", label="Which figure should change?",
        picker="metric", example="win:Rhodos",
    )  # fmt: skip
    accepted: tuple[float | None, float | None] = option(
        "The accepted range; leave one end open for a bound.", (None, None), metavar="LOW..HIGH",
        read=accepted_range, shown="", label="Where should it be?", example="20%..30%",
    )  # fmt: skip
    numbers: tuple[str, ...] = option(
        "A number that the search may change.", (), metavar="PATH", label="Which numbers may change?",
        picker="number", example="cards.Palace.points",
    )  # fmt: skip
    reach: str = option(
        "How far each number may go from its printed value.", RANGE, metavar="RANGE", label="By how much?",
        example="-2..2", check=_checked_reach,
    )  # fmt: skip


QUESTION = Question(
    name="goal",
    title="New goal",
    asks="What should be true after the change?",
    topic="Balance",
    package="wsim.workbench",
    groups=("goal_form:NewGoal",),
    ask="",
    answer="",
    formats=(),
    plan=("game", "ruleset", "players", "policies"),
    games=1,
    first=("figure", "accepted", "numbers"),
)
"""The fields of a goal in the form of a question. It is not registered, because a goal is not an answer."""


class GoalForm(Form):
    """The form of a new goal; it writes a file at once and leads to the search."""

    def __init__(self) -> None:
        super().__init__(QUESTION)

    @property
    def button(self) -> str:
        """The words on its button."""
        return "Write the goal"

    @property
    def has_goal(self) -> bool:
        """True: its preview describes a goal."""
        return True

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffix of goal files."""
        return (".toml",)

    def answer(self, out: Path) -> Path:
        """Return the path of the goal file."""
        return out

    def read(self, texts: Texts) -> tuple[Plan | None, list[Options]]:
        """Return the plan and the goal; raise UserError that lists all mistakes."""
        mistakes = Mistakes()
        plan, groups = None, list[Options]()
        with mistakes.noted():
            plan, groups = super().read(texts)
        for name, words in _NEEDED.items():
            if not texts.get(name):
                mistakes.add(f"{name} must be given: {words}")
        with mistakes.noted():
            whole = whole_numbers(*_rules(texts))
            for path in (line.strip() for line in texts.get("numbers", ())):
                if not any(fnmatchcase(known, path) for known in whole):
                    mistakes.add(f"{path!r} is not a whole number in the catalogue{nearest(path, whole)}")
        mistakes.raise_any()
        return plan, groups

    def goal(self, texts: Texts) -> Goal:
        """Return the goal in the form."""
        from wsim.balance.goal import as_goal

        return as_goal(self._tables(texts))

    def _tables(self, texts: Texts) -> dict[str, Any]:
        plan, (new,) = self.read(texts)
        assert isinstance(new, NewGoal)
        assert plan is not None
        low, high = new.accepted
        bounds = {key: end for key, end in (("at_least", low), ("at_most", high)) if end is not None}
        return {
            "plan": _plan_keys(plan, texts),
            "target": [{"metric": new.figure, **bounds}],
            "knob": [{"path": path, "range": new.reach} for path in dict.fromkeys(new.numbers)],
        }

    def target(self, folder: Folder, texts: Texts, out: str) -> str:  # noqa: ARG002 (a goal has no answer file)
        """Return the name of the goal file; raise UserError if it cannot be written."""
        path = folder.inside(out)
        if path.suffix not in self.suffixes or not path.parent.is_dir():
            raise UserError(f"a goal must be FILE.toml in the folder, not {out!r}")
        if path.exists():
            raise UserError(f"the file {out!r} already exists: choose a different name")
        return out

    def written(self, folder: Folder, texts: Texts, out: str) -> str:
        """Write the goal file, and return the address of the form of the search."""
        self.goal(texts)  # rejects mistakes before anything is written
        tables = self._tables(texts)
        (target,) = tables["target"]
        knobs = {knob["path"]: knob["range"] for knob in tables["knob"]}
        comment = f"{target['metric']} in the accepted range, with the smallest change of these numbers"
        name = self.target(folder, texts, out)
        write_text(folder.inside(name), goal_text(comment, tables["plan"], target, knobs))
        return search_address(name)


def _plan_keys(plan: Plan, texts: Texts) -> Mapping[str, Any]:
    """Return the keys of a goal's plan: the game and the rules, and what the form names of the rest."""
    named = {name: asdict(plan)[name] for name in ("players", "policies") if texts.get(name)}
    if "policies" in named:
        named["policies"] = ",".join(dict.fromkeys(map(str, plan.policies)))
    return {"game": plan.game, "ruleset": plan.ruleset, **named}


def search_address(file: str) -> str:
    """Return the address of the form that searches for a patch, filled in with a goal file."""
    question = next(question for question in questions() if question.goal_field)
    return f"/ask/{question.name}?{urlencode({question.goal_field: file})}"
