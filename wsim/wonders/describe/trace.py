"""Convert a finished game to a trace object; docs/trace.md documents the format (wsim-trace/1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wsim.wonders import words as w
from wsim.wonders.catalog import Catalogue
from wsim.wonders.catalog.compiling import act_name
from wsim.wonders.catalog.counter_slots import slots_of
from wsim.wonders.catalog.sources import source_of
from wsim.wonders.kernels import layout

FORMAT = "wsim-trace/1"


def _field(move: int, at: int, bits: int = 8) -> int:
    return move >> at & ((1 << bits) - 1)


def move_record(
    names: Sequence[str],
    move: int,
    seat: int,
    decision: int,
    stages: int,
    catalogue: Catalogue | None = None,
    cities: int = 1,
) -> dict[str, Any]:
    """Return a move in the format of a trace, for a city that has built ``stages`` stages and a kind of decision.

    Only clause decisions need ``catalogue`` and ``cities``, the number of cities at the table.

    In addition to the actions in traces, there are ``decline`` (a build from the discard pile) and ``pay`` with its
    coins (a loss, R32). A clause decision (R72) names the clause and, unless the city declines, the option (from 1)
    with the chosen city, card and amount (``gives``: the card given in exchange for the previously chosen card, R97).
    It names the ``owner``, the city that has the clause, if a different city decides (R98). A structure that was
    discarded (R82) or came from elsewhere (R96) is recorded as ``discard`` or ``take`` with its card, a card of a hand
    that was put aside (R107) as ``put_aside``.
    """
    action = w.ACTIONS[_field(move, layout.ACTION_AT, 4)]
    if action in w.ACTIONS[w.DISCARD :]:
        return {"seat": seat, "card": names[_field(move, layout.CARD_AT)], "action": action}
    if decision == w.EFFECT:
        assert catalogue is not None
        entry, clause = _field(move, layout.CARD_AT), _field(move, layout.SLOT_AT)
        if clause == 0:
            return _recruit_record(catalogue, move, seat, action)
        decided: dict[str, Any] = {"seat": seat, **source_of(catalogue, entry), "when": clause}
        decided["action"] = action
        if owner := _field(move, layout.OWNER_AT, 3):
            decided["owner"] = (seat + owner) % cities
        if action == "decline":
            return decided
        city = _field(move, layout.CITY_AT, 4)
        picked, amount = _field(move, layout.PICKED_AT), _field(move, layout.AMOUNT_AT)
        decided |= {"option": _field(move, layout.HOW_AT, 4) + 1} | ({"city": city - 1} if city else {})
        chosen = "gives" if move >> layout.GIVES_AT & 1 else "picked"
        return decided | ({chosen: names[picked - 1]} if picked else {}) | ({"amount": amount} if amount else {})
    played: dict[str, Any] = {"seat": seat}
    if action not in ("decline", "pay"):
        played["card"] = names[_field(move, layout.CARD_AT)]
    played["action"] = action
    if action == "stage":
        played["stage"] = stages + 1
    if decision in (w.LAST_CARD, w.DISCARD_PILE):
        played["source"] = "last_card" if decision == w.LAST_CARD else "discard_pile"
    if action == "pay":
        played["coins"] = _field(move, layout.BANK_AT)
    elif action in ("build", "stage"):
        played["how"] = w.WAYS[_field(move, layout.HOW_AT, 4)]
        played["bank"] = _field(move, layout.BANK_AT)
        played["left"] = _field(move, layout.LEFT_AT)
        played["right"] = _field(move, layout.RIGHT_AT)
    return played


def _recruit_record(catalogue: Catalogue, move: int, seat: int, action: str) -> dict[str, Any]:
    """Return a decision to recruit a card (R89), or to keep it in a draft (R101), in the format of a trace."""
    name = source_of(catalogue, _field(move, layout.CARD_AT))["card"]
    deck = next(deck.name for deck in catalogue.decks if any(card.name == name for card in deck.cards))
    if action == "choose" and _field(move, layout.HOW_AT, 4) == w.KEEPS:
        return {"seat": seat, "deck": deck, "action": "keep", "card": name}
    decided = {"seat": seat, "deck": deck, "action": action}
    return decided if action == "decline" else decided | {"card": name, "bank": _field(move, layout.BANK_AT)}


def names_of(names: Sequence[str], slot_card: Any, slots: int) -> list[str]:
    """Return the card names in a hand, given as a bit set of slots; ``slot_card`` lists the age's cards by slot."""
    return [names[int(slot_card[slot])] for slot in range(w.SLOTS) if slots >> slot & 1]


