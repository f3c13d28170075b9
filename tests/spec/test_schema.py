"""The JSON Schema of card files: files that can be read are valid, and files that it forbids are rejected."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.conftest import Command
from wsim.babel.catalog.loading import BABEL_TOML
from wsim.babel.catalog.schema import card_file_schema as babel_schema
from wsim.errors import UserError
from wsim.spec.fields import Problems, Reader, flag, schema_of
from wsim.wonders import words as w
from wsim.wonders.catalog import default_cards_path, load_catalogue
from wsim.wonders.catalog.clauses import FIELDS as CLAUSE_FIELDS
from wsim.wonders.catalog.clauses import OPTION_FIELDS
from wsim.wonders.catalog.counters import FIELDS as COUNTER_FIELDS
from wsim.wonders.catalog.decks import CARD_FIELDS as RECRUIT_FIELDS
from wsim.wonders.catalog.decks import FIELDS as DECK_FIELDS
from wsim.wonders.catalog.decks import RECRUIT
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.catalog.reading import CARD_FIELDS, STAGE_FIELDS, TABLE_FIELDS, WONDER_FIELDS
from wsim.wonders.catalog.ruleset import FIELDS
from wsim.wonders.catalog.schema import card_file_schema
from wsim.wonders.words import CITY_BITS, COUNTED, FREE_BUILDS, NEIGHBORS, RESOURCES, SWITCHES

WONDERS = Draft202012Validator(card_file_schema())
BABEL = Draft202012Validator(babel_schema())
SCALARS: tuple[Any, ...] = (
    *(True, False, -100, -3, 0, 1, 2, 3, 4, 7, 12, 99, 100, 1.5, ""),
    *("blue", "clay", "any", "others", "raw", "both", "left", "first_unit_each_turn", "two words", "x_1"),
    *FREE_BUILDS,
)
TABLES: tuple[dict[str, Any], ...] = (
    {},
    {"coins": 1},
    {"clay": 2, "coins": 0},
    {"gold": 1},
    {"who": "others", "n": 2},
    {"who": "others", "n": 2, "per": "wonder_stage"},
    {"resources": "raw", "neighbors": ["left"], "price": 1},
    {"scope": "first_unit_each_turn", "neighbors": list(NEIGHBORS), "n": 1},
    {"what": next(iter(COUNTED)), "cities": next(iter(CITY_BITS)), "n": 2},
    {"1": [3, 4], "2": 3},
    {"A": [{"cost": {"stone": 2}, "points": 3}], "B": [{"cost": {"stone": 2}, "shields": 3}]},
    {"A": []},
    {"A": 5},
    dict.fromkeys(SWITCHES, True),
    {"hand_size": 7, "victory_tokens": [1, 3, 5]},
    {"hand_size": 70},
)


def values() -> Iterator[Any]:
    yield from SCALARS
    yield from TABLES
    for one in SCALARS:
        yield [one]
        yield [one, one]
    clause = {"event": "built", "each": "left", "if": "red > 1", "take": "2 * red", "gain": {"coins": 1}}
    yield from ([clause], [{"gain": {"coins": 1}}], [{**clause, "event": "bulit"}], [clause] * 10)
    yield from ([3, 4, 5], list(RESOURCES), list(RESOURCES[:2]), ["A", "B"], [[]], [*range(20)])


READERS: Mapping[str, Reader] = {
    **{f"card {name}": reader for name, reader in CARD_FIELDS.items()},
    **{f"wonder {name}": reader for name, reader in WONDER_FIELDS.items()},
    **{f"ruleset {name}": reader for name, reader in FIELDS.items()},
}


@pytest.mark.parametrize("name", READERS)
def test_values_that_a_reader_accepts_are_valid(name: str) -> None:
    """Each field schema accepts some values and rejects others."""
    reader, validator = READERS[name], Draft202012Validator(schema_of(READERS[name]))
    read, valid, tried = 0, 0, 0
    for value in values():
        problems = Problems("x")
        accepted = reader(problems, ("x",), value) is not None and not problems.sentences
        assert not accepted or validator.is_valid(value), value
        read, valid, tried = read + accepted, valid + validator.is_valid(value), tried + 1
    assert 0 < read <= valid < tried / 2


@pytest.mark.parametrize(
    ("validator", "path"),
    [(WONDERS, default_cards_path()), (BABEL, BABEL_TOML)],
    ids=["seven_wonders", "tower_of_babel"],
)
def test_the_card_files_that_ship_with_wsim_are_valid(validator: Any, path: Path) -> None:
    validator.validate(tomllib.loads(path.read_text(encoding="utf-8")))


PATCHES = {
    "[cards.Palace]\npoints = 6\n": True,
    "[cards.'Strategists Guild']\nremove = true\n": True,
    "[cards.Palace]\npoints = false\n": True,
    "[cards.Palace]\npionts = 6\n": False,
    "[cards.Palace]\npoints = 'six'\n": False,
    "[cards.Palace]\ncolor = 'pink'\n": False,
    "[wonders.Gizah.sides.A.2]\npoints = 4\n": True,
    "[wonders.Gizah.sides.A.2]\nremove = true\n": True,
    "[wonders.Gizah.sides.A.2]\nprice = 4\n": False,
    "[[cards.Palace.when]]\nevent = 'scored'\npoints = -1\n": True,
    "[[cards.Palace.when]]\nevent = 'scored'\npionts = 1\n": False,
    "[[cards.Palace.when]]\nevent = 'at_once'\npoints = 1\n": False,
    "[cards.Palace.when.1]\nevent = 'scored'\npoints = '2 * red'\n": True,
    "[cards.Palace.when.1]\nevent = 'scored'\npoint = 2\n": False,
    "[cards.Palace.when.1]\n'points:1' = 'two'\n": False,
    "[rulesets.1e.switches]\ndebt_choice = false\n": True,
    "[rulesets.1e.switches]\ndebt_choise = false\n": False,
    "[rulesets.1e.settings]\nsale_coins = 100\n": False,
    "[card.Palace]\npoints = 6\n": False,
}


@pytest.mark.parametrize("patch", PATCHES)
def test_the_schema_accepts_the_patches_that_the_catalogue_accepts(tmp_path: Path, patch: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(patch)
    assert WONDERS.is_valid(tomllib.loads(patch)) == PATCHES[patch]
    with nullcontext() if PATCHES[patch] else pytest.raises(UserError):
        load_catalogue("1e", patches=[path])


ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"<!-- file: (\S+)\.toml -->\n```toml\n(.*?)```", re.DOTALL)
NAMED = ("cards", "counters", "decks", "table", "wonders", "rulesets", "sides")
"""Tables whose keys are names that an author chooses."""


def examples() -> dict[str, dict[str, Any]]:
    """Return the card files of the repository and of the pages, by name."""
    files = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "analysis" / "expansion").glob("*.toml")}
    for page in (ROOT / "docs").glob("*.md"):
        for name, text in re.findall(
            r"<!-- file: (\S+)\.toml -->\n```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.S
        ):
            files[f"{page.stem}, {name}"] = text
    read = {name: tomllib.loads(text) for name, text in sorted(files.items())}
    return {name: file for name, file in read.items() if file.keys() <= WONDERS.schema["properties"].keys()}


EXAMPLES = examples()


def misspelt(value: Any, named: bool = False) -> Iterator[Any]:
    """Yield copies of a file, each with one keyword misspelt by an extra letter."""
    if isinstance(value, list):
        for number, part in enumerate(value):
            yield from ([*value[:number], wrong, *value[number + 1 :]] for wrong in misspelt(part))
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from ({**value, name: wrong} for wrong in misspelt(part, name in NAMED))
            if not named:
                yield {f"{key}x" if key == name else key: one for key, one in value.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_accepts_examples_but_not_misspelt_keywords(name: str) -> None:
    WONDERS.validate(EXAMPLES[name])
    wrong = list(misspelt(EXAMPLES[name]))
    accepted = [file for file in wrong if WONDERS.is_valid(file)]
    assert wrong
    tables = {differing(EXAMPLES[name], file) for file in accepted}
    assert tables <= {w.COUNTER, w.DRAW}, "the catalogue knows the counters and decks"


def differing(file: Any, wrong: Any, table: str = "") -> str:
    """Return the name of the table in which a keyword was misspelt."""
    if isinstance(file, list):
        return next(differing(*pair, table) for pair in zip(file, wrong, strict=True) if pair[0] != pair[1])
    if file.keys() != wrong.keys():
        return table
    return next(differing(part, wrong[name], name) for name, part in file.items() if part != wrong[name])


def words_of(schema: Any) -> Iterator[str]:
    """Yield every keyword and every value that a schema offers."""
    if isinstance(schema, list):
        for part in schema:
            yield from words_of(part)
    elif isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (word for word in schema.get("enum", ()) if isinstance(word, str))
        for part in schema.values():
            yield from words_of(part)


VOCABULARIES: tuple[Collection[str], ...] = (
    *(CLAUSE_FIELDS, OPTION_FIELDS, COUNTER_FIELDS, DECK_FIELDS, RECRUIT_FIELDS, STAGE_FIELDS, TABLE_FIELDS),
    *(w.GAINS, w.LOSSES, w.TRIGGERS, w.CARD_FROM, w.CARD_DO, w.COUNTER_OF, w.COUNTER_LASTS, RECRUIT),
)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_the_schema_has_every_keyword_of_the_readers(vocabulary: Collection[str]) -> None:
    assert set(vocabulary) <= set(words_of(card_file_schema()))


def test_every_effect_is_described_under_its_own_name() -> None:
    card = card_file_schema()["$defs"]["card"]["properties"]
    described = {name: card[name]["description"] for name in EFFECTS}
    assert len(set(described.values())) == len(described)
    assert described["play_last_card"] == "the effect play last card"
    assert schema_of(flag) == {"type": "boolean"}, "what is said of one field is not said of all"


def test_the_schema_lists_the_names_that_formulas_can_read() -> None:
    """A patch may refer to names defined in an earlier patch; only the catalogue knows which names exist."""
    for path, number in (("points:1", 3), ("if:2", 1), ("points:0", 1), ("points:1", "3"), ("event:1", 1)):
        good = path in ("points:1", "if:2") and isinstance(number, int)
        assert WONDERS.is_valid({"cards": {"Palace": {"when": {"1": {path: number}}}}}) == good
    gain = {"cards": {"Palace": {"when": {"1": {"gain": {"coins:1": 3}}}}}}
    assert WONDERS.is_valid(gain)
    assert not WONDERS.is_valid({"cards": {"Palace": {"when": [{"event": "built", "gain": {"coins:1": 3}}]}}})


@pytest.mark.slow
def test_the_schema_is_valid() -> None:
    Draft202012Validator.check_schema(card_file_schema())


@pytest.mark.slow
def test_the_command_prints_the_schema(wsim_command: Command) -> None:
    schema = json.loads(wsim_command("catalog", "--schema").out)
    assert schema == card_file_schema()
    assert set(EFFECTS) <= set(schema["$defs"]["card"]["properties"])
    babel = json.loads(wsim_command("catalog", "--schema", "--game", "tower_of_babel").out)
    Draft202012Validator.check_schema(babel)
    assert "value_table" in babel["properties"]["babel"]["properties"]
