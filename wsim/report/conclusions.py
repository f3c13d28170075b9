"""The conclusions in words, by rules that say no more than the intervals and q-values allow.

* Something is called above or below average only if its q-value (Benjamini-Hochberg over the table) is below
  ``CLEAR``; otherwise the sentence says that nothing can be told.
* The best of a table is named together with all that its interval overlaps: intervals that do not overlap differ
  clearly, whatever the two estimates have in common; those that do may differ or not.
* A difference that is clear but smaller than ``SMALL`` is called small.
* What was chosen by a player (cards built) is called associated with winning, never a cause of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from wsim.lab.answer import Stored
from wsim.report.material import Material
from wsim.report.shapes import by_policy, labelled, noun_of, shape_of, shape_of_answer
from wsim.report.wording import (
    count,
    effect_text,
    joined,
    named,
    number,
    number_range,
    percent,
    plural,
    points_name,
    title,
)

CLEAR = 0.05
SMALL = 0.05
"""Five per cent of the fair share of wins: less than this is called small."""
FEW_GAMES = 2_000

Kind = Literal["clear", "open", "caution"]


@dataclass(frozen=True)
class Statement:
    """One conclusion.

    Attributes
    ----------
    kind: clear (supported by its interval), open (cannot be told from these games), caution (how to read the page).
    headline: the conclusion in a short sentence.
    detail: numbers, intervals and caveats.
    section: the id of the section of the page that shows it; empty for none.
    """

    kind: Kind
    headline: str
    detail: str
    section: str = ""


def conclusions(material: Material) -> list[Statement]:
    """Return what the run says, the most important first."""
    found: list[Statement] = []
    for name, table in _important_first({name: table.frame for name, table in material.tables.items()}):
        noun, shape = noun_of(name, table), shape_of(table)
        if shape == "levels":
            found += about_levels(labelled(table), noun, name, material.games)
        elif shape == "owners":
            found += about_owners(labelled(table), noun, name, material.games, within=_within(material))
    found.append(_scores(material))
    found += _winners(material)
    found += _seats(material)
    for name, made in material.tables.items():
        if shape_of(made.frame) == "humans":
            found.append(_beside_humans(made.frame, name))
    found += [_effects(answer) for answer in material.answers if shape_of_answer(answer.main) == "effects"]
    order = {"clear": 0, "open": 1, "caution": 2}
    return sorted(found, key=lambda statement: order[statement.kind])


def _important_first(tables: Mapping[str, pl.DataFrame]) -> list[tuple[str, pl.DataFrame]]:
    """Return levels before owners, policies last of the levels: what is dealt says more than what was seated."""
    order = {"levels": 0, "owners": 1}
    return sorted(tables.items(), key=lambda item: (order.get(shape_of(item[1]) or "", 2), by_policy(item[1])))


def _interval(row: Mapping[str, Any], name: str, decimals: int = 2) -> str:
    return f"95 % interval {number_range(row[f'{name}_low'], row[f'{name}_high'], decimals)}"


def about_levels(rows: pl.DataFrame, noun: str, section: str, games: int) -> list[Statement]:
    """Say which levels win more and less than their fair share; ``rows`` is a labelled table of levels."""
    known = rows.filter(pl.col("q").is_not_null() & pl.col("win_points_low").is_not_null())
    if len(rows) == 1:
        only = rows["label"][0]
        return [Statement("caution", f"One {noun} only, {only}: {plural(noun)} cannot be compared.", "", section)]
    if known.is_empty():
        return [_no_intervals(noun, section)]
    above = known.filter((pl.col("q") < CLEAR) & (pl.col("win_points") > 1)).sort("win_points", descending=True)
    below = known.filter((pl.col("q") < CLEAR) & (pl.col("win_points") < 1)).sort("win_points")
    if above.is_empty() and below.is_empty():
        return [_nothing_clear(known, noun, section, games)]
    found = []
    if len(above):
        found.append(_extreme(above, known, noun, section, strongest=True))
    if len(below) and (len(known) > 2 or above.is_empty()):  # of two, the one is what the other is not
        found.append(_extreme(below, known, noun, section, strongest=False))
    found += _the_rest(len(above), len(below), len(known), noun, section)
    return found


def _extreme(clear: pl.DataFrame, known: pl.DataFrame, noun: str, section: str, *, strongest: bool) -> Statement:
    """Name the strongest or weakest level, and all that cannot be told from it."""
    first = clear.row(0, named=True)
    others = known.filter(pl.col("label") != first["label"]).sort("win_points", descending=strongest)
    end, edge = ("win_points_high", "win_points_low") if strongest else ("win_points_low", "win_points_high")
    overlap = pl.col(end) >= first[edge] if strongest else pl.col(end) <= first[edge]
    rivals = others.filter(overlap)
    word = "strongest" if strongest else "weakest"
    numbers = f"{number(first['win_points'])} times its fair share ({_interval(first, 'win_points')})"
    if len(rivals):
        both = [first["label"], *rivals["label"].to_list()]
        headline = f"The {word} {noun} is one of {len(both)}: {named(both, last='or')}."
        where = "highest" if strongest else "lowest"
        detail = f"{first['label']} has the {where} estimate, {numbers}; the intervals overlap."
    else:
        headline = f"The {word} {noun} is {first['label']}: it wins {number(first['win_points'])} times its fair share."
        detail = f"{title(_interval(first, 'win_points'))}."
        if len(others):
            second = others.row(0, named=True)
            detail += (
                f" Next is {second['label']} with {number(second['win_points'])}, and the intervals do not overlap."
            )
    small = abs(first["win_points"] - 1) < SMALL
    return Statement("clear", headline, f"{detail} A real but small difference." if small else detail, section)


def _the_rest(above: int, below: int, known: int, noun: str, section: str) -> list[Statement]:
    """Count what is clear and what is not."""
    unclear = known - above - below
    counted = ((above, "more"), (below, "less"))
    parts = [f"{count} {'wins' if count == 1 else 'win'} {word}" for count, word in counted if count]
    if not unclear:
        headline = f"All {known} {plural(noun)} differ from average: {joined(parts)} than their fair share."
        return [Statement("clear", headline, "", section)] if known > 2 else []
    return [
        Statement(
            "open",
            f"{unclear} of {known} {plural(noun)} cannot be told from average.",
            f"{title(joined(parts))} than their fair share, by q-values below {CLEAR}.",
            section,
        )
    ]


def _no_intervals(noun: str, section: str) -> Statement:
    return Statement("open", f"Too few games to compare {plural(noun)}.", "No interval can be given.", section)


def _nothing_clear(known: pl.DataFrame, noun: str, section: str, games: int) -> Statement:
    low, high = known["win_points"].min(), known["win_points"].max()
    reach = ((known["win_points_high"] - known["win_points_low"]) / 2).median()
    return Statement(
        "open",
        f"No {noun} can be told from average in {count(games)} games.",
        f"The estimates go from {number_range(_float(low), _float(high))} times the fair share, "
        f"each give or take {number(_float(reach))}.",
        section,
    )


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _within(material: Material) -> str:
    """Return with whom owners are compared, if there are several policies."""
    return " of the same policy" if len(set(material.run.plan.policies)) > 1 else ""


def about_owners(rows: pl.DataFrame, noun: str, section: str, games: int, *, within: str = "") -> list[Statement]:
    """Say what goes with winning, without saying that it causes it.

    ``rows`` is a labelled table of owners; ``within`` says what those have in common who are compared.
    """
    known = rows.filter(pl.col("win_q").is_not_null())
    if known.is_empty():
        return [_no_intervals(noun, section)]
    clear = known.filter(pl.col("win_q") < CLEAR)
    if clear.is_empty():
        return [
            Statement("open", f"No {noun} clearly goes with winning or losing in {count(games)} games.", "", section)
        ]
    found = []
    for best in (True, False):
        order = clear.sort("win_difference", descending=best)
        first = order.row(0, named=True)
        if (first["win_difference"] > 0) == best:
            others = known.filter(pl.col("label") != first["label"])
            found.append(_goes_with(first, others.sort("win_difference", descending=best), noun, section, within))
    good = len(clear.filter(pl.col("win_difference") > 0))
    unclear = len(known) - len(clear)
    parts = f"{good} {'goes' if good == 1 else 'go'} with winning, {len(clear) - good} with losing"
    caveat = f"By q-values below {CLEAR}; observational. A pick experiment or a what-if tells what something causes."
    if unclear:
        verb = "goes" if unclear == 1 else "go"
        headline = f"{unclear} of {len(known)} {plural(noun)} {verb} clearly with neither winning nor losing."
        found.append(Statement("open", headline, f"{title(parts)}. {caveat}", section))
    else:
        found.append(Statement("clear", f"Of {len(known)} {plural(noun)}, {parts}.", caveat, section))
    return found


def _goes_with(first: Mapping[str, Any], others: pl.DataFrame, noun: str, section: str, within: str) -> Statement:
    """Name what goes most clearly with winning or losing, and all that cannot be told from it."""
    wins = first["win_difference"] > 0
    word, more = ("winning", "more") if wins else ("losing", "less")
    end, edge = ("win_difference_high", "win_difference_low") if wins else ("win_difference_low", "win_difference_high")
    rivals = others.filter(pl.col(end) >= first[edge] if wins else pl.col(end) <= first[edge])["label"].to_list()
    if rivals:
        headline = f"The {noun} most associated with {word} is one of {1 + len(rivals)}: "
        headline += f"{named([first['label'], *rivals], last='or')}."
    else:
        headline = f"The {noun} most associated with {word} is {first['label']}."
    low, high = sorted(abs(first[f"win_difference_{side}"]) for side in ("low", "high"))
    return Statement(
        "clear",
        headline,
        f"Seats with {first['label']} win {number(first['win_points'])} times their fair share "
        f"({_interval(first, 'win_points')}), {number(100 * abs(first['win_difference']), 1)} percentage points {more} "
        f"often than seats{within} without it ({number_range(100 * low, 100 * high, 1)}). Observational; and the most "
        "extreme of many estimates tends to overstate.",
        section,
    )


def _scores(material: Material) -> Statement:
    score, winner, margin, shared = (material.outcomes.figure(name) for name in ("score", "winner", "margin", "shared"))
    text = f"Seats score {number(score[0], 1)} points on average, winners {number(winner[0], 1)}."
    detail = f"Means over {count(material.games)} games"
    if winner[1] is not None:
        detail += (
            f"; 95 % intervals {number_range(score[1], score[2])} and {number_range(winner[1], winner[2])}"
            f". The first is {number(margin[0], 1)} points ahead of the second ({number_range(margin[1], margin[2])})"
        )
    return Statement("clear", text, f"{detail}; first place is shared in {percent(shared[0])} of games.", "scores")


def _winners(material: Material) -> list[Statement]:
    """Say in which category of points winners are furthest ahead of the others."""
    points = material.outcomes.measures.filter(
        pl.col("measure").str.starts_with("points_") & pl.col("difference_low").is_not_null()
    ).sort("difference", descending=True)
    if len(points) < 2:
        return []
    first, second = points.row(0, named=True), points.row(1, named=True)
    if first["difference_low"] <= 0:
        return [Statement("open", "No category of points sets the winners apart.", "", "winners")]
    name = points_name(first["measure"])
    clear = second["difference_high"] < first["difference_low"]
    headline = (
        f"Winners are furthest ahead in {name}."
        if clear
        else f"Winners are furthest ahead in {name} or {points_name(second['measure'])}."
    )
    detail = (
        f"They make {number(first['difference'], 1)} points more in {name} than the others "
        f"({number_range(first['difference_low'], first['difference_high'])}); next is "
        f"{points_name(second['measure'])} with {number(second['difference'], 1)}. Winners are picked by their score, "
        "so categories that vary much weigh most."
    )
    return [Statement("clear", headline, detail, "winners")]


def _seats(material: Material) -> list[Statement]:
    rows = material.seats.filter(pl.col("q").is_not_null()).with_columns(
        ("seat " + pl.col("seat").cast(pl.String)).alias("label")
    )
    clear = rows.filter(pl.col("q") < CLEAR).sort("win_points", descending=True)
    if rows.is_empty():
        return []
    if clear.is_empty():
        reach = _float(((rows["win_points_high"] - rows["win_points_low"]) / 2).max())
        detail = f"Each share of wins is known to {number(reach)} times the fair one, or better."
        return [Statement("open", "No seat at the table is seen to be better than another.", detail, "seats")]
    parts = [f"{row['label']} {number(row['win_points'])} ({_interval(row, 'win_points')})" for row in clear.to_dicts()]
    caveat = (
        "" if material.run.plan.rotate or len(set(material.run.plan.policies)) == 1 else " Policies kept their seats."
    )
    return [
        Statement("clear", "Where one sits matters.", f"Times the fair share of wins: {named(parts)}.{caveat}", "seats")
    ]


def _beside_humans(table: pl.DataFrame, section: str) -> Statement:
    """Say how many figures are like those of human players; ``table`` has the shape ``humans``."""
    known = table.filter(pl.col("verdict").is_not_null() & (pl.col("group") == "all"))
    frame = known.filter("tells") if "tells" in known.columns else known
    within = len(frame.filter(pl.col("verdict") == "within"))
    off = frame.filter(pl.col("verdict") != "within").sort(pl.col("difference_sd").abs(), descending=True)
    far = [
        f"{title(row['figure']).lower()} {number(row['simulated'], 1)} against {number(row['human'], 1)}"
        for row in off.to_dicts()
    ]
    return Statement(
        "clear",
        _score_beside_humans(known) or f"{within} of {len(frame)} figures are near those of strong human players.",
        f"{within} of {len(frame)} figures that depend on who plays are within the band of single seats, which is wide."
        + (f" Furthest off: {named(far, most=3)}." if far else ""),
        section,
    )


def _score_beside_humans(known: pl.DataFrame) -> str:
    """Return how the mean score stands to that of the humans; empty if it was not compared."""
    rows = known.filter((pl.col("figure") == "score") & pl.col("difference_low").is_not_null())
    if rows.is_empty():
        return ""
    row = rows.row(0, named=True)
    scores = f"{number(row['simulated'], 1)} points a seat, strong human players {number(row['human'], 1)}"
    if row["difference_low"] <= 0 <= row["difference_high"]:
        return f"These players score {scores}: no difference is seen."
    word = "more" if row["difference"] > 0 else "fewer"
    return f"These players score {scores}: {number(abs(row['difference']), 1)} {word}."


def _effects(answer: Stored) -> Statement:
    """Say what a what-if found, variant by variant."""
    rows = answer.main.filter(pl.col("verdict").ne_missing("same")).to_dicts()
    clear = [row for row in rows if row["verdict"] in ("higher", "lower")]
    metric = answer.record["question"]["metric"]
    chosen = sorted(clear or rows, key=lambda row: -abs(row["effect"] or 0))
    parts = [effect_text(row) for row in chosen]
    if clear:
        verb = "changes" if len(clear) == 1 else "change"
        headline = f"What if: {len(clear)} of {len(rows)} {plural('variant', len(rows))} clearly {verb} {metric}."
    elif any(row["verdict"] is None for row in rows):
        headline = f"What if: no verdict on {metric}, which is about seats that the change itself has chosen."
    else:
        headline = f"What if: no clear effect on {metric}."
    detail = f"{named(parts, most=3)}, on {count(answer.record['deals'])} common deals."
    return Statement("clear" if clear else "open", headline, detail, "whatif")


def cautions(material: Material) -> list[Statement]:
    """Return how this page is to be read."""
    run = material.run
    found = []
    if not run.complete:
        text = f"The run is not finished: {count(material.games)} of {count(len(run.wanted))} games."
        found.append(Statement("caution", text, "Continue it with wsim run --resume."))
    if material.games < FEW_GAMES:
        found.append(
            Statement(
                "caution", f"Only {count(material.games)} games.", "Intervals are wide; small differences stay unseen."
            )
        )
    found += [Statement("caution", f"No table of {name}.", f"{title(why)}.") for name, why in material.refused.items()]
    policies = list(dict.fromkeys(run.plan.policies))
    found.append(
        Statement(
            "caution",
            f"All this holds for the players simulated: {joined(policies)}.",
            "Other policies, or people, may value the same things differently.",
        )
    )
    if not run.plan.rotate and len(policies) > 1:
        found.append(
            Statement(
                "caution", "Policies kept their seats.", "A policy's figures include those of its seat.", "policies"
            )
        )
    return found
