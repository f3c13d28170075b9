"""Match, skill and robustness answers in a run folder are sections of its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Command


@pytest.fixture
def run(wsim_command: Command) -> str:
    pytest.importorskip("altair", reason="the page needs wsim[report]")
    pytest.importorskip("vl_convert", reason="the page needs wsim[report]")
    wsim_command("run", "--games", "200", "--policies", "greedy", "-o", "run", "--threads", "1", "-q")
    return "run"


MATCH = ("match", "greedy", "random", "--budget", "100", "-q", "--threads", "1")
REST = ("rest", "greedy", "random", "--games", "300", "-q", "--threads", "1")
SKILL = ("skill", "wonders", "--ladder", "random,greedy", "--games", "400", "-q", "--threads", "1")


def page() -> str:
    return Path("run/report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_shows_answers_in_the_run_folder(run: str, wsim_command: Command) -> None:
    played = wsim_command(*MATCH, "-o", run)
    assert (played.code, played.err) == (0, "")
    assert wsim_command(*SKILL, "-o", run).code == 0
    assert wsim_command(*REST, "-o", run).code == 0
    assert wsim_command("report", run, "-q").code == 0
    for said in (
        'id="match"',
        'id="skill"',
        "Win share of the first policy minus that of the second.",
        "Wonders with random (open) and with greedy (filled) on all seats. 400 games at each level.",
        'id="robustness"',
        "Differences between players, root mean square. 300 games of each.",
        "half width (95%) for the figure of another good player",  # in the note of the tables of a run of one of them
    ):
        assert said in page()
    next(Path(run).glob("skill-*.json")).write_text('{"format": "wsim-skill/1"}')
    answer = wsim_command("report", run, "-q")
    assert answer.code == 2
    assert "is damaged" in answer.err


@pytest.mark.slow
def test_the_page_shows_named_answers(run: str, wsim_command: Command) -> None:
    assert wsim_command("report", run, "-q").code == 0
    assert 'id="skill"' not in page()
    assert wsim_command(*MATCH, "-o", "m.json").code == 0
    assert wsim_command(*SKILL, "-o", "s.parquet").code == 0
    assert wsim_command(*REST, "-o", "r.json").code == 0
    answer = wsim_command("report", run, "-q", "--match", "m.json", "--skill", "s.parquet", "--rest", "r.json")
    assert (answer.code, answer.err) == (0, "")
    assert 'id="match"' in page()
    assert 'id="robustness"' in page()
    assert "Wonders with random (open) and with greedy (filled)" in page()


@pytest.mark.slow
def test_an_answer_of_another_game_is_reported_in_one_sentence(run: str, wsim_command: Command) -> None:
    ladder = ("--ladder", "p,p:charm=3", "--games", "100", "-q", "-o", "a.json")
    assert wsim_command("skill", "charms", "--game", "luck", *ladder).code == 0
    answer = wsim_command("report", run, "--skill", "a.json", "-q")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "wsim: the answer of wsim skill in 'a.json' is about luck, not seven_wonders\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot read 'a.json': No such file or directory"),
        ("no json", "'a.json' is not an answer of wsim: "),
        ("[]", "'a.json' is not an answer of wsim: its format is None"),
        ('{"format": "wsim-match/1"}', "the answer of wsim match in 'a.json' is damaged: "),
        ('{"format": "wsim-skill/1", "figures": []}', "the answer of wsim skill in 'a.json' is damaged: "),
        ('{"format": "wsim-skill/1", "figures": [{"rung": 1}]}', "the answer of wsim skill in 'a.json' is damaged: "),
    ],
)
def test_files_without_such_an_answer_are_reported_in_one_sentence(
    run: str, wsim_command: Command, content: str | None, said: str
) -> None:
    if content is not None:
        Path("a.json").write_text(content)
    answer = wsim_command("report", run, "--skill", "a.json", "-q")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {said}")
    assert answer.err.count("\n") == 1
    assert not Path("run/report.html").exists()
