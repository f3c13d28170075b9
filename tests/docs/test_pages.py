"""The pages are correct: every command of a console block prints the shown output, and every link has a target.

Each page is executed separately, command by command, from an empty folder. Times and rates are masked on both sides.
``WSIM_RENEW_PAGES=1 pytest -m "" tests/docs/test_pages.py`` writes the current output of the commands into the pages
instead.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from wsim.cli.app import main
from wsim.installed import GAMES

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
MASKS = (
    (re.compile(r"\d+(\.\d+)? s\b"), "# s"),
    (re.compile(r"[\d,]+( games)? (a|per) second"), "# per second"),
    (re.compile(r"compiling .*\n"), ""),
)
EXECUTED = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]
SHELL = set("|<>;&$*~`")
"""Characters with a special meaning in a shell."""
PIPED = re.compile(r"(wsim [^|<>;&$*~`]+?)(?: (2>&1))? ([|>].*)")
"""A wsim command and the shell redirection of its output."""
RENEW = bool(os.environ.get("WSIM_RENEW_PAGES"))


@dataclass
class Step:
    """A command in a console block with the output shown on the page: ``cut`` lines of it, then an ellipsis."""

    command: str
    shown: str

    @property
    def cut(self) -> bool:
        return self.shown.rstrip().endswith("...")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def steps(block: str) -> list[Step]:
    found: list[Step] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append(Step(line[2:].rstrip("\n"), ""))
        else:
            found[-1].shown += line
    return found


def run(command: str, folder: Path, capture: pytest.CaptureFixture[str]) -> str:
    """Return the output of a command; wsim commands run in this process, shell commands in their own."""
    if command.startswith("wsim ") and not SHELL & set(command):
        return "".join(called(command, folder, capture))
    if piped := PIPED.fullmatch(command):
        shown, said = called(piped[1], folder, capture)
        if piped[2]:
            shown, said = shown + said, ""
        return in_shell(f"cat {piped[3]}", folder, shown) + said
    return in_shell(command, folder, "")


def called(command: str, folder: Path, capture: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Return the output of a wsim command on both streams."""
    capture.readouterr()
    with contextlib.chdir(folder), pytest.raises(SystemExit):
        main(shlex.split(command)[1:])
    return capture.readouterr()


def in_shell(command: str, folder: Path, given: str) -> str:
    """Return the output of a shell command with the given standard input."""
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"}
    environment["PYTHONPATH"] = str(ROOT)
    words = ["bash", "-c", command]
    done = subprocess.run(
        words, cwd=folder, env=environment, input=given, capture_output=True, text=True, timeout=900, check=False
    )
    return done.stdout + done.stderr


def masked(text: str) -> str:
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def renewed(step: Step, printed: str) -> str:
    if not step.cut:
        return printed if printed.endswith("\n") or not printed else printed + "\n"  # else it would swallow the fence
    lines = step.shown.rstrip().splitlines()[:-1]
    return "".join(line + "\n" for line in printed.splitlines()[: len(lines)]) + "...\n"


@pytest.mark.slow
@pytest.mark.parametrize("page", EXECUTED, ids=name_of)
def test_every_documented_command_prints_the_documented_output(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    text = page.read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
        if name == "pyproject.toml":  # what pip install -e . does, as far as these commands notice
            monkeypatch.syspath_prepend(tmp_path)
            for game, location in tomllib.loads(content)["project"]["entry-points"]["wsim.games"].items():
                monkeypatch.setitem(GAMES, game, location)
    for sheet in (ROOT / "docs" / "data").iterdir():
        shutil.copy(sheet, tmp_path)
    wrong = []
    for block in BLOCK.findall(text):
        fresh = ""
        for step in steps(block):
            printed = re.sub(r"compiling .*\n", "", run(step.command, tmp_path, capfd))
            fresh += f"$ {step.command}\n" + renewed(step, printed)
            expected, got = masked(step.shown), masked(printed)
            if step.cut:
                expected = expected.removesuffix("...").rstrip()
                got = got[: len(expected)]
            if expected != got:
                wrong.append(f"$ {step.command}\nexpected:\n{expected}\ngot:\n{got}")
        if RENEW:
            text = text.replace(block, fresh)
    if RENEW:
        page.write_text(text, encoding="utf-8")
        return
    assert not wrong, "\n\n".join(wrong)


def links(page: Path) -> list[tuple[Path, str]]:
    """Return the links of a page to files of the checkout, each as a file and a heading (empty for the whole file)."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = []
    for pair in LINK.findall(prose):
        target, _, heading = "".join(pair).partition("#")
        if ":" not in target:  # https://..., mailto:...
            found.append(((page.parent / target).resolve() if target else page, heading))
    return found


def headings(page: Path) -> set[str]:
    """Return the headings of a page as link anchors: lower case, without punctuation, with hyphens for spaces."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, heading in links(page):
        assert target.exists(), f"{name_of(page)} links to {target}, which does not exist"
        assert target.is_relative_to(ROOT), f"{name_of(page)} links to {target}, outside the checkout"
        assert not heading or heading in headings(target), f"{name_of(page)} links to #{heading} in {name_of(target)}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = {README}, [README]
    while waiting:
        for target, _ in links(waiting.pop()):
            if target.suffix == ".md" and target not in reached:
                reached.add(target)
                waiting.append(target)
    assert [name_of(page) for page in PAGES if page not in reached] == []


def test_the_readme_is_a_front_door() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 240, "chapters belong into docs/"
    first_screen = "\n".join(lines[:40])
    assert "wsim run" in first_screen
    assert "pytest" in first_screen


def test_ci_uses_the_install_and_test_commands_of_the_readme() -> None:
    what, test = '-e ".[test]"', "python -m pytest"
    assert f"pip install {what} && .venv/bin/{test}\n" in README.read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace(" --quiet", "").splitlines()
    assert f'"${{install[@]}}" {what}' in ci  # uv, or pip where there is none
    assert test in ci
