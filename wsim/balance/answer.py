"""The answer to a search: the patch with its evidence in comments, tables, and the record as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from wsim.balance.cells import target_columns
from wsim.balance.conclusion import MAX_NAMED, conclusion_of, headline_of
from wsim.balance.conflicts import Z, binding, conflicts
from wsim.balance.goal import Goal
from wsim.balance.knobs import Patch, changes_of, patched
from wsim.balance.patch_search import PatchSearch
from wsim.balance.proof import Proof
from wsim.balance.sampling import Level
from wsim.balance.transfer.answer import CARRIED, RESPONSES, TransferAnswer, elsewhere_tables
from wsim.document import Chart, Column, Conclusion, Document, Sheet
from wsim.errors import UserError
from wsim.files import write_text
from wsim.game import analyses_of, find_game
from wsim.lab.answer import Stored, View, whole
from wsim.lab.provenance import Provenance
from wsim.lab.rest_known import known_between
from wsim.questions.asked import AskedAnswer
from wsim.spec.fields import dotted
from wsim.stats.columns import PLAYER_HALF_WIDTH
from wsim.stats.intervals import Interval

if TYPE_CHECKING:
    from wsim.balance.cells import Cell
    from wsim.balance.sampling import Effects

BEFORE_AFTER = (
    "Open marks show the game without the patch, filled marks the game with it, on deals that the search has not used; "
    "bars are 95% intervals, dashed lines the accepted range. All results are valid for the players of each setting."
)
UNPROVEN = 3
"""Exit code of a search whose patch is not proven to meet its targets."""


@dataclass(frozen=True, repr=False)
class BalanceAnswer(AskedAnswer):
    """The answer to a search for a patch.

    Attributes
    ----------
    goal, seed: the question. stopped: how the search ended: ``proven``, ``unproven`` or ``interrupted``.
    patch: changed values by path; empty: nothing needs to change.
    changes: one row per change: path, old, new, cost, at_end (whether the value is at an end of its range), and the
        cell that the change moves most: setting, of, metric, effect with effect_low and effect_high, compared with the
        patch without the change.
    targets: one row per cell: setting, of, metric, low and high (accepted), before and after with their _low and _high
        (95%), proven, player_half_width (before the patch, where differences between players are known). ``after`` uses
        only the deals of the last proof; it is null before the first proof.
    trade: the trade-off between changes and deviation, on deals of the search: changes, cost, worst (the largest
        deviation; 1 is at the bound), patch.
    proofs: every attempt, as JSON. binds: the unproven targets, the farthest from their bounds first. conflicts: which
        of them conflict with each other.
    not_excluded: sentences about patches that are cheaper than the proven one and may also meet the targets,
        the nearest first.
        idle: knobs without any effect. refused: patches that cannot be played to the end, with the reason.
    carried, responses: see ``wsim.balance.transfer.answer``.
    provenance: the rules before and after the patch. games, seconds: the number of games and the time that the search
        took.
    interrupted: whether the search or the transfer was interrupted, so that results are missing.
    """

    FORMAT: ClassVar[str] = "wsim-balance/1"
    SUFFIXES: ClassVar[tuple[str, ...]] = (".toml", ".json")
    COMMAND: ClassVar[str] = "wsim balance"
    TITLE: ClassVar[str] = "a patch"
    FILE_NOUN: ClassVar[str] = "record"
    LOCATION_HINT: ClassVar[str] = ", which is next to the patch, as .json"
    VOLATILE: ClassVar[tuple[str, ...]] = ("provenance", "goal")
    TABLES: ClassVar[tuple[str, ...]] = ("targets", "changes", "trade", "carried", "responses")
    ROWS: ClassVar[Mapping[str, str]] = {"trade": "trade-off", **TransferAnswer.ROWS}
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **dict.fromkeys(("goal", "proven", "stopped", "changes"), ()),
        "targets": ("setting", "of", "metric", "before", "after"),
        **dict.fromkeys(("trade", "binding", "conflicts", "games"), ()),
    }

    goal: Goal
    seed: int
    stopped: str
    patch: Patch
    changes: pl.DataFrame
    targets: pl.DataFrame
    trade: pl.DataFrame
    proofs: list[dict[str, Any]]
    binds: list[str]
    conflicts: list[str]
    idle: list[str]
    provenance: dict[str, Any]
    games: int
    seconds: float
    carried: pl.DataFrame | None = None
    responses: pl.DataFrame | None = None
    seeds: dict[str, int] = field(default_factory=dict)
    interrupted: bool = False
    not_excluded: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """The exit code: 0 if all targets are proven, otherwise 3."""
        return 0 if self.proven else UNPROVEN

    @property
    def proven(self) -> bool:
        """Whether all targets are proven, on deals that the search has not used."""
        return self.stopped == "proven"

    @property
    def nearest(self) -> float | None:
        """The smallest multiple of the accepted ranges for which all targets are proven; None without a proof."""
        return min((float(proof["within"]) for proof in self.proofs), default=None)

    def record(self) -> dict[str, Any]:
        tables = {"changes": self.changes, "targets": self.targets, "trade": self.trade}
        elsewhere = {"carried": self.carried, "responses": self.responses}
        return {
            "format": self.FORMAT,
            "asked": dict(self.asked),
            "wsim": self.provenance["wsim"],
            "goal": self.goal.source,
            "digest": self.goal.digest,
            "seed": self.seed,
            "stopped": self.stopped,
            "interrupted": self.interrupted,
            "proven": self.proven,
            "patch": {dotted(path): value for path, value in self.patch},
            **{name: table.to_dicts() for name, table in tables.items()},
            "proofs": self.proofs,
            "proven_within": self.nearest,
            "seeds": self.seeds,
            "binding": self.binds,
            "conflicts": self.conflicts,
            "not_excluded": self.not_excluded,
            "idle": self.idle,
            **({"refused": self.refused} if self.refused else {}),
            **{name: None if table is None else table.to_dicts() for name, table in elsewhere.items()},
            "settings": [
                {"name": setting.name, "report": setting.report, "plan": setting.plan.as_dict()}
                for setting in self.goal.settings
            ],
            "provenance": self.provenance,
            "games": self.games,
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def compared(cls, record: Mapping[str, Any]) -> str:
        return f"the patch, {super().compared(record)}"

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        settings = record.get("settings") or [{"plan": {}}]
        return dict(settings[0]["plan"])

    @property
    def title(self) -> str:
        return self.headline()

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        return dict.fromkeys(cls.TABLES, target_columns(record["targets"]))

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State the patch, and whether it meets the targets."""
        return conclusion_of(stored.record)

    @classmethod
    def document(cls, stored: Stored) -> Document:
        record, targets = stored.record, stored.main
        several, count = targets["setting"].n_unique() > 1, len(record["changes"])
        within = record.get("proven_within")
        near = "" if within is None else f" (all targets: within {within:.2f} times the accepted range)"
        verdict = "proven" if record["proven"] else f"not proven{near}"
        sheets = []
        for (metric, setting), rows in targets.group_by("metric", "setting", maintain_order=True):
            metric_name = "Win share" if metric == "win" else str(metric)
            where = f", {setting}" if several else ""
            changed = f"{count} changed value{'' if count == 1 else 's'}"
            chart = Chart(
                "change", ("before", "after"), ("of",), f"{metric_name}{where} before and after {changed}: {verdict}",
                axis=metric_name, band=("low", "high"),
            )  # fmt: skip
            title = f"Targets: {metric_name}{where}"
            sheets.append(stored.sheet("targets", title, rows.sort("before"), charts=(chart,)))
        titles = {
            "changes": "The patch", "trade": "Changes against deviation", "carried": CARRIED,
            "responses": RESPONSES,
        }  # fmt: skip
        sheets += [stored.sheet(name, title) for name, title in titles.items() if record.get(name)]
        conflicts = [f"{text[:1].upper()}{text[1:]}." for text in record["conflicts"]]
        notes = [*conflicts, *record.get("not_excluded", ())]
        return Document(targets, sheets, head=[BEFORE_AFTER], notes=notes)

    def display(self, view: View = whole) -> Document:
        shown = view(self.targets)
        tables, declared = [], target_columns(self.targets.to_dicts())
        if self.patch:
            title = "The patch: the effect of each change on the target that it moves most, with the other changes"
            rows = _slim(self.changes.drop("cost"))
            tables.append(Sheet(title, rows, declared, first=("path", "old", "new", "of", "effect")))
        title = "Targets, before and after on fresh deals (95% intervals)"
        tables.append(Sheet(title, _slim(shown), declared, first=("of", "before", "after", "proven", "low", "high")))
        title = "Changes against the largest deviation (1: at the bound), on deals of the search"
        tables.append(Sheet(title, self.trade.drop("patch").to_dicts(), declared))
        return Document(
            rows=shown,
            named="targets",
            head=[
                f"{self.headline()}.",
                *(f"Conflict: {conflict}." for conflict in self.conflicts),
                *self.not_excluded,
            ],
            tables=[*tables, *elsewhere_tables(self.carried, self.responses)],
            notes=[*idle_note(self.idle), *self.refused, f"{self.games:,} games in {self.seconds:.1f} s."],
        )

    def headline(self) -> str:
        """Summarise the result in one sentence."""
        return headline_of(self.record())

    def patch_text(self) -> str:
        """Return the content of a patch file for ``--patch``, with the evidence in comments."""
        head = [f"{self.headline()}.", *(f"{conflict}." for conflict in self.conflicts), *self.not_excluded]
        rules = self.provenance
        head.append(
            f"wsim {rules['wsim']}, wsim balance {self.goal.source}, goal {self.goal.digest}, seed {self.seed}."
        )
        head.append(f"Rules {rules['before']} before and {rules['after']} after; engine {rules['engine']}.")
        for setting in self.goal.settings:
            plan = setting.plan
            where = f"{plan.ruleset}, {plan.players} players, {', '.join(dict.fromkeys(plan.policies))}"
            head.append(f"{'Reported' if setting.report else 'Balanced'}: {setting.name} ({where}).")
        deals = {
            f"proof {proof['attempt']}, {name}": games
            for proof in self.proofs
            for name, games in proof["deals"].items()
        }
        head += [f"Deals of {name}: seed {seed}, {deals[name]:,} of them." for name, seed in self.seeds.items()]
        lines = [f"# {line}" for line in head]
        for row in self.changes.to_dicts():
            effect = f"{row['effect']:+.4f} ({row['effect_low']:+.4f} to {row['effect_high']:+.4f})"
            effect_text = f"was {row['old']}; {row['metric']} of {row['of']} {effect}"
            lines.append(f"{row['path']} = {row['new']}  # {effect_text}")
        return "\n".join(lines) + "\n"

    def write(self, path: str | Path) -> list[Path]:  # type: ignore[override] # a patch, and its record beside it
        """Write the patch, and its record next to it; return both paths. Raises StoreError for a disk error."""
        patch = Path(path)
        evidence = evidence_file(patch)
        self.check_target(patch, resume=True)
        write_text(evidence, json.dumps(self.record(), ensure_ascii=False, indent=2, default=str) + "\n")
        if patch == evidence:
            return [evidence]
        write_text(patch, self.patch_text())
        return [patch, evidence]

    @classmethod
    def check_target(cls, path: Path, *, resume: bool = False) -> None:
        """Raise UserError for a file that cannot be written or already exists.

        ``resume``: accept a record without its patch, which an interrupted search leaves behind.
        """
        if path.suffix not in cls.SUFFIXES:
            raise UserError(f"a patch is written as FILE.toml, or its record alone as FILE.json, not {str(path)!r}")
        if not path.absolute().parent.is_dir():
            raise UserError(f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}")
        for file in (path, *([] if resume else [evidence_file(path)])):
            if file.exists():
                raise UserError(f"{str(file)!r} already exists: name another file with --out, or remove it")


