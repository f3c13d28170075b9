"""A run in an object store (``s3://bucket/path``, Amazon's or any that speaks its language), and back.

A run is played in a folder, because it is locked, appended to and renamed into place as only a file system does. What
is finished is copied: every file with its SHA-256, which the store checks when it receives one, ``run.json`` last, so
that a copy that was broken off is no run. A copy that goes on, there or back, takes only what is not there. While a run
is sent, an object beside it says which, so that two copies of different runs to one place do not mix. What else lies
there (markers of folders, files of others) is no part of the run, and left alone. Where the store is and who
one is there comes from the environment, as for all programs of this kind (``AWS_ENDPOINT_URL``, ``AWS_PROFILE``, ...).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wsim.errors import UserError
from wsim.files import MOST_BYTES, StoreError, content_digest, is_remote, write_bytes
from wsim.lab.ledger import LEDGER, digest_of_file, read_ledger, shard_name
from wsim.lab.progress import Progress
from wsim.lab.record import RECORD, read_record
from wsim.lab.store import load_run
from wsim.lab.verify import verify
from wsim.lab.writer import PLAN

_MD5 = re.compile(r"[0-9a-f]{32}")
_ADDRESS = re.compile(r"s3://([^/]+)/(.+)")
_DIGEST = "sha256"  # where an object says what it holds
_CLAIM = ".wsim-copying"  # the object that says whose place it is while a run is sent
_SHOWN = 3  # objects named in a remark


@dataclass(frozen=True)
class Copied:
    """What was copied: how many files, and the objects of the place that are none of the run's."""

    files: int
    ignored: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """What is to be said of the objects that were left alone; empty for none."""
        more = f" and {len(self.ignored) - _SHOWN} more" if len(self.ignored) > _SHOWN else ""
        return f"left there, as no part of the run: {', '.join(self.ignored[:_SHOWN])}{more}" if self.ignored else ""


