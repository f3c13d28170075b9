"""The options of a pick experiment: the causal effect of taking a card."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.options import Options, level_option, names, option, place, within_option

if TYPE_CHECKING:
    from wsim.game import PickExperiment as Picks


def _against(_name: str, value: Any) -> Any:
    if value not in ("others", "policy"):
        raise UserError(f"a pick is compared against others or policy, not {value!r}")
    return value


def _chance(_name: str, value: Any) -> Any:
    """Accept any value, because the game validates the chance (or one chance per seat)."""
    return value


@dataclass(frozen=True)
class PickQuestion(Options):
    """The question about the picks.

    Rows with an effective sample size below ``min_effective_n`` are omitted, because their intervals would be useless.
    Rows in which fewer random picks than that overruled the policy are marked as rare. A sweep without a card shows
    only the cards that its values change.
    """

    actions: tuple[str, ...] | None = option(
        "Actions, comma-separated: build, stage (bury), sell (deny), take (any of them).",
        None, metavar="NAMES", names=("--action",), read=names, shown="build,stage,sell", example="build",
        label="Kinds of moves",
    )  # fmt: skip
    outcome: str = option(
        "Outcome: score, win, or any number of the seats table.",
        "score",
        metavar="METRIC",
        label="Which outcome?",
        picker="outcome",
        example="win",
    )
    against: str = option(
        "Compare with a uniformly drawn other legal move (others), or with the move of the policy (policy).",
        "others",
        metavar="others|policy",
        check=_against,
        label="What is compared",
    )
    card: str | None = option(
        "Show only this card.", None, metavar="NAME", label="Which card? (empty: all)", picker="item", example="Palace"
    )
    age: int | None = option("Count only picks of this age.", None, metavar="N", example="3", label="Which age")
    turn: int | None = option(
        "Count only picks of this turn of an age.", None, metavar="N", example="1", label="Which turn"
    )
    level: float = level_option()
    within: float | None = within_option("every effect that is shown")
    min_effective_n: int = option(
        "Omit rows whose effective sample size is below N.",
        30,
        metavar="N",
        aliases=("--fewest",),
        label="Fewest effective observations",
    )
    sweep: str | None = option(
        "Repeat the experiment at each value: PATH=5..9, PATH=5..9..2 or PATH=5,7,9.",
        None,
        metavar="PATH=VALUES",
        example="cards.Palace.points=5..9",
        label="Several values to try",
    )
    target: float | None = option(
        "Find the value of --sweep at which the effect equals this target.",
        None,
        metavar="EFFECT",
        example="0",
        label="Effect to reach",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is None:
            return
        if self.sweep is None:
            raise UserError("a target needs a sweep: add --sweep PATH=VALUES")
        if not math.isfinite(self.target):
            raise UserError(f"the target must be a number, not {self.target!r}")
        self.numbers()

    def numbers(self) -> list[float]:
        """Return the values of the sweep as numbers in ascending order; raise UserError if a value is not a number."""
        from wsim.questions.variants import sweep_values

        _, values = sweep_values(self.sweep or "")
        try:
            return sorted(map(float, values))
        except ValueError:
            raise UserError(f"a target needs a sweep over numbers, not over {', '.join(values)}") from None

    def of(self, picks: Picks) -> PickQuestion:
        """Fill in the default actions; raise UserError for unknown actions, ages or turns."""
        actions = tuple(picks.usual or picks.actions) if self.actions is None else self.actions
        known = ", ".join(picks.actions)
        if not actions:
            raise UserError(f"name at least one action: {known}")
        for action in actions:
            if action not in picks.actions:
                raise UserError(f"unknown action {action!r}{nearest(action, picks.actions)}; accepted: {known}")
        for name, value, known_values in (("age", self.age, picks.ages), ("turn", self.turn, picks.turns)):
            if value is not None and value not in known_values:
                numbers = " or ".join(", ".join(map(str, known_values)).rsplit(", ", 1))
                raise UserError(
                    f"the {name} must be {numbers}, not {value}" if numbers else f"this game has no {name}s"
                )
        return replace(self, actions=actions)


@dataclass(frozen=True)
class PickPlay(Options):
    """Randomise picks with a known probability, and estimate the causal effect of taking each card.

    The effect of a card is estimated over the turns on which a seat could build (bury, sell) it: the mean score of
    seats that do so minus the mean score of seats that make a different, uniformly random move, by inverse-propensity
    weighting.
    """

    randomise: float | str = option(
        "Chance that a pick is replaced by a random one, for all seats or per seat.",
        0.1, metavar="CHANCE", read=str, example="0.2", label="How often picks are random",
    )  # fmt: skip
    folder: Path | None = option(
        "Folder for the games of the experiment; or FILE.json or FILE.parquet for the answer alone.",
        None, metavar="FOLDER", names=("-o", "--out"), check=place,
    )  # fmt: skip
    resume: bool = option("Continue the interrupted experiment in --out.", False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.file is not None:
            if self.resume:
                raise UserError("--resume continues the run in a folder: name it with --out FOLDER")
            if not self.file.absolute().parent.is_dir():
                raise UserError(f"cannot write {str(self.file)!r}: there is no folder {str(self.file.parent)!r}")

    @property
    def file(self) -> Path | None:
        """The path of the answer file, if no run is stored."""
        return self.folder if self.folder is not None and self.folder.suffix in (".json", ".parquet") else None
