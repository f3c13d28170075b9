"""A search with user-defined move values: as its prior, and for evaluating truncated playouts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import wsim
from wsim.errors import UserError
from wsim.policies.declare import value

BABEL: dict[str, Any] = {"game": "tower_of_babel", "players": 3, "seed": 4}
WONDERS: dict[str, Any] = {"players": 3, "seed": 4}
both = pytest.mark.parametrize("keys", [pytest.param(WONDERS, marks=pytest.mark.slow, id="wonders"), BABEL])
SURE = ":prior=1000000:playouts=2:pool=balanced"  # the prior alone decides


@wsim.value
def last(public: Any, own: Any, choice: Any, rules: Any, index: Any) -> Any:
    """Value moves by their index: later moves are better."""
    return 0.01 * index


@wsim.value
def spoiling(public: Any, own: Any, choice: Any, rules: Any, index: Any) -> Any:
    """Return the same value as ``last``, and write to all records."""
    worth = 0.01 * index
    own.rng = 7
    for place in range(len(own.memory)):
        own.memory[place] = 5.0
    choice.count = 1
    return worth


@wsim.value
def only_second(public: Any, own: Any, choice: Any, rules: Any, index: Any) -> Any:
    return 0.0 if index == 1 else math.nan


@wsim.value
def coins(public: Any, own: Any, choice: Any, rules: Any, index: Any) -> Any:
    return 1.0 * public.coins[own.seat]


@wsim.value
def thrift(public: Any, own: Any, choice: Any, rules: Any, index: Any) -> Any:
    return -1.0 * public.coins[own.seat]


@value(python=True)
def slowly(public: Any, own: Any, choice: Any, rules: Any, index: Any) -> Any:
    return 0.01 * index


def lined_up(function: Any, words: str = SURE) -> str:
    """Return the line-up entry for a function in this file."""
    return f"{Path(__file__)}:{function.__name__}{words}"


def chosen(game: wsim.Game, function: Any, words: str = SURE) -> int:
    return int(game.ask(lined_up(function, words))["index"])


@pytest.mark.slow
@both
def test_custom_values_are_the_prior_of_search(keys: dict[str, Any]) -> None:
    game = wsim.Game(**keys)
    assert chosen(game, last) == len(game.legal()) - 1
    assert chosen(game, only_second) == 1
    assert game.ask(last)["index"] in range(len(game.legal()))  # passed as a function, with the defaults of search


@pytest.mark.slow
@both
def test_python_and_compiled_value_functions_agree_without_changing_the_game(keys: dict[str, Any]) -> None:
    words = ":playouts=6:pool=balanced:candidates=4"
    lines = [[lined_up(one, words), "random", "random"] for one in (last, spoiling, slowly)]
    tables = [wsim.simulate(games=2, policies=line, **keys).drop("policy") for line in lines]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@pytest.mark.slow
def test_truncated_playouts_are_valued_by_the_function() -> None:
    """One turn later, a seat that sold a card has the most coins, and a seat that did not has the fewest."""
    game = wsim.Game(**WONDERS)
    words = ":prior=0:playouts=12:pool=balanced:candidates=64"
    assert game.legal()[chosen(game, coins, f"{words}:ahead=1")]["action"] == "sell"
    assert game.legal()[chosen(game, thrift, f"{words}:ahead=1")]["action"] != "sell"


@pytest.mark.slow
def test_mistakes_are_reported_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import wsim\n"
        "@wsim.value(python=True)\ndef raising(public, own, choice, rules, index):\n    raise ValueError('no idea')\n"
        "@wsim.value(python=True)\ndef nothing(public, own, choice, rules, index):\n    return None\n"
        "@wsim.value\ndef four(public, own, choice, rules):\n    return 0.0\n"
        "@wsim.value\ndef worded(public, own, choice, rules, index):\n    return 'good'\n"
        "@wsim.value\ndef fine(public, own, choice, rules, index):\n    return 0.0\n",
        encoding="utf-8",
    )
    game = wsim.Game(**BABEL)
    for name, sentence in (
        ("raising", "raised ValueError: no idea"),
        ("nothing", "raised TypeError"),
        ("four", "a function that values moves takes five arguments: public, own, choice, rules, index"),
        ("worded", "the value of a move must be a number"),
        ("fine:ahead=-1", "parameter ahead of policy"),
        ("fine:greed=2", "has no parameter 'greed': accepted are playouts, ms, candidates, prior, pool, ahead"),
        ("fine:playouts=5:ms=3", "give only one of them"),
    ):
        with pytest.raises(UserError, match=sentence):
            game.ask(f"{file}:{name}")
    assert wsim.Plan.make(policies=[f"{file}:fine", "random", "random"], **BABEL).code  # it is asked for by --trust
