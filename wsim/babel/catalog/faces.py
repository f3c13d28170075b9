"""The faces of Tower of Babel: wonders, discs, building cards and action cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wsim.babel.catalog.model import Catalogue, Disc
from wsim.babel.words import KINDS, SPACES
from wsim.spec.faces import READ, Face, Part, Symbol


def faces(catalogue: Catalogue) -> list[Face]:
    """Return the faces of wonders, distinct discs in play, discs that were won, building cards and action cards."""
    section = catalogue.section
    discs = {str(disc): _disc(disc) for disc in catalogue.discs} | {won_disc(kind): _won(kind) for kind in KINDS}
    cards = [
        Face(
            kind, "building card", kind, ("building card",),
            Part(gives=((Symbol(kind),),), does=f"Pays for {kind} discs"),
            (f"{section['cards'][kind]} copies",), facets={"kind": ("building card",)},
        )
        for kind in KINDS
    ]  # fmt: skip
    return [*map(_wonder, catalogue.wonders), *discs.values(), *cards, *_action_cards(section)]


def _wonder(name: str) -> Face:
    part = Part(gives=((Symbol("tower"),),), does=f"{SPACES} spaces for discs")
    return Face(name, "wonder", about=("wonder",), part=part, facets={"kind": ("wonder",)})


def _disc(disc: Disc) -> Face:
    """Return the face of a disc, which shows the cards that it needs."""
    cost = tuple(Symbol(kind) for kind, number in disc.needs for _ in range(number))
    costs = " and ".join(f"{number} {kind} cards" for kind, number in disc.needs)
    gives = tuple((Symbol(kind), Symbol(text=str(number))) for kind, number in disc.needs)
    part = Part("", cost, gives, costs, f"Takes {costs} to build")
    kinds = tuple(kind for kind, _ in disc.needs)
    return Face(str(disc), "disc", kinds[0], ("disc",), part, facets={"kind": ("disc",), "shows": kinds})


def won_disc(kind: str) -> str:
    """Return the name of the face for a disc that a seat has won. Only the kind matters."""
    return f"{kind} disc"


def _won(kind: str) -> Face:
    part = Part(gives=((Symbol(kind),),), does=f"A {kind} disc that was won: sets count at the end")
    about = ("disc that was won",)
    return Face(won_disc(kind), "disc", kind, about, part, facets={"kind": about, "shows": (kind,)})


def _action_cards(section: Mapping[str, Any]) -> list[Face]:
    effects = section["effects"]
    does = {
        "card_exchange": f"Exchanges up to {effects['card_exchange']} building cards",
        "disc_bonus": f"Points at the end for each own disc: {effects['disc_bonus']}",
        "double_turn": "A second action in the same turn",
        "draw_three": f"Draws {effects['draw_three']} building cards",
        "five_points": f"Points at the end: {effects['five_points']}",
        "joker": f"Stands for {effects['joker']} missing building cards",
        "triple_bonus": f"Points for each card of an own offer that is refused: {effects['triple_bonus']}",
    }
    return [
        Face(
            name, "action card", about=("action card",),
            part=Part(gives=((Symbol("action"), Symbol(READ)),), does=text),
            notes=(f"{section['action_cards'][name]} copies",), facets={"kind": ("action card",)},
        )
        for name, text in does.items()
    ]  # fmt: skip
