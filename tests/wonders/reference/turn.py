"""Resolving plays: steps 1-4 of R9, last cards (R9.5) and builds from the discard pile (R9.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.wonders.reference.clauses import decide, moves_made, recruited, value
from tests.wonders.reference.decks import choices, drawn, offered, stock, take_card
from tests.wonders.reference.market import Market, market
from tests.wonders.reference.moves import (
    discard_moves,
    has_free_build_of_age,
    has_standing_free_build,
    loss_moves,
    turn_moves,
)

if TYPE_CHECKING:
    from tests.wonders.reference.facts import Card, Effect
    from tests.wonders.reference.table import Asked, City, Move, Table


@dataclass
class Log:
    """The events of a turn that the trace needs in addition to its moves."""

    extra: list[Move]


@dataclass(frozen=True)
class Placed:
    """A structure or stage that was just placed: its seat and effects, and the card of a structure."""

    city: City
    effects: tuple[Effect, ...]
    card: Card | None

    def of_kind(self, kind: str) -> list[Effect]:
        """Return the item's effects of one kind."""
        return [effect for effect in self.effects if effect["kind"] == kind]


def resolve(table: Table, moves: list[Move], log: Log) -> list[Placed]:
    """Carry out steps 1-4 of R9 for simultaneous moves, in seat order; return the placed structures and stages."""
    placed = [thing for move in moves if (thing := place(table, move)) is not None]
    for move in moves:
        pay(table, move)
    take_effect(table, moves, placed)
    return placed


def place(table: Table, move: Move) -> Placed | None:
    """Carry out step 1: put the card in its place."""
    city, card = table.cities[move["seat"]], table.catalogue.cards[move["card"]]
    if move["action"] == "sell":
        table.discard_pile.append(card)
        city.tally["sold"] += 1
        return None
    if move["action"] == "stage":
        city.buried.append(card)
        city.new_stages += 1
        return Placed(city, city.built_stages[-1].effects, None)
    return place_structure(table, city, card, move)


def place_structure(table: Table, city: City, card: Card, move: Move) -> Placed:
    """Add a structure to a city; a free build from the hand uses up the age's one, unless a 2e stage gave it (R26)."""
    if city.owns(card.name):
        raise ValueError(f"seat {city.seat} owns {card.name} already (R7)")
    from_pile = move.get("source") == "discard_pile"
    city.tally["built_discard_pile" if from_pile else f"built_{move['how']}"] += 1
    if move["how"] == "free" and not from_pile and not has_standing_free_build(table, city, card):
        if has_free_build_of_age(city):
            city.free_builds_used += 1
        else:
            city.free_tokens -= 1
    city.structures.append(card)
    city.new.append(card)
    city.how[card.name] = "from_discard" if from_pile else ("by_chain" if move["how"] == "chain" else str(move["how"]))
    return Placed(city, card.effects, card)


def pay(table: Table, move: Move) -> None:
    """Carry out step 2: pay the bank and the neighbours, and receive coins for a sale."""
    city = table.cities[move["seat"]]
    if move["action"] == "sell":
        city.coins += sale_coins(table, city)
        return
    city.coins -= move["bank"] + move["left"] + move["right"]
    city.tally["bank_paid"] += move["bank"]
    for side, seller in (("left", table.left(city.seat)), ("right", table.right(city.seat))):
        seller.coins += move[side]
        seller.tally["trade_received"] += move[side]
        city.tally["trade_paid"] += move[side]
        city.tally[f"trade_paid_{side}"] += move[side]


def sale_coins(table: Table, city: City) -> int:
    """Return the coins for a sold card (R8): a number or, by house rules, a formula or one number per age."""
    coins = table.rules.sale_coins
    coins = coins[table.age - 1] if isinstance(coins, tuple) else coins
    return coins if isinstance(coins, int) else value(table, city, city, coins)


def take_effect(table: Table, moves: list[Move], placed: list[Placed]) -> None:
    """Carry out steps 3 and 4: coins, tokens, debts, clauses (R54), losses, decisions of clauses (R72)."""
    act_at_once(table, moves, placed)
    lose_coins(table, placed)
    decide(table)


def act_at_once(table: Table, moves: list[Move], placed: list[Placed]) -> None:
    """Apply immediate coins, tokens and debts, and the clauses of moves (R54)."""
    gain_at_once(table, placed)
    moves_made(table, moves)


def gain_at_once(table: Table, placed: list[Placed]) -> None:
    """Apply the immediate coins, tokens and debts of a placed structure or stage."""
    gains = [(thing.city, coins_gained(table, thing)) for thing in placed]
    for city, coins in gains:
        city.coins += coins
        city.tally["effect_coins"] += coins
    for thing in placed:
        if thing.of_kind("discard_defeat_tokens"):
            thing.city.defeats = 0  # R35, after its coins were counted
        for effect in thing.of_kind("coins_to_others"):  # R34
            for other in table.others(thing.city.seat, effect["who"]):
                other.coins += effect["n"]
                other.tally["effect_coins"] += effect["n"]
    for thing in placed:
        thing.city.victories += [effect["token"] for effect in thing.of_kind("victory_token")]  # R36
        thing.city.diplomacy += sum(effect["n"] for effect in thing.of_kind("diplomacy"))
        for effect in thing.of_kind("debt"):
            for other in table.others(thing.city.seat, effect["who"]):
                other.debts += effect["n"]


