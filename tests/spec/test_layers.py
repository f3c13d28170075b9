"""Applying patches and changes to card files, for a game with three sections that is defined only here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wsim.errors import UserError
from wsim.spec.fields import Problems
from wsim.spec.layers import Grammar, Layers, nested, parse_change, path_of, read_card_file, value_in_patch

GRAMMAR = Grammar(
    sections=("dishes", "menus", "rules"),
    heads={"dishes": 3, "menus": 3, "rules": 2},
    example="dishes.Soup.price=3",
    removable=("dishes",),
    whole=(("dishes", "*", "spices"),),
    numbered={("menus", "*", "courses"): "course"},
)


def document() -> dict[str, Any]:
    return {
        "dishes": {
            "Soup": {"price": 2, "spices": {"salt": 1, "pepper": 2}, "needs": {"pots": 1}},
            "Cake": {"price": 4},
        },
        "menus": {"Lunch": {"courses": [{"dish": "Soup"}, {"dish": "Cake", "late": True}]}},
        "rules": {"tips": False},
    }


def laid(*changes: str) -> tuple[dict[str, Any], list[str]]:
    """Apply changes to the document; return the result and the error messages."""
    problems = Problems("cook.toml")
    layers, content = Layers(problems, GRAMMAR), document()
    for change in changes:
        layers.apply(content, nested(*parse_change(change, GRAMMAR)), f"--set {change}")
    return content, problems.sentences


def test_tables_merge_unless_they_are_replaced_as_a_whole() -> None:
    content, sentences = laid("dishes.Soup={ price = 3, needs = { spoons = 2 }, spices = { curry = 1 } }")
    assert content["dishes"]["Soup"] == {"price": 3, "spices": {"curry": 1}, "needs": {"pots": 1, "spoons": 2}}
    assert not sentences


def test_list_items_are_changed_by_number() -> None:
    content, sentences = laid(
        "menus.Lunch.courses.2.dish=Tea", "menus.Lunch.courses.3={ dish = 'Nuts' }", "menus.Lunch.courses.1.remove=true"
    )
    assert content["menus"]["Lunch"]["courses"] == [{"dish": "Tea", "late": True}, {"dish": "Nuts"}]
    assert not sentences
    _, sentences = laid("menus.Lunch.courses.4={}")
    accepted = "accepted: 1 to 2 to change a course, 3 to add one"
    assert sentences == [f"--set menus.Lunch.courses.4={{}}, menus.Lunch.courses.4: no such course; {accepted}"]


@pytest.mark.parametrize("order", [("1", "2"), ("2", "1")])
def test_removals_in_one_patch_use_the_original_numbering(order: tuple[str, ...]) -> None:
    """The numbers refer to the original list, regardless of other removals."""
    content = {"menus": {"Lunch": {"courses": [{"dish": name} for name in ("Soup", "Cake", "Tea", "Nuts")]}}}
    patch = {"menus": {"Lunch": {"courses": {number: {"remove": True} for number in order}}}}
    Layers(Problems("cook.toml"), GRAMMAR).apply(content, patch, "a.toml")
    assert [course["dish"] for course in content["menus"]["Lunch"]["courses"]] == ["Tea", "Nuts"]


def test_entries_can_be_removed_where_the_grammar_allows_it() -> None:
    content, sentences = laid("dishes.Cake.remove=true", "menus.Lunch.remove=true")
    assert list(content["dishes"]) == ["Soup"]
    assert content["menus"]["Lunch"]["remove"] is True
    assert not sentences
    assert laid("dishes.Coke.remove=true")[1] == [
        "--set dishes.Coke.remove=true, dishes.Coke: there is no entry with this name to remove (did you mean 'Cake'?)"
    ]


@pytest.mark.parametrize("entry", [{"remove": False}, {"remove": True, "price": 3}])
def test_remove_must_be_the_only_key_of_an_entry(entry: dict[str, Any]) -> None:
    problems = Problems("cook.toml")
    content = document()
    Layers(problems, GRAMMAR).apply(content, {"dishes": {"Cake": entry}}, "a.toml")
    assert content == document()
    assert problems.sentences == ["a.toml, dishes.Cake.remove: `remove = true` must be the only key"]


def test_a_formula_literal_can_be_set_to_a_whole_number() -> None:
    def with_number(text: str, position: int, value: int) -> str:
        words = text.split()
        if position > len(words):
            raise ValueError(f"no number {position}")
        return " ".join([*words[: position - 1], str(value), *words[position:]])

    numbers = replace(GRAMMAR, formulas=(("dishes", "*", "served"),), with_number=with_number)

    def changed(value: object, key: str = "guests:2") -> tuple[str, list[str]]:
        problems = Problems("cook.toml")
        content = {"dishes": {"Soup": {"served": {"guests": "4 5"}}}}
        Layers(problems, numbers).apply(content, {"dishes": {"Soup": {"served": {key: value}}}}, "a.toml")
        return content["dishes"]["Soup"]["served"]["guests"], problems.sentences

    assert changed(7) == ("4 7", [])
    for value in (True, "7", 7.5):
        accepted = f"{value!r} is not accepted; accepted: a whole number"
        assert changed(value) == ("4 5", [f'a.toml, dishes.Soup.served."guests:2": {accepted}'])
    assert changed(7, "guests:3") == ("4 5", ['a.toml, dishes.Soup.served."guests:3": no number 3'])


def test_later_layers_do_not_modify_a_patch() -> None:
    problems = Problems("cook.toml")
    layers, content = Layers(problems, GRAMMAR), document()
    patch = {"dishes": {"Tea": {"needs": {"cups": 1}}}}
    layers.apply(content, patch, "a.toml")
    layers.apply(content, {"dishes": {"Tea": {"needs": {"cups": 2}}}}, "b.toml")
    assert patch == {"dishes": {"Tea": {"needs": {"cups": 1}}}}
    assert problems.origin(("dishes", "Tea", "needs", "cups")) == "b.toml"
    assert problems.origin(("dishes", "Tea", "needs")) == "b.toml"
    assert problems.origin(("dishes", "Soup")) == "cook.toml"


@pytest.mark.parametrize(
    ("change", "path", "value"),
    [
        ("dishes.Hot Soup.price=3", ("dishes", "Hot Soup", "price"), 3),
        ("dishes.'Hot Soup'.price = 3", ("dishes", "Hot Soup", "price"), 3),
        ('dishes."a.b".name=Soup of the day', ("dishes", "a.b", "name"), "Soup of the day"),
        ("rules.tips=true", ("rules", "tips"), True),
        ("rules={ tips = true }", ("rules",), {"tips": True}),
    ],
)
def test_a_change_consists_of_a_path_and_a_value(change: str, path: tuple[str, ...], value: object) -> None:
    assert parse_change(change, GRAMMAR) == (path, value)
    assert path_of(change) == path


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("dishes.Soup", "is not a change; accepted: path=value, such as dishes.Soup.price=3"),
        ("dish.Soup.price=3", "unknown 'dish' (did you mean 'dishes'?); accepted: dishes, menus, rules, such as"),
        ("dishes.Soup=3", "names no field of dishes.Soup; accepted: path=value, such as dishes.Soup.price=3"),
        ("rules.tips=[", "'[' is not a value; accepted: a number, a word, true, false, [...] or { ... }, such as"),
    ],
)
def test_invalid_changes_are_rejected(change: str, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_change(change, GRAMMAR)
    assert str(caught.value).startswith(f"--set {change!r}")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "written"), [("3", "3"), ("true", "true"), ("hot soup", '"hot soup"'), ("'a'", "'a'")]
)
def test_change_values_are_written_as_in_a_patch_file(text: str, written: str) -> None:
    assert value_in_patch(text) == written


MOVED = "its values are in wsim/babel/babel.toml, and changes to them go into a separate file; "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[dish]\n", "dish: unknown section 'dish' (did you mean 'dishes'?); accepted: dishes, menus, rules"),
        ("dishes = 3\n", "dishes: must be a table: [dishes]"),
        (
            "[babel.cards]\ncamel = 1\n",
            f"babel: [babel] belongs to a different game: {MOVED}accepted: dishes, menus, rules",
        ),
    ],
)
def test_unknown_sections_of_a_file_are_reported(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_card_file(path, GRAMMAR)
    assert str(caught.value) == f"{path}, {expected}"


def test_all_unknown_sections_are_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[dish]\n[menu]\n", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_card_file(path, GRAMMAR)
    for name in ("dish", "menu"):
        assert f"{name}: unknown section {name!r}" in str(caught.value)
