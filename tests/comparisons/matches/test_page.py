"""Answers of matches and of skill in a run's folder are sections of its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Command


def test_the_page_shows_them(wsim_command: Command) -> None:
    pytest.importorskip("altair", reason="the page needs wsim[report]")
    pytest.importorskip("vl_convert", reason="the page needs wsim[report]")
    wsim_command("run", "--games", "200", "--policies", "greedy", "-o", "run", "--threads", "1", "-q")
    played = wsim_command("match", "greedy", "random", "--budget", "100", "-o", "run", "-q", "--threads", "1")
    assert (played.code, played.err) == (0, "")
    words = ("skill", "wonders", "--ladder", "random,greedy", "--games", "400", "-o", "run", "-q", "--threads", "1")
    assert wsim_command(*words).code == 0
    assert wsim_command("report", "run", "-q").code == 0
    page = Path("run/report.html").read_text(encoding="utf-8")
    for said in ('id="match"', 'id="skill"', "Difference in win share of the first policy", "from random to greedy"):
        assert said in page
    next(Path("run").glob("skill-*.json")).write_text("{}")
    answer = wsim_command("report", "run", "-q")
    assert answer.code == 2
    assert "is damaged" in answer.err
