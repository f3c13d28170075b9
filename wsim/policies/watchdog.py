"""A watchdog for user policies that prints the name and game of a policy that does not return.

Kernels hold no lock and read no clock, but they record which policy they call and how many decisions they have
requested (``ANSWER`` in ``wsim.kernels.heads``), in memory that other threads can read. Only games with user policies
are watched.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError

if TYPE_CHECKING:
    from wsim.limits import BrokenLimit
    from wsim.policies.user_policies import UserPolicy

PATIENCE = 60.0
"""Seconds that one decision may take before a remark is printed."""
_PAUSE = 0.5
_AT_ONCE = 1.0  # seconds that one decision may take before it is reported on request


class _Played:
    """The games that one thread is playing; a context manager that watches them."""

    def __init__(self, watch: Watch, label: Callable[[Any], str], answer: Any, numbered: bool) -> None:
        self.watch, self.label, self.answer, self.numbered = watch, label, answer, numbered
        self.first = self.count = int(answer["asked"])
        self.since, self.remarked = 0.0, False

    def __enter__(self) -> None:
        self.watch.begin(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.watch.end(self)

    def look(self, now: float) -> float:
        """Return the seconds since the current decision was first observed."""
        count = int(self.answer["asked"])
        if count == self.first or count != self.count:  # no decision yet, or a new one
            self.count, self.since, self.remarked = count, now, False
        return now - self.since

    def sentence(self, seconds: float) -> str:
        """Describe the pending decision in one sentence: policy, seconds, game and seat."""
        where = f"in game {int(self.answer['number'])}, " if self.numbered else ""
        return (
            f"policy {self.label(self.answer)!r} has been deciding for {seconds:.0f} s, {where}"
            f"seat {int(self.answer['seat'])}"
        )


def _say(text: str) -> None:
    sys.stderr.write(f"wsim: {text}; if it never ends, press Ctrl-C twice to stop it\n")
    sys.stderr.flush()


class Watch:
    """Observes the games being played, and prints a remark about a decision that takes too long.

    Parameters
    ----------
    patience: seconds before the remark. pause: seconds between checks.
    say: called with the remark, once per decision.
    """

    def __init__(self, patience: float = PATIENCE, pause: float = _PAUSE, say: Callable[[str], None] = _say) -> None:
        self.patience, self.pause, self.say = patience, pause, say
        self._lock = threading.Lock()
        self._playing: list[_Played] = []
        self._thread: threading.Thread | None = None

    def begin(self, played: _Played) -> None:
        """Start watching these games."""
        with self._lock:
            self._playing.append(played)
            if self._thread is None or not self._thread.is_alive():  # a forked process has no thread
                self._thread = threading.Thread(target=self._run, daemon=True, name="wsim-watch")
                self._thread.start()

    def end(self, played: _Played) -> None:
        """Stop watching these games."""
        with self._lock:
            self._playing.remove(played)

    def _run(self) -> None:
        while True:
            time.sleep(self.pause)
            with self._lock:
                if not self._playing:
                    self._thread = None
                    return
            self.look(time.monotonic())

    def look(self, now: float) -> str:
        """Print remarks on slow decisions; describe the slowest, or return "" if none has taken a second."""
        with self._lock:
            lasting = [(played.look(now), played) for played in self._playing]
        for seconds, played in lasting:
            if seconds >= self.patience and not played.remarked:
                played.remarked = True
                self.say(played.sentence(seconds))
        longest = max(lasting, key=lambda pair: pair[0], default=(0.0, None))
        seconds, slowest = longest
        return slowest.sentence(seconds) if slowest is not None and seconds >= _AT_ONCE else ""


_WATCH = Watch()


def watched(foreign: bool, label: Callable[[Any], str], answer: Any, *, numbered: bool) -> AbstractContextManager[None]:
    """Return a context that watches the games of this thread if they involve user policies (``foreign``).

    ``answer``: the record of the policy being called, which ``label`` turns into its name. ``numbered``: whether the
    games have numbers.
    """
    return _Played(_WATCH, label, answer, numbered) if foreign else nullcontext()


def deciding() -> str:
    """Describe the user policy with the slowest pending decision; "" if no decision has taken a second."""
    return _WATCH.look(time.monotonic())


class Answering:
    """Reports failures of user policies; a base class of ``LineUp``, which defines ``labels`` and ``plugged``."""

    labels: tuple[str, ...]
    plugged: Mapping[str, UserPolicy]
    limit_error: Callable[[BrokenLimit, str], UserError] | None

    def label_of(self, answer: Any, order: Any = None) -> str:
        """Return the label of the line-up entry that was called last (see ``ANSWER``).

        ``order``: the order of the entries, if it differs from the line-up's.
        """
        entry = int(answer["entry"])
        return self.labels[(entry if order is None else int(order[entry])) % len(self.labels)]

    @contextmanager
    def answering(self, answer: Any, order: Any = None, *, numbered: bool = False) -> Iterator[None]:
        """Watch kernels that play the line-up; ``answer`` records calls, ``numbered`` says whether games have numbers.

        Prints a remark if a policy does not return; turns an exception in a policy into a UserError.
        """
        try:
            with watched(bool(self.plugged), partial(self.label_of, order=order), answer, numbered=numbered):
                yield
        except Exception as error:
            self._raise_limit(error, answer, numbered)
            where = f", in game {int(answer['number'])}" if numbered else ""
            self.raise_failure(error, where, self.label_of(answer, order))
            raise

    def _raise_limit(self, error: Exception, answer: Any, numbered: bool) -> None:
        """Raise UserError if a guard stopped the game because a number no longer fits (``wsim.limits``)."""
        from wsim.jit import LimitError, broken_limit

        if not isinstance(error, LimitError) or self.limit_error is None:
            return
        broken = broken_limit()
        assert broken is not None
        where = f"in game {int(answer['number'])}" if numbered else "in this game"
        if answer["searching"]:
            where += f", while seat {int(answer['seat'])} searched,"
        raise self.limit_error(broken, where) from None

    def raise_wrong(self, answer: Any, order: Any = None, *, numbered: bool = False) -> None:
        """Raise UserError for a policy that failed or returned an illegal index (see ``ANSWER``)."""
        game = f"game {int(answer['number'])}" if numbered else ""
        self.raise_failure(where=game and f", in {game}")
        raise UserError(
            f"policy {self.label_of(answer, order)!r} returned {int(answer['index'])} in {game and f'{game}, '}"
            f"seat {int(answer['seat'])}: it must return an index into the list of legal moves, from 0 to "
            f"{int(answer['count']) - 1}"
        )

    def raise_failure(self, error: Exception | None = None, where: str = "", asked: str | None = None) -> None:
        """Raise UserError for an exception inside a user policy, in one sentence; do nothing if there was none.

        If a plain Python policy raises, the engine sees only -1. An exception in a compiled policy propagates through
        the engine: pass it as ``error``. ``asked``: the label of the entry called last.
        """
        for label, plugged in self.plugged.items():
            complaint = plugged.complaint(label, where)
            if complaint is not None:
                raise complaint
        compiled = [label for label, plugged in self.plugged.items() if not plugged.declaration.python]
        if error is not None and (of_effect := _failed_effect(error, where)):
            raise of_effect from error
        if error is not None and compiled:
            names = (
                repr(asked) if asked in compiled else " or ".join(map(repr, compiled))
            )  # if the entry has a pool, any of its players may have raised
            text = " ".join(str(error).split())
            raise UserError(f"policy {names} raised {type(error).__name__}: {text}{where}") from error


def _failed_effect(error: Exception, where: str) -> UserError | None:
    """Return a UserError if ``error`` comes from an effect function that a formula called; otherwise None."""
    effects = sys.modules.get("wsim.policies.effect_calls")  # if the module is not loaded, no effect was called
    failure: UserError | None = effects.failure(error, where) if effects else None
    return failure
