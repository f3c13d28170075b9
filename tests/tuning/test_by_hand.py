"""Unit tests of tuning: values and steps, written files, tables and evaluations, and accepted questions."""

from __future__ import annotations

import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.policies.lineup import Entry
from wsim.policies.numbers import Number
from wsim.tuning import answer as answer_module
from wsim.tuning.answer import TuneAnswer, TuningSearch, _code, _command, _identity
from wsim.tuning.files import _comments, _row, head_of, playable, write_set
from wsim.tuning.generations import Generation, History
from wsim.tuning.judging import _opponents, _table
from wsim.tuning.question import HELD_OUT, TuneOutput, TuneQuestion, default_judges, entry_of, plans_of
from wsim.tuning.space import Space, space_of

NUMBERS = (
    Number("depth", (4.0,), 1, 9, whole=True), Number("red", (2.0, -1.0)), Number("blue", (0.0,), -0.5, 0.25),
)  # fmt: skip
HISTORY = History(
    question={"held_out": 2000}, plan={"seed": 6}, start="x", command="wsim tune x",
    identity={"tables": [{"plan": {"ruleset": "1e", "players": 4}, "rules": {"catalogue_digest": "ab"}},
                         {"plan": {"ruleset": "duo", "players": 2}, "rules": {}}], "start": {"red": 1, "blue": 2}},
    software={"wsim": "1.2", "cmaes": "0.9"}, moved=(0,),
    generations=(Generation("a", (0.1, 0.2, 0.3), 0.25, 1.0, 0.5),) * 4,
)  # fmt: skip


# --- numbers


def test_initial_step_sizes_by_hand() -> None:
    """Steps: 1 + .8, .3 + .4, .3 + .2, .3. Coordinates 1, 2, -1 and 5: 5.8 is 6, 3.4, -1.5, and 1.5 is .25 at most."""
    space = space_of(Entry("x", {"kept": 7}), NUMBERS, ())
    assert space.labels == ("depth", "red[1]", "red[2]", "blue")
    assert space.moved == (0, 1, 2, 3)
    point = np.array([1.0, 2.0, -1.0, 5.0])
    assert space.values(point) == pytest.approx([6, 3.4, -1.5, 0.25])
    entry = space.at(point)
    assert dict(entry.parameters) == {"kept": 7, "depth": 6, "red": "3.4/-1.5", "blue": 0.25}
    assert type(entry.parameters["depth"]) is int
    assert space.values(np.array([-9.0, 0.0001, 0.0, -5.0])) == pytest.approx([1, 2.0, -1.0, -0.5]), "rounded, bounded"
    bounds = space.bounds
    assert bounds[0] == pytest.approx([-3 / 1.8, 5 / 1.8])
    assert bounds[3] == pytest.approx([-0.5 / 0.3, 0.25 / 0.3])
    assert np.isinf(bounds[1:3]).all()


def test_only_named_parameters_are_tuned_and_written_to_the_entry() -> None:
    space = space_of(Entry("x", {}), NUMBERS, ("red",))
    assert space.moved == (1, 2)
    assert space.values(np.array([1.0, 1.0])) == pytest.approx([4, 2.7, -0.5, 0])
    assert dict(space.at(np.zeros(2)).parameters) == {"red": "2.0/-1.0"}
    one = space.restricted([2])
    assert dict(one.at(np.array([1.0])).parameters) == {"red": "2.0/-0.5"}
    with pytest.raises(UserError, match="has no numbers to tune"):
        space_of(Entry("x", {}), (), ())


# --- files


def test_a_weight_set_contains_the_nonzero_weights(tmp_path: Path) -> None:
    path = write_set(tmp_path, "mine", NUMBERS, np.array([4.0, 0.0, 1.5, 0.0]), ["Made by: me"])
    assert path.read_text() == "# Made by: me\n\n[mine]\ndepth = 4.0\nred = [0.0, 1.5]\n"
    assert playable(path, Entry("other", {})) == f"weighted:file={path}"
    assert playable(tmp_path / "plan.toml", Entry("other", {"a": 1})) == "other:a=1"


def test_long_comments_wrap_between_words_and_are_indented() -> None:
    line = "  " + "word " * 30
    first, second, last = _comments([line.rstrip()])
    assert first == "#   " + " ".join(["word"] * 23), "118 letters with the two of the indent"
    assert second == "#     " + " ".join(["word"] * 7)
    assert last == ""
    assert _comments(["", "a"]) == ["#", "# a", ""]


