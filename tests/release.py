"""Check the files of a release: ``python -m tests.release 0.3.0`` prints their problems and exits with 1 if any."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELEASE_FILES = ("wsim/version.py", "CITATION.cff", "CHANGELOG.md")


def release_problems(version: str, texts: dict[str, str]) -> list[str]:
    """Return the problems of the release files (text by name) for ``version``, one sentence each."""
    problems = []
    if f'__version__ = "{version}"' not in texts["wsim/version.py"]:
        problems.append(f"wsim/version.py does not contain {version}")
    cited = dict(re.findall(r"^([\w-]+): (.+)$", texts["CITATION.cff"], re.MULTILINE))
    if cited.get("version") != version:
        problems.append(f"CITATION.cff cites {cited.get('version')}, not {version}")
    sections = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n?)*)", texts["CHANGELOG.md"], re.MULTILINE))
    dated = [heading for heading in sections if heading.startswith(f"{version} - ")]
    if not dated:
        problems.append(f"CHANGELOG.md has no heading '## {version} - YYYY-MM-DD'")
    elif cited.get("date-released", "").strip('"') != dated[0].partition(" - ")[2]:
        problems.append(f"CITATION.cff and CHANGELOG.md give {version} different dates")
    if sections.get("Unreleased", "").strip():
        problems.append(f"CHANGELOG.md still lists changes under Unreleased: move them to {version}")
    return problems


def main() -> None:
    """Print the problems of the version given as argument."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in RELEASE_FILES}
    problems = release_problems(sys.argv[1], texts)
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
