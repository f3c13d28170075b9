"""Commands match their table rows, questions match their options, and help loads no unnecessary modules."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass, fields
from importlib import import_module

import pytest

from tests.cli.test_commands import HEAVY, fresh
from tests.conftest import Command
from wsim.cli.app import command_of
from wsim.cli.command_table import COMMANDS
from wsim.cli.groups import Workers
from wsim.cli.parameters import Command as Made
from wsim.cli.parameters import Fields
from wsim.errors import UserError
from wsim.options import Options, at_least, keywords_of, option

MOST_MODULES = 190  # that ``wsim --help`` loads, those of Python itself counted
BESIDE = ("rich", "pydantic", "importlib.metadata", "wsim.lab.plan", "wsim.game")


@dataclass(frozen=True)
class Question(Options):
    """Ask."""

    name: str = option("A name.", "x")
    count: int = option("How many.", 3, check=at_least(1))
    share: float | None = option("A share.", None)
    each: tuple[str, ...] = option("Several.", ())
    sizes: tuple[int, ...] = option("Sizes.", ())
    really: bool = option("Whether.", False)


def commands() -> dict[str, Made]:
    return {name: command_of(name) for name in COMMANDS}


def test_presenter_parameters_match_the_option_groups_of_the_command() -> None:
    for name, row in COMMANDS.items():
        if row.question is not None:
            continue
        module, _, function = row.presenter.partition(":")
        presenter = getattr(import_module(f"wsim.cli.{module}"), function)
        assert list(inspect.signature(presenter).parameters) == list(row.groups), name


def test_option_names_are_unique_and_have_help() -> None:
    for name, command in commands().items():
        assert command.help, name
        names = Counter(one for each in command.params for one in (*each.opts, *each.secondary_opts))
        assert max(names.values()) == 1, (name, names)
        for group in command.groups.values():
            for key, (_, _, said) in group.options().items():
                assert said.sentence, (name, key)


def test_a_group_is_a_checked_dataclass() -> None:
    for name, row in COMMANDS.items():
        for group in row.groups.values():
            if isinstance(group, Fields) and not group.raw:
                assert issubclass(group.kind, Options), (name, group)
                assert group.kind.__dataclass_params__.frozen, (name, group)  # type: ignore[attr-defined]


def test_no_help_of_a_command_loads_anything_heavy() -> None:
    shown = fresh(
        "import contextlib, io, sys; from wsim.cli.app import main\n"
        f"for name in {list(COMMANDS)}:\n"
        "    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "        main([*name.split(), '--help'])\n"
        f"print([name for name in {(*HEAVY, 'rich', 'pydantic')} if name in sys.modules])"
    )
    assert shown == "[]\n"


def test_the_main_help_loads_few_modules() -> None:
    shown = fresh(
        "import contextlib, io, sys; from wsim.cli.app import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main(['--help'])\n"
        f"print(len(sys.modules), [name for name in {(*HEAVY, *BESIDE)} if name in sys.modules])"
    )
    count, _, names = shown.partition(" ")
    assert names == "[]\n"
    assert int(count) <= MOST_MODULES


def test_a_value_is_normalised() -> None:
    made = Question(each="a", sizes=4)  # type: ignore[arg-type]
    assert (made.each, made.sizes) == (("a",), (4,))
    assert made.record() == {"name": "x", "count": 3, "share": None, "each": ["a"], "sizes": [4], "really": False}


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", 3, "name must be a string, not 3"),
        ("name", None, "name must be a string, not"),
        ("count", "3", "count must be a whole number, not '3'"),
        ("count", True, "count must be a whole number, not True"),
        ("count", 0, "count must be at least 1, not 0"),
        ("share", "x", "share must be a number, not 'x'"),
        ("each", [1], r"each must be a string or a list of strings, not \[1\]"),
        ("sizes", ["x"], "sizes must be a whole number or a list of whole numbers, not"),
        ("really", 1, "really must be true or false, not 1"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(field: str, value: object, sentence: str) -> None:
    with pytest.raises(UserError, match=f"^{sentence}"):
        Question(**{field: value})  # type: ignore[arg-type]


def test_function_keywords_match_option_fields() -> None:
    assert [name for name, *_ in keywords_of(Question)] == [declared.name for declared in fields(Question)]
    rows = {name: rest for name, *rest in keywords_of(Question)}
    assert rows["count"] == ["int", 3, "How many."]
    assert rows["each"][0] == "str | Sequence[str]"


def test_completion_can_be_shown_and_installed(
    wsim_command: Command, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    shell = "bash"
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    shown = wsim_command("--show-completion")
    assert (shown.code, "_WSIM_COMPLETE=complete_bash" in shown.out) == (0, True)
    for _ in range(2):
        assert wsim_command("--install-completion").code == 0
    script = home / ".bash_completions" / "wsim.sh"
    assert script.read_text().strip() == shown.out.strip()
    assert (home / ".bashrc").read_text().count(str(script)) == 1
    shell = "tcsh"
    refused = wsim_command("--show-completion")
    assert (refused.code, "Shell tcsh not supported" in refused.out + refused.err) == (1, True)


def test_workers_are_checked_on_construction() -> None:
    """The check happens before a command compiles anything or prepares its tables."""
    pytest.importorskip("distributed", reason="needs the extra cluster")
    with pytest.raises(UserError, match=r"cluster must be local:4 .*, not 'here'"):
        Workers(cluster="here")
    with pytest.raises(UserError, match="--threads applies to this machine"):
        Workers(cluster="local:2", threads=2)
