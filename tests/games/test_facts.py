"""Every fact about a city or seat is where its table row says, and nowhere else; adding a row is sufficient.

The kernel source runs here as Python: no kernel is compiled for the tables made up by tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from wsim.babel import facts as of_babel
from wsim.babel import words as babel_words
from wsim.babel.catalog.formula import VOCABULARY as OF_SEATS
from wsim.babel.kernels import layout as babel_layout
from wsim.babel.kernels import seat as babel_kernels
from wsim.errors import UserError
from wsim.facts import (
    ALWAYS,
    FLAG,
    NONZERO,
    Fact,
    columns,
    fields,
    formula_words,
    observed_groups,
    observed_names,
    row_fields,
)
from wsim.kernels.facts import FactKernels
from wsim.positions.seat_facts import facts_shown, set_facts, settable
from wsim.wonders import facts as of_wonders
from wsim.wonders import words as wonders_words
from wsim.wonders.catalog.formula import VOCABULARY as OF_CITIES
from wsim.wonders.kernels import city as wonders_kernels
from wsim.wonders.kernels import layout as wonders_layout

SEAT = 1
CLAUSE = 'cards."Altar".when=[{ event = "built", gain = { age_shields = 1, turn_ore = 1 } }]'
WONDERS = SimpleNamespace(
    facts=of_wonders.CITY_FACTS,
    kernels=wonders_kernels,
    layout=wonders_layout,
    words=wonders_words,
    records={"public": wonders_layout.PUBLIC},
    groups=[*of_wonders.OBSERVED, *of_wonders.OBSERVED_WITH_CLAUSES],
    formulas=OF_CITIES,
    plan={"ruleset": "1e", "players": 3, "set": [CLAUSE]},
    seats="cities",
    # of the rows and columns that are no facts about a city
    row=("game", "seat", "side", "policy", "rank", "win_share", "points", "total"),
    columns=("game", "seat", "team", "wonder", "side", "policy", "rank", "win_share", "total", "points_", "built:"),
    view={"wonder", "side", "built", "by_clauses"},
)
BABEL = SimpleNamespace(
    facts=of_babel.SEAT_FACTS,
    kernels=babel_kernels,
    layout=babel_layout,
    words=babel_words,
    records={"public": babel_layout.PUBLIC, "private": babel_layout.PRIVATE, "tally": babel_layout.TALLY},
    groups=of_babel.OBSERVED,
    formulas=OF_SEATS,
    plan={"game": "tower_of_babel", "players": 3},
    seats="seats",
    row=(
        *("game", "seat", "entry", "rank", "starter", "win_share", "total", "turns", "completed", "reshuffles"),
        "over",
    ),
    columns=(
        *("game", "seat", "policy", "rank", "win_share", "total", "starter", "turns", "reshuffles", "builds"),
        *("wonders_completed", "stopped", "disc:", "won:", "won_row:"),
    ),
    view=set(),
)
GAMES = pytest.mark.parametrize("game", [WONDERS, BABEL], ids=["wonders", "babel"])


def as_python(kernel: Any) -> Any:
    return getattr(kernel, "py_func", kernel)


def kernels_of(game: Any, facts: Iterable[Fact]) -> FactKernels:
    """Return the code generator for a list of facts, with plain functions for the computed facts."""
    written = game.kernels.FACTS
    computed = {name: as_python(function) for name, function in written.computed.items()}
    return FactKernels(facts, written.handed, written.records, computed.values())


def position(game: Any) -> Any:
    """Return a position in the middle of a game."""
    played = wsim.Game(seed=4, policies="balanced", **game.plan)
    for _ in range(40):
        played.follow()
    return played


def numbers(fact: Fact, record: Any) -> list[int]:
    """Return the values of one field for a seat."""
    value = record[fact.name]
    if fact.packed:
        return [int(value) >> 8 * lane & 0xFF for lane in range(fact.count)]
    return [int(number) for number in np.atleast_1d(value)]


def handed(game: Any, state: Any) -> Any:
    return state if game is BABEL else state.public


def of_seat(game: Any, fact: Fact, state: Any, seat: int) -> Any:
    """Return the record of a seat that contains a fact; for a public fact, the seat's index in the shared arrays."""
    if fact.record == "public":
        return {fact.name: state.public[fact.name][seat]}
    return state.own[seat] if fact.record == "private" else state.hidden.tally[seat]


@GAMES
def test_seat_records_contain_exactly_the_declared_facts(game: Any) -> None:
    for record, dtype in game.records.items():
        seats = game.words.SEATS if record == "public" else 0
        declared = fields(game.facts, record, seats)
        assert all(dtype[field[0]] == np.dtype([field])[0] for field in declared)
        if record == "public":
            of_seats = {name for name in dtype.names or () if dtype[name].shape[:1] == (seats,)}
            assert of_seats - {"kind_left"} == {name for name, *_ in declared}  # as many kinds as seats of Babel
    without_field = {fact.name for fact in game.facts if not fact.type}
    assert without_field == set(game.kernels.FACTS.computed)


