"""Copy the inputs of a run into its folder: card files, patches, weights, policies and the resolved catalogue.

    FOLDER/catalogue.json   the catalogue after all layers, patches and changes (``Simulator.resolved``)
    FOLDER/files/0/...      the card file, then every file that the plan names, each in its own numbered folder
                            together with the modules that a policy imports from its folder or the effects that a
                            patch names; then the installed modules that contain policies

Analyses only read these files; the code of a policy runs only when games are played.
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
    """The archived files of a run.

    Attributes
    ----------
    contents: path in the run's folder -> bytes.
    paths: file name as written in the plan (``OWN_CARDS``: the card file shipped with wsim) -> path in the folder.
    """

    contents: Mapping[str, bytes]
    paths: Mapping[str, str]

    @classmethod
    def of(cls, plan: Plan, simulator: Simulator) -> Archive:
        """Read every file that a plan names; raise UserError for a file that cannot be read."""
        resolved = json.dumps(simulator.resolved(), indent=1, ensure_ascii=False) + "\n"
        contents = {CATALOGUE: resolved.encode()}
        paths: dict[str, str] = {}
        named = [(name, Path(plan.files.get(name, name))) for name in plan.named_files("cards", "patch", "policies")]
        if plan.cards is None and simulator.own_cards is not None:
            named.insert(0, (OWN_CARDS, Path(plan.files.get(OWN_CARDS, simulator.own_cards))))
        code, effects = {entry.file for entry in plan.line_up}, plan.effects
        for number, (name, path) in enumerate(named):
            try:
                sources = contents_of(path) if name in code else {path.name: path.read_bytes()}
                if name in effects:  # its path is relative to the file that names it
                    sources |= contents_of(effects[name])
            except OSError as error:
                raise UserError(f"cannot read {name or str(path)!r}: {error.strerror}") from error
            contents |= {f"{FILES}/{number}/{inner}": content for inner, content in sources.items()}
            paths[name] = f"{FILES}/{number}/{path.name}"
        for number, sources in enumerate(_installed_modules(plan), start=len(named)):
            contents |= {f"{FILES}/{number}/{inner}": content for inner, content in sources.items()}
        return cls(contents, paths)

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 digest of each file, by path."""
        return {path: content_digest(content) for path, content in self.contents.items()}

    def over(self, folder: Path, digests: Mapping[str, str], paths: Mapping[str, str]) -> Archive:
        """Return the archive for a resumed run, in which intact files from the folder take precedence over new ones.

        ``digests`` and ``paths`` describe the files that the folder already contains.
        """
        damaged = set(damaged_files(folder, digests))
        intact = {path: (folder / path).read_bytes() for path in digests if path not in damaged}
        contents = {**self.contents, **intact}
        known = {name: path for name, path in paths.items() if path in contents}
        return Archive(contents, {**self.paths, **known})

    def write(self, folder: Path, digests: Mapping[str, str]) -> None:
        """Write the files that are missing or do not match ``digests``; raise StoreError if that fails."""
        for path in set(damaged_files(folder, digests)) & set(self.contents):
            target = folder / path
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise explained("write", target, error) from error
            write_bytes(target, self.contents[path])


def _installed_modules(plan: Plan) -> Iterator[dict[str, bytes]]:
    """Yield the source files of each installed module that contains a policy; they are stored for reference only."""
    if "wsim.policies.user_policies" not in sys.modules:  # no user policy has been loaded
        return
    from wsim.policies.user_policies import installed_module

    for name in dict.fromkeys(filter(None, map(installed_module, plan.line_up))):
        file = module_file(name)
        if file is not None:
            with suppress(OSError):
                yield contents_of(file, name)


def damaged_files(folder: Path, digests: Mapping[str, str]) -> list[str]:
    """Return the files of a folder that are missing or do not match their digest."""

    def is_intact(path: str, digest: str) -> bool:
        relative = PurePosixPath(path)
        if relative.is_absolute() or ".." in relative.parts:
            return False
        try:
            return content_digest(bytes_within(folder / path)) == digest
        except (OSError, ValueError):
            return False

    return [path for path, digest in digests.items() if not is_intact(path, digest)]
