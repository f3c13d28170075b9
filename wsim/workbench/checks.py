"""Check a form before its question is queued: find mistakes by field, describe the changes and forecast the time.

There are two kinds of checks. The quick check reads every value. The deep check also prepares the games as the question
would, up to the first game, so that an unknown policy, metric or card is found before the question is queued.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.batch import rows_and_picks, usable_threads
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.options import names, typed
from wsim.questions.deals import sample
from wsim.questions.metrics import figures_in, is_of_own_games, parse_metric
from wsim.spec.values import change_in_words
from wsim.workbench.printed import printed_values
from wsim.workbench.questions import TRUST, Form, Texts, code_in, value_of

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.tasks import Ready

MAX_FOUND = 8
"""Maximum number of deep checks; each one omits the fields with known mistakes and finds the next mistake."""
TIMED = 0.05
"""Seconds of play to measure the time per game."""
MAX_TIMED = 64
MIN_PART = 4
"""Minimum length of a name that identifies a field in a message."""
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


class _Playable(Exception):  # noqa: N818 (it is no error)
    """Raised when everything is prepared and the first game would be played."""

    def __init__(self, ready: Sequence[Ready]) -> None:
        super().__init__()
        self.ready = ready


class _UpToTheFirstGame(Execution):
    """A stand-in for the execution of games that stops before the first game."""

    def chunk_runner(self, ready: Sequence[Ready]) -> Any:
        """Raise _Playable with the prepared simulators."""
        raise _Playable(ready)

    def connected(self, simulator: Simulator) -> Any:
        """Raise _Playable with the prepared simulator."""
        raise _Playable([(simulator.plan, simulator)])


@dataclass
class Checked:
    """The result of a check.

    Attributes
    ----------
    mistakes: field -> messages; messages that do not belong to a single field are under the empty name.
    preview: a sentence for each change. seconds: the forecast of the maximum time; None if it is unknown.
    """

    mistakes: dict[str, list[str]] = field(default_factory=dict)
    preview: list[str] = field(default_factory=list)
    seconds: float | None = None

    def add(self, name: str, error: UserError) -> None:
        """Add the mistakes of an error to a field."""
        for sentence in str(error).split("\nalso: "):
            if all(sentence not in others for others in self.mistakes.values()):
                self.mistakes.setdefault(name, []).append(sentence)


def check(form: Form, texts: Texts, *, deep: bool) -> Checked:
    """Check a form; ``deep``: also prepare its games, unless this would run a user's code or compile the rules."""
    checked = Checked()
    texts = {name: lines for name, lines in texts.items() if name != TRUST}
    _check_fields(form, texts, checked)
    if checked.mistakes:
        try:
            form.read(texts)
        except UserError as error:
            _add_each(form, texts, error, checked, always=True)
        return checked
    if deep and not code_in(form, texts):
        _check_choices(form, texts, checked)
    _check_together(form, texts, checked, deep=deep)
    if not checked.mistakes:
        try:
            checked.preview = preview(form, texts)
        except UserError as error:  # a goal whose parts do not fit together
            _add_each(form, texts, error, checked)
    return checked


def _check_fields(form: Form, texts: Texts, checked: Checked) -> None:
    """Check the value of each field on its own."""
    for name, _, kind, _, option in form.fields():
        lines = [line.strip() for line in texts.get(name, ()) if line.strip()]
        if lines:
            try:
                value = typed(name, kind, value_of(name, kind, option, lines))
                if value is not None and option.check is not None:
                    option.check(name, value)
            except UserError as error:
                checked.add(name, error)


def _check_together(form: Form, texts: Texts, checked: Checked, *, deep: bool) -> None:
    """Read the form without the fields that have mistakes; omit further fields until it can be read."""
    remaining = {name: lines for name, lines in texts.items() if name not in checked.mistakes}
    for _ in range(MAX_FOUND if deep else 1):
        try:
            ready, arms = _ready(form, remaining, deep=deep)
        except UserError as error:
            names_found = _add_each(form, remaining, error, checked)
            if not names_found & remaining.keys():
                break  # nothing more can be left out
            for name in names_found:
                remaining.pop(name, None)
        else:
            if not checked.mistakes and ready is not None:
                checked.seconds = forecast(form, texts, ready, arms)
            break


def _add_each(form: Form, texts: Texts, error: UserError, checked: Checked, *, always: bool = False) -> set[str]:
    """Add each sentence of an error to the field that it concerns, also if that field is empty; return these fields.

    A sentence that concerns no single field is added ``always``, or only if there is no other mistake.
    """
    every = {**{name: () for name, *_ in form.fields()}, **texts}
    found = set()
    for sentence in str(error).split("\nalso: "):
        name = field_of(sentence, every)
        if name in checked.mistakes and name not in texts:
            continue  # it was left out because of its mistake
        if name or always or not checked.mistakes:
            checked.add(name, UserError(sentence))
        found |= {name} - {""}
    return found


