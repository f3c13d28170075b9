"""Every cited rule number is defined in docs/rules, and every rule has a test named after it.

Numbers: R1, R2, ... and R9.1, ... are rules of 7 Wonders; A1, A2, ... decisions, W1, ... windows and "section 5.4" the
sections of Tower of Babel. A test of a rule is a function ``test_R14_...`` in a folder ``rulebook``, a test of a
decision a function ``test_a14_...``; tests of the reference twins name rules too, but do not count.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WONDERS = ROOT / "docs" / "rules" / "seven-wonders.md"
BABEL = ROOT / "docs" / "rules" / "tower-of-babel.md"
FOLDERS = ("wsim", "tests", "benchmarks", "analysis", "docs")
KINDS = {".py", ".toml", ".md", ".json", ".j2"}

ENTRY = re.compile(r"^(?:- )?\*\*([RAW]\d+(?:\.\d+)?)\.\*\* (.+)$", re.MULTILINE)
NUMBER = r"(?:R1\d\d|[RAW]\d{1,2})(?:\.\d{1,2})?\b"
RANGE = re.compile(rf"\b({NUMBER})(?:(?: ?[-\u2013\u2026] ?| to |\.\.)({NUMBER}))?")
TEST = re.compile(r"^\s*(?:async )?def test_([RrAaWw]\d+(?:_\d+(?=_))?)_\w+\(", re.MULTILINE)
SECTION = re.compile(r"\b[Ss]ections? (\d+(?:\.\d)?)(?:(?:,| and| or| to) (\d+(?:\.\d)?))?\b")


@cache
def legend() -> dict[str, str]:
    """Return the first line of every rule entry by rule number."""
    found = ENTRY.findall(WONDERS.read_text(encoding="utf-8")) + ENTRY.findall(BABEL.read_text(encoding="utf-8"))
    numbers = [number for number, _ in found]
    assert len(numbers) == len(set(numbers)), "a number is given twice"
    return dict(found)


def between(first: str, last: str) -> Iterator[str]:
    """Yield the numbers of a range such as R19-R25 or R9.1-R9.4, both ends included."""
    head, dot, start = first.rpartition(".") if "." in first else (first[0], "", first[1:])
    stop = last.rpartition(".")[2] if dot else last[1:]
    assert last.startswith(head), f"a range from {first} to {last}"
    assert "." in last or not dot, f"a range from {first} to {last}"
    assert int(start) < int(stop), f"a range from {first} to {last}"
    for number in range(int(start), int(stop) + 1):
        yield f"{head}{dot}{number}"


def cited(text: str) -> Iterator[str]:
    """Yield every rule number that a text cites, including the numbers inside a range."""
    for first, last in RANGE.findall(text):
        if last:
            yield from between(first, last)
        else:
            yield first


def named(text: str, known: Iterable[str]) -> Iterator[str]:
    """Yield the numbers of the rules whose tests are defined in a text: R9.5 of test_R9_5_..., else R9."""
    for name in TEST.findall(text):
        number = name.replace("_", ".")
        yield number if number.upper() in known else number.partition(".")[0]


def files() -> list[Path]:
    """Return the files of the checkout that cite numbers."""
    found = [*ROOT.glob("*.toml"), *ROOT.glob("*.md")]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    return sorted(path for path in found if not path.is_relative_to(Path(__file__).parent))


def sections() -> set[str]:
    """Return the numbers of the sections of Tower of Babel."""
    return set(re.findall(r"^##+ (\d+(?:\.\d+)?)\.? ", BABEL.read_text(encoding="utf-8"), re.MULTILINE))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def about_babel(path: Path) -> bool:
    return "babel" in name_of(path)


def cites_sections(path: Path) -> bool:
    return about_babel(path) or path.is_relative_to(ROOT / "docs")


def with_a_test() -> dict[str, set[str]]:
    """Return the numbers of rules with a test named after them, by letter; tests of the twins do not count."""
    found: dict[str, set[str]] = {"R": set(), "A": set(), "W": set()}
    for path in (ROOT / "tests").rglob("test_*.py"):
        for number in named(path.read_text(encoding="utf-8"), legend()):
            if number[0] == "R" and path.parent.name == "rulebook":
                found["R"].add(number)
            elif number[0] in "aw" and about_babel(path) and "reference" not in path.as_posix():
                found[number[0].upper()].add(number.upper())
    return found


# --- the numbers ------------------------------------------------------------------------------------------------------
def test_the_legend_is_complete() -> None:
    whole = {number for number in legend() if "." not in number}
    assert whole == {*between("R1", "R82"), *between("R87", "R107"), *between("A1", "A33"), *between("W1", "W3")}
    assert {number for number in legend() if "." in number} == set(between("R9.1", "R9.6"))
    assert all(len(sentence.split()) > 3 for sentence in legend().values())


def unknown(read: Callable[[Path, str], Iterable[str]]) -> dict[str, list[str]]:
    """Return the nonexistent numbers cited in each file, found by the given function."""
    found = {name_of(path): sorted(set(read(path, path.read_text(encoding="utf-8")))) for path in files()}
    return {name: numbers for name, numbers in found.items() if numbers}


def test_every_cited_rule_number_exists() -> None:
    assert unknown(lambda path, text: set(cited(text)) - set(legend())) == {}, "no entry in docs/rules"
    wrong = unknown(lambda path, text: {number.upper() for number in named(text, legend())} - set(legend()))
    assert wrong == {}, "tests of rules that do not exist"


@pytest.mark.slow
def test_every_cited_section_exists() -> None:
    def wrong(path: Path, text: str) -> set[str]:
        numbers = {number for pair in SECTION.findall(text) for number in pair if number}
        return numbers - sections() if cites_sections(path) else set()

    assert unknown(wrong) == {}


# --- their tests ------------------------------------------------------------------------------------------------------
def test_every_7_wonders_rule_has_a_test_named_after_it() -> None:
    rules = {number for number in legend() if number[0] == "R"}
    assert sorted(rules - with_a_test()["R"]) == []


def test_every_tower_of_babel_decision_has_a_test_named_after_it() -> None:
    decisions = {number for number in legend() if number[0] == "A"}
    assert sorted(decisions - with_a_test()["A"]) == []


# --- the switches -----------------------------------------------------------------------------------------------------
def switches(file: str, *path: str) -> dict[str, Any]:
    """Return the switches in a game's card file."""
    found: dict[str, Any] = tomllib.loads((ROOT / file).read_text(encoding="utf-8"))
    for name in path:
        found = found[name]
    return found


