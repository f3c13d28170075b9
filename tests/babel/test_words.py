"""The words of Tower of Babel are defined once: kinds, action cards, decisions, switches."""

from __future__ import annotations

import re
from pathlib import Path

from tests.wonders.test_words import listed
from wsim.babel import words
from wsim.babel.catalog import load_catalogue
from wsim.babel.catalog.loading import BABEL_TOML
from wsim.babel.kernels.layout import RULES

PACKAGE = Path(words.__file__).parent
LISTS = {
    "kinds": words.KINDS,
    "decisions": words.DECISIONS,
    "switches": (*words.SWITCHES, *words.COMPILED_SWITCHES),
    "levels": tuple(words.LEVELS),
}


def test_each_list_of_words_is_defined_once() -> None:
    again = [
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path in PACKAGE.rglob("*.py")
        if path.name != "words.py"
        for line, found in listed(path)
        for name, vocabulary in LISTS.items()
        if 2 * len(found) > len(vocabulary) and found <= set(vocabulary)
    ]
    assert not again


def test_every_switch_is_documented_and_reaches_the_kernels() -> None:
    text = BABEL_TOML.read_text(encoding="utf-8")
    for name, meaning in {**words.SWITCHES, **words.COMPILED_SWITCHES}.items():
        assert re.search(rf"^{name} = \S+ +# {re.escape(meaning)}$", text, re.MULTILINE), name
    assert set(load_catalogue().rules) == set(words.SWITCHES) | set(words.COMPILED_SWITCHES)
    assert set(words.SWITCHES) <= set(RULES.names or ())


def test_word_numbers_index_their_lists() -> None:
    assert [words.KINDS[number] for number in (words.CAMEL, words.CRANE, words.SHIP, words.STONEMASON)] == [
        *words.KINDS
    ]
    assert words.KINDS[words.SHIP] == "ship"
    assert words.ACTION_CARDS[words.EXCHANGE_CARDS] == "card_exchange"
    assert words.ACTION_CARDS[words.JOKER] == "joker"
    assert words.DECISIONS[words.OFFER] == "offer"
    assert words.DECISIONS[words.DOUBLE] == "double_turn"
