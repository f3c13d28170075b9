"""Project files agree with each other: version, pages, nox sessions, release checks."""

from __future__ import annotations

import re
from pathlib import Path

import wsim
from tests.release import RELEASE_FILES, release_problems

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_cited_and_has_an_entry() -> None:
    citation = dict(re.findall(r"^([\w-]+): (.+)$", text("CITATION.cff"), re.MULTILINE))
    assert citation["version"] == wsim.__version__
    released = dict(re.findall(r"^## (\d\S+) - (\S+)$", text("CHANGELOG.md"), re.MULTILINE))
    assert citation["date-released"] == f'"{released[wsim.__version__]}"'
    assert next(iter(released)) == wsim.__version__


def test_the_site_and_the_index_have_every_page() -> None:
    nav = text("mkdocs.yml").partition("\nnav:\n")[2]
    shown = re.findall(r"(\S+\.md)$", nav, re.MULTILINE)
    assert {page for page in shown if page[0].islower() and page != "readme.md"} == PAGES
    assert len(shown) == len(set(shown))
    linked = set(re.findall(r"\]\(([^)#]+\.md)\)", text("docs/index.md")))
    assert linked >= PAGES - {"index.md"}


def test_contributing_lists_every_session() -> None:
    sessions = re.findall(r"^@nox\.session.*\ndef (\w+)", text("noxfile.py"), re.MULTILINE)
    assert re.findall(r"^\| `nox -s (\w+)(?: -- [\w. -]+)?`", text("CONTRIBUTING.md"), re.MULTILINE) == sessions


def test_release_problems_are_all_listed() -> None:
    texts = {name: text(name) for name in RELEASE_FILES}
    unreleased = re.compile(r"## Unreleased\n.*?(?=## \d)", re.DOTALL)
    texts["CHANGELOG.md"] = unreleased.sub("", texts["CHANGELOG.md"])
    assert release_problems(wsim.__version__, texts) == []
    assert release_problems("9.9.9", texts) == [
        "wsim/version.py does not contain 9.9.9",
        f"CITATION.cff cites {wsim.__version__}, not 9.9.9",
        "CHANGELOG.md has no heading '## 9.9.9 - YYYY-MM-DD'",
    ]
    texts["CHANGELOG.md"] = f"## Unreleased\n\n* A change.\n\n## {wsim.__version__} - 2020-01-01\n\n* Another.\n"
    assert release_problems(wsim.__version__, texts) == [
        f"CITATION.cff and CHANGELOG.md give {wsim.__version__} different dates",
        f"CHANGELOG.md still lists changes under Unreleased: move them to {wsim.__version__}",
    ]
