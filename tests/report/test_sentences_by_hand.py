"""What a page says about a run, sentence by sentence, by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from tests.report.test_conclusions import levels
from wsim.document import NAME, POINTS, SHARE, Column, Conclusion, estimated
from wsim.report import conclusions
from wsim.report.conclusions import FEW_GAMES, Statement, cautions
from wsim.stats.outcomes import SUMMARY
from wsim.stats.tables import Table


def run_of(**more: Any) -> Any:
    plan = {
        "policies": ("net", "random", "net"),
        "rotate": True,
        "ruleset": "1e",
        "players": 3,
        "game": "seven_wonders",
    }
    plan |= more.pop("plan", {})
    return SimpleNamespace(**{
        "plan": SimpleNamespace(**plan), "people": None, "complete": True, "wanted": range(4000),
        "path": Path("a/study"), "games": 4000,
    } | more)  # fmt: skip


def material_of(**more: Any) -> Any:
    return SimpleNamespace(**{"run": run_of(), "games": 4000, "tables": {}, "refused": {}, "answers": []} | more)


# --- cautions and conclusions ---------------------------------------------------------------------------------------


def test_cautions_about_a_run() -> None:
    (only,) = cautions(material_of())
    assert only.headline == "All figures are for the simulated players: net and random."
    few = cautions(material_of(games=FEW_GAMES - 1, run=run_of(complete=False), refused={"cards": "no picks"}))
    assert [said.headline for said in few[:3]] == [
        "The run is not finished: 1,999 of 4,000 games.", "Only 1,999 games.", "No table of cards."
    ]  # fmt: skip
    assert few[2].detail == "No picks."
    assert len(cautions(material_of(games=FEW_GAMES))) == 1
    fixed = cautions(material_of(run=run_of(plan={"rotate": False})))
    assert (fixed[-1].headline, fixed[-1].section) == ("Policies kept their seats.", "policies")
    assert len(cautions(material_of(run=run_of(plan={"rotate": False, "policies": ("net",)})))) == 1
    for boards, said in (("chosen", "People chose their boards."), ("drawn", "Boards were drawn.")):
        people = cautions(material_of(run=run_of(people={"boards": boards})))
        assert [statement.headline for statement in people] == [said]


def test_what_people_played_is_summarised(monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"recorded": ["player", "group"], "dates": ("2025", "2026"), "source": "club", "licence": "CC0",
             "games_left_out": 2}  # fmt: skip
    seats = pl.LazyFrame({"player": ["a", "b", "a"], "group": ["x", "x", "x"]})
    asked = [SimpleNamespace(people_page=shown, section=section, command=command, families=(family,))
             for shown, section, command, family in ((True, "What Next", "people plan", "plan"),
                                                     (True, "Combined", "people combine", "combine"),
                                                     (False, "Other", "other", "other"))]  # fmt: skip
    monkeypatch.setattr(conclusions, "questions", lambda: asked)
    played = material_of(
        run=run_of(people=about, seats=seats), answers=[SimpleNamespace(record={"format": "wsim-plan/1"})]
    )
    said = conclusions._played_by_people(played)
    assert said.kind == "clear"
    assert said.detail == (
        "4,000 games of 1e with 3 players; by 2 players and 1 group; from 2025 to 2026; source: club; licence: CC0; "
        "2 games with mistakes were left out. The page also shows what Next and combined after: "
        "wsim people combine STUDY a/study -o a/study."
    )
    bare: dict[str, Any] = {"recorded": [], "dates": None, "source": "", "licence": "", "games_left_out": 0}
    monkeypatch.setattr(conclusions, "questions", lambda: asked[:1])
    played.run = run_of(people=bare, seats=seats)
    assert conclusions._played_by_people(played).detail == "4,000 games of 1e with 3 players."


def test_verdicts_hold_for_the_players_of_a_run() -> None:
    wonders = levels(("a", 1.2, 0.1, 0.0), ("b", 0.8, 0.1, 0.0))
    (said,) = conclusions._valid_for(material_of(tables={"wonders": wonders}))
    assert said.headline == "The verdicts on wonders are for net and random."
    known = replace(wonders, frame=wonders.frame.with_columns(player_half_width=0.1))
    policies = levels(("a", 1.2, 0.1, 0.0), noun="policy")
    free = replace(wonders, frame=wonders.frame.drop("verdict"))
    other = replace(wonders, form="")
    for table in (known, policies, free, other):
        assert conclusions._valid_for(material_of(tables={"t": table})) == []


def test_dealt_factors_come_first() -> None:
    tables = {name: SimpleNamespace(form=form, labels=labels) for name, form, labels in (
        ("other", "", ("x",)), ("cards", "owners", ("card",)), ("policies", "levels", ("policy",)),
        ("wonders", "levels", ("wonder",)))}  # fmt: skip
    ordered = [name for name, _ in conclusions._important_first(cast("Any", tables))]
    assert ordered == ["wonders", "policies", "cards", "other"]
    assert conclusions.about_table(cast("Any", SimpleNamespace(form="humans")), "x", 1) == []


def outcomes_of(*, intervals: bool = True) -> Any:
    figures = {"score": (50.0, None), "winner": (60.0, None), "margin": (5.5, None), "shared": (None, 0.031)}
    rows = [{"figure": SUMMARY[name], "points": points, "points_low": points - 1 if points and intervals else None,
             "points_high": points + 1 if points and intervals else None, "share": share}
            for name, (points, share) in figures.items()]  # fmt: skip
    summary = Table(
        pl.DataFrame(rows, infer_schema_length=None), "S", columns=(estimated("points", POINTS), Column("share", SHARE))
    )
    frame = pl.DataFrame({"measure": ["points of blue", "points of red", "stages"], "of_points": [True, True, False],
                          "difference": [4.0, 3.0, 9.0], "difference_low": [3.5, 2.8, 8.0],
                          "difference_high": [4.5, 3.2, 10.0]})  # fmt: skip
    measures = Table(frame, "M", columns=(Column("measure", NAME), estimated("difference", POINTS, difference=True)))
    figure = lambda name: next(row for row in rows if row["figure"] == SUMMARY[name])  # noqa: E731
    return SimpleNamespace(summary=summary, measures=measures, figure=figure)


def test_scores_of_seats_and_winners_in_words() -> None:
    said = conclusions._about_scores(material_of(outcomes=outcomes_of()))
    assert said.headline == "Seats score 50.0 points on average, winners 60.0."
    assert said.detail == (
        "Means over 4,000 games; 95% intervals 49.00 to 51.00 and 59.00 to 61.00. Winners are 5.5 points ahead of "
        "second place (4.50 to 6.50); first place is shared in 3.1% of games."
    )
    alone = conclusions._about_scores(material_of(outcomes=outcomes_of(intervals=False)))
    assert alone.detail == "Means over 4,000 games; first place is shared in 3.1% of games."


def test_the_category_in_which_winners_lead() -> None:
    outcomes = outcomes_of()
    (said,) = conclusions._where_winners_lead(material_of(outcomes=outcomes))
    assert said.headline == "Winners are furthest ahead in blue."
    assert said.detail.startswith(
        "They make 4.0 points more in blue than the other seats (+3.50 to +4.50); next is red with 3.0."
    )
    frame = outcomes.measures.frame
    for changes, headlines in (
        ({"difference_high": [4.5, 3.5, 10.0]}, ["Winners are furthest ahead in blue or red."]),
        ({"difference_low": [0.0, 2.8, 8.0]}, ["No category of points sets the winners apart."]),
        ({"of_points": [True, False, False]}, []),
    ):
        outcomes.measures = replace(outcomes.measures, frame=frame.with_columns(**{
            name: pl.Series(values) for name, values in changes.items()}))  # fmt: skip
        assert [one.headline for one in conclusions._where_winners_lead(material_of(outcomes=outcomes))] == headlines


def test_seats_that_matter_are_named() -> None:
    seats = levels(("0", 1.1, 0.02, 0.0), ("1", 0.9, 0.02, 0.01), ("2", 1.0, 0.08, 0.7), noun="seat")
    (said,) = conclusions._about_seats(material_of(seats=seats))
    assert (said.kind, said.headline) == ("clear", "The seat at the table matters.")
    assert said.detail == (
        "Multiples of the fair share: seat 0 1.10 (95% interval 1.08 to 1.12) and seat 1 0.90 (95% interval 0.88 to "
        "0.92)."
    )
    fixed = run_of(plan={"rotate": False})
    (kept,) = conclusions._about_seats(material_of(seats=seats, run=fixed))
    assert kept.detail.endswith(" Policies kept their seats.")
    same = levels(("0", 1.01, 0.02, 0.3), ("1", 0.99, 0.05, 0.06), noun="seat")
    (said,) = conclusions._about_seats(material_of(seats=same))
    assert (said.kind, said.detail) == ("open", "Each win share is known to within 0.05 times the fair share.")
    assert conclusions._about_seats(material_of(seats=levels(("0", 1.0, 0.0, None), noun="seat"))) == []


def humans(*rows: tuple[str, str, bool, str | None, float, float]) -> Table:
    """Return a table of figure, group, whether it depends on the players, verdict, simulated and human mean."""
    frame = pl.DataFrame([
        {"figure": figure, "group": group, "informative": tells, "verdict": verdict, "simulated": simulated,
         "human": human, "difference": simulated - human, "difference_low": simulated - human - 1,
         "difference_high": simulated - human + 1, "difference_sd": (simulated - human) / 10}
        for figure, group, tells, verdict, simulated, human in rows
    ])  # fmt: skip
    return Table(frame, "H", columns=(estimated("difference", POINTS, difference=True),), form="humans")


def test_scores_against_human_players() -> None:
    table = humans(("score", "all", True, "within", 52.0, 50.0), ("coins", "all", True, "high", 9.0, 2.0),
                   ("shields", "all", True, "low", 1.0, 9.0), ("military", "all", False, "high", 90.0, 1.0),
                   ("score", "winner", True, "low", 1.0, 90.0))  # fmt: skip
    said = conclusions._against_humans(table, "calibration")
    assert said.headline == "These players score 52.0 points per seat, strong human players 50.0: 2.0 more."
    assert said.detail == (
        "1 of 3 figures that depend on the players are within the wide band of single seats. Furthest off: shields 1.0 "
        "against 9.0 and coins 9.0 against 2.0."
    )
    for simulated, words in ((49.5, "no clear difference."), (48.0, "2.0 fewer."), (51.0, "no clear difference.")):
        other = conclusions._against_humans(humans(("score", "all", True, "within", simulated, 50.0)), "x")
        assert other.headline.endswith(f"strong human players 50.0: {words}")
        assert "Furthest off" not in other.detail
    none = conclusions._against_humans(humans(("coins", "all", True, "within", 2.0, 2.0)), "x")
    assert none.headline == "1 of 1 figures are near those of strong human players."


def test_conclusions_are_sorted_from_clear_to_caution() -> None:
    kind = SimpleNamespace(family=lambda: "whatif")
    answers = [
        SimpleNamespace(kind=kind, document=lambda said=said: SimpleNamespace(conclusion=said))
        for said in (Conclusion("Open.", "", clear=False), Conclusion("Clear.", "why", clear=True), None)
    ]
    given = material_of(
        outcomes=outcomes_of(), seats=levels(("0", 1.0, 0.0, None), noun="seat"), answers=answers,
        tables={"wonders": levels(("a", 1.2, 0.1, 0.0), ("b", 0.8, 0.1, 0.0))},
    )  # fmt: skip
    found = conclusions.conclusions(given)
    assert [said.kind for said in found] == ["clear"] * 4 + ["open", "caution"]
    assert next(said.headline for said in found).startswith("The strongest wonder is a")
    assert Statement("clear", "Clear.", "why", "whatif") in found
