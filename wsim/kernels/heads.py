"""Records that every game has: replies of policies, line-ups, logs, games stepped together."""

from __future__ import annotations

import mmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wsim.jit import ADDRESSES, from_dtype, kernel, record_type, types

NOBODY = -1
LINE = 64
"""Bytes of a cache line; data read as vectors is aligned to it (``in_lines``)."""
RECORD_PICKS, RECORD_ALL = 1, 2
"""Values of LOG.recording: decisions with more than one move; everything. 0: nothing."""

TAKEN_BACK = ("rng", "memory")
"""Fields of a seat's own record in which writes of a user's policy are kept; all its other writes go to a copy."""

ANSWER = np.dtype(
    [  # what a policy is asked, and answered last, where that is asked for
        ("asked", "i8"),  # decisions so far: as long as it stays the same, one policy is deciding
        ("number", "i8"),  # of the game that was begun last
        ("entry", "i8"),  # of the line-up
        ("seat", "i8"),  # that it plays
        ("wrong", "i8"),  # 1: its index is none into the legal moves
        ("index", "i8"),  # what it returned
        ("count", "i8"),  # legal moves
        ("searching", "i8"),  # 1: a policy that searches is playing on
    ],
    align=True,
)

REQUEST = np.dtype(
    [  # the same for all games of a call
        ("begin", "i8"),  # 1: every game begins at its number; 0: every caller's decision is carried out
        ("callers", "i8"),  # mask of the players that the caller decides for
        ("fixed", "i8"),  # 1: actions are fixed actions; 0: indices into the list of legal moves
        ("stride", "i8"),  # from the number of a game that is over to that of the next one; 0: none follows
    ],
    align=True,
)


def timestep_of(seats: int) -> np.dtype[Any]:
    """Return the time step record of one game, as its caller sees it, for a game with at most this many seats."""
    return np.dtype(
        [  # one game as its caller sees it
            ("number", "i8"),  # of the game that is being played
            ("action", "i8"),  # what the caller decided; the kernel reads it
            ("seat", "i8"),  # the player whose decision is next, NOBODY: the game is over
            ("kind", "i8"),  # CHOICE.kind
            ("moment", "i8"),  # decisions of one moment are made without seeing each other; NOBODY: made alone
            ("over", "i8"),  # 1: a game ended in this call, with these outcomes:
            ("score", "f8", (seats,)),  # points
            ("share", "f8", (seats,)),  # of the victory
        ],
        align=True,
    )


def copying(state: np.dtype[Any]) -> Any:
    """Return the kernel that copies the words of a position."""
    words = state.itemsize // 8

    @kernel
    def copy(source, target):
        """Copy the words of a position."""
        for word in range(words):
            target[word] = source[word]

    return copy


def log_of(event: np.dtype[Any], events: int) -> np.dtype[Any]:
    """Return the record of a log with room for this many events."""
    return np.dtype(
        [
            ("recording", "i8"),  # 0, RECORD_PICKS, RECORD_ALL
            ("count", "i8"),  # events kept
            ("events", event, (events,)),  # in the order in which they happened
        ],
        align=True,
    )


