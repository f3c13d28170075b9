"""Who is deciding, seen from outside: a policy that does not come to an end is named, with its game, while it runs.

Kernels hold no lock and look at no clock. But they note whom they ask, and how many decisions they have asked for
(``ANSWER`` of ``wsim.kernels.heads``), in memory that another thread can read. Only games with policies of users are
watched.
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
    from wsim.policies.plug import Plugged

PATIENCE = 60.0
"""Seconds in one decision before it is remarked."""
_PAUSE = 0.5
_AT_ONCE = 1.0  # seconds in one decision that are worth a word to somebody who waits for it


class _Played:
    """The games that one thread plays. A context manager: it is watched as long as it lasts."""

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
        """Return how many seconds the same decision has been seen to last."""
        count = int(self.answer["asked"])
        if count == self.first or count != self.count:  # nobody was asked so far, or somebody else
            self.count, self.since, self.remarked = count, now, False
        return now - self.since

    def sentence(self, seconds: float) -> str:
        """Say who is deciding."""
        where = f"in game {int(self.answer['number'])}, " if self.numbered else ""
        return (
            f"policy {self.label(self.answer)!r} has been deciding for {seconds:.0f} s, {where}"
            f"seat {int(self.answer['seat'])}"
        )


def _say(text: str) -> None:
    sys.stderr.write(f"wsim: {text}; if it never ends, Ctrl-C and once more Ctrl-C stops it\n")
    sys.stderr.flush()


class Watch:
    """Looks at the games that are being played, and remarks a decision that lasts.

    Parameters
    ----------
    patience: seconds after which it does. pause: seconds between looks. say: takes the sentence, once for a decision.
    """

    def __init__(self, patience: float = PATIENCE, pause: float = _PAUSE, say: Callable[[str], None] = _say) -> None:
        self.patience, self.pause, self.say = patience, pause, say
        self._lock = threading.Lock()
        self._playing: list[_Played] = []
        self._thread: threading.Thread | None = None

    def begin(self, played: _Played) -> None:
        """Watch games, from now on."""
        with self._lock:
            self._playing.append(played)
            if self._thread is None or not self._thread.is_alive():  # a process that was forked has none
                self._thread = threading.Thread(target=self._run, daemon=True, name="wsim-watch")
                self._thread.start()

    def end(self, played: _Played) -> None:
        """Watch them no longer."""
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
        """Remark what lasts for long; return a sentence about the decision that lasts longest, empty for none."""
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
    """Watch the games that this thread plays, if policies of users play in them (``foreign``).

    ``answer``: the record in which they note whom they ask; ``label`` makes a name of it. ``numbered``: its game has a
    number.
    """
    return _Played(_WATCH, label, answer, numbered) if foreign else nullcontext()


def deciding() -> str:
    """Say which policy of a user's has been deciding for some time now; empty for none."""
    return _WATCH.look(time.monotonic())


class Answering:
    """What a line-up says of policies that are asked; a base of ``LineUp``, which has ``labels`` and ``plugged``."""

    labels: tuple[str, ...]
    plugged: Mapping[str, Plugged]

    def label_of(self, answer: Any, order: Any = None) -> str:
        """Return the entry that was asked last (``ANSWER``); ``order``: of the entries, where it is another one."""
        entry = int(answer["entry"])
        return self.labels[(entry if order is None else int(order[entry])) % len(self.labels)]

    @contextmanager
    def answering(self, answer: Any, order: Any = None, *, numbered: bool = False) -> Iterator[None]:
        """Let kernels ask the line-up, noting whom in ``answer``; ``numbered``: games of a number of their own.

        A policy that does not come to an end is remarked on, one that raises gets a sentence (UserError).
        """
        try:
            with watched(bool(self.plugged), partial(self.label_of, order=order), answer, numbered=numbered):
                yield
        except Exception as error:
            where = f", in game {int(answer['number'])}" if numbered else ""
            self.raise_failure(error, where, self.label_of(answer, order))
            raise

    def raise_wrong(self, answer: Any, order: Any = None, *, numbered: bool = False) -> None:
        """Raise UserError for a policy that failed, or returned no legal index: ``ANSWER`` (``wsim.kernels.heads``)."""
        game = f"game {int(answer['number'])}" if numbered else ""
        self.raise_failure(where=game and f", in {game}")
        raise UserError(
            f"policy {self.label_of(answer, order)!r} returned {int(answer['index'])} in {game and f'{game}, '}"
            f"seat {int(answer['seat'])}: an index from 0 to {int(answer['count']) - 1} into the list of legal moves "
            "is needed"
        )

    def raise_failure(self, error: Exception | None = None, where: str = "", asked: str | None = None) -> None:
        """Raise UserError for an exception inside a user's policy, in one sentence; do nothing if there was none.

        The engine sees only -1 from a plain-Python policy that raised; what a compiled one raises comes out of the
        engine: hand it over as ``error``. ``asked``: the entry that was asked last.
        """
        for label, plugged in self.plugged.items():
            complaint = plugged.complaint(label, where)
            if complaint is not None:
                raise complaint
        compiled = [label for label, plugged in self.plugged.items() if not plugged.declaration.python]
        if error is not None and (of_effect := _failed_effect(error, where)):
            raise of_effect from error
        if error is not None and compiled:
            names = repr(asked) if asked in compiled else " or ".join(map(repr, compiled))  # of a pool, who knows
            text = " ".join(str(error).split())
            raise UserError(f"policy {names} raised {type(error).__name__}: {text}{where}") from error


def _failed_effect(error: Exception, where: str) -> UserError | None:
    """Return what a function of a file that formulas call did wrong; None if it is none of theirs."""
    effects = sys.modules.get("wsim.policies.effect_calls")  # not loaded, not called
    found: UserError | None = effects.failure(error, where) if effects else None
    return found
