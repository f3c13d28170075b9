"""The C++ program that wsim's engine is compared with: its card table from wsim's catalogue, compiled, loaded.

``first_edition.cpp`` has the rules and no cards; ``card_table`` writes what it needs for one number of players.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.lab.plan import Plan
from wsim.wonders import words as w
from wsim.wonders.catalog.compiling import compile_rules
from wsim.wonders.game import catalogue_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("first_edition.cpp")
FLAGS = ("-std=c++17", "-O3", "-march=native", "-shared", "-fPIC", "-fno-exceptions")
CATEGORIES = w.CATEGORIES[:7]
ROW = np.dtype(
    [
        ("points", "i2", (len(CATEGORIES),)),  # by category
        ("total", "i2"),  # points
        ("side", "u1"),  # board * 2 + side
        ("rank", "u1"),  # 1 = best
        ("win_share", "f4"),  # share of the victory
    ],
    align=True,
)
_STAGES_LANE = w.BLACK  # the first edition has no black cards


def compiler() -> str | None:
    """Return the C++ compiler of this machine: ``CXX``, else the first of the usual names; None if there is none."""
    names = (os.environ.get("CXX", ""), "g++", "clang++", "c++")
    return next((found for name in names if name and (found := shutil.which(name))), None)


def _packed(mask: int, value: int = 1) -> int:
    """Return a word with a value in the lanes of a mask."""
    return sum(value << (8 * bit) for bit in range(8) if mask >> bit & 1)


def _counted(what: int) -> int:
    """Return the lanes of ``counts`` that an effect counts; defeat tokens are counted apart."""
    colors = what & w.ALL_COLORS
    return _packed(colors | (1 << _STAGES_LANE if what & w.COUNT_STAGE else 0), 0xFF)


def _braces(values: Iterable[Any]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def _array(declared: str, rows: Iterable[Any]) -> str:
    return f"constexpr {declared} = {{\n" + "".join(f"    {row},\n" for row in rows) + "};\n"


def _effect(rules: Any, entry: int) -> str:
    color = int(rules.color[entry]) if entry < w.STAGE_ENTRY else -1
    produces, either = int(rules.produces[entry]), _packed(int(rules.one_of[entry]))
    sold = color in (w.BROWN, w.GRAY)
    production = (produces, produces + either, produces * sold, (produces + either) * sold)
    symbol, lanes = int(rules.symbol[entry]), [0] * 7
    if symbol:
        lanes[symbol - 1] = 1
    lanes[4] = int(rules.shields[entry])
    lanes[5 if color >= 0 else 6] = int(rules.points[entry])
    symbols = sum(value << (8 * lane) for lane, value in enumerate(lanes))
    counts = 1 << 8 * (color if color >= 0 else _STAGES_LANE)
    return _braces((_braces(f"{word}ull" for word in production), f"{counts}ull", symbols, either, either * sold))


def _price(rules: Any, entry: int) -> str:
    chain = rules.chain[entry] if entry < w.STAGE_ENTRY else (0, 0)
    special = int(bool(rules.eventful[entry] or rules.abilities[entry]))
    chains = _braces(f"{int(word)}ull" for word in chain)
    return _braces((f"{int(rules.cost[entry])}ull", chains, rules.cost_coins[entry], special))


def _special(rules: Any, entry: int) -> str:
    coins_each, coins_what, coins_where = map(int, rules.coins_per[entry])
    points_each, points_what, points_where = map(int, rules.points_per[entry])
    defeats = points_each if points_what & w.COUNT_DEFEAT else 0
    abilities = int(rules.abilities[entry]) & (w.PLAY_LAST | w.BUILD_DISCARD | w.COPY_GUILD | w.FREE_ONCE_PER_AGE)
    wild = int(entry < w.STAGE_ENTRY and rules.symbol[entry] == w.ANY)
    return _braces(
        (
            f"{_counted(coins_what)}ull", f"{_counted(points_what)}ull", rules.coins[entry], coins_each, coins_where,
            points_each, points_where, defeats, abilities, wild, _braces(rules.price[entry]),
        )
    )  # fmt: skip


def card_table(players: int) -> str:
    """Return the header of ``first_edition.cpp``: cards, stages, decks and boards of the first edition."""
    catalogue = catalogue_of(Plan.make(ruleset="1e", players=players))
    rules = compile_rules(catalogue, players)[0]
    stages = [int(entry) for entry in np.unique(rules.stage_entry) if entry >= w.STAGE_ENTRY]
    # stages follow the cards without a gap
    entries = [*range(len(catalogue.cards)), *stages]
    number = {entry: at for at, entry in enumerate(entries)}
    sides = 2 * len(catalogue.wonders)
    guilds = w.DRAWN_COLORS.index("purple")
    numbered = [_braces(number.get(int(entry), 0) for entry in row[:4]) for row in rules.stage_entry[:sides]]
    scoring = [int(word) for word in rules.scoring_cards]
    for card in range(len(catalogue.cards)):
        if not rules.points_per[card, 0]:  # fixed points are counted when the card is built
            scoring[card >> 6] &= ~(1 << (card & 63))
    return "".join(
        (
            f"constexpr int SEATS = {players}, BOARDS = {len(catalogue.wonders)};\n",
            _array("Effect EFFECT[]", (_effect(rules, entry) for entry in entries)),
            _array("Price PRICE[]", (_price(rules, entry) for entry in entries)),
            _array("Special SPECIAL[]", (_special(rules, entry) for entry in entries)),
            _array("u8 SLOT_CARD[3][64]", map(_braces, rules.slot_card)),
            _array("u8 BASE_SLOTS[3][64]", map(_braces, rules.base_slots)),
            _array("u8 GUILDS[3][16]", (_braces(row[guilds, :16]) for row in rules.pool)),
            _array("int BASE_COUNT[3]", rules.base_count),
            _array("int GUILD_COUNT[3]", rules.pool_count[:, guilds]),
            _array("int GUILDS_DRAWN[3]", rules.pool_drawn[:, guilds]),
            _array(f"u8 BOARD_RESOURCE[{sides}]", rules.board_resource[:sides]),
            _array(f"u8 STAGE_COUNT[{sides}]", rules.stage_count[:sides]),
            _array(f"u8 STAGE_ENTRY[{sides}][4]", numbered),
            _array("u64 SCORING[2]", (f"{word}ull" for word in scoring)),
            _array("u64 PURPLE[2]", (f"{int(word)}ull" for word in rules.purple_cards)),
        )
    )


class CppEngine:
    """The compiled program for one number of players.

    Raises subprocess.CalledProcessError if it does not compile. ``folder``: where the header and the library go.
    """

    def __init__(self, players: int, folder: Path, using: str) -> None:
        self.players = players
        place = folder / f"players{players}"
        place.mkdir(exist_ok=True)
        (place / "first_edition_cards.h").write_text(card_table(players))
        library = place / "first_edition.so"
        subprocess.run([using, *FLAGS, f"-I{place}", str(SOURCE), "-o", str(library)], check=True)
        self._library = ctypes.CDLL(str(library))

    def rows(self, games: int, seed: int) -> NDArray[Any]:
        """Return the rows of some games, dtype ROW, a row for each seat."""
        rows = np.zeros(games * self.players, ROW)
        self.fill(rows, seed)
        return rows

    def fill(self, rows: NDArray[Any], seed: int) -> None:
        """Play as many games as there is room for."""
        games = ctypes.c_uint64(len(rows) // self.players)
        self._library.play(ctypes.c_uint64(seed), games, ctypes.c_void_p(rows.ctypes.data))

    def counted(self, games: int, seed: int) -> tuple[NDArray[Any], NDArray[np.uint64]]:
        """Return the rows, and the numbers of decisions and of legal moves of each game, shape (games, 2)."""
        rows, moves = np.zeros(games * self.players, ROW), np.zeros((games, 2), np.uint64)
        pointers = (ctypes.c_void_p(one.ctypes.data) for one in (rows, moves))
        self._library.play_counting(ctypes.c_uint64(seed), ctypes.c_uint64(games), *pointers)
        return rows, moves
