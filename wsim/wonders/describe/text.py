"""Describe moves, whole games and views as text, from the records of traces and views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from wsim.wonders.catalog import Card, Catalogue
from wsim.wonders.catalog.clause_text import counted, price_change_text
from wsim.wonders.catalog.clauses import named
from wsim.wonders.catalog.entry_text import cost_text, effects_text, recruit_text
from wsim.wonders.describe.by_clauses import COUNTERS_KEY, in_words
from wsim.wonders.facts import NAMED_IF_ANY, price_in_words
from wsim.wonders.words import CATEGORIES, COPIES, COUNTER, DRAW, NEIGHBORS, UNIT_PRICES, WAYS

WIDTH = 80
ROMAN = ("", "I", "II", "III")
HOW = dict(zip(WAYS, ("", "by a chain", "for free"), strict=True))
PAYEES = ("bank", *NEIGHBORS)  # keys of a move


# --- a move


def phrase(move: Mapping[str, Any]) -> str:
    """Describe a move in a few words, without payments."""
    if "deck" in move:
        if move["action"] == "keep":
            return f"{move['deck']}: {_recruited(move, 'keep')}"
        return f"{move['deck']}: {'decline' if move['action'] == 'decline' else _recruited(move, 'recruit')}"
    if "when" in move:
        return f"{_source(move)}{_of_owner(move)}: {move.get('text') or _choice(move)}"
    match move["action"]:
        case "decline":
            return "build nothing"
        case "pay":
            return f"pay {move['coins']} of the loss"
        case "sell":
            return f"sell {move['card']}"
    text = _built_by(move) if move["action"] == "stage" else f"build {move['card']}"
    return f"{text} ({HOW[move['how']]})" if HOW[move["how"]] else text


def _source(named: Mapping[str, Any]) -> str:
    """Name the card, stage or rule of the table whose clause caused a decision or effect."""
    return f"stage {named['stage']}" if "stage" in named else str(named.get("card") or named["table"])


def _recruited(decision: Mapping[str, Any], verb: str) -> str:
    """Describe the recruited card, with its effects if the decision has a ``text``."""
    text = f" ({decision['text']})" if decision.get("text") else ""
    return f"{verb} {decision['card']}{text}"


def _choice(decision: Mapping[str, Any]) -> str:
    return "decline" if decision["action"] == "decline" else f"choose option {decision['option']}"


def decision_text(decision: Mapping[str, Any], who: str = "") -> str:
    """Describe a clause decision (R72); ``who``: the name of the deciding city (default: the number of its seat)."""
    who = who or f"seat {decision['seat']}"
    if "deck" in decision:
        if decision["action"] == "keep":
            return f"{who} {_recruited(decision, 'keeps')}"
        who = f"{who} of {decision['deck']}" if decision["action"] == "decline" else who
        return (
            f"{who} recruits none" if decision["action"] == "decline" else f"{who} {_recruited(decision, 'recruits')}"
        )
    if decision["action"] == "decline":
        return f"{who} declines: {_source(decision)}{_of_owner(decision)}"
    if "gives" in decision:
        return f"{who} gives {decision['gives']} by {_source(decision)}{_of_owner(decision)}"
    chosen = f" for seat {decision['city']}" if "city" in decision else ""
    chosen = f" with {decision['picked']}" if "picked" in decision else chosen
    chosen = f" with an amount of {decision['amount']}" if "amount" in decision else chosen
    return f"{who} chooses option {decision['option']} of {_source(decision)}{_of_owner(decision)}{chosen}"


def _of_owner(decision: Mapping[str, Any]) -> str:
    """Return a suffix such as " of seat 2" if the clause belongs to a different city (R98), otherwise ""."""
    return f" of seat {decision['owner']}" if "owner" in decision else ""


def deed(move: Mapping[str, Any]) -> str:
    """Describe a city's action without its payment; the card is named only if it is public (R49)."""
    if move["action"] == "discard":
        return f"discards {move['card']}"
    if move["action"] == "take":
        return f"takes {move['card']}"
    if move["action"] == "put_aside":
        return f"puts {move['card']} aside"
    return f"sells {move.get('card', 'a card')}" if move["action"] == "sell" else f"builds {_built_by(move)}"


