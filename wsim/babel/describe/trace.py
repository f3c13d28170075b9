"""Build the trace of a game from its log; docs/trace.md documents the format (wsim-trace/1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wsim.babel import words as w
from wsim.babel.catalog import Catalogue
from wsim.babel.kernels import layout

FORMAT = "wsim-trace/1"


@dataclass(frozen=True)
class Event:
    """One entry of the log, with plain numbers (fields as in ``layout.EVENT``)."""

    what: int
    seat: int
    action: int
    count: int
    index: int
    slot: int
    turn: int
    move: int
    value: int
    wanted: int
    others: int
    overruled: int
    could: int


def read_log(log: Any) -> list[Event]:
    """Return the events of a LOG record."""
    return [Event(*(int(value) for value in entry)) for entry in log.events[: int(log.count)].tolist()]


class _Reader:
    """Convert the events of a game into the turns of a trace."""

    def __init__(self, catalogue: Catalogue, board: Sequence[int], seats: int) -> None:
        self.catalogue, self.seats = catalogue, seats
        discs = catalogue.discs
        self.board = [dict(discs[disc].needs) for disc in board]
        self.discs = [dict(disc.needs) for disc in discs]
        self.points = [0] * seats
        self.hands = [dict.fromkeys(w.KINDS, 0) for _ in range(seats)]
        self.owned: list[list[dict[str, int]]] = [[] for _ in range(seats)]
        self.held: list[list[str]] = [[] for _ in range(seats)]
        self.built = Counter[str]()  # discs of each wonder
        self.row = 0

    # --- reading ------------------------------------------------------------------------------------------------------
    def read(self, events: Sequence[Event]) -> dict[str, Any]:
        """Read all events and return the parts of the trace that they determine: hands, turns and end."""
        self.events = [event for event in events if event.what != layout.LOG_RESHUFFLE]
        reshuffles = len(events) - len(self.events)
        self.position = 0
        dealt: list[list[str]] = [[] for _ in range(self.seats)]
        while self.next_is(layout.LOG_DRAW):
            event = self.take()
            dealt[event.seat].append(self.drawn(event))
        turns = []
        while not self.next_is(layout.LOG_END):
            turns.append(self.turn())
        reason = "kind_gone" if self.take().move == w.KIND_GONE else "turn_limit"
        unfinished = [{"wonder": self.catalogue.wonders[wonder], **scored} for wonder, scored in self.wonders()]
        return {
            "hands": dealt,
            "turns": turns,
            "end": {"reason": reason, "reshuffles": reshuffles, "unfinished": unfinished},
        }

    def next_is(self, *kinds: int) -> bool:
        """Return whether the next event is of one of these kinds."""
        return self.position < len(self.events) and self.events[self.position].what in kinds

    def take(self) -> Event:
        """Return the next event and advance."""
        self.position += 1
        return self.events[self.position - 1]

    def drawn(self, event: Event) -> str:
        """Add a drawn card to its hand and return its kind."""
        kind = w.KINDS[event.move]
        self.hands[event.seat][kind] += 1
        return kind

    def draws(self, limit: int) -> list[str]:
        """Read the following draws, at most ``limit``, and return the kinds of the cards."""
        cards: list[str] = []
        while len(cards) < limit and self.next_is(layout.LOG_DRAW):
            cards.append(self.drawn(self.take()))
        return cards

    # --- turns --------------------------------------------------------------------------------------------------------
    def turn(self) -> dict[str, Any]:
        first = self.events[self.position]
        turn: dict[str, Any] = {"turn": first.turn, "seat": first.seat, "actions": []}
        while self.next_is(layout.LOG_ACTION):
            self.active = self.take().seat
            turn["actions"].append(self.act())
            if self.next_is(w.DOUBLE):
                again = bool(self.take().move)
                turn["actions"][-1]["double_turn"] = again
                if again:
                    self.held[self.active].remove("double_turn")
        if not self.next_is(layout.LOG_END):
            turn["draws"] = self.common_draw()
        turn["points"] = list(self.points)
        turn["hand_sizes"] = [sum(hand.values()) for hand in self.hands]
        return turn

    def common_draw(self) -> list[dict[str, Any]]:
        """Read the common draw and return each seat's cards, clockwise from the active seat."""
        order = [(self.active + step) % self.seats for step in range(self.seats)]
        draws: dict[int, list[str]] = {seat: [] for seat in order}
        while not self.next_is(layout.LOG_TURN_END):
            event = self.take()
            draws[event.seat].append(self.drawn(event))
        self.take()
        return [{"seat": seat, "cards": draws[seat]} for seat in order]

    def act(self) -> dict[str, Any]:
        plays = list(self.plays())
        event = self.take()
        assert event.what == w.TURN, event
        if event.move == 0:
            return {"plays": plays, "action": "pass", "drawn": self.draws(self.catalogue.section["setup"]["pass_draw"])}
        return self.build(event.move - 1, plays)

    def plays(self) -> Iterator[dict[str, Any]]:
        """Read and yield the following decisions on action cards; seats without playable cards do not decide."""
        while self.next_is(w.PLAY_CARD):
            event = self.take()
            if event.count == 1:
                continue
            window = "W1" if event.slot < 0 else "W3" if event.seat == self.active else "W2"
            card = w.ACTION_CARDS[event.move - 1] if event.move else None
            play: dict[str, Any] = {"window": window, "seat": event.seat, "card": card}
            if card is not None:
                self.held[event.seat].remove(card)
                limit = self.catalogue.section["effects"][card]
                if card == "card_exchange":
                    play["aside"] = self.aside()
                    limit = len(play["aside"])
                play["drawn"] = self.draws(limit)
            yield play

    def aside(self) -> list[str]:
        """Read and return the cards that an exchange sets aside."""
        cards = []
        while self.next_is(w.EXCHANGE):
            event = self.take()
            if event.move:
                cards.append(w.KINDS[event.move - 1])
                self.hands[event.seat][cards[-1]] -= 1
        return cards

    def build(self, slot: int, plays: list[dict[str, Any]]) -> dict[str, Any]:
        disc = self.board[slot]
        plays += self.plays()
        offers, cards = self.offers(disc)
        plays += self.plays()
        event = self.take()
        assert event.what == w.TAKE, event
        taken = [seat for seat in range(self.seats) if event.move >> seat & 1]
        answer = self.take()
        assert answer.what == w.COMPLETE, answer
        action: dict[str, Any] = {"plays": plays, "action": "build", "wonder": self.catalogue.wonders[slot // w.SPACES]}
        action |= {"space": slot % w.SPACES + 1, "disc": disc, "offers": offers}
        action |= {"taken": taken, "completed": answer.move != 0}
        if answer.move:
            self.success(disc, answer.move, {seat: cards[seat] for seat in taken}, action)
        else:
            self.take()  # LOG_FAILED
        action["paid"] = list(self.paid())
        return action

    def offers(self, disc: Mapping[str, int]) -> tuple[list[dict[str, Any]], dict[int, int]]:
        """Read the offers and return them both as records and as moves by seat."""
        offers: list[dict[str, Any]] = []
        moves = {}
        while self.next_is(w.OFFER, w.BLUFF):
            event = self.take()
            if event.what == w.OFFER:
                moves[event.seat] = event.move
                trade = event.move >= layout.TRADE_CARD
                offers.append({"seat": event.seat, "cards": by_kind(disc, event.move), "trade": trade})
            else:
                offers[-1]["bluff"] = [kind for number, kind in enumerate(w.KINDS) if event.move >> number & 1]
        return offers, moves

    def success(self, disc: Mapping[str, int], answer: int, taken: Mapping[int, int], action: dict[str, Any]) -> None:
        """Read the results of a successful build."""
        replaced = by_kind(disc, answer)
        own = dict(disc)
        for seat, offer in taken.items():
            for kind, number in by_kind(disc, offer).items():
                own[kind] -= number
                self.hands[seat][kind] -= number
        for kind, number in replaced.items():
            own[kind] -= number
        for kind, number in own.items():
            self.hands[self.active][kind] -= number
        size = self.catalogue.section["effects"]["joker"]
        for _ in range(sum(replaced.values()) // size):
            self.held[self.active].remove("joker")
        action["own"] = {kind: number for kind, number in own.items() if number}
        action["jokers"] = replaced
        action["parts"] = [0] * self.seats
        while self.next_is(layout.LOG_PARTS):
            event = self.take()
            action["parts"][event.seat] += event.move
        built = self.take()
        assert built.what == layout.LOG_BUILT, built
        self.owned[built.seat].append(self.discs[built.move])
        action["disc_to"] = built.seat
        self.built[action["wonder"]] += 1
        if self.built[action["wonder"]] == w.SPACES:
            no_parts = {"units": [0] * self.seats, "points": [0] * self.seats}  # all out of parts (A28)
            action["wonder_completed"] = self.completed(next((wonder for _, wonder in self.wonders()), no_parts))

    def wonders(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read and yield the wonders that are scored next, each with its number."""
        while self.next_is(layout.LOG_WONDER):
            number = self.events[self.position].move & 0xFF
            scored: dict[str, Any] = {"units": [0] * self.seats, "points": [0] * self.seats}
            while self.next_is(layout.LOG_WONDER) and self.events[self.position].move & 0xFF == number:
                event = self.take()
                scored["units"][event.seat] = event.value
                scored["points"][event.seat] = event.move >> 8
                self.points[event.seat] += event.move >> 8
            yield number, scored

    def completed(self, wonder: dict[str, Any]) -> dict[str, Any]:
        """Read the completion of a wonder and return its record."""
        self.row += 1
        card = None
        if self.next_is(layout.LOG_ACTION_CARD):
            event = self.take()
            card = w.ACTION_CARDS[event.move]
            self.held[event.seat].append(card)
        return {"row": self.row, **wonder, "action_card": card}

    def paid(self) -> Iterator[dict[str, Any]]:
        """Read and yield the points for offers that were not taken."""
        while self.next_is(w.TRIPLE, layout.LOG_PAID):
            triple: dict[str, Any] = {}
            if self.next_is(w.TRIPLE):
                event = self.take()
                triple["triple_bonus"] = bool(event.move)
                if event.move:
                    self.held[event.seat].remove("triple_bonus")
            event = self.take()
            self.points[event.seat] += event.move
            yield {"seat": event.seat, "points": event.move, **triple}


def by_kind(disc: Mapping[str, int], move: int) -> dict[str, int]:
    """Return the cards of an offer or completion by kind, without zeros."""
    numbers = dict(zip(disc, (move & 0xFF, move >> 8 & 0xFF), strict=False))
    return {kind: number for kind, number in numbers.items() if number}


def trace_of(
    catalogue: Catalogue, game: Any, rows: Any, labels: Sequence[str], seed: int, number: int
) -> dict[str, Any]:
    """Return the trace of a game; ``game``: its GAME record, played with LOG_ALL; ``rows``: its rows."""
    seats = int(game.public.seats)
    reader = _Reader(catalogue, [int(disc) for disc in game.public.board], seats)
    read = reader.read(read_log(game.log))
    scores = [
        {
            "seat": seat,
            "wonders": int(row["wonder_points"]),
            "unfinished_wonders": int(row["light_points"]),
            "refused_offers": int(row["refused_points"]),
            "disc_sets": int(row["set_points"]),
            "action_cards": int(row["action_points"]),
            "total": int(row["total"]),
            "discs": reader.owned[seat],
            "cards": reader.hands[seat],
            "held": sorted(reader.held[seat]),
            "rank": int(row["rank"]),
            "win_share": round(float(row["win_share"]), 6),
        }
        for seat, row in enumerate(rows[:seats])
    ]
    return {
        "format": FORMAT,
        "game": "tower_of_babel",
        "ruleset": catalogue.ruleset,
        "seed": seed,
        "index": number,
        "seats": [{"policy": labels[int(row["entry"])]} for row in rows],
        "rules": {
            "action_cards": bool(catalogue.rules["use_action_cards"]),
            "two_colour_discs": bool(catalogue.rules["use_two_colour_discs"]),
            "changed": [{"entry": entry, "value": value} for entry, value in catalogue.changed()],
        },
        "board": [
            {"wonder": wonder, "discs": reader.board[number * w.SPACES : (number + 1) * w.SPACES]}
            for number, wonder in enumerate(catalogue.wonders)
        ],
        "start": int(game.hidden.starter),
        **read,
        "scores": scores,
    }
