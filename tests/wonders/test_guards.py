"""Guards: a game in which a number no longer fits stops with one sentence, wherever it is played."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_checked, first_quick, slow_unless_checked
from tests.wonders.engine_tools import RANDOM, TASTES, engine_table, played
from tests.wonders.extremes import STOPPED, Case, compare_case
from wsim.env import VectorEnv
from wsim.game import find_game
from wsim.limits import GameLimitError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.kernels.flow import _enqueue
from wsim.wonders.kernels.layout import CHOICES, DEEDS, EVENTS, FLOW, QUEUE
from wsim.wonders.kernels.payment import TOTALS
from wsim.wonders.limits import LIMITS
from wsim.wonders.words import AGES, CARDS, HAND, SEATS, UNITS

pytestmark = pytest.mark.boundscheck

FIRST = [card.name for card in load_catalogue("1e").cards]
PLAIN = [card.name for card in load_catalogue("1e").cards if card.color not in ("brown", "gray", "purple")]
LATE = [card.name for card in load_catalogue("1e").cards if 3 in card.ages]
EARLY = [name for name in PLAIN if name not in LATE and load_catalogue("1e").card(name).ages == (1,)]
OFFER = '{event="turn_start", choose=[{gain={coins=1}}, {gain={coins=1}}]}'
RICH = ("settings.start_coins=99", "settings.sale_coins=99")
BUILDING = TASTES[1]


def of_cards(names: Sequence[str], field: str) -> tuple[str, ...]:
    return tuple(f'cards."{name}".{field}' for name in names)


FREE = of_cards(FIRST, "cost=false")
AGAIN = (*of_cards(PLAIN, "build_from_discard=true"), "switches.discard_build_optional=false")
EVERYTHING = (
    'what=["blue", "red", "green", "yellow", "brown", "gray", "wonder_stage"], cities=["self", "left", "right"]'
)


def altar(gain: str, more: str = "") -> tuple[str, ...]:
    return (f'cards.Altar.when=[{{event="turn_start"{more}, gain={{{gain}}}}}]',)


BROKEN = {  # what the limit is about -> changes that break it, each in the first games already
    "coins": (*FREE, *of_cards(PLAIN, f"coins_per={{{EVERYTHING}, n=99}}")),
    "shields": of_cards(["Altar", "Baths", "Palace"], "shields=99"),
    "victory tokens of one age": altar("victory_tokens=50"),
    "defeat tokens": altar("defeat_tokens=20", ', each="left"'),
    "debts": altar("debts=3000", ', each="other"'),
    "diplomacy tokens": altar("diplomacy_tokens=30"),
    "science symbols": altar("wild=20"),
    "units of one resource": altar('ore="20 * age"'),
    "either/or symbols": (*FREE, *AGAIN, *of_cards(PLAIN, 'produces_one_of=["wood", "loom"]')),
    "free build tokens": altar("free_build_tokens=30"),
    "pending builds from the discard pile": altar("discard_builds=40"),
    "lost coins": (
        *altar("victory_tokens=10", ', each="other"'),
        *of_cards(LATE, 'coin_loss={who="others", n=99, per="victory_token"}'),  # in one turn, with no debts yet
    ),
    "coins to pay for one loss": (*RICH, 'cards.Palace.coin_loss={who="others", n=99, per="wonder_stage"}'),
    "moves": (*of_cards(FIRST, "build_from_discard=true"), "switches.discard_build_optional=false"),
    "pending decisions": (*FREE, *of_cards(FIRST, 'when=[{event="turn_start", may=true, gain={coins=1}}]')),
    "decisions of clauses": (*FREE, *of_cards(EARLY[:10], f"when=[{OFFER}, {OFFER}]")),
    "coins to pay for one choice": (
        *RICH,
        *of_cards(FIRST, 'when=[{event="turn_start", if="coins > 255", price="coins", gain={shields=1}}]'),
    ),
    "coins in a cost": of_cards(EARLY, 'when=[{event="card_cost", by="anyone", dearer={coins=256}}]'),
    "resources in a cost": of_cards(EARLY, 'when=[{event="card_cost", by="anyone", dearer={clay=13}}]'),
    "in a value that a formula reads": altar('victory_tokens=16, coins="min(1, victory_tokens)"'),
    "as the result of a formula": (*RICH, *altar('coins="coins ** 4 * 99 ** 4"')),
    "points gained in one category": altar("points=3000"),
    "points of victory tokens": ("settings.victory_tokens=[99, 99, 99]",),
    "points in one category": ("settings.science='100000 * compass'",),
    "points": (*FREE, *of_cards(PLAIN, f"points_per={{{EVERYTHING}, n=50}}")),
}
"""Every limit but that of the log, which only a trace can break."""
SEEDS = {"either/or symbols": 0, "in a value that a formula reads": 8}  # where it is the first limit that is broken
LINE_UPS = {"either/or symbols": (BUILDING, *[RANDOM] * 6)}  # others sell, so the pile has enough names for 25 symbols


@first_quick(6, "what", BROKEN)
def test_a_game_that_breaks_a_limit_stops_in_one_sentence(what: str) -> None:
    default = BUILDING if "cost=false" in str(BROKEN[what]) else RANDOM
    table = engine_table("1e", 7, LINE_UPS.get(what, (default,)), seed=SEEDS.get(what, 1), set=BROKEN[what])
    with pytest.raises(GameLimitError) as caught:
        played(table, 300)
    found = STOPPED.fullmatch(str(caught.value))
    assert found is not None, caught.value
    assert (found[4], caught.value.limit) == (what, what)
    number = int(found[1])
    if number:
        played(table, number)  # the games before it are played
    with pytest.raises(GameLimitError) as again:
        table.play(number, np.zeros(7, table.row_dtype))
    assert str(again.value) == str(caught.value)


def test_every_limit_is_broken_by_a_test() -> None:
    assert {limit.what for limit in LIMITS} == {*BROKEN, "log entries"}


def test_a_negative_total_is_stopped_at_its_own_bound() -> None:
    changes = (*FREE, *of_cards(PLAIN, f"points_per={{{EVERYTHING}, n=-99}}"))
    with pytest.raises(GameLimitError, match=r"reached -\d\d,\d\d\d points.*: at least -32,768 can be played"):
        played(engine_table("1e", 7, (BUILDING,), set=changes), 300)


@pytest.mark.slow
def test_a_full_log_stops_the_trace_and_not_the_game() -> None:
    acts = 'each="other", gain={coins=1, debts=1}, lose={debts=1}'
    changes = of_cards(PLAIN[:14], f'when=[{{event="card_built", by="anyone", {acts}}}]')
    table = engine_table("1e", 7, (BUILDING,), set=(*FREE, *changes))

    def trace() -> None:
        for number in range(20):
            table.trace(number)

    with pytest.raises(GameLimitError, match=r"the table reached 4,401 log entries: at most 4,400 can be played"):
        trace()
    played(table, 20)


# --- what the proofs refused ------------------------------------------------------------------------------------------

SOUND = {
    "builds by what others sell": ('cards.Palace.when=[{event="sold", by="neighbor", gain={discard_builds=1}}]', 5),
    "shields only while few": (
        'cards.Altar.when=[{event="card_built", by="anyone", if="shields < 9", gain={shields=1}}]', 7,
    ),
    "coins only of the poor": ('cards.Altar.when=[{event="turn_start", gain={coins="coins if coins < 9 else 0"}}]', 7),
    "a power of few": ('cards.Altar.when=[{event="age_end", gain={coins="coins ** 4 if coins < 5 else 1"}}]', 7),
    "tokens up to a number": (
        'cards.Altar.when=[{event="turn_start", if="victory_tokens < 5", gain={victory_tokens=1}}]', 7,
    ),
}  # fmt: skip


@first_checked("name", SOUND)
def test_a_catalogue_bounded_by_conditions_agrees_with_the_twin(name: str) -> None:
    change, players = SOUND[name]
    assert len(compare_case(Case(1, "1e", players, (change,)), games=3)) == 6, "no game is stopped"
    played(engine_table("1e", players, set=(change,)), 1000)


# --- wherever games are played ----------------------------------------------------------------------------------------

PALACE = (*RICH, 'cards.Palace.coin_loss={who="others", n=99, per="wonder_stage"}')
SENTENCE = (
    "in game {number} of rule set 1e with 7 players, seat {seat} reached {value} coins to pay for one loss with "
    "Palace: at most 255 can be played; change `coin_loss`"
)
KEYS: dict[str, Any] = {"players": 7, "policies": "random", "set": PALACE}


def first_break() -> tuple[int, str]:
    """Return the number of the first game that stops, and the error message."""
    with pytest.raises(GameLimitError) as caught:
        wsim.simulate(wsim.Plan.make(**KEYS, games=300))
    found = STOPPED.fullmatch(str(caught.value))
    assert found is not None
    sentence = SENTENCE.format(number=found[1], seat=found[2], value=found[3])
    assert str(caught.value) == sentence
    return int(found[1]), sentence


@first_checked("threads", ["1", "2"])
def test_a_run_is_stopped_in_the_middle_and_keeps_finished_parts(
    threads: str, wsim_command: Command, tmp_path: Path
) -> None:
    number, sentence = first_break()
    assert number > 0
    words = [word for change in PALACE for word in ("--set", change)]
    run = ["run", "--players", "7", "--policies", "random", "--threads", threads, *words]
    out = str(tmp_path / "run")
    answer = wsim_command(*run, "--games", "300", "--shard-games", "1", "--out", out)
    assert (answer.code, answer.out) == (2, "")
    assert f"wsim: {sentence}" in answer.err.splitlines()
    shards = sorted(path.name for path in (tmp_path / "run").rglob("*.parquet"))
    again = wsim_command(*run, "--games", "300", "--shard-games", "1", "--out", out, "--resume")
    assert f"wsim: {sentence}" in again.err.splitlines()
    assert sorted(path.name for path in (tmp_path / "run").rglob("*.parquet"))[: len(shards)] == shards


def test_a_whatif_variant_that_breaks_a_limit_is_reported(wsim_command: Command) -> None:
    words = [word for change in PALACE for word in ("--set", change)]
    answer = wsim_command("whatif", "--players", "7", "--policies", "random", "--budget", "2000", *words)
    assert (answer.code, answer.out) == (2, "")
    assert "wsim: in game " in answer.err
    assert "coins to pay for one loss with Palace: at most 255 can be played" in answer.err


SHIELDS = r"^in this game of rule set 1e with 3 players, seat \d reached \d+ shields"


def test_a_failed_move_is_reported_and_leaves_the_position_unchanged() -> None:
    number, sentence = first_break()
    position: Any = find_game("seven_wonders").prepare(wsim.Plan.make(**KEYS)).begin(number)
    before = position.clone()

    def follow() -> None:
        nonlocal before
        while position.to_move is not None:
            before = position.clone()
            position.follow()

    with pytest.raises(GameLimitError) as caught:
        follow()
    assert str(caught.value) == sentence.replace(f"in game {number}", "in this game")
    assert (position.words == before.words).all()


@slow_unless_checked
def test_a_stepped_or_played_out_game_reports_a_broken_limit() -> None:
    keys: dict[str, Any] = {"players": 3, "set": altar("shields=99")}
    with pytest.raises(GameLimitError, match=SHIELDS):
        wsim.Game(**keys, number=1).rollout("balanced", 500)
    rng = np.random.default_rng(1)

    def step_through() -> None:
        for number in range(100):
            game = wsim.Game(**keys, number=number)
            while game.to_move is not None:
                game.step(int(rng.integers(len(game.legal()))))

    with pytest.raises(GameLimitError, match=SHIELDS):
        step_through()


def test_an_environment_reports_a_broken_limit() -> None:
    env = VectorEnv(4, players=3, policies="random", set=altar("shields=99"), seats=(0,))

    def play() -> None:
        step = env.reset()
        for _ in range(5000):
            step = env.step(step.masks.argmax(axis=1))

    with pytest.raises(GameLimitError, match=SHIELDS):
        play()


def test_a_search_whose_playouts_break_a_limit_names_the_searching_seat() -> None:
    plan = wsim.Plan.make(players=3, set=altar("shields=99"), policies="search:playouts=60:candidates=4", games=3)
    with pytest.raises(GameLimitError, match=r"^in game \d+, while seat \d searched, of rule set 1e with 3 "):
        wsim.simulate(plan)


# --- what holds for every catalogue -----------------------------------------------------------------------------------


def test_move_lists_fit_their_record() -> None:
    """A cost of 12 units at 5 coins each has at most 61 totals to the left, and so at most 61 payments (R15)."""
    payments = UNITS * 5 + 1
    assert payments <= TOTALS
    build = payments + 1  # or a chain, or a free build
    assert max(HAND * (build + payments + 1), CARDS + 1, 255 + 1) <= CHOICES


def test_logs_fit_their_record() -> None:
    """Hands, moves, two events of a loss for each city and turn or build from the pile, ends of turns, conflicts."""
    for cities, last_players in product(range(3, SEATS + 1), (0, 1)):
        turns = AGES * (HAND - 1)
        last = AGES * last_players
        from_pile = DEEDS - cities * turns - last
        losses = 2 * (cities * (turns + last) + (cities - 1) * from_pile)
        assert AGES * cities + DEEDS + losses + turns + AGES * cities <= EVENTS


def test_the_queue_has_room_for_everything_that_can_wait() -> None:
    """A city is granted one build by the move of a turn and one by its last card; each build grants at most one."""
    assert 2 * SEATS <= QUEUE


def test_a_queue_at_its_end_begins_again() -> None:
    flow = np.zeros(1, FLOW).view(np.recarray)[0]
    flow.queue[60:], flow.queue_at, flow.queue_end = (3, 4, 5, 6), 61, QUEUE
    getattr(_enqueue, "py_func", _enqueue)(flow, 2, 2, -1)
    assert (int(flow.queue_at), int(flow.queue_end)) == (0, 5)
    assert flow.queue[:5].tolist() == [4, 5, 6, 2, 2]


@pytest.mark.slow
def test_every_card_may_grant_a_build_from_the_pile() -> None:
    changes = [*of_cards(FIRST, "build_from_discard=true"), "switches.discard_build_optional=false"]
    compare_case(Case(2, "1e", 3, tuple(changes)), games=3)


@pytest.mark.slow
def test_many_coins_do_not_outrank_points() -> None:
    """R24: 5,000 coins that make no point do not stand before a point."""
    changes = ["settings.coins_per_point=99", *of_cards(FIRST, "coins=99"), *of_cards(FIRST[:3], "points=1")]
    compare_case(Case(4, "1e", 7, tuple(changes)), games=3)
    table = engine_table("1e", 7, seed=4, set=(*RICH, *of_cards(PLAIN, "coins=99"), *changes[:1]))
    rows = played(table, 200).reshape(200, 7)
    best = np.lexsort((rows["coins"], rows["total"]), axis=1)[:, -1]
    assert (rows["rank"][np.arange(200), best] == 1).all()