def test_every_7_wonders_switch_is_documented_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (R[\d.]+) \|", WONDERS.read_text(encoding="utf-8"), re.MULTILINE)
    there = switches("cards.toml", "rulesets", "1e", "switches")
    assert {name: value == "true" for name, value, _ in rows} == there
    paragraphs = re.split(r"\n\n|\n(?=- )", WONDERS.read_text(encoding="utf-8"))
    for name, _, rule in rows:
        own = next(text for text in paragraphs if text.removeprefix("- ").startswith(f"**{rule}.**"))
        assert f"*switch* `{name}`" in " ".join(own.split()), f"{rule} does not name its switch {name}"


def test_every_tower_of_babel_switch_is_documented() -> None:
    text = " ".join(BABEL.read_text(encoding="utf-8").split())
    named_there = set(re.findall(r"\*Switch\* `(\w+)`", text))
    variants = {"use_action_cards", "use_two_colour_discs"}  # part of the game, not decisions
    assert named_there == set(switches("wsim/babel/babel.toml", "babel", "rules")) - variants


# --- the reader itself ------------------------------------------------------------------------------------------------
def test_rule_ranges_and_steps_are_parsed() -> None:
    text = "R3, (R19-R21), R9.5 and R9.1-R9.3; A1 to A3, W1\u2013W2. PR77, R7x, B5, R2.x"
    expected = "R3 R19 R20 R21 R9.5 R9.1 R9.2 R9.3 A1 A2 A3 W1 W2 R2"
    assert list(cited(text)) == expected.split()
    assert list(cited("X2:Q, N802, B018, A005")) == []
    for wrong in ("R5-R3", "R5-A7"):
        with pytest.raises(AssertionError, match="a range"):
            list(cited(wrong))


def test_an_unknown_rule_number_is_detected() -> None:
    assert f"R{199}" in set(cited(f'"""Pay the bank (R{199})."""')) - set(legend())
    assert f"A{40}" in set(cited(f"A1-A{40}")) - set(legend())


def test_rule_numbers_in_test_names_are_parsed() -> None:
    text = "def test_R9_5_x() -> None:\n    def test_r4_12_cards(self) -> None:\ndef test_a7_y():\ndef test_rules():\n"
    assert list(named(text, legend())) == ["R9.5", "r4", "a7"]