def _check_choices(form: Form, texts: Texts, checked: Checked) -> None:
    """Check names of policies, values and metrics on their own, so that one mistake does not hide another."""
    keys = {name: " ".join(texts[name]).partition(",")[0] for name in ("game", "ruleset") if texts.get(name)}
    try:
        plan = Plan.make(**keys)
    except UserError as error:
        checked.add(next(iter(keys), ""), error)
        return
    game = find_game(plan.game)
    for name, *_, option in form.fields():
        lines = texts.get(name, ())
        try:
            if option.picker == "policy":
                for entry in (entry for line in lines for entry in names(line)):
                    game.prepare(plan.replace(policies=entry))
            elif option.picker == "value" and lines:
                game.prepare(plan.replace(set=lines))
            elif option.picker == "metric":
                figures_in(lines)
                for line in (line for line in lines if not is_of_own_games(line) and "." not in line):
                    parse_metric(line, sample(game.prepare(plan)), game.OWNED)
        except UserError as error:
            checked.add(name, error)


def field_of(sentence: str, texts: Texts) -> str:
    """Return the form field that a message quotes or names; "" if there is none."""
    quoted = [first or second for first, second in _QUOTED.findall(sentence.partition(" (did you mean")[0])]
    for quote in filter(None, quoted):
        for name, lines in texts.items():
            if any(quote in line for line in lines):
                return name
    words = set(re.findall(r"\w+", sentence))
    for name, lines in texts.items():  # messages do not quote parts of a path
        if any(len(part) >= MIN_PART and part in words for line in lines for part in re.findall(r"[A-Z]\w+", line)):
            return name
    said = sentence.lower()
    verbs = r"(?<![-\w]){0} (must|takes|cannot)|needs {0}\b"
    return next((name for name in texts if re.search(verbs.format(name.replace("_", " ")), said)), "")


def _ready(form: Form, texts: Texts, *, deep: bool) -> tuple[Simulator | None, int]:
    """Read a form and prepare its games; return one simulator (or None) and the number of simulators."""
    plan, groups = form.read(texts)
    if not deep or code_in(form, texts):
        return None, 0
    plans = [plan] if plan is not None else [each for group in groups for each in getattr(group, "plans", ())]
    if any(find_game(each.game).cold() for each in plans):
        return None, 0
    if form.question.checks_first:
        try:
            form.question.answered(plan, groups, _UpToTheFirstGame())
        except _Playable as playable:
            return playable.ready[0][1], len(playable.ready)
        return None, 0
    simulators = [find_game(each.game).prepare(each) for each in plans]
    return (simulators[0], 1) if simulators else (None, 0)


def forecast(form: Form, texts: Texts, simulator: Simulator, arms: int) -> float | None:
    """Return the maximum time in seconds for a form's games on this machine; None if their number is unknown."""
    if form.has_goal:  # how many measurements a search needs is not known
        return None
    plan, groups = form.read(texts)
    for group, values in zip(form.question.option_groups, groups, strict=True):
        for name, owner, *_, option in form.fields():
            if owner is group and option.effort:
                return _total(simulator, getattr(values, name), arms)
    return None if plan is None else _total(simulator, plan.games, arms)


def _total(simulator: Simulator, games: int, arms: int) -> float:
    return games * arms * _pace(simulator) / usable_threads(None)


def _pace(simulator: Simulator) -> float:
    """Return the seconds per game with one thread; measured once for the same players and rules."""
    plan = simulator.plan
    key = (plan.game, plan.ruleset, plan.players, plan.policies)
    if key not in _PACES:
        rows_and_picks(simulator, range(1), picks=False)  # loads the compiled kernels
        games, start = 0, time.perf_counter()
        while games < MAX_TIMED and time.perf_counter() - start < TIMED:
            rows_and_picks(simulator, range(games, games + 4), picks=False)
            games += 4
        _PACES[key] = (time.perf_counter() - start) / games
    return _PACES[key]


_PACES: dict[Any, float] = {}


def preview(form: Form, texts: Texts) -> list[str]:
    """Describe a form's changes to the printed game, such as ``Palace, points: 8 to 5``, or its goal."""
    if form.has_goal:
        from wsim.workbench.goal_files import goal_in_words

        goal = form.goal(texts)
        return [] if goal is None else goal_in_words(goal)
    game = " ".join(texts.get("game", ())) or next(iter(GAMES))
    ruleset = " ".join(texts.get("ruleset", ())) or str(find_game(game).default_plan()["ruleset"])
    named = [name for name, *_, option in form.fields() if option.picker == "value"]
    lines = [line for name in named for line in texts.get(name, ()) if "=" in line]
    if not lines:
        return []
    try:
        printed = printed_values(game, ruleset.partition(",")[0])
    except UserError:
        return []
    return [change_in_words(line, printed) for line in lines]
