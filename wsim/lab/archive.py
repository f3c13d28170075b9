"""What a run is made of, kept in its folder by content: card files, patches, weights, policies, and the catalogue.

    FOLDER/catalogue.json   what was played with, all layers, patches and changes laid (``Simulator.resolved``)
    FOLDER/files/0/...      the card file, then every file that the plan names, each in a numbered folder of its own,
                            with what a policy imports from beside it, and the effects that a patch names; then the
                            modules that policies are from

They are read as text and data: analyses read the card files there, and only playing runs a policy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wsim.errors import UserError
from wsim.files import bytes_within, content_digest, explained, write_bytes
from wsim.lab.plan import OWN_CARDS
from wsim.policies.sources import contents_of, module_file

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

CATALOGUE = "catalogue.json"
FILES = "files"


@dataclass(frozen=True)
class Archive:
    """What is kept.

    Attributes
    ----------
    contents: path in the run's folder -> bytes.
    places: name of a file as the plan writes it (``OWN_CARDS``: the card file of wsim's own) -> path in the folder.
    """

    contents: Mapping[str, bytes]
    places: Mapping[str, str]

    @classmethod
    def of(cls, plan: Plan, simulator: Simulator) -> Archive:
        """Read everything that a plan names; raise UserError for what cannot be read."""
        resolved = json.dumps(simulator.resolved(), indent=1, ensure_ascii=False) + "\n"
        contents = {CATALOGUE: resolved.encode()}
        places: dict[str, str] = {}
        named = [(name, Path(plan.files.get(name, name))) for name in plan.named_files("cards", "patch", "policies")]
        if plan.cards is None and simulator.own_cards is not None:
            named.insert(0, (OWN_CARDS, Path(plan.files.get(OWN_CARDS, simulator.own_cards))))
        code, effects = {entry.file for entry in plan.line_up}, plan.effects
        for number, (name, path) in enumerate(named):
            try:
                found = contents_of(path) if name in code else {path.name: path.read_bytes()}
                if name in effects:  # it is looked for beside the file that names it
                    found |= contents_of(effects[name])
            except OSError as error:
                raise UserError(f"cannot read {name or str(path)!r}: {error.strerror}") from error
            contents |= {f"{FILES}/{number}/{where}": content for where, content in found.items()}
            places[name] = f"{FILES}/{number}/{path.name}"
        for number, found in enumerate(_modules(plan), start=len(named)):
            contents |= {f"{FILES}/{number}/{where}": content for where, content in found.items()}
        return cls(contents, places)

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of every file."""
        return {path: content_digest(content) for path, content in self.contents.items()}

    def over(self, folder: Path, digests: Mapping[str, str], places: Mapping[str, str]) -> Archive:
        """Return what is kept with a run that goes on: what lies there and is sound stays as it is.

        ``digests``, ``places``: of what the run has kept so far.
        """
        damaged = set(damaged_files(folder, digests))
        there = {path: (folder / path).read_bytes() for path in digests if path not in damaged}
        contents = {**self.contents, **there}
        known = {name: path for name, path in places.items() if path in contents}
        return Archive(contents, {**self.places, **known})

    def write(self, folder: Path, digests: Mapping[str, str]) -> None:
        """Write which of these files are not there, or not what their digests say; StoreError if the disk refuses."""
        for path in set(damaged_files(folder, digests)) & set(self.contents):
            target = folder / path
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise explained("write", target, error) from error
            write_bytes(target, self.contents[path])


def _modules(plan: Plan) -> Iterator[dict[str, bytes]]:
    """Yield the sources of each installed module that a policy is from, to be read; it is imported under its name."""
    if "wsim.policies.plug" not in sys.modules:  # then no policy of a user has been made ready
        return
    from wsim.policies.plug import installed_module

    for name in dict.fromkeys(filter(None, map(installed_module, plan.line_up))):
        file = module_file(name)
        if file is not None:
            with suppress(OSError):
                yield contents_of(file, name)


def damaged_files(folder: Path, digests: Mapping[str, str]) -> list[str]:
    """Return which files of a folder are missing or not what their digests say."""

    def sound(path: str, digest: str) -> bool:
        place = PurePosixPath(path)
        if place.is_absolute() or ".." in place.parts:
            return False
        try:
            return content_digest(bytes_within(folder / path)) == digest
        except (OSError, ValueError):
            return False

    return [path for path, digest in digests.items() if not sound(path, digest)]
