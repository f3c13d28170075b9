"""Draw catalogues that differ greatly from the printed one, and compare the engine with the reference on them."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from tests.babel.reference.components import rules
from tests.babel.reference.game import Reference
from tests.babel.tools import log_of, played, table
from wsim.babel.catalog import Catalogue, load_catalogue
from wsim.babel.catalog.compiling import compile_rules
from wsim.babel.words import ACTION_CARDS, COMPILED_SWITCHES, KINDS, POINTS_BY_FORMULA, SWITCHES
from wsim.errors import UserError
from wsim.limits import GameLimitError

INNER = ("board", "start", "hands", "turns", "end", "scores")
SOURCES = ("wonder_points", "light_points", "refused_points", "set_points", "action_points")
EFFECTS = ("card_exchange", "disc_bonus", "draw_three", "five_points", "refused_offer", "triple_bonus")


def accepted(changes: list[str], seats: int) -> bool:
    """Return whether a catalogue with these changes can be compiled."""
    try:
        compile_rules(load_catalogue(changes=changes), seats)
    except UserError:
        return False
    return True


def playable(changes: list[str], seats: int, games: int = 10) -> bool:
    """Return whether some games with these changes can be played to the end."""
    try:
        played(table(players=seats, set=tuple(changes)), games)
    except UserError:
        return False
    return True


def drawn(rng: random.Random) -> str:
    """Draw one random change of the catalogue."""
    kind, card = rng.choice(KINDS), rng.choice(ACTION_CARDS)
    switch = rng.choice([name for name in (*SWITCHES, "use_two_colour_discs") if name not in NUMBERS])
    two = rng.sample(KINDS, 2)
    return rng.choice(
        (
            f"cards.{kind}={rng.choice((0, 1, 10, 60))}",
            f"discs.{kind}=[5, {', '.join(str(rng.randint(1, 9)) for _ in range(5))}]",
            f"two_colour.tc{rng.randint(1, 4)}={{{two[0]} = {rng.randint(1, 6)}, {two[1]} = {rng.randint(1, 6)}}}",
            f"value_table.{rng.choice((*range(1, 8), 'light'))}={sorted(rng.sample(range(201), 3))[::-1]}",
            f"set_table.{rng.randint(1, 6)}={rng.choice((0, 7, 1000))}",
            f"action_cards.{card}={rng.randint(0, 6)}",
            f"effects.joker={rng.randint(1, 6)}",
            f"effects.{rng.choice(EFFECTS)}={rng.randint(0, 9)}",
            f"effects.{rng.choice(POINTS_BY_FORMULA)}='{rng.choice(FORMULAS)}'",
            f"setup.starting_hand.{rng.randint(3, 5)}={rng.randint(0, 12)}",
            f"setup.{rng.choice(('pass_draw', 'common_draw', 'parts'))}={rng.randint(0, 9)}",
            f"rules.{switch}={str(rng.random() < 0.5).lower()}",
            f"rules.max_jokers_per_build={rng.randint(0, 3)}",
            f"rules.max_double_turns={rng.randint(0, 9)}",
            f"rules.set_table_cap={rng.randint(1, 6)}",
            f"rules.turn_limit={rng.choice((1, 20, 1000))}",
            "rules.victory_tie='discs'",
        )
    )


FORMULAS = (
    "min(9, discs)", "5 if discs >= 3 else 2", "sets(camel, crane) + (ship > stonemason)", "action_cards % 4",
    "players + count(camel > 1, hand > 2)", "min(20, hand)", "completed", "99 // max(1, turn)",
)  # fmt: skip
NUMBERS = ("max_jokers_per_build", "max_double_turns", "turn_limit")


def draw_case(seed: int) -> tuple[int, list[str]]:
    """Draw a number of seats and a set of accepted changes, with one effect at its largest accepted value."""
    rng = random.Random(seed)
    seats = rng.randint(3, 5)
    changes: list[str] = []
    for _ in range(rng.choice((0, 2, 8, 30))):
        change = f"babel.{drawn(rng)}"
        changes += [change] if accepted([*changes, change], seats) else []
    pushed = rng.choice(("refused_offer", "disc_bonus", "five_points", "triple_bonus"))
    largest = max(n for n in range(0, 100, 3) if playable([*changes, f"babel.effects.{pushed}={n}"], seats))
    return seats, [*changes, f"babel.effects.{pushed}={largest}"]


def facts_of(catalogue: Catalogue, seats: int) -> dict[str, Any]:
    """Translate a catalogue to the rules of the reference implementation."""
    section = catalogue.section
    values = dict(section["value_table"])
    light = tuple(values.pop("light"))
    return rules(
        wonders=list(catalogue.wonders),
        cards=section["cards"],
        discs=section["discs"],
        boxed=section["two_colour"]["boxed"],
        two_colour_discs=[value for key, value in section["two_colour"].items() if key != "boxed"],
        value_rows=[tuple(values[str(row)]) for row in range(1, 8)],
        light_row=light,
        set_values={0: 0, **{int(size): points for size, points in section["set_table"].items()}},
        action_cards=section["action_cards"],
        effects=section["effects"],
        starting_hand=section["setup"]["starting_hand"][str(seats)],
        **{name: section["setup"][name] for name in ("pass_draw", "common_draw", "parts")},
        **{name: catalogue.rules[name] for name in (*SWITCHES, *COMPILED_SWITCHES) if name != "public_discs"},
    )


def compare_case(seed: int, seats: int, changes: list[str], games: int) -> None:
    """Play a case with both implementations; check equal decisions and traces, and that points add up."""
    of = table(players=seats, seed=seed, set=tuple(changes))
    facts = facts_of(of.catalogue, seats)
    for number in range(games):
        twin = Reference(facts, seats, seed, number)
        told = twin.play()
        try:
            log = log_of(of, number)
        except GameLimitError:
            assert max(twin.points) > 32_767, (seed, changes)
            continue
        assert log == twin.picks, (seed, changes)
        trace = of.trace(number)
        assert json.dumps({key: trace[key] for key in INNER}) == json.dumps(told), (seed, changes)
        rows = np.zeros(seats, of.row_dtype)
        of.play(number, rows)
        added = np.sum([rows[source].astype(int) for source in SOURCES], axis=0)
        assert added.tolist() == rows["total"].tolist() == twin.points, (seed, changes)
