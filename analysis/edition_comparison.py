"""The first and second edition side by side: scores, categories, wonders, and the cards in both editions.

    marimo edit analysis/edition_comparison.py
    python analysis/edition_comparison.py --games 20000
    python analysis/edition_comparison.py --first runs/first --second runs/second
    marimo export html analysis/edition_comparison.py -o editions.html -- --games 20000

Without runs it plays --games games (default 4,000) of each edition, with the same policies. The editions have different
cards, so their games are not paired and the errors of the two add up.
"""

import marimo

app = marimo.App(width="medium", app_title="Editions")


@app.cell
def _():
    import altair as alt
    import marimo as mo
    import polars as pl

    import wsim
    from wsim import stats
    from wsim.wonders import analysis

    return alt, analysis, mo, pl, stats, wsim


@app.cell
def _(mo, wsim):
    given = mo.cli_args()
    games = int(given.get("games") or 4000)
    editions = {
        name: wsim.load_run(given.get(option))
        if given.get(option)
        else wsim.simulate(games=games, ruleset=name, seed=13)
        for name, option in (("1e", "first"), ("2e", "second"))
    }
    mo.md("# First and second edition")
    return (editions,)


@app.cell
def _(editions, mo, pl, stats):
    totals = pl.concat(
        [
            stats.policies(source).frame.with_columns(pl.lit(name).alias("edition"), pl.col("policy").cast(pl.String))
            for name, source in editions.items()
        ],
        how="diagonal",
    )
    points = [name for name in totals.columns if name.startswith("points_")]
    mo.vstack(
        [
            mo.md("## Scores and categories by policy"),
            totals.select(
                "edition", "policy", "n", "fair_share_ratio", "q", "score", "score_low", "score_high", *points
            ),
        ]
    )
    return (totals,)


@app.cell
def _(pl):
    def differences(first, second, key, value):
        """Return the second minus the first edition with 95% intervals, for the rows present in both."""
        columns = [value, f"{value}_low", f"{value}_high"]
        one, two = (
            frame.with_columns(pl.col(key).cast(pl.String)).select(key, *columns)
            for frame in (first.frame, second.frame)
        )
        both = one.join(two, on=key, suffix="_second")
        half = [(pl.col(f"{value}_high{end}") - pl.col(f"{value}_low{end}")) / 2 for end in ("", "_second")]
        change, reach = pl.col(f"{value}_second") - pl.col(value), (half[0] ** 2 + half[1] ** 2).sqrt()
        return both.select(
            key,
            pl.col(value).alias("first"),
            pl.col(f"{value}_second").alias("second"),
            change.alias("change"),
            (change - reach).alias("low"),
            (change + reach).alias("high"),
        ).sort("change", descending=True, nulls_last=True)

    return (differences,)


@app.cell
def _(alt, analysis, differences, editions, mo):
    by_wonder = differences(
        *(analysis.wonders(source, by="wonder") for source in editions.values()), "wonder", "fair_share_ratio"
    )
    rows = alt.Chart(by_wonder).encode(alt.Y("wonder:N", sort=None, title=None))
    chart = rows.mark_rule(strokeWidth=3).encode(
        alt.X("low:Q", title="ratio to the fair share of wins, second minus first edition"), alt.X2("high:Q")
    ) + rows.mark_point(filled=True, size=60).encode(alt.X("change:Q"))
    mo.vstack([mo.md("## Wonders, both sides together"), chart, by_wonder])
    return (by_wonder,)


@app.cell
def _(analysis, differences, editions, mo, stats):
    by_card = differences(*(analysis.cards(source) for source in editions.values()), "card", "win_difference")
    mo.vstack(
        [
            mo.md(f"## Cards of both editions\n\nWin share of owners minus that of others. {stats.OBSERVATIONAL}"),
            by_card.head(10),
            by_card.tail(10),
        ]
    )
    return (by_card,)


@app.cell
def _(by_card, by_wonder, mo, totals):
    if mo.app_meta().mode == "script":
        print(totals.select("edition", "policy", "score", "fair_share_ratio"))
        print(by_wonder)
        print(by_card.head(5))
    return


if __name__ == "__main__":
    app.run()