def test_the_file_header_says_how_the_set_was_tuned_and_evaluated() -> None:
    row = {
        "opponents": "3 net", "ruleset": "1e", "players": 4, "met": "no", "win_share": 0.3, "win_share_low": 0.28,
        "win_share_high": 0.32, "start": 0.25, "difference": 0.05, "difference_low": 0.02, "difference_high": 0.08,
        "verdict": "higher",
    }  # fmt: skip
    made, searched, judged, first = head_of(HISTORY, 24_000, [row])
    assert made == "Made by: wsim tune x"
    assert (
        "1.2 of wsim and 0.9 of cmaes: 4 generations of 3 candidates, 24,000 games of the seed 6; 1 numbers" in searched
    )
    assert "Rules: 1e, 4 players (cards ab), duo, 2 players." in searched
    assert f"2,000 deals a table that the search never saw (their seed is {6 ^ HELD_OUT})" in judged
    assert first == "  3 net (1e, 4 players, no): 0.300 ±0.020, before 0.250: +0.050 ±0.030, higher"
    assert first.strip() == _row(row)


# --- tables


def test_every_set_of_opponents_plays_at_every_table() -> None:
    question = TuneQuestion(policy="greedy", rulesets=("1e", "2e"), players=(3, 4))
    base = Plan.make(seed=9)
    plans = plans_of(base, question, "greedy", ("balanced",))
    assert [(plan.ruleset, plan.players, plan.policies) for plan in plans] == [
        ("1e", 3, ("greedy", "balanced", "balanced")), ("1e", 4, ("greedy", *["balanced"] * 3)),
        ("2e", 3, ("greedy", "balanced", "balanced")), ("2e", 4, ("greedy", *["balanced"] * 3)),
    ]  # fmt: skip
    assert {(plan.rotate, plan.games, plan.seed) for plan in plans} == {(True, 1, 9)}
    usual = TuneQuestion(policy="greedy")
    (one,) = plans_of(base, usual, "greedy", ("balanced,random,military",))
    assert one.policies == ("greedy", "balanced", "random", "military")
    with pytest.raises(UserError, match="has 2 policies for the 3 other seats of 4"):
        plans_of(base, usual, "greedy", ("balanced,random",))
    judges = default_judges("seven_wonders", TuneQuestion(policy="greedy", against=("balanced", "rulebased")))
    assert not {"greedy", "balanced", "rulebased", "weighted"}.intersection(judges)
    assert judges


def test_the_evaluation_compares_start_and_result_deal_by_deal() -> None:
    """Shares 0, 1, 0, 1 and then 1, 1, 0, 1: a quarter more; 2, 0, 0, 2 points more are 1 on average."""
    plan: Any = SimpleNamespace(ruleset="1e", players=4, policies=("x", "net", "net", "net"))
    before = np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    after = np.array([[1.0, 1.0, 0.0, 1.0], [3.0, 1.0, 1.0, 3.0]])
    games: Any = [[before, after]]
    (row,) = _table([(plan, "no")], games).rows(named=True)
    assert (row["ruleset"], row["players"], row["opponents"], row["met"], row["n"]) == ("1e", 4, "3 net", "no", 4)
    assert (row["fair"], row["start"], row["win_share"], row["difference"]) == (0.25, 0.5, 0.75, 0.25)
    assert row["margin"] == 1.0
    assert row["difference_low"] < 0 < row["difference_high"]
    assert row["verdict"] == "unclear"
    kinds = [("x", "net"), ("x", "net", "net"), ("x", "net", "greedy")]
    assert [_opponents(SimpleNamespace(policies=each)) for each in kinds] == ["net", "2 net", "net, greedy"]  # type: ignore[arg-type]


def test_the_answer_shows_what_differs_between_its_tables() -> None:
    judged = pl.DataFrame({
        "ruleset": ["1e", "1e"], "players": [3, 4], "fair": [1 / 3, 1 / 4], "opponents": ["2 net", "3 net"],
    })  # fmt: skip
    shown = TuneAnswer("x:a=1", Path("f.toml"), judged, HISTORY, 24_000).display()
    (table,) = shown.tables
    assert set(table.rows[0]) == {"players", "fair", "opponents"}
    assert table.title == "One x as tuned, against all others"
    assert shown.notes[1].startswith("4 generations of 3 candidates, 24,000 games; 1 of 2 numbers were tuned")
    same = TuneAnswer("x:a=1", Path("f.toml"), judged[1:], HISTORY, 24_000).display()
    assert same.tables[0].title.endswith("; a fair share of wins is 0.250")
    assert set(same.tables[0].rows[0]) == {"opponents"}


