"""A trace told to a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["game_text"]


def game_text(trace: Mapping[str, Any]) -> str:
    """Return a whole game as text, one line for each thing that happens."""
    return "\n".join(_lines(trace)) + "\n"


def _lines(trace: Mapping[str, Any]) -> Iterator[str]:
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
            yield f"  draws: {'; '.join(_draw(draw) for draw in turn['draws'])}"
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
        yield from (_offer(offer) for offer in action["offers"])
        yield from (_play(play) for play in plays if play["window"] == "W3")
        yield from _outcome(active, action)
    if "double_turn" in action:
        yield f"  {'plays' if action['double_turn'] else 'keeps'} the Double turn"


def _play(play: Mapping[str, Any]) -> str:
    if play["card"] is None:
        return f"    {play['window']}: seat {play['seat']} plays no action card"
    aside = f" sets aside {_cards(play['aside'])}," if "aside" in play else ""
    return f"    {play['window']}: seat {play['seat']} plays {play['card']},{aside} draws {_cards(play['drawn'])}"


def _offer(offer: Mapping[str, Any]) -> str:
    cards = " + ".join(f"{number} {kind}" for kind, number in offer["cards"].items())
    parts = [part for part in (cards, "trade card" if offer["trade"] else "") if part]
    bluff = f" (and shows {_cards(offer['bluff'])})" if offer.get("bluff") else ""
    return f"    seat {offer['seat']} offers {' + '.join(parts) or 'nothing'}{bluff}"


def _outcome(active: int, action: Mapping[str, Any]) -> Iterator[str]:
    taken = ", ".join(f"seat {seat}" for seat in action["taken"]) or "nobody"
    if not action["completed"]:
        yield f"    takes {taken}; the build fails"
    else:
        own = " + ".join(f"{number} {kind}" for kind, number in action["own"].items()) or "nothing"
        jokers = " + ".join(f"{number} {kind}" for kind, number in action["jokers"].items())
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
        told = ", ".join(f"{source.replace('_', ' ')} {score[source]}" for source in sources)
        result = f"rank {score['rank']}, win share {score['win_share']:g}"
        yield f"  seat {score['seat']}: {score['total']} ({told}), {result}"
        yield f"    discs: {', '.join(map(_disc, score['discs'])) or 'none'}"


def _disc(disc: Mapping[str, int]) -> str:
    return " + ".join(f"{kind} {number}" for kind, number in disc.items())


def _cards(cards: list[str]) -> str:
    return ", ".join(cards) or "nothing"


def _draw(draw: Mapping[str, Any]) -> str:
    return f"{draw['seat']} {_cards(draw['cards'])}"


def _numbers(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))