def _slim(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table without columns that are constant and uninformative."""
    same = [name for name in ("setting", "metric") if name in table.columns and table[name].n_unique() == 1]
    return table.drop(same).to_dicts()


def idle_note(idle: Sequence[str]) -> list[str]:
    """Return a sentence that lists the knobs without any effect."""
    return [f"Without any effect in these games: {', '.join(idle)}."] if idle else []


def evidence_file(path: Path) -> Path:
    """Return the path of a patch's record, which is next to the patch."""
    return path.with_suffix(".json")


def answer_of(search: PatchSearch, *, interrupted: bool = False) -> BalanceAnswer:
    """Build the answer to a search so far, which must have measured the game without a patch.

    Parameters
    ----------
    interrupted: play no more games; effects of changes are then taken from the measurements without a patch.
    """
    evaluator, best = search.evaluator, search.best
    assert best is not None
    nearest = search.nearest_proof
    proof = nearest[1] if search.over and nearest is not None else None
    within = np.zeros(len(evaluator.cells), bool) if proof is None else proof.within
    value = best.level.value if proof is None else proof.value
    binds = binding(evaluator.cells, value, within)
    assert search.effects is not None
    stopped = "interrupted" if proof is None else "proven" if within.all() else "unproven"
    names = {
        f"proof {attempt.attempt}, {part}": seed
        for _, attempt in search.proofs
        for part, seed in evaluator.seeds_of(f"proof {attempt.attempt}")
    }
    return BalanceAnswer(
        goal=evaluator.goal,
        seed=evaluator.seed,
        stopped=stopped,
        patch=best.patch,
        changes=_changes(search, best.patch, alone=interrupted),
        targets=_targets(search, proof),
        trade=_trade_off(search),
        proofs=[attempt.record(evaluator.cells) for _, attempt in search.proofs],
        binds=[_cell_description(search, index, value) for index in binds] if proof is not None else [],
        conflicts=[] if proof is None else conflicts(evaluator.cells, Level(value, proof.error, 0), search.effects),
        idle=search.idle,
        provenance=_provenance(search, best.patch),
        games=evaluator.memory.played,
        seconds=0.0,
        seeds=names,
        not_excluded=_not_excluded(search) if stopped == "proven" else [],
        refused=[
            f"Refused: {', '.join(changes_of(patch))}: {sentence}."
            for patch, sentence in evaluator.sampler.refused.items()
        ],
    )


def _not_excluded(search: PatchSearch) -> list[str]:
    """Describe patches that are cheaper than the proven one and, given the games played, may meet the targets."""
    candidates, cells = search.not_excluded(), search.evaluator.cells
    sentences = []
    for candidate in candidates[:MAX_NAMED]:
        count = f"{len(candidate.patch)} value{'' if len(candidate.patch) == 1 else 's'}"
        subject = (
            f"A patch of {count}, {_patch_line(candidate.patch)}, is" if candidate.patch else "Changing nothing is"
        )
        off = [float(cell.excess(value)) / cell.reach for cell, value in zip(cells, candidate.level.value, strict=True)]
        binds = int(np.argmax(off))
        reach = Z * candidate.level.error[binds]
        sentences.append(
            f"{subject} not excluded: {_cell_description(search, binds, candidate.level.value)} (+-{reach:.2g})."
        )
    if len(candidates) > MAX_NAMED:
        sentences.append(f"Nor are {len(candidates) - MAX_NAMED} more that cost less.")
    if search.passed_over:
        sentences.append(f"{search.passed_over:,} more patches of one or two values that cost less were not measured.")
    return sentences


def _cell_description(search: PatchSearch, index: int, value: Any) -> str:
    """Describe a cell of the goal with its value and accepted range."""
    cell = search.evaluator.cells[index]
    low, high = (f"{bound:.4g}" for bound in (cell.low, cell.high))
    return f"{cell.metric} of {cell.name} ({cell.setting}) at {float(value[index]):.4g}, accepted {low} to {high}"


def _changes(search: PatchSearch, patch: Patch, *, alone: bool) -> pl.DataFrame:
    """Tabulate the effect of each change in a patch, given the other changes (``alone``: given no changes)."""
    evaluator = search.evaluator
    knobs = {knob.path: knob for knob in evaluator.knobs}
    option_at = {
        (evaluator.knobs[option.knob].path, option.value): number for number, option in enumerate(evaluator.options)
    }
    effects: Effects | None = search.effects
    assert effects is not None
    if not alone and patch:
        settings = evaluator.goal.search
        effects = evaluator.linearised(patch, "changes", settings.games, settings.replays)[1]
    rows = []
    for path, value in patch:
        knob = knobs[path]
        number = option_at[path, value if alone else knob.base]
        reach = np.array([cell.reach for cell in evaluator.cells])
        most = int(np.argmax(np.abs(effects.value[number]) / reach))
        effect = Interval.normal(effects.value[number] * (1 if alone else -1), effects.error[number])
        cell = evaluator.cells[most]
        rows.append(
            {
                "path": dotted(path),
                "old": knob.base,
                "new": value,
                "cost": knob.cost(value),
                "at_end": value in (knob.low, knob.high),
                "setting": cell.setting,
                "of": cell.name,
                "metric": cell.metric,
                **effect.at(most, "effect"),
            }
        )
    texts = ("path", "setting", "of", "metric")
    schema = (
        {name: pl.String if name in texts else None for name in rows[0]} if rows else dict.fromkeys(texts, pl.String)
    )
    return pl.DataFrame(rows, schema=schema)


def _targets(search: PatchSearch, proof: Proof | None) -> pl.DataFrame:
    before = search.before
    assert before is not None
    rows, half_widths = [], _between(search.evaluator.goal, search.evaluator.cells)
    for index, cell in enumerate(search.evaluator.cells):
        row = {
            **cell.record(),
            **_interval(before, index, "before"),
            PLAYER_HALF_WIDTH: half_widths.get((cell.setting, cell.name)),
        }
        row |= _interval(proof, index, "after")
        rows.append({**row, "proven": None if proof is None else bool(proof.within[index])})
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table if half_widths else table.drop(PLAYER_HALF_WIDTH)


def _between(goal: Goal, cells: Sequence[Cell]) -> dict[tuple[str, str], float]:
    """Return the half widths of intervals for another good player's win shares, where known, by setting and item."""
    game = find_game(goal.game)
    names = [name for name, analysis in analyses_of(game).items() if analysis.moves == "win_share"]
    half_widths: dict[tuple[str, str], float] = {}
    for setting in goal.settings:
        targeted = {cell.name for cell in cells if cell.setting == setting.name and cell.metric == "win"}
        identity = Provenance.of(setting.plan, game.prepare(setting.plan)).identity
        for known in filter(None, (known_between(identity, None, name) for name in names)):
            half_widths |= {
                (setting.name, name): half for name, half in known.half_widths().items() if name in targeted
            }
    return half_widths


def _interval(level: Level | Proof | None, index: int, name: str) -> dict[str, float | None]:
    if level is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    return dict(Interval.normal(level.value, level.error).at(index, name))


def _trade_off(search: PatchSearch) -> pl.DataFrame:
    """Return a table of the candidates on the Pareto front of cost and deviation."""
    rows = [
        {
            "changes": len(candidate.patch),
            "cost": candidate.cost,
            "worst": candidate.worst,
            "patch": _patch_line(candidate.patch),
        }
        for candidate in search.pareto()
    ]
    return pl.DataFrame(rows)


def _patch_line(patch: Sequence[tuple[tuple[str, ...], int]]) -> str:
    return ", ".join(f"{dotted(path)}={value}" for path, value in patch)


def _provenance(search: PatchSearch, patch: Patch) -> dict[str, Any]:
    """Return digests of the engine and of the rules (without and with a patch), and the version of wsim."""
    plan = search.evaluator.goal.settings[0].plan
    prepare = find_game(plan.game).prepare
    before, after = (prepare(patched(plan, changes)).provenance() for changes in ((), patch))
    return {
        "before": before.get("catalogue_digest"),
        "after": after.get("catalogue_digest"),
        "engine": before.get("engine"),
        "streams": before.get("streams"),
        "wsim": search.evaluator.provenance.identity["wsim"],
    }
