"""A run in an object store (``s3://bucket/path``, Amazon's or any that speaks its language), and back.

A run is played in a folder, because it is locked, appended to and renamed into place as only a file system does. What
is finished is copied: every file with its SHA-256, which the store checks when it receives one, ``run.json`` last, so
that a copy that was broken off is no run. A copy that goes on sends only what is not there. Where the store is and who
one is there comes from the environment, as for all programs of this kind (``AWS_ENDPOINT_URL``, ``AWS_PROFILE``, ...).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from wsim.errors import UserError
from wsim.lab.files import StoreError, content_digest, is_remote, write_bytes
from wsim.lab.ledger import LEDGER, shard_name
from wsim.lab.progress import Progress
from wsim.lab.record import RECORD, read_record
from wsim.lab.store import load_run
from wsim.lab.verify import verify
from wsim.lab.writer import PLAN

__all__ = ["copy_run"]

_ADDRESS = re.compile(r"s3://([^/]+)/(.+)")
_DIGEST = "sha256"  # where an object says what it holds


def copy_run(source: str, target: str, *, progress: Progress | None = None) -> int:
    """Copy a run between a folder and a store and return how many files were sent.

    Raises UserError for what cannot be copied, StoreError for a damaged run, OSError if the store refuses.
    """
    if is_remote(source) == is_remote(target):
        raise UserError("wsim copy needs a folder and a place in a store: wsim copy RUN s3://bucket/path, or back")
    if is_remote(target):
        return _send(Path(source), _Place.of(target), progress)
    return _fetch(_Place.of(source), Path(target), progress)


@dataclass(frozen=True)
class _Place:
    """A path in a bucket of a store."""

    address: str
    bucket: str
    path: str
    client: Any

    @classmethod
    def of(cls, address: str) -> _Place:
        """Return the place of an address; raise UserError for none, or if the extra is missing."""
        match = _ADDRESS.fullmatch(address.rstrip("/"))
        if match is None:
            raise UserError(f"a place in a store is s3://bucket/path, not {address!r}")
        if find_spec("boto3") is None:
            raise UserError("a store needs the extra: pip install 'wsim[s3]'")
        boto: Any = import_module("boto3")
        with _explained(address):
            return cls(address.rstrip("/"), match[1], match[2], boto.client("s3"))

    def names(self) -> dict[str, int]:
        """Return the sizes of the objects here, by name from here."""
        with _explained(self.address):
            pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=f"{self.path}/")
            found = [one for page in pages for one in page.get("Contents", [])]
        return {one["Key"].removeprefix(f"{self.path}/"): int(one["Size"]) for one in found}

    def digest(self, name: str) -> str | None:
        """Return what an object says that it holds."""
        with _explained(self.address):
            told = self.client.head_object(Bucket=self.bucket, Key=f"{self.path}/{name}")["Metadata"]
        found: str | None = told.get(_DIGEST)
        return found

    def get(self, name: str) -> bytes:
        """Return the content of an object."""
        with _explained(self.address):
            content: bytes = self.client.get_object(Bucket=self.bucket, Key=f"{self.path}/{name}")["Body"].read()
        return content

    def put(self, name: str, content: bytes) -> None:
        """Write an object; the store refuses it if it does not receive what was sent."""
        digest = content_digest(content)
        check = base64.b64encode(bytes.fromhex(digest)).decode()
        about: dict[str, Any] = {"ChecksumSHA256": check, "Metadata": {_DIGEST: digest}}
        with _explained(self.address):
            self.client.put_object(Bucket=self.bucket, Key=f"{self.path}/{name}", Body=content, **about)


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Turn an error of the store into a sentence."""
    errors: Any = import_module("botocore.exceptions")
    try:
        yield
    except (errors.BotoCoreError, errors.ClientError) as error:
        raise StoreError(f"the store of {address!r} refuses: {' '.join(str(error).split())}") from error


def _files(folder: Path) -> list[str]:
    """Return the files of a finished run, run.json last; raise UserError or StoreError unless it is sound."""
    run = load_run(folder)
    if not run.complete:
        raise UserError(f"{str(folder)!r} holds {run.games:,} of {len(run.wanted):,} games: go on with --resume first")
    if found := verify(folder):
        raise StoreError(f"the run {str(folder)!r} is damaged: {found[0].file} {found[0].wrong}; wsim verify says all")
    shards = [shard_name(table, shard.first) for table, some in run.shards.items() for shard in some]
    return [*read_record(folder).files, *shards, PLAN, LEDGER, RECORD]


def _send(folder: Path, place: _Place, progress: Progress | None) -> int:
    """Copy a run to a store."""
    names, there = _files(folder), place.names()
    if RECORD in there:
        _refuse_other(folder, place)
    sent = 0
    for done, name in enumerate(names, 1):
        content = (folder / name).read_bytes()
        if there.get(name) != len(content) or place.digest(name) != content_digest(content):
            place.put(name, content)
            sent += 1
        if progress is not None:
            progress("files", done, len(names))
    return sent


def _refuse_other(folder: Path, place: _Place) -> None:
    """Raise UserError if the place holds another run than the folder."""
    try:
        there = json.loads(place.get(RECORD)).get("digest")
    except (ValueError, AttributeError):
        there = None
    if there != read_record(folder).provenance.digest:
        raise UserError(f"{place.address!r} holds another run than {str(folder)!r}: choose another place")


def _fetch(place: _Place, folder: Path, progress: Progress | None) -> int:
    """Copy a run from a store, and check that it is what was written."""
    there = place.names()
    if RECORD not in there:
        raise UserError(f"{place.address!r} holds no run of wsim (no {RECORD})")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{str(folder)!r} is there already: choose another folder")
    for name in there:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or name.endswith("/"):
            raise UserError(f"{place.address!r} holds {name!r}, which is no file of a run")
    for done, name in enumerate(sorted(there, key=lambda name: (name == RECORD, name)), 1):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_bytes(folder / name, place.get(name))
        if progress is not None:
            progress("files", done, len(there))
    if found := verify(folder):
        raise StoreError(f"{place.address!r} holds a damaged run: {found[0].file} {found[0].wrong}; it is in {folder}")
    return len(there)