@GAMES
def test_rows_and_the_seats_table_have_the_declared_facts(game: Any) -> None:
    in_rows = {fact.name: fact for fact in game.facts if fact.row}
    row = game.layout.ROW
    assert set(row.names or ()) == set(in_rows) | set(game.row)
    assert all(row[name] == np.dtype((fact.row, fact.count or ())) for name, fact in in_rows.items())
    frame = wsim.simulate(games=3, policies="random", seed=1, **game.plan)
    shown = [name for fact in game.facts for name in fact.column_names if name]
    others = [name for name in frame.columns if name not in shown]
    assert sorted(set(shown)) == sorted(shown)
    assert set(shown) < set(frame.columns)
    assert all(name.startswith(game.columns) for name in others), others


@GAMES
def test_observations_have_the_declared_facts_under_their_names(game: Any) -> None:
    played = position(game)
    state, seat = played._position.record, played.to_move
    seen = played.observe(seat)
    found = dict(zip(seen.columns, seen.array.tolist(), strict=True))
    names = observed_names(game.groups)
    own = [name.removeprefix("own.") for name in seen.columns if name.startswith("own.")]
    assert [name for name in own if not name.startswith("built:")] == names
    for fact in game.facts:
        if fact.observed and fact.type and fact.record == "public":
            told = [found[f"own.{name}"] for name in fact.seen_as]
            assert told == numbers(fact, of_seat(game, fact, state, seat))[: len(told)], fact.name
    written = np.zeros(len(names), np.int16)
    observe = as_python(kernels_of(game, game.facts).observe(game.groups))
    with np.errstate(over="ignore"):
        assert observe(handed(game, state), played._position.machine.rules, seat, written, 0) == len(names)
    assert written.tolist() == [found[f"own.{name}"] for name in names]


@GAMES
def test_formulas_can_read_the_declared_facts(game: Any) -> None:
    played = position(game)
    state, rules = played._position.record, played._position.machine.rules
    answer = as_python(kernels_of(game, game.facts).answer())
    names = list(formula_words(game.facts))
    assert list(game.formulas.number)[: len(names)] == names
    for fact in game.facts:
        for name in filter(None, fact.asked_as):
            assert game.formulas.widest[name] == fact.span
            if fact.type:
                expected = numbers(fact, of_seat(game, fact, state, SEAT))[fact.asked_as.index(name)]
                assert answer(handed(game, state), rules, SEAT, names.index(name)) == expected, name


@GAMES
def test_views_show_the_declared_facts(game: Any) -> None:
    played = position(game)
    state, inside = played._position.record, {fact.inside for fact in game.facts if fact.inside}
    public = {fact.view_key: fact for fact in game.facts if fact.view and fact.record == "public"}
    view = played.observe(SEAT)[game.seats][SEAT]
    keys = {key for name, part in view.items() for key in (part if name in inside else [name])}
    assert keys - game.view <= set(public)
    for key, fact in public.items():
        value = numbers(fact, of_seat(game, fact, state, SEAT))
        there = view.get(fact.inside, {}) if fact.inside else view
        if fact.kinds:
            assert there[key] == {kind: number for kind, number in zip(fact.kinds, value, strict=True) if number}
        elif key in there:
            assert there[key] == (value if fact.count else value[0])
        else:
            assert fact.inside or fact.shown != ALWAYS
            assert not any(value)


@GAMES
def test_a_written_position_sets_the_declared_facts(game: Any) -> None:
    played = position(game)
    described = json.loads(played.to_json(seat=played.to_move))
    other = (played.to_move or 0) ^ 1  # what is set must not contradict the own hand
    part = described["position"][game.seats][other]
    for inside in ("", *dict.fromkeys(fact.inside for fact in game.facts if fact.inside)):
        for key, fact in settable(game.facts, inside).items():
            if fact.kinds or key in ("hand_size", "action_cards"):
                continue  # they must agree with the cards that there are
            value: Any = [1] * fact.count if fact.count else fact.shown == FLAG or min(fact.most, 7)
            (part.setdefault(inside, {}) if inside else part)[key] = value
    again = wsim.Game.from_json(json.dumps(described))
    seen = again.observe()[game.seats][other]
    assert {key: seen[key] for key in part if key in seen} == part
    part["such"] = 1
    with pytest.raises(UserError, match="has no 'such'"):
        wsim.Game.from_json(json.dumps(described))