def in_lines(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    """Return the record of some fields (name, kind, perhaps a shape), each on separate cache lines."""
    kinds = [np.dtype(tuple(kind) if len(kind) > 1 else kind[0]) for _, *kind in fields]
    lines = [-(-kind.itemsize // LINE) for kind in kinds]
    return np.dtype(
        {
            "names": [name for name, *_ in fields],
            "formats": kinds,
            "offsets": [LINE * sum(lines[:place]) for place in range(len(lines))],
            "itemsize": LINE * sum(lines),
        },
        align=True,
    )


def untouched(size: int) -> NDArray[np.uint8]:
    """Return zeros whose pages take no memory until they are written.

    A seating of 7 Wonders has room for 39 nets of half a megabyte, and most plans need one. ``numpy.zeros`` writes all
    of it once the allocator reuses freed memory; hundreds of simulators, as in tuning, would take 18 MB each.
    """
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
    return np.frombuffer(mmap.mmap(-1, size, **private), np.uint8)


def seating_like(seating: Any) -> Any:
    """Return an empty seating like this one, with settings aligned to a cache line."""
    dtype = seating.dtype
    room = untouched(dtype.itemsize + LINE)
    start = -(room.ctypes.data + dtype.fields["settings"][1]) % LINE
    return room[start : start + dtype.itemsize].view(dtype).view(np.recarray)[0]


def line_up_fields(seats: int, parameters: int, settings: np.dtype[Any], players: int) -> list[Any]:
    """Return the fields of a line-up in the seating of a game; ``players``: entries and all players of pools."""
    return [
        ("parameters", "f8", (players, parameters)),  # by line-up entry, then by player of a pool
        ("settings_at", "i8", (players,)),  # by line-up entry, then by player of a pool: index of its settings
        ("settings", settings, (players,)),  # equal ones once
        ("pool_at", "i8", (seats,)),  # by line-up entry that searches: where its pool begins in settings_at
        ("pool_size", "i8", (seats,)),  # by line-up entry: players of its pool, 0 where it does not search
    ]


class Types(NamedTuple):
    """The kernel types of a game's records, and the signatures of its policies.

    Attributes
    ----------
    package: of the game's kernels, such as "wonders.kernels": where its entry points are kept.
    state: dtype of a position, which a game begins with. seats: at most.
    policy: of policies; searcher: of those that search, the last argument is the seat that decides.
    line_up: addresses of the policies, one for each entry, then for each player of a pool.
    words, states, outcomes, seen, all_seen, masks: arrays.
    """

    public: Any
    private: Any
    choice: Any
    game: Any
    rules: Any
    seating: Any
    settings: Any
    policy: Any
    searcher: Any
    package: str
    state: np.dtype[Any]
    seats: int
    line_up: Any = ADDRESSES
    words: Any = types.Array(types.uint64, 1, "C")
    states: Any = types.Array(types.uint64, 2, "C")
    outcomes: Any = types.Array(types.float64, 3, "C")
    seen: Any = types.Array(types.int16, 1, "C")
    all_seen: Any = types.Array(types.int16, 2, "C")
    masks: Any = types.Array(types.uint8, 2, "C")

    def chunk(self, row: Any, pick: Any) -> Any:
        """Return the signature of the kernel that plays whole games (``wsim.kernels.engine``)."""
        arrays = types.Array(row, 1, "C"), types.Array(pick, 1, "C")
        return types.int64(self.game, self.rules, self.seating, self.line_up, types.int64, *arrays, types.int64)

    @property
    def commands(self) -> Any:
        """The signature of the kernel that carries out commands (``wsim.kernels.commands``)."""
        play = self.game, self.words, self.words, self.rules, self.seating, self.line_up
        return types.int64(*play, *[types.int64] * 4, self.outcomes, self.seen)

    @property
    def lockstep(self) -> Any:
        """The signature of the kernel that steps many games (``wsim.kernels.lockstep``)."""
        play = self.game, self.words, self.states, self.rules, self.seating, self.line_up
        request, timestep = record_type(REQUEST, constant=True), from_dtype(timestep_of(self.seats))
        return types.int64(*play, request, types.Array(timestep, 1, "C"), self.all_seen, self.masks)

    def describing(self, state: np.dtype[Any], move: np.dtype[Any]) -> Any:
        """Return the signature of the kernel that writes the inputs of a net (``wsim.kernels.net_layers``)."""
        records = record_type(state), types.Array(from_dtype(move), 1, "C"), types.Array(types.int64, 1, "C")
        own = self.public, self.private, self.choice, self.rules, self.settings
        return types.int64(*own, *records)


def types_of(
    state: np.dtype[Any], public: np.dtype[Any], private: np.dtype[Any], choice: np.dtype[Any], game: np.dtype[Any],
    rules: np.dtype[Any], seating: np.dtype[Any], settings: np.dtype[Any], package: str,
) -> Types:  # fmt: skip
    """Return the types of a game's records; rules, seating and settings are not written during play.

    ``package``: of its kernels, such as "wonders.kernels".
    """
    own = [record_type(dtype) for dtype in (public, private, choice, game)]
    fixed = [record_type(dtype, constant=True) for dtype in (rules, seating, settings)]
    return Types(
        public=own[0],
        private=own[1],
        choice=own[2],
        game=own[3],
        rules=fixed[0],
        seating=fixed[1],
        settings=fixed[2],
        policy=types.int64(*own[:3], fixed[0], fixed[2]),
        searcher=types.int64(own[3], *fixed[:2], ADDRESSES, types.int64),
        package=package,
        state=state,
        seats=game["own"].shape[0],
    )
