"""The grammar of line-ups."""

import pytest

from wsim.errors import UserError
from wsim.policies.lineup import Entry, parse_entry, parse_lineup


def test_entries_are_separated_by_commas() -> None:
    assert [entry.name for entry in parse_lineup("balanced, science,random")] == ["balanced", "science", "random"]


def test_a_list_of_entries_parses_like_a_string() -> None:
    assert parse_lineup(["balanced", "science,random"]) == parse_lineup("balanced,science,random")


def test_parameters_are_converted() -> None:
    entry = parse_entry("mix:explore=0.10:depth=3:greedy=true:weights=military")
    assert entry == Entry("mix", {"explore": 0.1, "depth": 3, "greedy": True, "weights": "military"})
    assert isinstance(entry.parameters["depth"], int)


def test_entries_are_written_in_normal_form() -> None:
    assert str(parse_entry(" mix:explore=0.10:greedy=TRUE ")) == "mix:explore=0.1:greedy=true"


def test_a_value_may_contain_an_equals_sign() -> None:
    assert parse_entry("mix:rule=a=b").parameters == {"rule": "a=b"}


@pytest.mark.parametrize(
    ("text", "file", "module", "function"),
    [
        ("./mine.py:bold", "./mine.py", None, "bold"),
        ("../a b/k=v/mine.py:bold:nerve=2", "../a b/k=v/mine.py", None, "bold"),
        ("C:\\games\\mine.py:bold", "C:\\games\\mine.py", None, "bold"),
        ("package.module:bold:nerve=2", None, "package.module", "bold"),
        ("bold:nerve=2", None, None, "bold"),
    ],
)
def test_entries_may_name_files_and_modules(text: str, file: str | None, module: str | None, function: str) -> None:
    entry = parse_entry(text)
    assert (entry.file, entry.module, entry.function) == (file, module, function)
    assert str(entry) == text


@pytest.mark.parametrize(
    "text", ["", " ", "a,,b", "a,", ":x=1", "a:x=", "a:=1", "a:x=1:y", "./mine.py", "./mine.py:", "a:x=1:x=2"]
)
def test_entries_outside_the_grammar_are_rejected(text: str) -> None:
    with pytest.raises(UserError):
        parse_lineup(text)


def test_the_error_names_the_invalid_part_and_the_grammar() -> None:
    with pytest.raises(UserError, match=r"'y' in the policy 'a:x=1:y' is not a parameter: write name"):
        parse_lineup("a:x=1:y")