TOYS = (
    Fact("toys", "i4", "toys", start="start_coins", observed=True, row="u2", formula=True, view=True, most=9),
    Fact(
        "marbles", "i4", "marbles", 3, start=2, observed=("red", "blue", "green"), row="u1", columns=("r", "", "g"),
        formula=("", "blues", "greens"), words=("", "blue marbles", "green marbles"), view=True, most=5,
    ),
    Fact(
        "kites", "i4", "kites", called="dragons", observed=True, formula=True, view=True, shown=NONZERO, inside="air",
        most=4,
    ),
)  # fmt: skip
"""Facts that exist in no game."""


@GAMES
@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_new_fact_needs_only_a_table_row(game: Any, place: int) -> None:
    """Its field, its start, rows and columns, observations, formulas, views and written positions follow from it."""
    facts: tuple[Fact, ...] = (*game.facts[:place], *TOYS, *game.facts[place:])
    rules, kernels = SimpleNamespace(start_coins=3, trade_price=2), kernels_of(game, facts)
    own = np.zeros(2, fields(facts, "private")) if game is BABEL else None
    public = np.zeros(1, fields(facts, "public", 2)).view(np.recarray)[0]
    tally = np.zeros(2, fields(facts, "tally")).view(np.recarray) if game is BABEL else None
    state: Any = SimpleNamespace(public=public, own=None if own is None else own.view(np.recarray))
    state.hidden = SimpleNamespace(tally=tally)
    as_python(kernels.clear())(handed(game, state), rules, SEAT)
    assert [public.toys[SEAT], *public.marbles[SEAT], public.kites[SEAT], public.toys[0]] == [3, 2, 2, 2, 0, 0]

    public.toys[SEAT], public.marbles[SEAT], public.kites[SEAT] = 7, (1, 2, 3), 4
    toys = kernels_of(game, TOYS)
    rows = np.zeros(2, row_fields(TOYS)).view(np.recarray)
    as_python(toys.write_row())(handed(game, state), rules, SEAT, rows[SEAT])
    frame = pl.DataFrame(columns(TOYS, rows))
    assert frame.to_dict(as_series=False) == {"toys": [0, 7], "r": [0, 1], "g": [0, 3]}

    groups, seen = observed_groups(TOYS), np.zeros(5, np.int16)
    assert observed_names(groups) == ["toys", "red", "blue", "green", "dragons"]
    assert as_python(toys.observe(groups))(handed(game, state), rules, SEAT, seen, 0) == 5
    assert seen.tolist() == [7, 1, 2, 3, 4]

    words = formula_words(facts)
    assert [words[name] for name in ("toys", "blues", "dragons")] == ["toys", "blue marbles", "kites"]
    answer, names = as_python(kernels.answer()), list(words)
    asked = ("toys", "blues", "greens", "dragons")
    assert [answer(handed(game, state), rules, SEAT, names.index(name)) for name in asked] == [7, 2, 3, 4]

    view = facts_shown(TOYS, public, SEAT)
    assert view == {"toys": 7, "marbles": [1, 2, 3], "air": {"dragons": 4}}
    public.toys[0] = 5
    set_facts(TOYS, view, "city 0", public, 0, rules)
    assert facts_shown(TOYS, public, 0) == view
    set_facts(TOYS, {}, "city 0", public, 0, rules)
    assert facts_shown(TOYS, public, 0) == {"toys": 3, "marbles": [2, 2, 2]}
    mistakes = {"toys": 10, "marbles": [1], "air": {"dragon": 1}}
    with pytest.raises(UserError) as refused:
        set_facts(TOYS, mistakes, "city 0", public, 0, rules)
    for sentence in (
        "toys of city 0 must be a whole number from 0 to 9, not 10",
        "marbles of city 0 must be 3 numbers (marbles), not [1]",
        "air of city 0 has no 'dragon' (did you mean 'dragons'?): it has dragons",
    ):
        assert sentence in str(refused.value)


def test_facts_of_equal_length_are_interleaved_if_a_game_asks_for_it() -> None:
    pair: Sequence[Fact] = [replace(TOYS[1], name="a"), replace(TOYS[1], name="b", observed=("x", "y", "z"))]
    assert observed_names(observed_groups(pair, in_turns=True)) == ["red", "x", "blue", "y", "green", "z"]
    record = SimpleNamespace(a=[(1, 2, 3)], b=[(4, 5, 6)])
    seen = np.zeros(6, np.int16)
    observe = FactKernels(pair, "public", {"public": "public.{}[seat]"}).observe(observed_groups(pair, in_turns=True))
    assert as_python(observe)(record, None, 0, seen, 0) == 6
    assert seen.tolist() == [1, 4, 2, 5, 3, 6]