def _built_by(move: Mapping[str, Any]) -> str:
    """Describe the structure or stage that a move builds."""
    if move["action"] == "build":
        return str(move["card"])
    stage = f"stage {move['stage']}" if "stage" in move else "a stage"
    return f"{stage} with {move['card']}" if "card" in move else stage


def payments(move: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, int]]:
    """Return a move's payments as (recipient, coins); ``names`` are the bank, the left and the right neighbour."""
    return [(name, move[key]) for key, name in zip(PAYEES, names, strict=True) if move.get(key)]


def paid(move: Mapping[str, Any], cities: int) -> dict[str, int]:
    """Return a move's payments as coins by recipient; the left neighbour is the next seat."""
    left, right = ((move["seat"] + step) % cities for step in (1, -1))
    coins_by_recipient: dict[str, int] = {}
    for name, coins in payments(move, ("bank", f"seat {left}", f"seat {right}")):  # with two cities, the same seat
        coins_by_recipient[name] = coins_by_recipient.get(name, 0) + coins
    return coins_by_recipient


# --- a whole game


def game_text(trace: Mapping[str, Any]) -> str:
    """Describe a game, turn by turn."""
    lines = [f"7 Wonders {trace['ruleset']}, seed {trace['seed']}, game {trace['index']}"]
    for i, seat in enumerate(trace["seats"]):
        lines.append(f"  seat {i}: {seat['wonder']} {seat['side']}, played by {seat['policy']}")
    for age in trace["ages"]:
        lines += ["", f"Age {ROMAN[age['age']]}"]
        lines += [f"  seat {i} is dealt {', '.join(hand)}" for i, hand in enumerate(age["hands"])]
        if "free_city" in age:
            lines.append(f"  the Free City's pile, top first: {', '.join(age['free_city'])}")
        for turn in age["turns"]:
            lines += _turn_lines(turn)
        lines += [_conflict_line(fought) for fought in age["conflicts"]]
        lines += [f" {_loss_text(loss)}" for loss in age.get("losses", ())]
        lines += [f" {decision_text(decision)}" for decision in age.get("decisions", ())]
        lines += [f" {effect_text(effect)}" for effect in age.get("effects", ())]
    head = ["seat", "wonder", *CATEGORIES, "total", "coins", "win share"]
    head[2 + CATEGORIES.index("wonder")] = "stages"
    table = [head]
    for seat, score in zip(trace["seats"], trace["scores"], strict=True):
        numbers = [str(score[key]) for key in (*CATEGORIES, "total", "coins")]
        table.append([str(score["seat"]), f"{seat['wonder']} {seat['side']}", *numbers, f"{score['win_share']:g}"])
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    lines += ["", "Scores"]
    lines += ("  " + "  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in table)
    return "\n".join(lines) + "\n"


def _turn_lines(turn: Mapping[str, Any]) -> Iterator[str]:
    yield f" Turn {turn['turn']}"
    for move in turn["moves"]:
        yield f"  {_move_text(move)}"
    for move in turn.get("extra", ()):
        source = "with its last card" if move["source"] == "last_card" else "from the discard pile"
        yield f"  {_move_text(move)} ({source})"
    yield from (f"  {_loss_text(loss)}" for loss in turn.get("losses", ()))
    yield from (f"  {decision_text(decision)}" for decision in turn.get("decisions", ()))
    yield from (f"  {effect_text(effect)}" for effect in turn.get("effects", ()))
    yield f"  treasuries: {', '.join(map(str, turn['coins']))}"
    for name, values in turn.get("counters", {}).items():
        yield f"  {name}: {', '.join(map(str, values)) if isinstance(values, list) else values}"


def _loss_text(loss: Mapping[str, Any]) -> str:
    debt = f" and takes {loss['debt']} in debt" if loss["debt"] else ""
    return f"seat {loss['seat']} loses {loss['coins']} coins{debt}"


def _move_text(move: Mapping[str, Any]) -> str:
    text = f"seat {move['seat']} {deed(move)}"
    if how := HOW[move.get("how", "paid")]:
        return f"{text} ({how})"
    parts = [f"{coins} to the {name}" for name, coins in payments(move, ("bank", "left neighbour", "right neighbour"))]
    return f"{text}, paying {', '.join(parts)}" if parts else text


def effect_text(effect: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Describe the effect of a clause (R52); ``names``: names of the seats (default: their numbers)."""
    source = _source(effect)
    keys = ("seat", "city" if "city" in effect else "seat")
    owner, city = (names[effect[key]] if names else f"seat {effect[key]}" for key in keys)
    verb, _, item = effect["does"].partition(" ")
    if item.startswith(f"{COUNTER} "):
        change = f"{item} {'rises' if verb == 'gain' else 'falls'} by {effect['amount']}"
        return f"{source} of {owner}: {change}{f' for {city}' if 'city' in effect else ''}"
    if item in UNIT_PRICES:
        change = "rises" if verb == "gain" else "falls"
        return f"{source} of {owner}: the {price_in_words(item)} {change} by {effect['amount']} for {city}"
    if verb in ("cheaper", "dearer"):
        return f"{source} of {owner}: {city} pays {price_change_text(effect['does'], effect['amount'])}"
    if deck := named(effect["does"], DRAW):
        cards = counted(str(effect["amount"]), "cards")
        return f"{source} of {owner}: {city} draws {cards} from the stock of {deck}, or as many as are left"
    if item == COPIES:
        return f"{source} of {owner}: {city} has the lasting effects of a card once more"
    amount = counted(str(effect["amount"]), item or "coins")
    if item:
        return f"{source} of {owner}: {city} {'gains' if verb == 'gain' else 'loses'} {amount}"
    return f"{source} of {owner} {verb}s {amount} {'from' if verb == 'take' else 'to'} {city}"


def _conflict_line(fought: Mapping[str, Any]) -> str:
    (first, second), (shields, other), (won, lost) = fought["seats"], fought["shields"], fought["tokens"]
    return f" Conflict of seats {first} and {second}: {shields} to {other} shields, tokens {won:+d} and {lost:+d}"


# --- the view of a seat


def draft_text(view: Mapping[str, Any]) -> str:
    """Describe when the current draft of a further deck takes place (R101)."""
    return "before turn 1, a draft" if view["turn"] == 1 else "after the conflicts, a draft"


def hands_before(view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the hands of other seats that a seat saw in the current turn (R105)."""
    return [seen for seen in view.get("hands_seen", ()) if seen["turn"] == view["turn"]]


def view_lines(catalogue: Catalogue, view: Mapping[str, Any]) -> list[str]:
    """Describe a seat's view (``Position.view``): the cities, their structures, its own board and hand."""
    me = view["seat"]
    when = draft_text(view) if view.get("draft") else f"turn {view['turn']}"
    return [
        f"Age {ROMAN[view['age']]}, {when}. You are seat {me}. Discard pile: {view['discarded']} cards.",
        *(f"Counter {name} of the table: {value}." for name, value in view.get(COUNTERS_KEY, {}).items()),
        "",
        *_cities(view),
        "",
        *(line for seat, city in enumerate(view["cities"]) for line in _built(seat, city)),
        "",
        *_stages(catalogue, view["cities"][me]),
        *_hand(catalogue, view["hand"], "Your hand"),
        *_hand(catalogue, view.get("mate_hand", ()), "Your mate's hand"),
        *(
            line
            for seen in hands_before(view)
            for line in _hand(catalogue, seen["hand"], f"Seat {seen['seat']}'s hand")
        ),
        *_to_recruit(catalogue, view.get("draft", ()), "You keep one of these and pass the others on"),
        *_to_recruit(catalogue, view.get("recruits", ()), "You may recruit"),
        *_to_recruit(catalogue, view.get("display", ()), "Displayed"),
    ]


def _cities(view: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of cities, with the seat itself and its neighbours marked."""
    cities, me = view["cities"], view["seat"]
    yield f"{'seat':<13}{'wonder':<20}{'coins':>6}{'stages':>8}{'shields':>9}{'victories':>12}{'defeats':>9}"
    for seat, city in enumerate(cities):
        place = {me: "you", (me + 1) % len(cities): "left", (me - 1) % len(cities): "right"}.get(seat, "")
        wonder = f"{city['wonder']} {city['side']}"[:19]
        won = "/".join(map(str, city["victories"]))
        yield (
            f"{seat} {place:<11}{wonder:<20}{city['coins']:>6}{city['stages']:>8}{city['shields']:>9}"
            f"{won:>12}{city['defeats']:>9}"
        )


def _built(seat: int, city: Mapping[str, Any]) -> list[str]:
    text = f"{seat} has built {', '.join(city['built']) or 'nothing'}"
    lines = wrap(text, WIDTH, subsequent_indent="    ")
    if city.get("recruited"):
        lines += wrap(f"{seat} has recruited {', '.join(city['recruited'])}", WIDTH, subsequent_indent="    ")
    if city.get("copied"):
        lines += wrap(f"{seat} has copies of {', '.join(city['copied'])}", WIDTH, subsequent_indent="    ")
    has = [f"{city[name]} {name}" for name in NAMED_IF_ANY if city.get(name)] + in_words(city)
    return lines + (wrap(f"{seat} also has {', '.join(has)}", WIDTH, subsequent_indent="    ") if has else [])


def _stages(catalogue: Catalogue, city: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines about the next stage of a board."""
    if text := next_stage(catalogue, city):
        yield from wrap(f"Next stage, {text}", WIDTH, subsequent_indent="    ")
        yield ""


def next_stage(catalogue: Catalogue, city: Mapping[str, Any]) -> str:
    """Describe the next stage of a board with its cost and effects; "" if there is none."""
    stages = catalogue.wonder(city["wonder"]).stages(city["side"])
    if city["stages"] == len(stages):
        return ""
    stage = stages[city["stages"]]
    return f"{city['stages'] + 1} of {len(stages)}: {cost_text(stage.cost)}: {effects_text(stage.effects)}"


def card_text(card: Card) -> str:
    """Describe a card's cost, effects and chains."""
    chain = f"; free with {', '.join(card.free_with)}" if card.free_with else ""
    return f"{cost_text(card.cost)}: {effects_text(card.effects)}{chain}"


def _to_recruit(catalogue: Catalogue, names: Sequence[str], title: str) -> Iterator[str]:
    """Yield cards of further decks with cost and effects."""
    if names:
        yield title
    for card in catalogue.deck_cards:
        if card.name in names:
            text = f"{card.name:<22}{counted(str(card.cost), 'coins'):<8}: {recruit_text(card.effects)}"
            yield from wrap(text, WIDTH, initial_indent="  ", subsequent_indent=" " * 32, break_on_hyphens=False)


def _hand(catalogue: Catalogue, hand: Sequence[str], title: str) -> Iterator[str]:
    """Yield the cards of a hand with colour, cost and effects."""
    if not hand:
        return
    yield title
    cards = {card.name: card for card in catalogue.cards}
    for name in hand:
        text = f"{name:<22}{cards[name].color:<8}{card_text(cards[name])}"
        yield from wrap(text, WIDTH, initial_indent="  ", subsequent_indent=" " * 32, break_on_hyphens=False)
