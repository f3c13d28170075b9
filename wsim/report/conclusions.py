"""State conclusions in words, by rules that claim no more than the intervals and q-values support.

* An item is called above or below average only if its verdict says so (Benjamini-Hochberg over the table), as in the
  charts; otherwise, the sentence says that it cannot be distinguished from average.
* The best item of a table is named together with all items whose intervals overlap its interval. Figures with disjoint
  intervals differ clearly, whatever the covariance of the estimates; figures with overlapping intervals may or may not
  differ.
* If the differences between good players are known, verdicts and intervals allow for them; otherwise, a sentence names
  the players for which the conclusions are valid.
* A difference that is clear but smaller than ``SMALL`` is called small.
* Items that players choose (cards built) are judged by their worth, which is causal, and not by the results of their
  owners.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from wsim.display import interval_of, number, number_range, title, written
from wsim.document import DECIDED, Conclusion
from wsim.lab.answer import Stored
from wsim.questions.registry import questions
from wsim.report.charts import CLEAR
from wsim.report.material import Material
from wsim.stats.columns import FAIR, PLAYER_HALF_WIDTH
from wsim.stats.tables import Table

WORTH = "worth"
LOW, HIGH = f"{FAIR} from", f"{FAIR} to"
SMALL = 0.05
"""The difference, as a multiple of the fair share of wins, below which a clear difference is called small."""
FEW_GAMES = 2_000

Kind = Literal["clear", "open", "caution"]
MAX_RIVALS = 3
"""The number of candidates for the strongest item that still counts as clear, even if it is most of the table."""


@dataclass(frozen=True)
class Statement:
    """A conclusion about a run, as shown on its page.

    Attributes
    ----------
    kind: clear (supported by its interval), open (not decided by these games), caution (how to read the page).
    headline: the conclusion in a short sentence.
    detail: numbers, intervals and caveats.
    section: the id of the page section with the evidence; empty if there is none.
    """

    kind: Kind
    headline: str
    detail: str
    section: str = ""


def conclusions(material: Material) -> list[Statement]:
    """State the conclusions about a run, most important first."""
    statements: list[Statement] = [_played_by_people(material)] if material.run.people else []
    for name, table in _important_first(material.tables):
        statements += about_table(table, name, material.games)
    statements += _valid_for(material)
    statements.append(_about_scores(material))
    statements += _where_winners_lead(material)
    statements += _about_seats(material)
    statements += [_against_humans(table, name) for name, table in material.tables.items() if table.form == "humans"]
    statements += [
        _about_answer(answer, sentence) for answer in material.answers if (sentence := answer.document().conclusion)
    ]
    order = {"clear": 0, "open": 1, "caution": 2}
    return sorted(statements, key=lambda statement: order[statement.kind])


def about_table(table: Table, section: str, games: int) -> list[Statement]:
    """State the conclusions about a table of levels or owners, most important first; empty for other tables."""
    if table.form == "levels":
        return about_levels(table, section, games)
    if table.form == "owners":
        measured = WORTH in table.frame.columns
        return about_worth(table, section, games) if measured else [_unmeasured(table, section)]
    return []


def _played_by_people(material: Material) -> Statement:
    """Summarise people's games: numbers of games, players and groups, dates, source and licence."""
    run, about = material.run, material.run.people or {}
    names = [name for name in ("player", "group") if name in about["recorded"]]
    counts = run.seats.select(pl.col(name).n_unique() for name in names).collect().row(0) if names else ()
    phrases = [f"{count:,} {plural(name, count)}" for name, count in zip(names, counts, strict=True)]
    dates = about["dates"]
    parts = [
        f"{material.games:,} games of {run.plan.ruleset} with {run.plan.players} players",
        *([f"by {joined(phrases)}"] if phrases else []),
        *([f"from {dates[0]} to {dates[1]}"] if dates else []),
        *([f"source: {about['source']}"] if about["source"] else []),
        *([f"licence: {about['licence']}"] if about["licence"] else []),
        *([f"{about['games_left_out']:,} games with mistakes were left out"] if about["games_left_out"] else []),
    ]
    shown = [question for question in questions() if question.people_page]
    families = {str(answer.record["format"]).partition("/")[0].removeprefix("wsim-") for answer in material.answers}
    missing = [
        f"wsim {question.command} STUDY {run.path} -o {run.path}"
        for question in shown
        if not families.intersection(question.families)
    ]
    wanted = joined([question.section[:1].lower() + question.section[1:] for question in shown])
    more = f" The page also shows {wanted} after: {joined(missing)}." if missing else ""
    return Statement("clear", "What we played.", f"{'; '.join(parts)}.{more}")


