"""An mkdocs hook: linked files outside ``docs/`` become part of the site, at their path in the repository."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)#\s:]+)((?:#[^)]*)?)\)")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")


def _of_site(path: str) -> str:
    """Return the path of a repository file in the site; the README is next to the index."""
    return path.removeprefix("docs/").replace("README.md", "readme.md")


def on_files(files: Any, *, config: Any) -> Any:
    """Add linked files that are not in ``docs/``."""
    found = {*PAGES, "LICENSE"}
    for page in (*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in PAGES)):
        home = page.parent.relative_to(ROOT).as_posix()
        for link, _ in LINK.findall(page.read_text(encoding="utf-8")):
            found.add(posixpath.normpath(posixpath.join(home, link)))
    for name in sorted(found):
        if not name.startswith("docs/") and (ROOT / name).is_file():
            content = (ROOT / name).read_bytes()
            files.append(File.generated(config, _of_site(name), content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Rewrite the links of a page to the paths of the files in the site."""
    here = page.file.src_uri
    home = posixpath.dirname(here) if here == "readme.md" or here in PAGES else posixpath.dirname("docs/" + here)

    def led(match: re.Match[str]) -> str:
        target = _of_site(posixpath.normpath(posixpath.join(home, match[1])))
        return f"]({posixpath.relpath(target, posixpath.dirname(here) or '.')}{match[2]})"

    return LINK.sub(led, markdown)
