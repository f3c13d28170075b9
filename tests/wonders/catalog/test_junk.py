"""Junk anywhere in a patch gives a sentence or a catalogue, never a traceback."""

from __future__ import annotations

import random
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from wsim.errors import UserError
from wsim.spec.fields import dotted
from wsim.wonders.catalog import default_cards_path, load_catalogue, ruleset_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JUNK = """
0   -1   1.5   nan   99999999999999999999   true   false   1979-05-27   x   ''
[]   [[]]   [{}]   [1, 'a']   [3, 3]
{}   { x = 1 }   { 1 = [3] }   { 1 = { points = 1 } }   { remove = true }
"""


def paths(table: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Return every path in a card file, including list items."""
    for key, value in table.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from paths(value, (*above, key))
        elif isinstance(value, list):
            yield from ((*above, key, str(number)) for number in range(1, len(value) + 2))


@pytest.mark.slow
def test_junk_values_are_reported_or_harmless(tmp_path: Path) -> None:
    every = list(paths(tomllib.loads(default_cards_path().read_text(encoding="utf-8"))))
    junk = [value for line in JUNK.strip().splitlines() for value in line.split("   ")]
    rng = random.Random(20261120)
    patch = tmp_path / "mine.toml"
    refused = 0
    for _ in range(150):
        text = f"{dotted(rng.choice(every))} = {rng.choice(junk)}"
        patch.write_text(text, encoding="utf-8")
        try:
            load_catalogue(rng.choice(ruleset_names()), patches=[patch])
        except UserError as error:
            assert str(error).startswith((str(patch), "cards.toml, "))  # noqa: PT017
            refused += 1
    assert refused > 100
