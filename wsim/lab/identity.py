"""What the files that a plan names are, wherever they lie: digests in the place of paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from wsim.errors import UserError
from wsim.policies.lineup import Entry
from wsim.policies.sources import digest_of_sources


def _content_digest(path: str) -> str:
    import hashlib

    return "sha256:" + hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _file_digest(name: str, place: str, digest: Callable[[str], str] = _content_digest) -> str:
    """Return the digest of a file; raise UserError, with its name, if it cannot be read."""
    try:
        return digest(place)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot read {name!r}: {why}") from error


def card_file_identity(name: str, place: str, effects: Mapping[str | None, Path]) -> str:
    """Return the digest of a card file or patch, and that of the file of effects that it names."""
    found = _file_digest(name, place)
    if name not in effects:
        return found
    return f"{found} {effects[name].name} {_file_digest(str(effects[name]), str(effects[name]), digest_of_sources)}"


def policy_identity(entry: Entry) -> str:
    """Return the entry as text, the content of a file of weights or of a policy in the place of its folder.

    The modules that a policy imports from its folder count as its content. What is installed (a policy of a module, an
    entry point) is in the provenance of the rules.
    """
    name = entry.named_file
    if name is None:
        return str(entry)
    if entry.file is None:
        return f"{entry} {_file_digest(name, entry.place or name)}"
    named = Entry(f"{Path(name).name}:{entry.function}", entry.parameters)
    return f"{named} {_file_digest(name, entry.place or name, digest_of_sources)}"
