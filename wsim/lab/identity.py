"""Identify the files that a plan names by content digests instead of paths, so that their location does not matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from wsim.errors import UserError
from wsim.policies.lineup import Entry
from wsim.policies.sources import digest_of_sources


def _content_digest(path: str) -> str:
    import hashlib

    return "sha256:" + hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _file_digest(name: str, path: str, digest: Callable[[str], str] = _content_digest) -> str:
    """Return the content digest of a file; raise UserError with the file's name if it cannot be read."""
    try:
        return digest(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot read {name!r}: {why}") from error


def card_file_identity(name: str, path: str, effects: Mapping[str | None, Path]) -> str:
    """Return the digest of a card file or patch, followed by the digest of its effects file, if it names one."""
    cards_digest = _file_digest(name, path)
    if name not in effects:
        return cards_digest
    return (
        f"{cards_digest} {effects[name].name} {_file_digest(str(effects[name]), str(effects[name]), digest_of_sources)}"
    )


def policy_identity(entry: Entry) -> str:
    """Return a line-up entry as a string that contains the digest of its weights or policy file instead of the folder.

    The digest of a policy file covers the modules that it imports from its folder. Installed policies (from a module
    or an entry point) are identified in the provenance of the rules instead.
    """
    name = entry.named_file
    if name is None:
        return str(entry)
    if entry.file is None:
        return f"{entry} {_file_digest(name, entry.path or name)}"
    named = Entry(f"{Path(name).name}:{entry.function}", entry.parameters)
    return f"{named} {_file_digest(name, entry.path or name, digest_of_sources)}"
