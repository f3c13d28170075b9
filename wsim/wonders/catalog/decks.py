"""Further decks (``[decks.NAME]``), whose cards are recruited for coins (R88, R101, R104).

The cards are dealt, drafted or displayed before an age, or drawn from the stock by clauses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.spec.fields import (
    REMOVED,
    Problems,
    Reader,
    Schema,
    described,
    read_fields,
    table_schema,
    whole,
    word,
)
from wsim.wonders import words as w
from wsim.wonders.catalog.effects import EFFECTS, Effects, amount

if TYPE_CHECKING:
    from wsim.spec.fields import Path

RECRUIT = ("age_start", "age_end")
"""Events at which cards can be recruited, after the clauses triggered by the event."""
MAX_COST = 99
_LEFT_OUT = ("coin_loss",)  # R32 settles losses between the steps of a turn
CARD_FIELDS: Mapping[str, Reader] = {
    "cost": whole(0, MAX_COST),
    **{name: row.read for name, row in EFFECTS.items() if name not in _LEFT_OUT},
}
_CARD: Schema = table_schema(CARD_FIELDS)


@dataclass(frozen=True, slots=True)
class DeckCard:
    """A card of a deck; ``cost``: coins to recruit it."""

    name: str
    cost: int
    effects: Effects


@dataclass(frozen=True, slots=True)
class Deck:
    """A further deck; each of its cards exists once.

    Attributes
    ----------
    deal: number of cards dealt to each player. display: number of cards displayed for all.
    draft: number of cards dealt to each player, who keeps one and passes the others on. If deal, display and draft are
        all 0, cards are only drawn from the stock.
    age: the age before which cards are dealt or displayed, 1 to 3.
    after: the age after whose conflicts they are dealt or displayed instead, 1 to 3; 0: ``age`` applies.
    recruit: one of ``RECRUIT``.
    """

    name: str
    cards: tuple[DeckCard, ...]
    """Sorted by name."""
    deal: int = 0
    display: int = 0
    draft: int = 0
    age: int = 1
    after: int = 0
    recruit: str = RECRUIT[0]

    @property
    def hand(self) -> int:
        """The number of cards dealt to each player."""
        return self.deal or self.draft

    @property
    def moment(self) -> int:
        """When the deck is dealt, as a number: 2 * age before an age (from 0), 2 * age + 1 after its conflicts."""
        return 2 * (self.after - 1) + 1 if self.after else 2 * (self.age - 1)

    @property
    def first_recruited(self) -> int:
        """The first age in which players may recruit from the deck, 1 to 3."""
        return self.after + (self.recruit == RECRUIT[0]) if self.after else self.age

    @property
    def supply(self) -> Mapping[str, int]:
        """How players get cards of the deck, as written in a card file."""
        ways = {"deal": self.deal, "display": self.display, "draft": self.draft}
        return {name: number for name, number in ways.items() if number}

    def table(self) -> dict[str, Any]:
        """Return the deck as written in a card file, without its cards."""
        age = {"after": self.after} if self.after else {"age": self.age} if self.age > 1 else {}
        return {**self.supply, **age, "recruit": self.recruit} if self.supply else {}

    def text(self) -> str:
        """Return the use of the deck in English: how it is dealt and when cards are recruited."""
        if not self.supply:
            return f"a stock of {len(self.cards)}, from which clauses draw"
        supply = f"{amount(self.display, 'card')} displayed" if self.display else f"{amount(self.hand, 'card')} dealt"
        to = "" if self.display else " to each player"
        keep = ", who keeps one and passes the others on until all are kept," if self.draft else ""
        before = f" before age {self.age}" if self.age > 1 else ""
        before = f" after the conflicts of age {self.after}" if self.after else before
        when = f"each player may recruit one {w.TRIGGERS[self.recruit]}"
        return f"{supply}{to}{before}{keep} of {len(self.cards)}; {when}"


@described({"type": "object", "additionalProperties": {"anyOf": [_CARD, REMOVED]}})
def _cards(problems: Problems, path: Path, value: Any) -> tuple[DeckCard, ...] | None:
    """Read a table of cards by name."""
    if not isinstance(value, dict):
        problems.at(path, "must be a table of cards, such as cards.Scout = { cost = 2, points = 3 }")
        return None
    cards = []
    for name, entry in sorted(value.items()):
        if entry is False:  # removed by a patch
            continue
        at = (*path, name)
        if isinstance(entry, dict) and _LEFT_OUT[0] in entry:
            message = (
                "is not accepted on a card of a deck; accepted: a clause, such as each = 'other', lose = { coins = 1 }"
            )
            problems.at((*at, _LEFT_OUT[0]), message)
            entry = {key: part for key, part in entry.items() if key not in _LEFT_OUT}
        fields = read_fields(problems, at, entry, CARD_FIELDS, "field or effect")
        cards.append(DeckCard(name, fields.pop("cost", 0), Effects(**fields)))
    return tuple(cards)


FIELDS: Mapping[str, Reader] = {
    "deal": whole(1, w.HAND),
    "display": whole(1, w.DECK_CARDS),
    "draft": whole(2, w.HAND),
    "age": whole(1, w.AGES),
    "after": whole(1, w.AGES),
    "recruit": word("event", RECRUIT),
    "cards": _cards,
}
SUPPLY = "one of deal = 4 (hands of players), draft = 4 (hands passed on) and display = 6 (open for all)"
_ABOUT = {
    "deal": "cards dealt to each player, to a hand of their own",
    "display": "cards that lie open for all, instead of hands",
    "draft": "cards dealt to each player, who keeps one and passes the others on until all are kept",
    "age": "before which age they are dealt, drafted or displayed; default: 1",
    "after": "after the conflicts of which age they are dealt, drafted or displayed, instead of before one",
    "recruit": "when each player may recruit a card: age_start (default) or age_end",
    "cards": "its cards by name, each with its cost in coins and its effects",
}


def deck_schema() -> Schema:
    """Return the schema of a deck."""
    schema = table_schema(FIELDS)
    for name, about in _ABOUT.items():
        schema["properties"][name]["description"] = about
    return schema


def read_decks(problems: Problems, entries: Mapping[str, Any]) -> tuple[Deck, ...]:
    """Return the valid decks of a card file, sorted by name."""
    decks = (_read(problems, name, entry) for name, entry in sorted(entries.items()))
    return tuple(deck for deck in decks if deck)


def _read(problems: Problems, name: str, entry: Any) -> Deck | None:
    path = ("decks", name)
    reported = len(problems.sentences)
    fields = read_fields(problems, path, entry, FIELDS)
    if not isinstance(entry, dict):
        return None
    given = [key for key in ("deal", "display", "draft") if entry.get(key, False) is not False]
    if len(given) > 1:
        problems.at(path, f"{' and '.join(given)} are given; accepted: {SUPPLY}")
    if "age" in fields and "after" in fields:
        problems.at(path, "age and after are given; accepted: one of age = 2 (before it) and after = 2 (after it)")
    if fields.get("after") == w.AGES and fields.get("recruit", RECRUIT[0]) == RECRUIT[0] and given:
        message = f"no age starts after age {w.AGES}, so nobody could recruit"
        problems.at((*path, "after"), f'{message}; accepted: 1 or 2, or recruit = "{RECRUIT[1]}"')
    if entry.get("cards", False) is False or (fields.get("cards") == () and entry["cards"] == {}):
        problems.at(path, f"cards are missing; accepted: [decks.{name}.cards.Scout] with cost and effects")
    return Deck(name, **fields) if len(problems.sentences) == reported else None
