"""The form that plays games into a run folder: a new run, or more games for an existing run (``wsim run``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.options import Options, option, options_of, place, within_option
from wsim.questions.registry import Question
from wsim.workbench.questions import NOT_IN_FORMS, Form, Texts

if TYPE_CHECKING:
    from collections.abc import Collection

    from wsim.lab.execution import Execution
    from wsim.workbench.folder import Folder

GAMES = 10_000
FILES = 20
"""Number of data files of a run; after each one, the page can show the games so far."""
MIN_GAMES_A_FILE = 250


@dataclass(frozen=True)
class RunSettings(Options):
    """Play games, store them in a folder, and see how strong wonders, cards and policies are.

    The same options give the same data. A run that was stopped can be continued, and any run can get more games.
    """

    continued: Path | None = option(
        "Continue this run, or give it more games: it keeps its plan.", None,
        metavar="FOLDER", names=("--resume",), check=place, file=True, label="Run to continue",
    )  # fmt: skip
    within: float | None = within_option("every figure of the main table")

    @property
    def code(self) -> list[str]:
        """The user code (policies and effects) of a continued run."""
        return [] if self.continued is None else list(map(str, run_to_resume(self.continued).code))


def run_to_resume(folder: Path) -> Plan:
    """Return the plan of a run folder; raise UserError if it does not contain a run that can be continued."""
    from wsim.lab.store import load_run

    plan: Plan = load_run(folder, to_resume=True).plan
    return plan


QUESTION = Question(
    name="run",
    title="Play games",
    asks="How strong are the wonders, the cards and the players?",
    topic="Games",
    package="wsim.workbench",
    groups=("run_form:RunSettings",),
    ask="",
    answer="",
    formats=(),
    plan=tuple(name for name in options_of(Plan) if name not in NOT_IN_FORMS),
    games=GAMES,
    games_help=f"{GAMES:,}",
    first=("games", "policies", "ruleset"),
)
"""The options of a run in the form of a question. It is not registered as a question, because runs are not answers."""


class RunForm(Form):
    """The form of a run; it writes a folder instead of a file."""

    def __init__(self) -> None:
        super().__init__(QUESTION)

    @property
    def followed(self) -> bool:
        """True, because finished data files can be read while the next games are played."""
        return True

    @property
    def suffixes(self) -> tuple[str, ...]:
        """A single empty suffix, because the answer is a folder."""
        return ("",)

    def answer(self, out: Path) -> Path:
        """Return the path of the run folder."""
        return out

    def read(self, texts: Texts) -> tuple[Plan | None, list[Options]]:
        """Return the plan and the settings; a continued run keeps its plan, except for the number of games."""
        plan, groups = super().read({name: lines for name, lines in texts.items() if name != "games"})
        (settings,) = groups
        assert isinstance(settings, RunSettings)
        assert plan is not None
        if settings.continued is None:
            return super().read(texts)
        own = sorted(set(texts) - {"continued", "within", "games"})
        if own:
            raise UserError(f"a continued run keeps its plan: leave {' and '.join(own)} empty, or start a new run")
        recorded = run_to_resume(settings.continued)
        if texts.get("games"):
            wanted, _ = super().read({"games": texts["games"], "game": [recorded.game]})
            assert wanted is not None
            if wanted.games < recorded.games:
                raise UserError(f"the run already has {recorded.games:,} games: games must be larger")
            recorded = recorded.replace(games=wanted.games)
        return recorded, groups

    def filled(self, texts: Texts) -> Texts:
        """Return the content of the form; for a continued run, propose its missing games, or twice its games."""
        from wsim.lab.store import load_run

        if not texts.get("continued") or texts.get("games"):
            return texts
        run = load_run(Path(" ".join(texts["continued"])), to_resume=True)
        return {**texts, "games": [str(run.plan.games * (2 if run.complete else 1))]}

    def settled(self, texts: Texts) -> Collection[str]:
        """Return the plan keys that the form omits: for a continued run, all except the number of games."""
        return [name for name in QUESTION.plan if name != "games"] if texts.get("continued") else ()

    def target(self, folder: Folder, texts: Texts, out: str) -> str:
        """Return the name of the run folder; raise UserError if it cannot be written."""
        resumed = " ".join(texts.get("continued", ()))
        if resumed:
            return folder.name_of(folder.inside(resumed))
        path = folder.inside(out)
        if not out or path == folder.root or not path.parent.is_dir():
            raise UserError(f"a run must be a new folder inside the opened folder, not {out!r}")
        if path.exists():
            raise UserError(f"{out!r} already exists: choose a different name")
        return out

    def words(self, texts: Texts, out: str) -> str:
        """Return the command that plays the same games."""
        if texts.get("continued"):
            return super().words(texts, "").removesuffix(" -o ''")
        plan, _ = self.read(texts)
        assert plan is not None
        filled = {"games": [str(plan.games)], **texts}
        return f"{super().words(filled, out)} --shard-games {games_per_file(plan)}"

    def perform(self, texts: Texts, out: str, execution: Execution) -> bool:
        """Play the missing games; return whether playing was stopped early."""
        from wsim.lab.growth import record_within
        from wsim.lab.wishes import with_worth

        plan, (settings,) = self.read(texts)
        assert isinstance(settings, RunSettings)
        assert plan is not None
        played = with_worth(plan, out)
        how: dict[str, Any] = {"progress": execution.progress, "resume": settings.continued is not None}
        try:
            record_within(played, out, within=settings.within, shard=games_per_file(plan), **how)
        except Interrupted as interrupt:
            if interrupt.result is None:
                raise
            return True
        return False

    def address(self, out: str) -> str:
        """Return the address of the run's page."""
        return f"/run?{urlencode({'run': out})}"


def games_per_file(plan: Plan) -> int:
    """Return the number of games per data file, small enough for the first figures to appear within seconds."""
    most = 250_000 // plan.players
    return min(most, max(MIN_GAMES_A_FILE, -(-plan.games // FILES)))
