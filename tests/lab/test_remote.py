"""Runs in an object store: a real S3 server on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_run import files
from tests.conftest import Command
from wsim import Plan
from wsim.lab import remote
from wsim.lab.run import record
from wsim.lab.verify import verify

boto3: Any = pytest.importorskip("boto3", reason="needs the extra s3")
pytest.importorskip("moto", reason="needs moto, a server that speaks S3")
pytestmark = pytest.mark.usefixtures("toy")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start an S3 server in a separate process and return its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 120
    address = f"http://127.0.0.1:{port}"
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                break
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)
    yield address
    process.kill()
    process.wait()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Create an empty bucket called ``runs``, and point the environment at its server."""
    settings = {"AWS_ENDPOINT_URL": server, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    for name, value in (settings | {"AWS_DEFAULT_REGION": "us-east-1"}).items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="runs")
    yield client
    for one in client.list_objects_v2(Bucket="runs").get("Contents", []):
        client.delete_object(Bucket="runs", Key=one["Key"])
    client.delete_bucket(Bucket="runs")
    client.close()


def played(out: str = "run", **keys: Any) -> None:
    record(Plan.make(**{"games": 300, "picks": True} | keys), out, shard=90)


def everything(folder: str) -> dict[str, bytes]:
    paths = (path for path in Path(folder).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.slow
def test_a_run_can_be_copied_to_a_store_and_back(bucket: Any, wsim_command: Command) -> None:
    played()
    count = len(everything("run"))
    answer = wsim_command("copy", "run", "s3://runs/mine/one")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"copied run to s3://runs/mine/one: {count} files sent\n"
    assert wsim_command("copy", "s3://runs/mine/one/", "back").code == 0
    assert everything("back") == everything("run")
    assert verify("back") == []
    assert wsim_command("run", "--resume", "back", "--games", "400").code == 0
    assert wsim_command("copy", "run", "s3://runs/mine/one").out.endswith(": 0 files sent\n")


@pytest.mark.slow
def test_polars_reads_a_run_in_a_store(bucket: Any, server: str, wsim_command: Command) -> None:
    import polars as pl

    played()
    assert wsim_command("copy", "run", "s3://runs/one").code == 0
    options = {"aws_endpoint_url": server, "aws_access_key_id": "a", "aws_secret_access_key": "b"}
    options |= {"aws_region": "us-east-1", "aws_allow_http": "true"}
    there = pl.scan_parquet("s3://runs/one/seats/*.parquet", storage_options=options)
    assert there.select(pl.len()).collect().item() == 1200


@pytest.mark.slow
def test_an_interrupted_copy_is_not_a_run_and_can_continue(
    bucket: Any, wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    played()
    original = remote._Location.put
    sent: list[str] = []

    def put(self: Any, name: str, content: bytes) -> None:
        if len(sent) == 3:
            raise KeyboardInterrupt
        sent.append(name)
        original(self, name, content)

    with monkeypatch.context() as patch:
        patch.setattr(remote._Location, "put", put)
        assert wsim_command("copy", "run", "s3://runs/one").code == 130
    answer = wsim_command("copy", "s3://runs/one", "back")
    assert (answer.code, answer.err) == (2, "wsim: 's3://runs/one' contains no wsim run (no run.json)\n")
    rest = len(everything("run")) - 3
    assert wsim_command("copy", "run", "s3://runs/one").out.endswith(f": {rest} files sent\n")


@pytest.mark.slow
def test_damage_on_either_side_is_detected(bucket: Any, wsim_command: Command) -> None:
    played()
    assert wsim_command("copy", "run", "s3://runs/one").code == 0
    name = "one/seats/part-00000000000090.parquet"
    content = bytearray(bucket.get_object(Bucket="runs", Key=name)["Body"].read())
    content[100] ^= 1
    bucket.put_object(Bucket="runs", Key=name, Body=bytes(content))
    answer = wsim_command("copy", "s3://runs/one", "back")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("wsim: 's3://runs/one' contains a damaged run: seats/part-00000000000090.parquet was")
    assert wsim_command("copy", "run", "s3://runs/one").out.endswith(": 1 files sent\n")
    assert wsim_command("copy", "s3://runs/one", "again").code == 0
    Path("run/seats/part-00000000000090.parquet").write_bytes(bytes(content))
    answer = wsim_command("copy", "run", "s3://runs/two")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("wsim: the run 'run' is damaged: seats/part-00000000000090.parquet was")


@pytest.mark.slow
def test_an_interrupted_fetch_can_be_continued(
    bucket: Any, wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    played()
    assert wsim_command("copy", "run", "s3://runs/one").code == 0
    original = remote._Location.get
    got: list[str] = []

    def get(self: Any, name: str) -> bytes:
        if len(got) == 6:
            raise KeyboardInterrupt
        got.append(name)
        return original(self, name)

    with monkeypatch.context() as patch:
        patch.setattr(remote._Location, "get", get)
        assert wsim_command("copy", "s3://runs/one", "back").code == 130
    assert not Path("back/run.json").exists()
    there = len(everything("back"))
    assert there >= 3
    answer = wsim_command("copy", "s3://runs/one", "back")
    assert answer.out == f"copied s3://runs/one to back: {len(everything('run')) - there} files sent\n"
    assert everything("back") == everything("run")
    Path("back/run.json").unlink()
    Path("back/mine.txt").write_text("mine")
    assert wsim_command("copy", "s3://runs/one", "back").err == ("wsim: 'back' already exists: choose another folder\n")


@pytest.mark.slow
def test_folder_markers_and_foreign_objects_are_left_alone(bucket: Any, wsim_command: Command) -> None:
    played()
    assert wsim_command("copy", "run", "s3://runs/one").code == 0
    for name in ("one/", "one/seats/", "one/a/../b", "one/notes.txt", "one/seats/part-00000000099990.parquet"):
        bucket.put_object(Bucket="runs", Key=name, Body=b"")
    answer = wsim_command("copy", "s3://runs/one", "back")
    assert answer.code == 0
    assert answer.err == "wsim: left alone, not part of the run: , a/../b, notes.txt and 2 more\n"
    assert everything("back") == everything("run")
    assert wsim_command("copy", "run", "s3://runs/one").out.endswith(": 0 files sent\n")


@pytest.mark.slow
def test_a_damaged_object_marked_complete_is_sent_again(bucket: Any, wsim_command: Command) -> None:
    played()
    assert wsim_command("copy", "run", "s3://runs/one").code == 0
    name = "one/seats/part-00000000000090.parquet"
    found = bucket.get_object(Bucket="runs", Key=name)
    content = bytearray(found["Body"].read())
    content[100] ^= 1
    bucket.put_object(Bucket="runs", Key=name, Body=bytes(content), Metadata=found["Metadata"])
    assert wsim_command("copy", "run", "s3://runs/one").out.endswith(": 1 files sent\n")
    assert wsim_command("copy", "s3://runs/one", "back").code == 0


@pytest.mark.slow
def test_copies_of_different_runs_to_one_address_do_not_mix(
    bucket: Any, wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    played()
    played("seed", seed=2)
    original = remote._Location.put
    others: list[Any] = []

    def put(self: Any, name: str, content: bytes) -> None:
        if not others:
            others.append(None)
            others[0] = wsim_command("copy", "seed", "s3://runs/one")
        original(self, name, content)

    with monkeypatch.context() as patch:
        patch.setattr(remote._Location, "put", put)
        assert wsim_command("copy", "run", "s3://runs/one").code == 0
    assert others[0].code == 2
    assert "is being copied to 's3://runs/one': choose another target" in others[0].err
    assert wsim_command("copy", "s3://runs/one", "back").code == 0
    assert everything("back") == everything("run")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run other", "wsim copy needs a folder and a store address: wsim copy RUN s3://bucket/path, or the reverse"),
        ("s3://a/b s3://c/d", "wsim copy needs a folder and a store address: wsim copy RUN s3://bucket/path, or"),
        ("run s3://runs", "a store address must look like s3://bucket/path, not 's3://runs'"),
        ("run gs://runs/x", "a store address must look like s3://bucket/path, not 'gs://runs/x'"),
        ("none s3://runs/x", "'none' does not exist"),
        ("seed s3://runs/one", "'s3://runs/one' already contains a different run from 'seed': choose another target"),
        ("half s3://runs/x", "'half' contains 210 of 300 games: finish it with --resume first"),
        ("s3://runs/none back", "'s3://runs/none' contains no wsim run (no run.json)"),
        ("s3://runs/one run", "'run' already exists: choose another folder"),
    ],
)
def test_runs_that_cannot_be_copied_are_reported_in_one_sentence(
    bucket: Any, wsim_command: Command, words: str, sentence: str
) -> None:
    played()
    played("seed", seed=2)
    played("half")
    Path("half/seats/part-00000000000090.parquet").unlink()
    assert wsim_command("copy", "run", "s3://runs/one").code == 0
    answer = wsim_command("copy", *words.split())
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert answer.err.startswith(f"wsim: {sentence}")


@pytest.mark.slow
def test_a_store_error_is_reported_as_a_failure(bucket: Any, wsim_command: Command) -> None:
    played()
    answer = wsim_command("copy", "run", "s3://nobody/x")
    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert answer.err.startswith(
        "wsim: the store reports an error for 's3://nobody/x': An error occurred (NoSuchBucket)"
    )


@pytest.mark.slow
def test_an_invalid_address_is_reported_in_one_sentence(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "not a url")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    answer = wsim_command("copy", "s3://runs/x", "back")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert answer.err.startswith("wsim: the endpoint for 's3://runs/x' is not valid: ")


@pytest.mark.slow
def test_a_run_cannot_be_played_into_a_store(wsim_command: Command) -> None:
    answer = wsim_command("run", "--games", "10", "--out", "s3://runs/x")
    assert answer.err == (
        "wsim: a run needs a local folder, and 's3://runs/x' is not one: play it locally, then wsim copy FOLDER "
        "s3://runs/x\n"
    )
    assert answer.code == 2
    assert not os.path.lexists("s3:")


@pytest.mark.slow
def test_a_missing_extra_is_named(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    played()
    monkeypatch.setattr(remote, "find_spec", lambda name: None)
    answer = wsim_command("copy", "run", "s3://runs/x")
    assert (answer.code, answer.err) == (2, "wsim: object stores need an extra: pip install 'wsim[s3]'\n")
    assert files("run")
