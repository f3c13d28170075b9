"""Describe moves, whole games and views of a seat as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

WIDTH = 80


# --- a move


def phrase(move: Mapping[str, Any]) -> str:
    """Describe a move in a few words."""
    match move:
        case {"action": "build"}:
            return f"build {move['wonder']}, space {move['space']} ({counted(move['disc'])})"
        case {"action": action}:
            return str(action)
        case {"card": card}:
            return "play no action card" if card is None else f"play {_name(card)}"
        case {"aside": kind}:
            return "set no more cards aside" if kind is None else f"set a {kind} aside"
        case {"cards": cards, "trade": _}:
            return f"offer {' + '.join(offered(move, counted(cards))) or 'nothing'}"
        case {"bluff": kinds}:
            return f"lay {', '.join(kinds)} as a bluff" if kinds else "lay no bluff"
        case {"taken": seats}:
            return f"take the offer of {' and '.join(f'seat {seat}' for seat in seats)}" if seats else "take no offer"
        case {"completed": True, "jokers": jokers}:
            return f"complete the build{f' with Jokers for {counted(jokers)}' if jokers else ''}"
        case {"completed": _}:
            return "give up the build"
        case {"triple_bonus": played} | {"double_turn": played}:
            card = "Triple bonus" if "triple_bonus" in move else "Double turn"
            return f"{'play' if played else 'keep'} the {card}"
    raise AssertionError(move)


def _name(card: str) -> str:
    return card.replace("_", " ").capitalize()


def counted(counts: Mapping[str, int]) -> str:
    """Describe the number of cards of each kind."""
    return " + ".join(f"{number} {kind}" for kind, number in counts.items())


def offered(offer: Mapping[str, Any], cards: str, trade: str = "the trade card") -> list[str]:
    """Describe the parts of an offer: its cards and the trade card. Returns an empty list for no offer."""
    return [part for part in (cards, trade if offer["trade"] else "") if part]


# --- a whole game


def game_text(trace: Mapping[str, Any]) -> str:
    """Describe a whole game, one line per event."""
    return "\n".join(_game_lines(trace)) + "\n"


def _game_lines(trace: Mapping[str, Any]) -> Iterator[str]:
    yield f"Tower of Babel, rule set {trace['ruleset']}, seed {trace['seed']}, game {trace['index']}"
    rules = trace["rules"]
    yield (
        f"{'with' if rules['action_cards'] else 'without'} action cards, "
        f"{'with' if rules['two_colour_discs'] else 'without'} two-colour discs"
    )
    for change in rules["changed"]:
        yield f"changed: {change['entry']} = {json.dumps(change['value'])}"
    yield ""
    for wonder in trace["board"]:
        yield f"  {wonder['wonder']}: {', '.join(map(_disc, wonder['discs']))}"
    yield ""
    for seat, (player, hand) in enumerate(zip(trace["seats"], trace["hands"], strict=True)):
        begins = ", begins" if seat == trace["start"] else ""
        yield f"  seat {seat} ({player['policy']}{begins}): {', '.join(hand)}"
    for turn in trace["turns"]:
        yield ""
        yield f"Turn {turn['turn']}, seat {turn['seat']}"
        for number, action in enumerate(turn["actions"]):
            yield from _action(turn["seat"], action, again=number > 0)
        if "draws" in turn:
            draws = [f"{draw['seat']} {_cards(draw['cards'])}" for draw in turn["draws"]]
            yield f"  draws: {'; '.join(draws)}"
        yield f"  points {_numbers(turn['points'])}, hands {_numbers(turn['hand_sizes'])}"
    yield ""
    yield from _end(trace)


def _action(active: int, action: Mapping[str, Any], *, again: bool) -> Iterator[str]:
    if again:
        yield "  second action"
    plays = list(action["plays"])
    yield from (_play(play) for play in plays if play["window"] == "W1")
    if action["action"] == "pass":
        yield f"  passes, draws {_cards(action['drawn'])}"
    else:
        yield f"  builds {action['wonder']}, {_disc(action['disc'])}"
        yield from (_play(play) for play in plays if play["window"] == "W2")
        for offer in action["offers"]:
            parts = " + ".join(offered(offer, counted(offer["cards"]), "trade card")) or "nothing"
            bluff = f" (and shows {_cards(offer['bluff'])})" if offer.get("bluff") else ""
            yield f"    seat {offer['seat']} offers {parts}{bluff}"
        yield from (_play(play) for play in plays if play["window"] == "W3")
        yield from _outcome(active, action)
    if "double_turn" in action:
        yield f"  {'plays' if action['double_turn'] else 'keeps'} the Double turn"


def _play(play: Mapping[str, Any]) -> str:
    if play["card"] is None:
        return f"    {play['window']}: seat {play['seat']} plays no action card"
    aside = f" sets aside {_cards(play['aside'])}," if "aside" in play else ""
    return f"    {play['window']}: seat {play['seat']} plays {play['card']},{aside} draws {_cards(play['drawn'])}"


def _outcome(active: int, action: Mapping[str, Any]) -> Iterator[str]:
    taken = ", ".join(f"seat {seat}" for seat in action["taken"]) or "nobody"
    if not action["completed"]:
        yield f"    takes {taken}; the build fails"
    else:
        own = counted(action["own"]) or "nothing"
        jokers = counted(action["jokers"])
        yield f"    takes {taken}, adds {own}{f', Jokers for {jokers}' if jokers else ''}"
        owner = "" if action["disc_to"] == active else f"; the disc goes to seat {action['disc_to']}"
        yield f"    parts {_numbers(action['parts'])}{owner}"
    if "wonder_completed" in action:
        wonder = action["wonder_completed"]
        card = f"; draws {wonder['action_card']}" if wonder["action_card"] else ""
        scored = f"units {_numbers(wonder['units'])} earn {_numbers(wonder['points'])}"
        yield f"    wonder complete, row {wonder['row']}: {scored}{card}"
    for paid in action["paid"]:
        triple = {True: " with the Triple bonus", False: ", keeps the Triple bonus"}.get(paid.get("triple_bonus"), "")
        yield f"    seat {paid['seat']} gets {paid['points']} for its offer{triple}"


def _end(trace: Mapping[str, Any]) -> Iterator[str]:
    reasons = {"kind_gone": "a kind is gone from the board", "turn_limit": "the turn limit is reached"}
    yield f"The end: {reasons[trace['end']['reason']]}"
    for wonder in trace["end"]["unfinished"]:
        yield f"  {wonder['wonder']}: units {_numbers(wonder['units'])} earn {_numbers(wonder['points'])}"
    for score in trace["scores"]:
        sources = ("wonders", "unfinished_wonders", "refused_offers", "disc_sets", "action_cards")
        parts = ", ".join(f"{source.replace('_', ' ')} {score[source]}" for source in sources)
        result = f"rank {score['rank']}, win share {score['win_share']:g}"
        yield f"  seat {score['seat']}: {score['total']} ({parts}), {result}"
        yield f"    discs: {', '.join(map(_disc, score['discs'])) or 'none'}"


def _disc(disc: Mapping[str, int]) -> str:
    return " + ".join(f"{kind} {number}" for kind, number in disc.items())


def _cards(cards: list[str]) -> str:
    return ", ".join(cards) or "nothing"


def _numbers(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


# --- the view of a seat


def view_lines(view: Mapping[str, Any]) -> list[str]:
    """Describe a seat's view line by line: the wonders, the seats, the build and the seat's own cards."""
    me = view["seat"]
    held = view["held"].items()
    moment = f"Turn {view['turn']}, seat {view['active']} is active. You are seat {me}."
    return [
        f"{moment} Deck: {view['deck']} cards. Next row: {view['row']}.",
        "",
        *_board(view["board"]),
        "",
        *_players(view),
        *_build_lines(view.get("build")),
        "",
        f"Your hand: {counted(view['hand']) or 'no card'}",
        *wrap(
            f"Your action cards: {', '.join(f'{number} {_name(card)}' for card, number in held) or 'none'}",
            WIDTH,
            subsequent_indent="    ",
        ),
    ]


def _board(board: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield f"{'wonder':<30}{'discs to be built':<36}parts"
    for wonder in board:
        discs = ", ".join(counted(disc) if disc else "-" for disc in wonder["discs"])
        parts = " ".join(map(str, wonder["parts"]))
        if len(discs) < 36:
            yield f"{wonder['wonder']:<30}{discs:<36}{parts}"
        else:
            yield f"{wonder['wonder']:<66}{parts}"
            yield from wrap(discs, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _players(view: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'seat':<8}{'points':>7}{'hand':>6}{'action cards':>14}   discs"
    for number, seat in enumerate(view["seats"]):
        name = f"{number} you" if number == view["seat"] else str(number)
        figures = f"{seat['points']:>7}{seat['hand_size']:>6}{seat['action_cards']:>14}"
        yield f"{name:<8}{figures}   {counted(seat['discs']) or '-'}"[:WIDTH]


def _build_lines(build: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the lines that describe the current build with its revealed offers."""
    if build is None:
        return
    yield ""
    yield f"To be built: {build['wonder']}, space {build['space']} ({counted(build['disc'])})"
    for offer in build["offers"]:
        if offer["cards"] or offer["trade"]:
            taken = ", taken" if offer["seat"] in build["taken"] else ""
            yield f"  seat {offer['seat']}: {phrase(offer)}{taken}"
