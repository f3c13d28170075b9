"""The words of 7 Wonders are defined once: only words.py lists colours, resources, switches and so on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from wsim.wonders import words

PACKAGE = Path(words.__file__).parent
LISTS = {
    "resources": words.RESOURCES,
    "colours": words.COLORS,
    "symbols": words.SYMBOLS,
    "categories": (*words.CATEGORIES, *words.POINTS_COLUMNS),
    "decisions": words.DECISIONS,
    "actions": words.ACTIONS,
    "ways": words.WAYS,
    "switches": tuple(words.SWITCHES),
    "occasions": tuple(words.FREE_BUILDS),
    "counted": tuple(words.COUNTED),
}
MANY = 3  # words of one list side by side are that list, or a part of it, once more


def listed(path: Path) -> Iterator[tuple[int, set[str]]]:
    """Yield the line and words of every list, tuple, set and dictionary of words in a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            continue
        items = node.keys if isinstance(node, ast.Dict) else node.elts
        found = {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}
        if found and len(found) == len(items):
            yield node.lineno, found


def test_each_list_of_words_is_defined_once() -> None:
    again = [
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path in PACKAGE.rglob("*.py")
        if path.name != "words.py"
        for line, found in listed(path)
        for name, vocabulary in LISTS.items()
        if len(found & set(vocabulary)) >= MANY and found <= set(vocabulary)
    ]
    assert not again


def test_word_numbers_index_their_lists() -> None:
    for names, numbers in (
        (words.COLORS, ("BROWN", "GRAY", "BLUE", "YELLOW", "RED", "GREEN", "PURPLE", "BLACK")),
        (words.SYMBOLS[1:], ("COMPASS", "GEAR", "TABLET", "ANY")),
        (words.CATEGORIES, tuple(name.upper() for name in words.CATEGORIES)),
        (words.DECISIONS, tuple(name.upper() for name in words.DECISIONS)),
        (words.ACTIONS, tuple(name.upper() for name in words.ACTIONS)),
        (words.WAYS, tuple(name.upper() for name in words.WAYS)),
    ):
        assert tuple(number.lower() for number in numbers) == names
        start = getattr(words, numbers[0])
        assert [getattr(words, number) for number in numbers] == list(range(start, start + len(numbers)))


def test_the_word_modules_import_nothing() -> None:
    tree = ast.parse(Path(words.__file__).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "collections.abc", "typing"}
    assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))