def _valid_for(material: Material) -> list[Statement]:
    """Name the players for which the conclusions are valid, unless the figures of other players are known."""
    every = [table for table in material.tables.values() if table.form in ("levels", "owners")]
    judged = [table for table in every if table.labels[:1] != ("policy",) and "verdict" in table.frame.columns]
    alone = [plural(_noun(table)) for table in judged if PLAYER_HALF_WIDTH not in table.frame.columns]
    if not alone:
        return []
    names = named(list(dict.fromkeys(material.run.plan.policies)))
    headline = f"The verdicts on {joined(alone)} are for {names}."
    return [Statement("caution", headline, "How much the verdicts differ between good players is not known here.")]


def _important_first(tables: Mapping[str, Table]) -> list[tuple[str, Table]]:
    """Sort levels before owners, with policies last among levels: dealt factors are more informative than policies."""
    order = {"levels": 0, "owners": 1}
    return sorted(tables.items(), key=lambda item: (order.get(item[1].form, 2), item[1].labels[:1] == ("policy",)))


_PLURALS = {"policy": "policies", "class": "classes"}


def plural(noun: str, how_many: int = 2) -> str:
    """Return a noun in the singular or plural, depending on ``how_many``."""
    return noun if how_many == 1 else _PLURALS.get(noun, f"{noun}s")


def joined(words: Sequence[str], last: str = "and") -> str:
    """Join words as ``a, b and c``."""
    return " ".join([", ".join(words[:-1]), last, words[-1]]) if len(words) > 1 else "".join(words)


def named(words: Sequence[str], most: int = 4, last: str = "and") -> str:
    """Join words like ``joined``, but shorten lists of more than about ``most`` words: ``a, b, c, d and 3 more``."""
    if len(words) <= most + 1:
        return joined(words, last)
    return joined([*words[:most], f"{len(words) - most} more"])


def _noun(table: Table) -> str:
    """Return the noun for a table row, such as ``card`` or ``wonder``."""
    return table.labels[0].replace("_", " ")


def labelled(table: Table, *columns: str) -> pl.DataFrame:
    """Return the rows for items that at least one seat had, with a label and with interval ends as separate columns."""
    frame = table.frame.filter(pl.col("n") > 0)
    label = pl.concat_str([pl.col(name).cast(pl.String) for name in table.labels], separator=" ").alias("label")
    ends = [
        pl.col(end).alias(f"{name} {which}")
        for name in columns
        for end, which in zip(table.column(name).ends or (), ("from", "to"), strict=True)
    ]
    return frame.select(label, pl.all().exclude("label"), *ends)


def interval_in_words(row: Mapping[str, Any], name: str, decimals: int = 2) -> str:
    numbers = number_range(row[f"{name} from"], row[f"{name} to"], decimals)
    return f"95% interval {numbers}{_allowing(row)}"


def _allowing(row: Mapping[str, Any]) -> str:
    """Return a remark if a row's interval allows for other good players (``with_players``); else empty."""
    return ", allowing for other good players" if row.get(PLAYER_HALF_WIDTH) is not None else ""


def about_levels(table: Table, section: str, games: int) -> list[Statement]:
    """State which levels win more or less than their fair share."""
    rows, noun = labelled(table, FAIR), _noun(table)
    known = with_players(rows.filter(pl.col("q").is_not_null() & pl.col(LOW).is_not_null()))
    if len(rows) == 1:
        only = rows["label"][0]
        return [Statement("caution", f"One {noun} only, {only}: {plural(noun)} cannot be compared.", "", section)]
    if known.is_empty():
        return [_no_intervals(noun, section)]
    clear = known.filter(pl.col("verdict").is_in(DECIDED))
    above = clear.filter(pl.col(FAIR) > 1).sort(FAIR, descending=True)
    below = clear.filter(pl.col(FAIR) < 1).sort(FAIR)
    if above.is_empty() and below.is_empty():
        return [_nothing_clear(known, noun, section, games)]
    statements = []
    if len(above):
        statements.append(_extreme(above, known, noun, section, strongest=True))
    if len(below) and (
        len(known) > 2 or above.is_empty()
    ):  # with two levels, one is above if and only if the other is below
        statements.append(_extreme(below, known, noun, section, strongest=False))
    statements += _count_levels(len(above), len(below), len(known), noun, section)
    return statements


