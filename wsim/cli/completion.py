"""Completion by the shell: the script that asks wsim, shown or installed."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from wsim.cli.console import remark, write_out
from wsim.errors import UserError

_SHELLS = ("bash", "zsh", "fish", "powershell")
_WHERE = {
    "bash": (".bash_completions/wsim.sh", ".bashrc", "source '{path}'"),
    "zsh": (".zfunc/_wsim", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/wsim.fish", "", ""),
}
"""Of each shell, from home: where the script goes, and the file with the line that makes the shell read it."""


def _shell() -> str:
    """Return the current shell; raise UserError for one that cannot complete."""
    name = Path(os.environ.get("SHELL", "")).name or ("powershell" if "PSModulePath" in os.environ else "")
    if name not in _SHELLS:
        raise UserError(f"the shell {name!r} cannot complete: {', '.join(_SHELLS)} can, and SHELL says which it is")
    return name


def _script(program: click.Command, shell: str) -> str:
    kind = get_completion_class(shell)
    if kind is None:
        raise UserError(f"the shell {shell!r} cannot complete")
    return kind(program, {}, "wsim", "_WSIM_COMPLETE").source()


def show_completion(program: click.Command) -> None:
    """Print the script for the current shell."""
    write_out(_script(program, _shell()))


def install_completion(program: click.Command) -> None:
    """Write the script where the current shell reads it, and say where."""
    shell = _shell()
    if shell not in _WHERE:
        raise UserError("put this into the profile: wsim --show-completion | Out-String | Invoke-Expression")
    place, start, line = _WHERE[shell]
    path = Path.home() / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_script(program, shell), encoding="utf-8")
    if start:
        file, line = Path.home() / start, line.format(path=path)
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        if line not in before:
            file.write_text(f"{before.rstrip()}\n{line}\n".lstrip(), encoding="utf-8")
    remark(f"{shell} completes wsim from the next start on: {path}")
