"""Copy a run to an object store (``s3://bucket/path``, Amazon's or any compatible one) and back.

A run is played in a local folder, because playing needs a file system's locks, appends and renames. A finished run is
copied file by file with SHA-256 digests, which the store checks on receipt. ``run.json`` comes last, so an interrupted
copy is not a valid run. Repeating a copy, in either direction, transfers only missing files. While a run is being sent,
a claim object at the target names the run, so that files of different runs cannot mix. Other objects at the target
(folder markers, unrelated files) are left alone. The store's address and credentials come from the environment, as for
other S3 tools (``AWS_ENDPOINT_URL``, ``AWS_PROFILE``, ...).
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
from wsim.files import MAX_BYTES, StoreError, content_digest, is_remote, write_bytes
from wsim.lab.ledger import LEDGER, digest_of_file, read_ledger, shard_name
from wsim.lab.progress import Progress
from wsim.lab.record import RECORD, read_record
from wsim.lab.store import load_run
from wsim.lab.verify import verify
from wsim.lab.writer import PLAN

_MD5 = re.compile(r"[0-9a-f]{32}")
_ADDRESS = re.compile(r"s3://([^/]+)/(.+)")
_DIGEST = "sha256"  # the metadata key with the digest of an object
_CLAIM = ".wsim-copying"  # the object that names the run while it is being sent
_SHOWN = 3  # objects listed in a remark


@dataclass(frozen=True)
class Copied:
    """The result of a copy: the number of transferred files, and the names of unrelated objects at the target."""

    files: int
    ignored: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """A remark about unrelated objects at the target; empty if there are none."""
        more = f" and {len(self.ignored) - _SHOWN} more" if len(self.ignored) > _SHOWN else ""
        return f"left alone, not part of the run: {', '.join(self.ignored[:_SHOWN])}{more}" if self.ignored else ""


def copy_run(source: str, target: str, *, progress: Progress | None = None) -> Copied:
    """Copy a run from a folder to a store or back; return the number of files transferred and any unrelated objects.

    Raises UserError for a run that cannot be copied, StoreError for a damaged run, OSError if the store reports one.
    """
    if is_remote(source) == is_remote(target):
        raise UserError("wsim copy needs a folder and a store address: wsim copy RUN s3://bucket/path, or the reverse")
    if is_remote(target):
        return _send(Path(source), _Location.of(target), progress)
    return _fetch(_Location.of(source), Path(target), progress)


@dataclass(frozen=True)
class _Location:
    """A path in a bucket of an object store."""

    address: str
    bucket: str
    path: str
    client: Any

    @classmethod
    def of(cls, address: str) -> _Location:
        """Parse the address of a location; raise UserError if it is invalid or the s3 extra is not installed."""
        match = _ADDRESS.fullmatch(address.rstrip("/"))
        if match is None:
            raise UserError(f"a store address must look like s3://bucket/path, not {address!r}")
        if find_spec("boto3") is None:
            raise UserError("object stores need an extra: pip install 'wsim[s3]'")
        boto: Any = import_module("boto3")
        try:
            with _store_errors_explained(address):
                return cls(address.rstrip("/"), match[1], match[2], boto.client("s3"))
        except ValueError as error:
            raise UserError(f"the endpoint for {address!r} is not valid: {error}") from error

    def names(self) -> dict[str, int]:
        """Return the size of each object below this path, by name relative to the path."""
        with _store_errors_explained(self.address):
            pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=f"{self.path}/")
            objects = [item for page in pages for item in page.get("Contents", [])]
        return {item["Key"].removeprefix(f"{self.path}/"): int(item["Size"]) for item in objects}

    def holds(self, name: str, content: bytes) -> bool:
        """Return whether an object has the given content, according to the checksum that the store computed on receipt.

        A store without SHA-256 checksums uses the MD5 digest as the ETag of an object sent in one piece, unless the
        store encrypts with its own keys. The digest in the metadata alone proves nothing, because it survives damage to
        the content.
        """
        with _store_errors_explained(self.address):
            head = self.client.head_object(Bucket=self.bucket, Key=f"{self.path}/{name}", ChecksumMode="ENABLED")
        digest = hashlib.sha256(content)
        if check := head.get("ChecksumSHA256"):
            return bool(check == base64.b64encode(digest.digest()).decode())
        tag = str(head.get("ETag", "")).strip('"')
        same = head["Metadata"].get(_DIGEST) == digest.hexdigest()
        return same and (_MD5.fullmatch(tag) is None or tag == hashlib.md5(content, usedforsecurity=False).hexdigest())

    def get(self, name: str) -> bytes:
        """Return the content of an object."""
        with _store_errors_explained(self.address):
            content: bytes = self.client.get_object(Bucket=self.bucket, Key=f"{self.path}/{name}")["Body"].read()
        return content

    def claim(self, digest: str) -> None:
        """Claim the target for a run; raise UserError if a different run is being copied there."""
        with suppress(self.client.exceptions.ClientError):
            self.client.put_object(
                Bucket=self.bucket, Key=f"{self.path}/{_CLAIM}", Body=digest.encode(), IfNoneMatch="*"
            )
        self.check_claim(digest)

    def check_claim(self, digest: str) -> None:
        """Raise UserError unless the target is claimed for this run."""
        if (claimed := self.get(_CLAIM).decode("utf-8", "replace")) != digest:
            raise UserError(
                f"a different run ({claimed[:16]!r}) is being copied to {self.address!r}: choose another target, or, "
                f"if that copy was abandoned, remove its object {_CLAIM}"
            )

    def release(self) -> None:
        """Remove this run's claim from the target."""
        with _store_errors_explained(self.address):
            self.client.delete_object(Bucket=self.bucket, Key=f"{self.path}/{_CLAIM}")

    def put(self, name: str, content: bytes) -> None:
        """Write an object; the store rejects it if the received content does not match its digest."""
        digest = content_digest(content)
        check = base64.b64encode(bytes.fromhex(digest)).decode()
        about: dict[str, Any] = {"ChecksumSHA256": check, "Metadata": {_DIGEST: digest}}
        with _store_errors_explained(self.address):
            self.client.put_object(Bucket=self.bucket, Key=f"{self.path}/{name}", Body=content, **about)


