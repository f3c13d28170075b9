"""Compare a changed catalogue with the printed one on common deals, block by block, while somebody moves a slider.

``LiveComparison`` plays the games. All games are kept, so a value that was set before continues where it stopped. Each
interval is valid if it is read once; for verdicts, ask a what-if.

``python -m wsim.workbench.live_games`` is the process that plays. It reads lines of JSON: first the baseline
(``plan``, ``item``), then ``add`` and ``drop`` with the changes that pages begin or cease to show. After each block it
writes a line with the changes, the number of deals, and a row for each figure. It ends if no page shows anything for a
while.
"""

from __future__ import annotations

import contextlib
import json
import math
import queue
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from wsim.document import DECIDED
from wsim.errors import UserError
from wsim.game import Game, Simulator, find_game
from wsim.lab.batch import usable_threads
from wsim.lab.plan import Plan
from wsim.questions.contrasts import Contrasts, MetricReading
from wsim.questions.deals import Arm, Features, sample, wish_columns
from wsim.questions.metrics import Metric, group_metrics, overruled_for, owned_metrics, parse_metric, wished_items
from wsim.stats import benjamini_hochberg
from wsim.stats.intervals import verdicts
from wsim.workbench.queue_of_questions import begin_worker

BLOCKS = (64, 64, 128, 256, 512)
"""Number of deals in the first blocks; all further blocks are as large as the last one."""
MAX_DEALS = 20_000
PATIENCE = 120.0  # seconds without an open page
MAX_KEPT = 24
"""Maximum number of sets of changes whose games are kept."""