def with_players(rows: pl.DataFrame, figure: str = FAIR) -> pl.DataFrame:
    """Widen the intervals in a table by the differences between good players, where these are known."""
    if PLAYER_HALF_WIDTH not in rows.columns:
        return rows
    low, high = f"{figure} from", f"{figure} to"
    unit = pl.col(FAIR) / pl.col("win_share") if figure == FAIR else pl.lit(1.0)
    player = pl.col(PLAYER_HALF_WIDTH).fill_null(0.0) * unit
    half, middle = ((pl.col(high) - pl.col(low)) / 2).pow(2) + player.pow(2), (pl.col(high) + pl.col(low)) / 2
    return rows.with_columns((middle - half.sqrt()).alias(low), (middle + half.sqrt()).alias(high))


def _extreme(clear: pl.DataFrame, known: pl.DataFrame, noun: str, section: str, *, strongest: bool) -> Statement:
    """Name the strongest or weakest level and all levels that cannot be distinguished from it."""
    first = clear.row(0, named=True)
    others = known.filter(pl.col("label") != first["label"]).sort(FAIR, descending=strongest)
    end, edge = (HIGH, LOW) if strongest else (LOW, HIGH)
    overlap = pl.col(end) >= first[edge] if strongest else pl.col(end) <= first[edge]
    rivals = others.filter(overlap)
    word = "strongest" if strongest else "weakest"
    numbers = f"{number(first[FAIR])} times its fair share ({interval_in_words(first, FAIR)})"
    if len(rivals):
        both = [first["label"], *rivals["label"].to_list()]
        if len(both) > MAX_RIVALS and 2 * len(both) > len(known):  # too many candidates for a conclusion
            headline = f"Which {noun} is the {word} is open: {len(both)} of {len(known)} may be."
            return Statement("open", headline, f"{first['label']}: {numbers}; the intervals overlap.", section)
        headline = f"The {word} {noun} is one of {len(both)}: {named(both, last='or')}."
        where = "highest" if strongest else "lowest"
        detail = f"{first['label']} has the {where} estimate, {numbers}; the intervals overlap."
    else:
        headline = f"The {word} {noun} is {first['label']}: it wins {number(first[FAIR])} times its fair share."
        detail = f"{title(interval_in_words(first, FAIR))}."
        if len(others):
            second = others.row(0, named=True)
            detail += f" Next is {second['label']} with {number(second[FAIR])}, and the intervals do not overlap."
    small = abs(first[FAIR] - 1) < SMALL
    return Statement("clear", headline, f"{detail} A real but small difference." if small else detail, section)


def _count_levels(above: int, below: int, known: int, noun: str, section: str) -> list[Statement]:
    """State how many levels are clearly above average, clearly below, or unclear."""
    unclear = known - above - below
    counted = ((above, "more"), (below, "less"))
    parts = [f"{count} {'wins' if count == 1 else 'win'} {word}" for count, word in counted if count]
    if not unclear:
        headline = f"All {known} {plural(noun)} differ from average: {joined(parts)} than their fair share."
        return [Statement("clear", headline, "", section)] if known > 2 else []
    return [
        Statement(
            "open",
            f"{unclear} of {known} {plural(noun)} cannot be distinguished from average.",
            f"{title(joined(parts))} than the fair share: q below {CLEAR}, and also for other good players if known.",
            section,
        )
    ]


def _no_intervals(noun: str, section: str) -> Statement:
    return Statement("open", f"Too few games to compare {plural(noun)}.", "No interval can be given.", section)


def _nothing_clear(known: pl.DataFrame, noun: str, section: str, games: int) -> Statement:
    low, high = known[FAIR].min(), known[FAIR].max()
    reach = ((known[HIGH] - known[LOW]) / 2).median()
    return Statement(
        "open",
        f"No {noun} can be distinguished from average in {games:,} games.",
        f"The estimates go from {number_range(_as_float(low), _as_float(high))} times the fair share, "
        f"each give or take {number(_as_float(reach))}"
        f"{', including what other good players find' if PLAYER_HALF_WIDTH in known.columns else ''}.",
        section,
    )


def _as_float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _unmeasured(table: Table, section: str) -> Statement:
    """State that the run did not measure the worth of the items in a table."""
    noun, how = _noun(table), table.note.partition(". ")[0] if table.note.startswith("Worth") else ""
    headline = f"What each {noun} is worth was not measured: this run only shows who has it."
    return Statement("caution", headline, f"{how}." if how else "", section)