@contextmanager
def _store_errors_explained(address: str) -> Iterator[None]:
    """Convert errors of the store to StoreError with a one-sentence message."""
    errors: Any = import_module("botocore.exceptions")
    try:
        yield
    except (errors.BotoCoreError, errors.ClientError) as error:
        raise StoreError(f"the store reports an error for {address!r}: {' '.join(str(error).split())}") from error


def _files_to_send(folder: Path) -> list[str]:
    """Return the names of all files of a finished run, with ``run.json`` last.

    Raises UserError for an unfinished run, StoreError for a damaged one.
    """
    run = load_run(folder)
    if not run.complete:
        raise UserError(
            f"{str(folder)!r} contains {run.games:,} of {len(run.wanted):,} games: finish it with --resume first"
        )
    if findings := verify(folder):
        raise StoreError(
            f"the run {str(folder)!r} is damaged: {findings[0].file} {findings[0].wrong}; wsim verify lists all faults"
        )
    return [*_files_of_run(folder), RECORD]


def _files_of_run(folder: Path) -> list[str]:
    """Return the names of the files that a run's record and ledger list, without the record itself."""
    shards = [shard_name(shard.table, shard.first) for shard in read_ledger(folder).values()]
    return [*read_record(folder).files, *shards, PLAN, LEDGER]


def _send(folder: Path, target: _Location, progress: Progress | None) -> Copied:
    """Copy a run from a folder to a store."""
    names, sizes = _files_to_send(folder), target.names()
    digest = read_record(folder).provenance.digest
    if RECORD in sizes:
        _refuse_other(folder, target)
    target.claim(digest)
    sent = 0
    for done, name in enumerate(names, 1):
        content = (folder / name).read_bytes()
        if sizes.get(name) != len(content) or not target.holds(name, content):
            if name == RECORD:
                target.check_claim(digest)
                if RECORD in target.names():
                    _refuse_other(folder, target)
            target.put(name, content)
            sent += 1
        if progress is not None:
            progress("files", done, len(names))
    target.release()
    return Copied(sent, tuple(sorted(set(sizes) - {*names, _CLAIM})))


def _refuse_other(folder: Path, target: _Location) -> None:
    """Raise UserError if the target already contains a different run from the one in the folder."""
    try:
        stored = json.loads(target.get(RECORD)).get("digest")
    except (ValueError, AttributeError):
        stored = None
    if stored != read_record(folder).provenance.digest:
        raise UserError(
            f"{target.address!r} already contains a different run from {str(folder)!r}: choose another target"
        )


def _fetch(target: _Location, folder: Path, progress: Progress | None) -> Copied:
    """Copy a run from a store to a folder and check it; intact files that are already in the folder are kept."""
    sizes = target.names()
    if RECORD not in sizes:
        raise UserError(f"{target.address!r} contains no wsim run (no {RECORD})")
    for name in (LEDGER, PLAN, RECORD):
        if sizes.get(name, 0) > MAX_BYTES:
            raise UserError(f"{target.address!r} contains no wsim run: {name} is larger than {MAX_BYTES >> 20} MiB")
    described = {name: target.get(name) for name in (LEDGER, PLAN, RECORD) if name in sizes}
    with TemporaryDirectory(prefix="wsim-copy-") as aside:
        for name, content in described.items():
            Path(aside, name).write_bytes(content)
        shards = {shard_name(shard.table, shard.first): shard.sha256 for shard in read_ledger(Path(aside)).values()}
        digests = {**read_record(Path(aside)).files, **shards}
        names = [*_files_of_run(Path(aside)), RECORD]
    _refuse_foreign_files(folder, names, digests, described)
    fetched, wanted = 0, [name for name in names if name in sizes]
    for done, name in enumerate(wanted, 1):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name == RECORD or not _is_intact(folder / name, digests.get(name)):
            write_bytes(folder / name, described.get(name) or target.get(name))
            fetched += 1
        if progress is not None:
            progress("files", done, len(wanted))
    if findings := verify(folder):
        raise StoreError(
            f"{target.address!r} contains a damaged run: {findings[0].file} {findings[0].wrong}; it is in {folder}"
        )
    return Copied(fetched, tuple(sorted(set(sizes) - {*names, _CLAIM})))


def _is_intact(path: Path, digest: str | None) -> bool:
    """Return whether a file exists and matches its digest."""
    return digest is not None and path.is_file() and digest_of_file(path)[1] == digest


def _refuse_foreign_files(
    folder: Path, names: Sequence[str], digests: Mapping[str, str], described: Mapping[str, bytes]
) -> None:
    """Raise UserError if the folder contains anything but files of this run from an earlier copy."""
    if not folder.exists():
        return
    files = [path for path in folder.rglob("*") if not path.is_dir()] if folder.is_dir() else [folder]
    for path in files:
        name = path.relative_to(folder).as_posix()
        if path.name.startswith("."):  # a temporary file of a process that was killed
            continue
        known = name in names and name != RECORD
        same = path.read_bytes() == described[name] if name in described else _is_intact(path, digests.get(name))
        if not (known and same):
            raise UserError(f"{str(folder)!r} already exists: choose another folder")