def recruit(table: Table, asked: Asked) -> None:
    """Ask a player to recruit a card of a deck, and let it take effect (R89, R90)."""
    city = asked.owner
    cards = offered(table, city, asked.deck)
    if asked.number:
        cards = drawn(stock(table, asked.deck), asked.number, next(table.streams))
    moves = choices(city, asked.deck, cards)
    if not moves:
        return
    chosen = table.ask("effect", city.seat, moves, [])
    table.decisions.append(chosen)
    if chosen["action"] == "decline":
        return
    card = take_card(table, city, asked.deck, chosen)
    thing = Placed(city, card.effects, None)
    gain_at_once(table, [thing])
    table.builds += [(False, city.seat) for _ in thing.of_kind("build_from_discard")]
    recruited(table, city, card, "from_stock" if asked.number else "paid")


def coins_gained(table: Table, thing: Placed) -> int:
    """Return the owner's immediate coins from a structure or stage, counting all structures now in place (R9.3)."""
    coins = sum(int(effect["n"]) for effect in thing.of_kind("coins"))
    for effect in thing.of_kind("coins_per"):
        for where in effect["cities"]:
            counted = sum(table.named(thing.city.seat, where).count(what) for what in effect["what"])
            if where == "self" and thing.card is not None and not table.switches["counting_includes_itself"]:
                counted -= thing.card.color in effect["what"]
            coins += counted * effect["n"]
    return coins


def lose_coins(table: Table, placed: list[Placed]) -> None:
    """Apply the coin losses that these plays inflict: one sum per seat, whose payment the seat decides (R32)."""
    losses = dict.fromkeys(table.seats, 0)
    for thing in placed:
        for effect in thing.of_kind("coin_loss"):
            for loser in table.others(thing.city.seat, effect["who"]):
                losses[loser.seat] += effect["n"] * (loser.count(effect["per"]) if "per" in effect else 1)
    for seat, loss in losses.items():
        if loss > 0:
            move = table.ask("loss", seat, loss_moves(table, seat, loss), [])
            city = table.cities[seat]
            city.coins -= move["coins"]
            city.debts += move["debt"]
            city.tally["lost_coins"] += move["coins"]
            table.losses.append({"seat": seat, "coins": move["coins"], "debt": move["debt"]})


def play_last_cards(table: Table, hands: list[list[str]], start_markets: list[Market], log: Log) -> list[Placed]:
    """Carry out step 5: discard the remaining cards; with PLAY LAST CARD they are played in an extra turn (R27)."""
    players = [seat for seat, hand in enumerate(hands) if hand and may_play_last(table, seat)]
    for seat, hand in enumerate(hands):
        if seat not in players:
            table.discard_pile += [table.catalogue.cards[name] for name in hand]
            hand.clear()
    moves: list[Move] = []
    for seat in players:
        on_new_state = table.switches["last_card_on_new_state"]
        means = market(table, seat) if on_new_state else start_markets[seat]
        options = turn_moves(table, seat, hands[seat], means, source="last_card")
        moves.append(table.ask("last_card", seat, options, hands[seat]))
        hands[seat].clear()
    log.extra += moves
    return resolve(table, moves, log)


def may_play_last(table: Table, seat: int) -> bool:
    """Return whether a seat plays its last card (R27), or all seats do (R9.5)."""
    return bool(table.cities[seat].effects("play_last_card")) or table.rules.last_card[table.age - 1] == "played"


def build_from_discard_pile(table: Table, placed: list[Placed], log: Log) -> None:
    """Carry out step 6: the queue of builds from the discard pile (R9.6, R28)."""
    granted = [
        (thing.card is not None, thing.city.seat) for thing in placed for _ in thing.of_kind("build_from_discard")
    ]
    queue = in_order(table, granted + table.builds)
    table.builds = []
    while queue:
        seat = queue.pop(0)
        moves = discard_moves(table, seat)
        if not moves:
            continue
        move = table.ask("discard_pile", seat, moves, [])
        if move["action"] == "decline":
            continue
        card = table.catalogue.cards[move["card"]]
        table.discard_pile.remove(card)
        thing = place_structure(table, table.cities[seat], card, move)
        log.extra.append(move)
        take_effect(table, [{**move, "action": "build"}], [thing])
        queue += [seat for _ in thing.of_kind("build_from_discard")] + in_order(table, table.builds)
        table.builds = []


def in_order(table: Table, granted: list[tuple[bool, int]]) -> list[int]:
    """Order the seats that build from the pile: boards first, or by seat with a seat's board before its cards."""
    boards_first = table.switches["discard_builds_boards_first"]
    return [seat for _, seat in sorted(granted, key=lambda one: one if boards_first else one[1:])]