class _Reader:
    """Convert the log of one game (layout.EVENT) into the ages of a trace."""

    def __init__(self, catalogue: Catalogue, rules: Any) -> None:
        self.catalogue = catalogue
        self.names = [card.name for card in catalogue.cards]
        self.slots = slots_of(catalogue)
        self.counters: dict[str, int | list[int]] = {}
        self.rules = rules
        self.duo = bool(rules.duo)
        self.seats = int(rules.seats)
        self.stages = [0] * self.seats
        self.ages: list[dict[str, Any]] = []
        self.turn: dict[str, Any] = {}
        self.extra: list[dict[str, Any]] = []
        self.losses: list[dict[str, Any]] = []
        self.moves: list[dict[str, Any]] = []
        self.effects: list[dict[str, Any]] = []
        self.decisions: list[dict[str, Any]] = []
        self.at_end = False  # whether the last turn of the age is over: later events belong to the age

    def read(self, event: Any) -> None:
        """Add one event of the log to the trace."""
        kind = int(event.kind)
        if kind == layout.LOG_HANDS:
            age, seat = int(event.age), int(event.seat)
            self.at_end = False
            if seat == 0:
                self.ages.append({"age": age + 1, "hands": [], "turns": [], "conflicts": []})
            if self.duo and seat == 2:
                slots = event["values"][: self.rules.age_turns[age] + 1]
                pile = [self.names[self.rules.slot_card[age][slot]] for slot in slots]
                entry = self.ages[-1]
                later = {key: entry.pop(key) for key in ("turns", "conflicts")}
                entry["free_city"] = pile
                entry.update(later)
            else:
                self.ages[-1]["hands"].append(names_of(self.names, self.rules.slot_card[age], int(event.hand)))
        elif kind == layout.LOG_PICK:
            self._read_pick(event)
        elif kind == layout.LOG_LOSS:
            coins, debt = (int(value) for value in event["values"][:2])
            paid = {"seat": int(event.seat), "coins": coins, "debt": debt}
            (self.ages[-1].setdefault("losses", []) if self.at_end else self.losses).append(paid)
        elif kind == layout.LOG_EFFECT:
            self._read_effect(event)
        elif kind == layout.LOG_COUNTER:
            slot = self.slots[int(event["values"][layout.VALUES - 1])]
            values = [int(value) for value in event["values"][: self.seats]]
            self.counters[slot.label] = values[0] if slot.counter.of == "table" else values
        elif kind == layout.LOG_TURN_END:
            self._end_turn(event)
        elif kind == layout.LOG_CONFLICT:
            first, second, shields, other, won, lost = (int(value) for value in event["values"][:6])
            fought = {"seats": [first, second], "shields": [shields, other], "tokens": [won, lost]}
            self.ages[-1]["conflicts"].append(fought)

    def _read_pick(self, event: Any) -> None:
        seat, decision = int(event.seat), int(event.decision)
        played = move_record(self.names, int(event.move), seat, decision, self.stages[seat], self.catalogue, self.seats)
        if decision == w.EFFECT:
            self._read_decision(played)
            return
        if played["action"] in ("decline", "pay"):
            return
        self.stages[seat] += played["action"] == "stage"
        (self.moves if "source" not in played else self.extra).append(played)

    def _read_decision(self, decided: dict[str, Any]) -> None:
        """Add a decision to the current turn or, at the end of an age, to the age."""
        (self.ages[-1].setdefault("decisions", []) if self.at_end else self.decisions).append(decided)

    def _read_effect(self, event: Any) -> None:
        """Add the effect of a clause to the current turn or, at the end of an age, to the age."""
        at, city, amount = (int(value) for value in event["values"][:3])
        first = self.rules.clause_actions[: int(self.rules.clause_from[-1])]
        clause = int(np.searchsorted(first, at, side="right")) - 1
        source = source_of(self.catalogue, int(self.rules.clause_entry[clause]))
        effect: dict[str, Any] = {"seat": int(event.seat), **source}
        action = int(self.rules.action[at])
        effect |= {"when": int(self.rules.clause_number[clause]), "does": act_name(self.catalogue, action)}
        if action < len(w.ACTS) or self.slots[(action - len(w.ACTS)) // 2].counter.of != "table":
            effect["city"] = city
        effects = self.ages[-1].setdefault("effects", []) if self.at_end else self.effects
        for known in effects:  # a price and an option may have the same effect
            if {**effect, "amount": known["amount"]} == known:
                known["amount"] += amount
                return
        effects.append(effect | {"amount": amount})

    def _end_turn(self, event: Any) -> None:
        self.moves.sort(key=lambda played: played["seat"])
        turn: dict[str, Any] = {"turn": int(event.turn) + 1, "moves": self.moves}
        if self.extra:
            turn["extra"] = self.extra
        if self.losses:
            turn["losses"] = self.losses
        if self.decisions:
            turn["decisions"] = self.decisions
        if self.effects:
            turn["effects"] = self.effects
        turn["coins"] = [int(value) for value in event["values"][: self.seats]]
        if self.counters:
            turn["counters"] = self.counters
        self.ages[-1]["turns"].append(turn)
        self.moves, self.extra, self.losses, self.effects, self.counters = [], [], [], [], {}
        self.decisions = []
        self.at_end = turn["turn"] == int(self.rules.age_turns[int(event.age)])


def _decks(catalogue: Catalogue, rules: Any, game: Any) -> dict[str, Any]:
    """Return how further decks were dealt.

    A drafted deck gives the first hands; any other deal is inferred from the locations of cards at the end of the game.
    """
    public, first, decks = game.public, 0, {}
    for deck in catalogue.decks:
        bits = [(1 << first + number, card.name) for number, card in enumerate(deck.cards)]
        first += len(deck.cards)
        held = (own.recruits | got for own, got in zip(game.own, public.recruited, strict=True))
        had = [int(cards) & ~int(public.enlisted) for cards in held]
        had = [int(own.drafted[0]) for own in game.own] if deck.draft else had
        shown = int(np.bitwise_or.reduce(public.recruited[: int(rules.seats)])) & ~int(public.enlisted)
        shown |= int(public.display)
        hands = [[name for bit, name in bits if hand & bit] for hand in had[: int(rules.players)]]
        decks[deck.name] = [name for bit, name in bits if shown & bit] if deck.display else hands
    return decks


def trace_of(
    catalogue: Catalogue, rules: Any, game: Any, rows: Any, labels: Sequence[str], seed: int, number: int
) -> dict[str, Any]:
    """Return the trace object of a finished GAME record with its log and its rows (recarrays)."""
    reader = _Reader(catalogue, rules)
    for event in game.log.events[: int(game.log.count)]:
        reader.read(event)
    seats, scores = [], []
    for row in rows:
        wonder = catalogue.wonders[int(row.side) // w.SIDES_OF_BOARD]
        label = labels[int(row.policy)] if row.seat < rules.players else "free_city"
        seats.append(
            {"wonder": wonder.name, "side": catalogue.sides[int(row.side) % w.SIDES_OF_BOARD], "policy": label}
        )
        score: dict[str, Any] = {"seat": int(row.seat)}
        score |= {name: int(row["points"][i]) for i, name in enumerate(w.CATEGORIES)}
        share = round(float(np.float64(row.win_share)), 9)
        score |= {
            "total": int(row.total),
            "coins": int(row.coins),
            "win_share": (1.0 / round(1.0 / share) if share > 0 else 0.0),
        }
        scores.append(score)
    return {
        "format": FORMAT,
        "game": "seven_wonders",
        "ruleset": catalogue.ruleset,
        "seed": seed,
        "index": number,
        "seats": seats,
        **({"decks": _decks(catalogue, rules, game)} if catalogue.decks else {}),
        "ages": reader.ages,
        "scores": scores,
    }