def copy_run(source: str, target: str, *, progress: Progress | None = None) -> Copied:
    """Copy a run between a folder and a store and return how many files were sent, or fetched.

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
        try:
            with _explained(address):
                return cls(address.rstrip("/"), match[1], match[2], boto.client("s3"))
        except ValueError as error:
            raise UserError(f"the store of {address!r} has no address that can be used: {error}") from error

    def names(self) -> dict[str, int]:
        """Return the sizes of the objects here, by name from here."""
        with _explained(self.address):
            pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=f"{self.path}/")
            found = [one for page in pages for one in page.get("Contents", [])]
        return {one["Key"].removeprefix(f"{self.path}/"): int(one["Size"]) for one in found}

    def holds(self, name: str, content: bytes) -> bool:
        """Say whether an object holds some content, by what the store itself has found when it received it.

        A store that keeps no SHA-256 has an MD5 as the tag of an object that was sent in one piece, unless it encrypts
        with keys of its own; the text that was sent with the object says nothing by itself, for it survives damage.
        """
        with _explained(self.address):
            found = self.client.head_object(Bucket=self.bucket, Key=f"{self.path}/{name}", ChecksumMode="ENABLED")
        digest = hashlib.sha256(content)
        if check := found.get("ChecksumSHA256"):
            return bool(check == base64.b64encode(digest.digest()).decode())
        tag = str(found.get("ETag", "")).strip('"')
        same = found["Metadata"].get(_DIGEST) == digest.hexdigest()
        return same and (_MD5.fullmatch(tag) is None or tag == hashlib.md5(content, usedforsecurity=False).hexdigest())

    def get(self, name: str) -> bytes:
        """Return the content of an object."""
        with _explained(self.address):
            content: bytes = self.client.get_object(Bucket=self.bucket, Key=f"{self.path}/{name}")["Body"].read()
        return content

    def claim(self, digest: str) -> None:
        """Say whose place it is; raise UserError if a copy of another run is on its way there."""
        with suppress(self.client.exceptions.ClientError):
            self.client.put_object(
                Bucket=self.bucket, Key=f"{self.path}/{_CLAIM}", Body=digest.encode(), IfNoneMatch="*"
            )
        self.check_claim(digest)

    def check_claim(self, digest: str) -> None:
        """Raise UserError unless the place is claimed for a run."""
        if (there := self.get(_CLAIM).decode("utf-8", "replace")) != digest:
            raise UserError(
                f"another run ({there[:16]!r}) is being copied to {self.address!r}: choose another place, or, if that "
                f"copy was given up, remove the object {_CLAIM} there"
            )

    def release(self) -> None:
        """Take the claim away."""
        with _explained(self.address):
            self.client.delete_object(Bucket=self.bucket, Key=f"{self.path}/{_CLAIM}")

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
    return [*_names(folder), RECORD]


def _names(folder: Path) -> list[str]:
    """Return the files of a run by its record and its ledger, but for the record itself."""
    shards = [shard_name(shard.table, shard.first) for shard in read_ledger(folder).values()]
    return [*read_record(folder).files, *shards, PLAN, LEDGER]


def _send(folder: Path, place: _Place, progress: Progress | None) -> Copied:
    """Copy a run to a store."""
    names, there = _files(folder), place.names()
    digest = read_record(folder).provenance.digest
    if RECORD in there:
        _refuse_other(folder, place)
    place.claim(digest)
    sent = 0
    for done, name in enumerate(names, 1):
        content = (folder / name).read_bytes()
        if there.get(name) != len(content) or not place.holds(name, content):
            if name == RECORD:
                place.check_claim(digest)
                if RECORD in place.names():
                    _refuse_other(folder, place)
            place.put(name, content)
            sent += 1
        if progress is not None:
            progress("files", done, len(names))
    place.release()
    return Copied(sent, tuple(sorted(set(there) - {*names, _CLAIM})))


def _refuse_other(folder: Path, place: _Place) -> None:
    """Raise UserError if the place holds another run than the folder."""
    try:
        there = json.loads(place.get(RECORD)).get("digest")
    except (ValueError, AttributeError):
        there = None
    if there != read_record(folder).provenance.digest:
        raise UserError(f"{place.address!r} holds another run than {str(folder)!r}: choose another place")


def _fetch(place: _Place, folder: Path, progress: Progress | None) -> Copied:
    """Copy a run from a store, and check that it is what was written; what a folder has of it already stays."""
    there = place.names()
    if RECORD not in there:
        raise UserError(f"{place.address!r} holds no run of wsim (no {RECORD})")
    for name in (LEDGER, PLAN, RECORD):
        if there.get(name, 0) > MOST_BYTES:
            raise UserError(f"{place.address!r} holds no run of wsim: {name} is larger than {MOST_BYTES >> 20} MiB")
    described = {name: place.get(name) for name in (LEDGER, PLAN, RECORD) if name in there}
    with TemporaryDirectory(prefix="wsim-copy-") as aside:
        for name, content in described.items():
            Path(aside, name).write_bytes(content)
        digests = _digests(Path(aside))
        names = [*_names(Path(aside)), RECORD]
    _refuse_strangers(folder, names, digests, described)
    got, wanted = 0, [name for name in names if name in there]
    for done, name in enumerate(wanted, 1):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name == RECORD or not _is_there(folder / name, digests.get(name)):
            write_bytes(folder / name, described.get(name) or place.get(name))
            got += 1
        if progress is not None:
            progress("files", done, len(wanted))
    if found := verify(folder):
        raise StoreError(f"{place.address!r} holds a damaged run: {found[0].file} {found[0].wrong}; it is in {folder}")
    return Copied(got, tuple(sorted(set(there) - {*names, _CLAIM})))


def _digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of the files of a run that its record and its ledger know."""
    shards = {shard_name(one.table, one.first): one.sha256 for one in read_ledger(folder).values()}
    return {**read_record(folder).files, **shards}


def _is_there(path: Path, digest: str | None) -> bool:
    """Say whether a file is what it should be."""
    return digest is not None and path.is_file() and digest_of_file(path)[1] == digest


def _refuse_strangers(
    folder: Path, names: Sequence[str], digests: Mapping[str, str], described: Mapping[str, bytes]
) -> None:
    """Raise UserError for a folder that holds anything but a part of a run, which an earlier copy has left."""
    if not folder.exists():
        return
    files = [path for path in folder.rglob("*") if not path.is_dir()] if folder.is_dir() else [folder]
    for path in files:
        name = path.relative_to(folder).as_posix()
        if path.name.startswith("."):  # a writer's that was killed
            continue
        known = name in names and name != RECORD
        same = path.read_bytes() == described[name] if name in described else _is_there(path, digests.get(name))
        if not (known and same):
            raise UserError(f"{str(folder)!r} is there already: choose another folder")
