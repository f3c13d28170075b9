"""Whole games stored as readable text and compared line by line.

After an intended change of the rules, ``python -m tests.babel.test_playthroughs`` regenerates them; read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.babel.tools import table
from wsim.babel.simulator import BabelSimulator
from wsim.game import find_game
from wsim.lab.plan import Plan

FOLDER = Path(__file__).parent / "playthroughs"
MIXED = ("builder", "supplier", "collector", "majority", "greedy")


def tables() -> dict[str, BabelSimulator]:
    """Return the tables of the stored games."""
    return {
        "3_seats_no_action_cards": table(players=3, policies=MIXED[:3], seed=3, options={"action_cards": "false"}),
        "4_seats": table(policies=MIXED[:4], seed=40),
        "4_seats_random": table(seed=7),
        "5_seats_two_colour": table(players=5, policies=MIXED, seed=349, options={"two_colour_discs": "true"}),
    }


@pytest.mark.jit_off
@pytest.mark.boundscheck
@pytest.mark.parametrize("name", ["3_seats_no_action_cards", "4_seats", "4_seats_random", "5_seats_two_colour"])
def test_playthrough(name: str) -> None:
    of = tables()[name]
    assert of.text(of.trace(0)) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_the_playthroughs_show_every_part_of_the_game() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt")))
    for word in ("passes", "offers nothing", "trade card", "the build fails", "the disc goes to", "wonder complete"):
        assert word in text, word
    for word in ("W1", "W2", "card_exchange", "Jokers", "Triple bonus", "Double turn", "camel 2 + stonemason 3"):
        assert word in text, word


@pytest.mark.jit_off
def test_a_trace_has_the_documented_sections() -> None:
    trace = table(seed=9, policies=("builder:explore=0.2",)).trace(5)
    outer = ["format", "game", "ruleset", "seed", "index", "seats", "rules"]
    assert list(trace) == [*outer, "board", "start", "hands", "turns", "end", "scores"]
    assert trace["rules"] == {"action_cards": True, "two_colour_discs": False, "changed": []}
    assert trace["seats"] == [{"policy": "builder:explore=0.2"}] * 4


@pytest.mark.jit_off
def test_a_trace_names_every_changed_value() -> None:
    changed = find_game("tower_of_babel").prepare(
        Plan.make(game="tower_of_babel", policies="random", set=["babel.value_table.2=[12, 6, 3]"], action_cards=False)
    )
    trace = changed.trace(0)
    assert trace["rules"] == {
        "action_cards": False,
        "two_colour_discs": False,
        "changed": [
            {"entry": "value_table.2", "value": [12, 6, 3]},
            {"entry": "rules.use_action_cards", "value": False},
        ],
    }
    assert "changed: value_table.2 = [12, 6, 3]\n" in changed.text(trace)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, of in tables().items():
        (FOLDER / f"{name}.txt").write_text(of.text(of.trace(0)), encoding="utf-8")
