"""The command table refers to presenters and options by name: a renamed one is detected here."""

from __future__ import annotations

from importlib import import_module

import pytest

from wsim.cli.command_table import COMMANDS
from wsim.cli.parameters import Fields


@pytest.mark.parametrize("name", COMMANDS)
def test_every_name_in_a_row_exists(name: str) -> None:
    row = COMMANDS[name]
    if row.question is not None:
        return
    module, _, function = row.presenter.partition(":")
    assert callable(getattr(import_module(f"wsim.cli.{module}"), function))
    for group in row.groups.values():
        if isinstance(group, Fields):
            assert isinstance(group.kind, type)
            assert set(group.only) <= set(group.options())
