"""Cards drawn from the stock of a further deck (R104), and decks dealt before a later age (R88): beside the twin, in
files, texts, positions and redrawing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import wsim
from tests.tiers import first_checked
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case, written
from tests.wonders.test_decks import decisions, deck, several
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.entry_text import effects_text
from wsim.wonders.catalog.listing import catalogue_dict, further_deck_rows
from wsim.wonders.describe.text import game_text


def draws(event: str, number: Any, name: str = "Envoys", **more: Any) -> str:
    return f"table.Call.when={written([{'event': event, 'gain': {'draw': {name: number}}, **more}])}"


ONLY_STOCK = "decks.Omens={cards={Comet={points=2}, Eclipse={coins=3, cost=1}, Flood={cost=9}, Storm={shields=1}}}"
LATE = ONLY_STOCK.replace("cards", "display=1, age=3, cards", 1)
CASES: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("1e", 3, (deck(several(24, points=1, cost=1), draft=3), draws("turn_start", "1 + turn % 3"))),
    ("1e-duo", 2, (deck(several(12, coins=2, cost=1), display=2), draws("age_end", 3, each="other"))),
    ("2e-cities", 4, (ONLY_STOCK, draws("card_built", 2, "Omens", color=["blue", "yellow"]))),
    ("2e", 5, (deck(several(20, points=1), deal=2, age=2), draws("age_start", 1), LATE)),
)


@pytest.mark.boundscheck
@first_checked(("ruleset", "players", "changes"), CASES)
def test_recruits_drawn_from_a_stock_agree_with_the_twin(ruleset: str, players: int, changes: tuple[str, ...]) -> None:
    recruited = 0
    for trace in compare_case(Case(1, ruleset, players, changes), games=2):
        dealt = {name for hands in trace["decks"].values() for hand in hands for name in np.ravel(hand)}
        chosen = [one["card"] for one in decisions(trace) if one["action"] == "choose" and "card" in one]
        assert len(set(chosen)) == len(chosen)
        recruited += len(set(chosen) - dealt)
    assert recruited > 0


def test_one_of_two_drawn_cards_is_paid_for_and_joins_the_city() -> None:
    """Three cards lie in the stock; each seat in turn is shown two of those that are left, and pays a coin for one."""
    change = deck({name: {"cost": 1, "points": 5} for name in ("Aide", "Bard", "Cook")})
    game = wsim.Game(set=[change, draws("turn_start", 2, **{"if": "age == 1 and turn == 1"})], players=3, seed=3)
    taken: list[str] = []
    for left in (3, 2, 1):
        offered = game.legal()
        assert [move["action"] for move in offered] == ["choose"] * min(2, left) + ["decline"]
        assert not {move["card"] for move in offered[:-1]} & set(taken)
        taken.append(offered[0]["card"])
        game = game.step(offered[0])
    seen: Any = game.observe(0)
    assert [city["recruited"] for city in seen["cities"]] == [[name] for name in taken]
    assert [city["coins"] for city in seen["cities"]] == [2, 2, 2]
    assert (seen["enlisted"], game.decision) == (["Aide", "Bard", "Cook"], "turn")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((draws("age_start", 2, "Heralds"), ONLY_STOCK), r"gain.draw.Heralds: unknown deck 'Heralds'"),
        ((draws("age_start", "coins", "Omens"), ONLY_STOCK), r"at most 20 cards are drawn; accepted: min\(20, ...\)"),
        ((draws("age_start", "1 - 2", "Omens"), ONLY_STOCK), r"less than 0 is not accepted"),
        ((draws("scored", 2, "Omens"), ONLY_STOCK), "only points can change at the end of the game"),
        ((ONLY_STOCK,), "no clause draws from its stock; accepted: one of deal = 4"),
        ((deck(several(3), display=3), draws("age_start", 1)), "all cards of Envoys are displayed, so none can be"),
        (("cards.Altar.when=[{event='built', gain={draw=2}}]",), "accepted: a deck and a number of cards, such as"),
    ],
)
def test_mistakes_about_stocks_are_reported_in_one_sentence(changes: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_catalogue(changes=changes)


def test_all_mistakes_about_decks_are_named_at_once() -> None:
    changes = (
        draws("age_start", 2, "Heralds"),
        draws("age_end", 30).replace("Call", "Calls"),
        deck({"A": {"cots": 1}}),
    )
    with pytest.raises(UserError) as error:
        load_catalogue(changes=changes)
    for message in (
        "unknown deck 'Heralds'",
        "'30' could be 30, and at most 20 cards are drawn",
        "did you mean 'cost'",
    ):
        assert message in str(error.value)


def test_draws_are_described_in_english() -> None:
    changes = (
        ONLY_STOCK,
        deck(several(14), deal=1, age=2),
        draws("age_start", 1, "Omens"),
        draws("age_start", "red", each="left").replace("red", "min(9, red)").replace("Call", "Calls"),
    )
    catalogue = load_catalogue(changes=changes)
    said = [effects_text(rule.effects) for rule in catalogue.table]
    assert said[0] == "at the start of each age: draws 1 card from the stock of Omens and may recruit it"
    assert said[1].startswith("at the start of each age: the left neighbour draws (the smaller of 9 and own red cards)")
    assert said[1].endswith(" cards from the stock of Envoys and may recruit one of them")
    assert [row["meaning"] for row in further_deck_rows(catalogue)] == [
        "1 card dealt to each player before age 2 of 14; each player may recruit one at the start of each age",
        "a stock of 4, from which clauses draw",
    ]
    assert catalogue_dict(catalogue)["decks"]["Envoys"]["age"] == 2
    assert catalogue_dict(catalogue)["decks"]["Omens"].keys() == {"cards"}
    text = game_text(engine_table("1e", 3, set=(ONLY_STOCK, draws("age_start", 2, "Omens"))).trace(0))
    assert "Call of seat 0: seat 0 draws 2 cards from the stock of Omens" in text


# --- what a seat does not know is drawn again


def stock(position: Any) -> int:
    record, known = position.record, 0
    for seat in range(int(record.public.seats)):
        known |= int(record.public.recruited[seat]) | int(record.own[seat].recruits) | int(record.own[seat].draft)
    return ~(known | int(record.public.display))


@pytest.mark.parametrize("way", ["deal", "draft"])
def test_redrawing_keeps_the_drawn_cards_of_the_deciding_seat(way: str) -> None:
    ways: dict[str, Any] = {way: 3}
    changes = (deck(several(21, points=1), **ways), draws("turn_start", 4))
    position: Any = engine_table("1e", 3, set=changes).begin(7)
    kept = checked = 0
    fresh = []
    while checked < 12:
        asking = position.record.asking
        drawn = int(asking.drawn[0])
        if int(asking.is_drawn) == 2:
            checked += 1
            seat = position.to_move
            for number in range(5):
                own = position.redrawn(seat, number)
                kept += int(own.record.asking.drawn[0]) == drawn and int(own.record.asking.is_drawn) == 2
                assert drawn & ~stock(own) == 0, "what is drawn is not in a hand"
                other = position.redrawn((seat + 1) % 3, number)
                fresh.append(int(other.record.asking.drawn[0]) != drawn)
                for one in (own, other):
                    hands = [int(hand.recruits) for hand in one.record.own[:3]]
                    sizes = [int(hand.recruits).bit_count() for hand in position.record.own[:3]]
                    assert [hand.bit_count() for hand in hands] == sizes
                    parts = [*hands, *map(int, one.record.public.recruited[:3])]
                    assert sum(part.bit_count() for part in parts) == int(np.bitwise_or.reduce(parts)).bit_count()
        position.take(0)
    assert (kept, len(fresh)) == (60, 60)
    assert sum(fresh) > 50, "to another seat, other cards are as likely"


def test_other_seats_do_not_see_the_drawn_cards() -> None:
    """The view of another seat is the same byte for byte, regardless of the drawn cards."""
    changes = (deck(several(9, points=1)), draws("turn_start", 2, **{"if": "turn == 1"}))
    position: Any = engine_table("1e", 3, set=changes).begin(3)
    redrawn = [position, *(position.redrawn(1, number) for number in range(12))]
    assert len({int(one.record.asking.drawn[0]) for one in redrawn}) > 3
    assert len({json.dumps(one.view(1)) for one in redrawn}) == 1
    assert len({json.dumps(position.redrawn(0, number).view(0)) for number in range(12)}) == 1


def test_a_position_is_set_up_with_cards_from_the_stock() -> None:
    changes = (deck(several(21, points=1), deal=2), draws("turn_start", 3))
    game = wsim.Game(set=list(changes), players=3, policies="random", seed=3).at(age=2, turn=3)
    seat = game.to_move
    again = wsim.Game.from_json(game.to_json(seat=seat), trust=True)
    first, second = (one.observe(seat) for one in (game, again))
    assert first["enlisted"] == second["enlisted"] != []
    assert first["recruits"] == second["recruits"]
    position: Any = again._position
    for other in range(3):
        public = position.record.public
        had = int(public.recruited[other]) & ~int(public.enlisted)
        assert (int(position.record.own[other].recruits) | had).bit_count() == 2
    broken = game.to_json(seat=seat).replace('"enlisted": [', '"enlisted": ["Envoy99", ')
    with pytest.raises(UserError, match="enlisted"):
        wsim.Game.from_json(broken, trust=True)


def test_policies_draw_and_recruit_worthwhile_cards() -> None:
    cards = {**{f"Hero{n}": {"points": 6} for n in range(10)}, **several(10, cost=3)}
    for policy in ("greedy", "balanced"):
        frame = wsim.simulate(set=[deck(cards), draws("age_start", 3)], players=3, policies=policy, games=20, seed=2)
        heroes = frame.select([name for name in frame.columns if name.startswith("recruited:Hero")]).to_numpy().sum()
        others = frame.select([name for name in frame.columns if name.startswith("recruited:Envoy")]).to_numpy().sum()
        assert heroes > 20
        assert others == 0