class LiveComparison:
    """A baseline, and any number of changed games on the same deals.

    Parameters
    ----------
    plan: the plan of the baseline. item: the name of the changed card or wonder; if the game measures them, its worth
        and the share of seats that have it are among the figures.
    """

    def __init__(self, plan: Plan, item: str) -> None:
        self._game: Game = find_game(plan.game)
        worth = f"worth:{item}"
        try:
            self.plan = overruled_for(plan, [worth])
            self._baseline: Simulator = self._game.prepare(self.plan)
            items = wished_items(self._baseline, [worth])
        except UserError:  # the game does not measure worth, or no seat can want the item
            self.plan, items = plan, ()
            self._baseline = self._game.prepare(plan)
        columns = sample(self._baseline)
        wished = columns.with_columns(**{name: np.zeros(0) for name in wish_columns(items)})
        self.metrics: tuple[Metric, ...] = (
            *([parse_metric(worth, wished, self._game.OWNED)] if items else []),
            *owned_metrics([item], columns, self._game.OWNED)[:1],
            parse_metric("score", columns, self._game.OWNED),
            *group_metrics(("win",), columns.select(name for name in columns.columns if name != "policy")),
        )
        self._items = items
        self._read = MetricReading(self.metrics, np.ones(self._baseline.seats, bool))
        self._base = Arm("baseline", (self._baseline,), items=items)
        self._played: list[Features] = []  # features of the baseline for each block
        self._changed: dict[tuple[str, ...], tuple[Arm, Contrasts, int]] = {}
        self._threads = usable_threads(None)
        self._pool = ThreadPoolExecutor(self._threads)

    def prepare(self, lines: Sequence[str]) -> tuple[Arm, Contrasts, int]:
        """Return the arm with changed values, its sums and its number of blocks; raise UserError for invalid values."""
        key = tuple(lines)
        if key not in self._changed:
            simulator: Simulator = self._game.prepare(self.plan.replace(set=(*self.plan.set, *lines)))
            if simulator.seats != self._baseline.seats:
                raise UserError("the change alters the number of seats, so games cannot be compared")
            sums = Contrasts(1, len(self.metrics), [metric.wished for metric in self.metrics])
            self._changed[key] = (Arm("changed", (simulator,), items=self._items), sums, 0)
            while len(self._changed) > MAX_KEPT:
                del self._changed[next(iter(self._changed))]
        return self._changed[key]

    def deals(self, lines: Sequence[str]) -> int:
        """Return the number of deals played with changed values."""
        return self.prepare(lines)[1].deals

    def advance(self, lines: Sequence[str]) -> bool:
        """Play one more block of deals; return False, without playing, if there are enough deals."""
        arm, sums, block = self.prepare(lines)
        if sums.deals >= MAX_DEALS:
            return False
        games = _block(block)
        if block == len(self._played):
            self._played.append(self._features(self._base, games))
        sums = sums.plus([self._played[block], self._features(arm, games)])
        self._changed[tuple(lines)] = (arm, sums, block + 1)
        return True

    def _features(self, arm: Arm, games: range) -> Features:
        """Play games on all threads and return their features."""
        size = max(1, -(-len(games) // self._threads))
        parts = [range(first, min(first + size, games.stop)) for first in range(games.start, games.stop, size)]
        played = list(self._pool.map(lambda part: self._read(arm.frame(part), part), parts))
        return [np.concatenate(features, axis=-1) for features in zip(*played, strict=True)]

    def rows(self, lines: Sequence[str]) -> list[dict[str, Any]]:
        """Return the figures so far, as rows with name, label, kind, printed, changed, effect, low, high and clear.

        A number that is not known yet is None; so are the ends of an interval if too few deals differ. A figure is
        clear if its q-value (Benjamini-Hochberg over the rows) is below 0.05.
        """
        _, sums, _ = self.prepare(lines)
        if not sums.deals:
            return []
        effects, known = sums.effects(), sums.has_interval()
        printed, changed = sums.base().value, sums.changed().value
        q = benjamini_hochberg(np.where(known, effects.p_value(), math.nan))
        clear = [verdict in DECIDED for verdict in verdicts(effects.value, q)]
        rows = []
        for index, metric in enumerate(self.metrics):
            ends = (effects.low[index], effects.high[index]) if known[index] else (math.nan, math.nan)
            numbers = (printed[index], changed[index], effects.value[index], *ends)
            names = ("printed", "changed", "effect", "low", "high")
            row = {name: _number(number) for name, number in zip(names, numbers, strict=True)}
            words = {"name": metric.name, "label": _label(metric), "kind": _kind(metric)}
            rows.append({**words, **row, "clear": clear[index]})
        return rows


def _block(number: int) -> range:
    """Return the range of deal numbers in a block."""
    first = sum(BLOCKS[:number]) + BLOCKS[-1] * max(0, number - len(BLOCKS))
    return range(first, first + BLOCKS[min(number, len(BLOCKS) - 1)])


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _kind(metric: Metric) -> str:
    """Return the format of a figure: "share" or "points"."""
    return "share" if metric.share or metric.column == "win_share" else "points"


def _label(metric: Metric) -> str:
    """Describe a figure in words."""
    if metric.wished:
        return f"Worth of {metric.item}: win share gained by seats that want it"
    if metric.item is not None:
        return f"Seats that have {metric.item}"
    if metric.where:
        return f"Wins of {' '.join(f'side {name}' if column == 'side' else name for column, name in metric.where)}"
    return "Mean score of a seat"


class _Shown:
    """Counts the open pages for each set of changes; a thread reads requests from standard input."""

    def __init__(self) -> None:
        self._lines: queue.Queue[Mapping[str, Any] | None] = queue.Queue()
        self.wanted: dict[tuple[str, ...], int] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def refresh(self, *, wait: bool) -> bool:
        """Process the requests read so far; ``wait``: first wait for one. Return False if the process must end."""
        try:
            line = self._lines.get(timeout=PATIENCE) if wait else self._lines.get_nowait()
        except queue.Empty:
            return not wait
        if line is None:
            return False
        for word, step in (("add", 1), ("drop", -1)):
            if word in line:
                key = tuple(line[word])
                self.wanted[key] = self.wanted.get(key, 0) + step
                if self.wanted[key] <= 0:
                    del self.wanted[key]
        return self.refresh(wait=False)


def main() -> None:
    """Play the sets of changes shown on open pages, always the one with the fewest deals next."""
    begin_worker()
    first = json.loads(sys.stdin.readline())
    try:
        live = LiveComparison(Plan.make(**first["plan"]), first["item"])
    except UserError as error:
        _send({"lines": None, "error": str(error)})
        return
    shown, done = _Shown(), set[tuple[str, ...]]()
    while shown.refresh(wait=not (set(shown.wanted) - done)):
        done &= set(shown.wanted)
        playing = [lines for lines in shown.wanted if lines not in done]
        for lines in playing:
            try:
                live.prepare(lines)
            except UserError as error:
                done.add(lines)
                _send({"lines": list(lines), "error": str(error)})
        playing = [lines for lines in playing if lines not in done]
        if not playing:
            continue
        lines = min(playing, key=live.deals)
        if not live.advance(lines):
            done.add(lines)
        _send({"lines": list(lines), "deals": live.deals(lines), "most": MAX_DEALS, "rows": live.rows(lines)})


def _send(record: Mapping[str, Any]) -> None:
    assert sys.__stdout__ is not None
    sys.__stdout__.write(json.dumps(record) + "\n")
    sys.__stdout__.flush()


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        main()