def about_worth(table: Table, section: str, games: int) -> list[Statement]:
    """Name the items with the highest and lowest worth to the seats that want them."""
    rows, noun = labelled(table, WORTH), _noun(table)
    known = rows.filter(pl.col("q").is_not_null())
    if known.is_empty():
        return [_no_intervals(noun, section)]
    known = with_players(known, WORTH)
    clear = known.filter(pl.col("verdict").is_in(DECIDED))
    if clear.is_empty():
        return [Statement("open", f"No {noun} is clearly worth anything in {games:,} games.", "", section)]
    statements = []
    for best in (True, False):
        order = clear.sort(WORTH, descending=best)
        first = order.row(0, named=True)
        if (first[WORTH] > 0) == best:
            others = known.filter(pl.col("label") != first["label"])
            statements.append(_worth_most(first, others.sort(WORTH, descending=best), noun, section))
    good, unclear = len(clear.filter(pl.col(WORTH) > 0)), len(known) - len(clear)
    parts = f"{good} clearly help the seats that want them, {len(clear) - good} clearly harm them"
    caveat = f"Clearly: q below {CLEAR}, and also for other good players if known."
    if unclear:
        headline = f"{unclear} of {len(known)} {plural(noun)} do not differ clearly from the next best move."
        statements.append(Statement("open", headline, f"{parts}. {caveat}", section))
    else:
        statements.append(Statement("clear", f"Of {len(known)} {plural(noun)}, {parts}.", caveat, section))
    return statements


def _worth_most(first: Mapping[str, Any], others: pl.DataFrame, noun: str, section: str) -> Statement:
    """Name the item with the highest worth (or cost) and all items that do not differ clearly from it."""
    gains = first[WORTH] > 0
    word, more = ("most", "more") if gains else ("least", "less")
    end, edge = (f"{WORTH} to", f"{WORTH} from") if gains else (f"{WORTH} from", f"{WORTH} to")
    rivals = others.filter(pl.col(end) >= first[edge] if gains else pl.col(end) <= first[edge])["label"].to_list()
    if rivals:
        headline = f"The {noun} worth {word} is one of {1 + len(rivals)}: "
        headline += f"{named([first['label'], *rivals], last='or')}."
    else:
        headline = f"The {noun} worth {word} is {first['label']}."
    low, high = sorted(abs(first[f"{WORTH} {end}"]) for end in ("from", "to"))
    return Statement(
        "clear",
        headline,
        f"Seats that want {first['label']} win {number(100 * abs(first[WORTH]), 1)} percentage points {more} often "
        f"with it than with their next best move ({number_range(100 * low, 100 * high, 1)}{_allowing(first)}). "
        "The most extreme of many estimates is usually too extreme.",
        section,
    )


def _about_scores(material: Material) -> Statement:
    summary = material.outcomes.summary
    score, winner, margin, shared = (material.outcomes.figure(name) for name in ("score", "winner", "margin", "shared"))
    points, share = summary.column("points"), summary.column("share")
    headline = f"Seats score {number(score['points'], 1)} points on average, winners {number(winner['points'], 1)}."
    detail = f"Means over {material.games:,} games"
    if points.interval(winner) is not None:
        detail += (
            f"; 95% intervals {interval_of(points, score)} and {interval_of(points, winner)}"
            f". Winners are {number(margin['points'], 1)} points ahead of second place ({interval_of(points, margin)})"
        )
    return Statement(
        "clear", headline, f"{detail}; first place is shared in {written(share, shared['share'])} of games.", "scores"
    )


def _where_winners_lead(material: Material) -> list[Statement]:
    """Name the point category in which winners are furthest ahead of the other seats."""
    table = material.outcomes.measures
    difference = table.column("difference")
    rows = [row for row in table.frame.to_dicts() if row["of_points"] and difference.interval(row) is not None]
    if len(rows) < 2:
        return []
    first, second = rows[:2]
    (low, _), (_, high) = difference.interval(first) or (0, 0), difference.interval(second) or (0, 0)
    if low <= 0:
        return [Statement("open", "No category of points sets the winners apart.", "", "winners")]
    name, next_name = (row["measure"].removeprefix("points of ") for row in (first, second))
    either = "" if high < low else f" or {next_name}"
    detail = (
        f"They make {number(first['difference'], 1)} points more in {name} than the other seats "
        f"({interval_of(difference, first)}); next is {next_name} with {number(second['difference'], 1)}. Winners are "
        "picked by their score, so categories that vary a lot weigh most."
    )
    return [Statement("clear", f"Winners are furthest ahead in {name}{either}.", detail, "winners")]