def test_games_are_shared_out_among_the_tables() -> None:
    """1,000 games over three tables are 334 each; four generations of three candidates played 4 * 3 * 334 * 3."""
    question = TuneQuestion(policy="greedy", games=1000)
    search = TuningSearch(Path(), Plan.make(), question, None, (None,) * 3, HISTORY)  # type: ignore[arg-type]
    assert (search._games, search.games) == (334, 12_024)
    assert search.code == ()


# --- questions


def test_code_entries_name_a_file_or_a_module() -> None:
    question = TuneQuestion(
        policy="mine.py:one", against=("net,lib.two:three", "mine.py:one"), judges=("greedy", "c.py:d")
    )
    code = ("mine.py:one", "lib.two:three", "c.py:d")
    assert question.code == _code(question) == code
    assert TuneQuestion(policy="greedy").code == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [({"name": "né"}, "letters, digits"), ({"name": "a b"}, "letters, digits"), ({"margin": 1.0}, "less than 1"),
     ({"margin": -0.1}, "from 0"), ({"against": ()}, "the field is empty"),
     ({"policy": "balanced"}, "'balanced' alone"),
     ({"players": (1,)}, "players"), ({"generations": 0}, "generations"), ({"candidates": 3}, "candidates")],
)  # fmt: skip
def test_invalid_questions_are_rejected(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        TuneQuestion(**{"policy": "greedy", **given})
    accepted: dict[str, Any] = {"name": "a-b_1", "margin": 0.0, "players": (2,), "generations": 1, "candidates": 4}
    assert TuneQuestion(policy="greedy", against=("balanced", "greedy"), **accepted).name == "a-b_1"


def test_question_options_are_written_as_on_the_command_line() -> None:
    """``--judges none`` are none; a search without judges of its own has those of the game."""
    fields = {each.name: each.metadata for each in TuneQuestion.__dataclass_fields__.values()}
    read = next(value.read for value in fields["judges"].values() if hasattr(value, "read"))
    assert (read("none"), read(" none "), tuple(read("net,greedy"))) == ((), (), ("net", "greedy"))
    assert (TuneQuestion(policy="greedy").margin, TuneQuestion(policy="greedy").held_out) == (0.03, 20_000)
    for out, file in ((None, None), ("mine", None), ("a.json", "a.json"), ("a.parquet", "a.parquet")):
        found = TuneOutput(out=out).file
        assert (None if found is None else str(found)) == file
    again = TuneOutput(out="a.json", resume="b").elsewhere(Path("new"))
    assert (again.out, again.resume) == (str(Path("new") / "search"), None)


def test_a_weighted_search_starts_from_a_named_set() -> None:
    assert str(entry_of("weighted", "balanced")) == "weighted:set=balanced"
    assert str(entry_of("greedy")) == "greedy"
    for policy, said in (("weighted:set=mine", "already names its set"), ("greedy", "starts from its own numbers")):
        with pytest.raises(UserError, match=said):
            entry_of(policy, "balanced")


def test_the_command_of_a_search_has_every_option() -> None:
    question = TuneQuestion(
        policy="greedy",
        against=("balanced,random", "net"),
        judges=(),
        rulesets=("1e", "2e"),
        players=(3, 4),
        only=("a",),
    )
    words = shlex.split(_command(Plan.make(seed=9), question))
    assert words[:3] == ["wsim", "tune", "greedy"]
    pairs = [(words[at], words[at + 1]) for at in range(3, len(words) - 1) if words[at].startswith("--")]
    assert [value for option, value in pairs if option == "--against"] == ["balanced,random", "net"]
    assert {("--ruleset", "1e,2e"), ("--players", "3,4"), ("--only", "a"), ("--judges", "none"), ("--seed", "9")} <= {
        *pairs
    }
    assert len([option for option, _ in pairs if option == "--ruleset"]) == 1
    plain = shlex.split(_command(Plan.make(ruleset="2e"), TuneQuestion(policy="greedy", judges=("net",))))
    assert plain[plain.index("--ruleset") + 1] == "2e"
    assert plain[plain.index("--judges") + 1] == "net"


def test_evaluation_settings_are_not_part_of_the_identity_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_module, "cmaes", lambda: SimpleNamespace(__version__="0.9"))
    space = Space(Entry("x", {}), NUMBERS, (0,))

    def of(**changes: Any) -> dict[str, Any]:
        return _identity(TuneQuestion(policy="greedy", **changes), space, [])

    assert of(held_out=999, judges=("net",), generations=3, name="other") == of()
    assert of(games=999) != of()
    assert of()["start"] == {"depth": 4.0, "red[1]": 2.0, "red[2]": -1.0, "blue": 0.0}
