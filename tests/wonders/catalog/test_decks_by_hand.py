"""Further decks (R88, R101, R104) as read from a card file: when they are dealt, what is accepted, by hand."""

from __future__ import annotations

from typing import Any

from wsim.spec.fields import Problems
from wsim.wonders import words as w
from wsim.wonders.catalog.decks import FIELDS, Deck, DeckCard, deck_schema, read_decks
from wsim.wonders.catalog.effects import Effects

SCOUT = {"cards": {"Scout": {"cost": 2, "coins": 3}}}


def read(**fields: Any) -> tuple[Deck | None, list[str]]:
    """Return the deck "Envoys" with these fields, and where mistakes were found."""
    problems = Problems("mine.toml")
    decks = read_decks(problems, {"Envoys": fields})
    paths = [sentence.split(", ", 1)[1].split(":")[0].removeprefix("decks.Envoys") for sentence in problems.sentences]
    return (decks[0] if decks else None), paths


def test_a_deck_is_dealt_before_an_age_or_after_one() -> None:
    """Moments count half ages: 0 before age 1, 1 after its conflicts, 2 before age 2, ..."""
    for fields, moment, recruited in (
        ({}, 0, 1), ({"age": 1}, 0, 1), ({"age": 2}, 2, 2), ({"age": 3}, 4, 3), ({"after": 1}, 1, 2),
        ({"after": 2}, 3, 3),
        ({"after": 1, "recruit": "age_end"}, 1, 1), ({"after": 3, "recruit": "age_end"}, 5, 3),
        ({"age": 2, "recruit": "age_end"}, 2, 2),
    ):  # fmt: skip
        deck, paths = read(deal=4, **SCOUT, **fields)
        assert paths == []
        assert deck is not None
        assert (deck.moment, deck.first_recruited, deck.hand, deck.display) == (moment, recruited, 4, 0), fields
        assert deck.cards == (DeckCard("Scout", 2, Effects(coins=3)),)


def test_mistakes_of_decks_are_reported_where_they_are() -> None:
    for fields, path in (
        ({"deal": 0}, ".deal"), ({"deal": w.HAND + 1}, ".deal"), ({"display": 0}, ".display"),
        ({"display": w.DECK_CARDS + 1}, ".display"), ({"draft": 1}, ".draft"), ({"draft": w.HAND + 1}, ".draft"),
        ({"deal": 1, "age": 0}, ".age"), ({"deal": 1, "age": 4}, ".age"), ({"deal": 1, "after": 0}, ".after"),
        ({"deal": 1, "after": 4}, ".after"), ({"deal": 1, "recruit": "built"}, ".recruit"),
        ({"deal": 1, "display": 1}, ""), ({"deal": 1, "draft": 2}, ""), ({"deal": 1, "age": 1, "after": 1}, ""),
        ({"deal": 1, "after": 3}, ".after"), ({"display": 1, "after": 3, "recruit": "age_start"}, ".after"),
        ({"cards": {}}, ""), ({"cards": 3}, ".cards"), ({"cards": {"Scout": {"cost": 100}}}, ".cards.Scout.cost"),
        ({"cards": {"Scout": {"cost": -1}}}, ".cards.Scout.cost"),
        ({"cards": {"Scout": {"gold": 1}}}, ".cards.Scout.gold"),
        ({"cards": {"Scout": {"coin_loss": 1}}}, ".cards.Scout.coin_loss"),
    ):  # fmt: skip
        assert read(**{**SCOUT, **fields}) == (None, [path]), fields
    for limits in (
        {"deal": 1},
        {"deal": w.HAND},
        {"display": 1},
        {"display": w.DECK_CARDS},
        {"draft": 2},
        {"draft": w.HAND},
    ):
        deck, paths = read(**SCOUT, **limits)
        assert paths == []
        assert deck is not None
        assert deck.supply == limits
    assert read(**SCOUT, after=3)[1] == [], "a stock is not dealt, so nobody recruits at an age"
    assert read(cards={"Scout": {"cost": 99}, "Gone": False}) == (
        Deck("Envoys", (DeckCard("Scout", 99, Effects()),)), [],
    )  # fmt: skip
    assert read(cards=False) == (None, [""])
    assert read() == (None, [""])


DRAFTED = "2 cards dealt to each player before age 2, who keeps one and passes the others on until all are kept, of 2; "


def test_a_deck_is_written_and_described_as_it_was_read() -> None:
    cards = (DeckCard("A", 0, Effects()), DeckCard("B", 1, Effects()))
    rows: tuple[tuple[Deck, Any, str], ...] = (
        (Deck("D", cards), {}, "a stock of 2, from which clauses draw"),
        (Deck("D", cards, deal=1), {"deal": 1, "recruit": "age_start"}, "1 card dealt to each player of 2; "),
        (
            Deck("D", cards, draft=2, age=2, recruit="age_end"), {"draft": 2, "age": 2, "recruit": "age_end"},
            DRAFTED,
        ),
        (
            Deck("D", cards, display=2, after=1), {"display": 2, "after": 1, "recruit": "age_start"},
            "2 cards displayed after the conflicts of age 1 of 2; ",
        ),
    )  # fmt: skip
    for deck, written, text in rows:
        assert deck.table() == written
        assert deck.text().startswith(text)
        if written:
            assert deck.text() == f"{text}each player may recruit one {w.TRIGGERS[deck.recruit]}"
    assert [Deck("D", cards, **size).hand for size in ({"deal": 3}, {"draft": 2}, {"display": 4})] == [3, 2, 0]  # type: ignore[arg-type]
    described = deck_schema()["properties"]
    assert set(described) == set(FIELDS)
    assert all(described[name]["description"] for name in FIELDS)


def test_decks_are_sorted_by_name() -> None:
    decks = read_decks(Problems("mine.toml"), {"Zeal": SCOUT, "Art": {"cards": {"B": {}, "A": {}}}, "Bad": {"deal": 1}})
    assert [deck.name for deck in decks] == ["Art", "Zeal"]
    assert [card.name for card in decks[0].cards] == ["A", "B"]