def _about_seats(material: Material) -> list[Statement]:
    rows = labelled(material.seats, FAIR).filter(pl.col("q").is_not_null())
    clear = rows.filter(pl.col("q") < CLEAR).sort(FAIR, descending=True)
    if rows.is_empty():
        return []
    if clear.is_empty():
        reach = _as_float(((rows[HIGH] - rows[LOW]) / 2).max())
        detail = f"Each win share is known to within {number(reach)} times the fair share."
        return [Statement("open", "No seat at the table is clearly better than the others.", detail, "seats")]
    parts = [f"seat {row['label']} {number(row[FAIR])} ({interval_in_words(row, FAIR)})" for row in clear.to_dicts()]
    fixed = not material.run.plan.rotate and len(set(material.run.plan.policies)) > 1
    caveat = " Policies kept their seats." if fixed else ""
    return [
        Statement(
            "clear", "The seat at the table matters.", f"Multiples of the fair share: {named(parts)}.{caveat}", "seats"
        )
    ]


def _against_humans(table: Table, section: str) -> Statement:
    """State how many figures in a table are close to the figures of human players."""
    known = table.frame.filter(pl.col("verdict").is_not_null() & (pl.col("group") == "all"))
    frame = known.filter("informative")
    within = len(frame.filter(pl.col("verdict") == "within"))
    off = frame.filter(pl.col("verdict") != "within").sort(pl.col("difference_sd").abs(), descending=True)
    far = [f"{row['figure']} {number(row['simulated'], 1)} against {number(row['human'], 1)}" for row in off.to_dicts()]
    return Statement(
        "clear",
        _score_against_humans(table, known)
        or f"{within} of {len(frame)} figures are near those of strong human players.",
        f"{within} of {len(frame)} figures that depend on the players are within the wide band of single seats."
        + (f" Furthest off: {named(far, most=3)}." if far else ""),
        section,
    )


def _score_against_humans(table: Table, known: pl.DataFrame) -> str:
    """Compare the mean score with the mean score of human players in one sentence; empty if it was not compared."""
    difference = table.column("difference")
    rows = [row for row in known.to_dicts() if row["figure"] == "score" and difference.interval(row) is not None]
    if not rows:
        return ""
    row, (low, high) = rows[0], difference.interval(rows[0]) or (0, 0)
    scores = f"{number(row['simulated'], 1)} points per seat, strong human players {number(row['human'], 1)}"
    if low <= 0 <= high:
        return f"These players score {scores}: no clear difference."
    word = "more" if row["difference"] > 0 else "fewer"
    return f"These players score {scores}: {number(abs(row['difference']), 1)} {word}."


def _about_answer(answer: Stored, conclusion: Conclusion) -> Statement:
    return Statement(
        "clear" if conclusion.clear else "open", conclusion.headline, conclusion.detail, answer.kind.family()
    )


def cautions(material: Material) -> list[Statement]:
    """Return cautions about interpreting the page."""
    run = material.run
    statements = []
    if not run.complete:
        text = f"The run is not finished: {material.games:,} of {len(run.wanted):,} games."
        statements.append(Statement("caution", text, "Continue it with wsim run --resume."))
    if material.games < FEW_GAMES:
        statements.append(
            Statement(
                "caution", f"Only {material.games:,} games.", "Intervals are wide; small differences remain undetected."
            )
        )
    statements += [
        Statement("caution", f"No table of {name}.", f"{title(why)}.") for name, why in material.refused.items()
    ]
    policies = list(dict.fromkeys(run.plan.policies))
    if run.people:
        chosen = run.people["boards"] == "chosen"
        statements.append(
            Statement(
                "caution",
                "People chose their boards." if chosen else "Boards were drawn.",
                "A good player who likes a wonder makes it look good." if chosen else "So wonders can be compared.",
            )
        )
        return statements
    statements.append(
        Statement(
            "caution",
            f"All figures are for the simulated players: {joined(policies)}.",
            "Other policies, or people, may value the same things differently.",
        )
    )
    if not run.plan.rotate and len(policies) > 1:
        statements.append(
            Statement(
                "caution", "Policies kept their seats.", "A policy's figures include those of its seat.", "policies"
            )
        )
    return statements
