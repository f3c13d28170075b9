"""Positions and moves of Tower of Babel told to a person who sits at the table, in lines of at most 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

__all__ = ["phrase", "view"]

WIDTH = 80


def phrase(move: Mapping[str, Any]) -> str:
    """Return a move in a few words."""
    match move:
        case {"action": "build"}:
            return f"build {move['wonder']}, space {move['space']} ({_cards(move['disc'])})"
        case {"action": action}:
            return str(action)
        case {"card": card}:
            return "play no action card" if card is None else f"play {_name(card)}"
        case {"aside": kind}:
            return "set no more aside" if kind is None else f"set a {kind} aside"
        case {"cards": cards, "trade": trade}:
            return f"offer {' + '.join(filter(None, (_cards(cards), 'the trade card' if trade else ''))) or 'nothing'}"
        case {"bluff": kinds}:
            return f"lay {', '.join(kinds)} as a bluff" if kinds else "lay no bluff"
        case {"taken": seats}:
            return f"take the offer of {_seats(seats)}" if seats else "take no offer"
        case {"completed": True, "jokers": jokers}:
            return f"complete the build{f' with Jokers for {_cards(jokers)}' if jokers else ''}"
        case {"completed": _}:
            return "give the build up"
        case {"triple_bonus": played} | {"double_turn": played}:
            card = "Triple bonus" if "triple_bonus" in move else "Double turn"
            return f"{'play' if played else 'keep'} the {card}"
    raise AssertionError(move)


def _name(card: str) -> str:
    return card.replace("_", " ").capitalize()


def _cards(cards: Mapping[str, int]) -> str:
    return " + ".join(f"{number} {kind}" for kind, number in cards.items())


def _seats(seats: Iterable[int]) -> str:
    return " and ".join(f"seat {seat}" for seat in seats)


def view(told: Mapping[str, Any]) -> list[str]:
    """Return what a seat may know (``Position.told``): the wonders, the seats, the build, the own cards."""
    me = told["seat"]
    held = told["held"].items()
    moment = f"Turn {told['turn']}, seat {told['active']} is active. You are seat {me}."
    return [
        f"{moment} Deck: {told['deck']} cards. Next row: {told['row']}.",
        "",
        *_board(told["board"]),
        "",
        *_players(told),
        *_build(told.get("build")),
        "",
        f"Your hand: {_cards(told['hand']) or 'no card'}",
        *wrap(
            f"Your action cards: {', '.join(f'{number} {_name(card)}' for card, number in held) or 'none'}",
            WIDTH,
            subsequent_indent="    ",
        ),
    ]


def _board(board: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield f"{'wonder':<30}{'discs to be built':<36}parts"
    for wonder in board:
        discs = ", ".join(_cards(disc) if disc else "-" for disc in wonder["discs"])
        parts = " ".join(map(str, wonder["parts"]))
        if len(discs) < 36:
            yield f"{wonder['wonder']:<30}{discs:<36}{parts}"
        else:
            yield f"{wonder['wonder']:<66}{parts}"
            yield from wrap(discs, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _players(told: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'seat':<8}{'points':>7}{'hand':>6}{'action cards':>14}   discs"
    for seat, one in enumerate(told["seats"]):
        who = f"{seat} you" if seat == told["seat"] else str(seat)
        row = (
            f"{who:<8}{one['points']:>7}{one['hand_size']:>6}{one['action_cards']:>14}   {_cards(one['discs']) or '-'}"
        )
        yield row[:WIDTH]


def _build(build: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the build that is being made, with the offers that are in the open."""
    if build is None:
        return
    yield ""
    yield f"To be built: {build['wonder']}, space {build['space']} ({_cards(build['disc'])})"
    for offer in build["offers"]:
        if offer["cards"] or offer["trade"]:
            taken = ", taken" if offer["seat"] in build["taken"] else ""
            yield f"  seat {offer['seat']}: {phrase(offer)}{taken}"
