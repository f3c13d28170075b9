"""Every option of every command rejects invalid values: one sentence that names the value, exit 2, nothing written.

The cases follow from the options themselves, so a new option is tested as soon as it is declared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.conftest import Answer, Command
from wsim.cli.app import command_of
from wsim.cli.command_table import COMMANDS
from wsim.options import Option

pytestmark = pytest.mark.usefixtures("elsewhere")

WRONG = {"int": ("many", "9" * 5000), "float": ("much",)}
"""Strings that cannot be converted to a value of the type."""


def options() -> Iterator[tuple[str, str, str, Option]]:
    """Yield every option once: a command that has it, its spelling, its type, its declaration."""
    seen = set()
    for name in COMMANDS:
        for group in command_of(name).groups.values():
            for key, (kind, _, spec) in group.options().items():
                spelled = (spec.names[0] if spec.names else f"--{key.replace('_', '-')}").partition("/")[0]
                if not spec.argument and (spelled, spec.sentence) not in seen:
                    seen.add((spelled, spec.sentence))
                    yield name, spelled, str(kind).removesuffix(" | None"), spec


def wrong_with(answer: Answer, text: str) -> str:
    """Describe the mistake in an error message; return "" if it is correct."""
    if (answer.code, answer.out) != (2, ""):
        return f"exit {answer.code}, {answer.out!r}"
    if os.listdir():
        return f"wrote {os.listdir()}"
    if not answer.err.startswith("wsim: ") or answer.err.count("\n") != 1 or len(answer.err) > 400:
        return f"not one sentence: {answer.err!r}"
    return "" if text in answer.err else f"does not name the value: {answer.err!r}"


@pytest.mark.slow
def test_a_value_of_the_wrong_kind_is_reported_in_one_sentence(wsim_command: Command) -> None:
    cases = [
        (name, option, text) for name, option, kind, spec in options() if not spec.read for text in WRONG.get(kind, ())
    ]
    refused = {case: wrong_with(wsim_command(*case[0].split(), f"{case[1]}={case[2]}"), case[2][:20]) for case in cases}
    assert len(cases) > 50
    assert {case: problem for case, problem in refused.items() if problem} == {}


@pytest.mark.slow
def test_a_mistyped_option_is_reported_in_one_sentence(wsim_command: Command) -> None:
    offenders = {}
    for name, option, _, spec in options():
        if len(option) > 5 and not spec.hidden:
            mistyped = option[:-2] + option[-1] + option[-2]
            # words that a command does not know are for the game: they are read after the command's own options
            late = any(group.extra for group in command_of(name).groups.values())
            offenders[name, option] = wrong_with(wsim_command(*name.split(), mistyped), "" if late else mistyped)
    assert len(offenders) > 50
    assert {case: problem for case, problem in offenders.items() if problem} == {}
