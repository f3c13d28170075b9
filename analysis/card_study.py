"""A study of the cards in a run: which ones are correlated with winning, for which policies, and which combine well.

    marimo edit analysis/card_study.py
    python analysis/card_study.py --run runs/my-run
    marimo export html analysis/card_study.py -o card_study.html -- --games 20000

Without --run (or the variable WSIM_RUN) it plays --games new games (default 5,000).
"""

import marimo

app = marimo.App(width="medium", app_title="Cards")


@app.cell
def _():
    import os

    import altair as alt
    import marimo as mo
    import polars as pl

    import wsim
    from wsim.wonders import analysis

    return alt, analysis, mo, os, pl, wsim


@app.cell
def _(mo, os, wsim):
    folder = mo.cli_args().get("run") or os.environ.get("WSIM_RUN")
    games = int(mo.cli_args().get("games") or 5000)
    source = wsim.load_run(folder) if folder else wsim.simulate(games=games, seed=11)
    mo.md(f"# Cards\n\nSource: {folder or f'{games:,} games played for this page'}.")
    return (source,)


@app.cell
def _(analysis, mo, source):
    table = analysis.cards(source)
    mo.md(f"""
    ## Cards and winning

    The ratio to the fair share is the win share times the number of players: 1.00 is average at any table. {table.note}
    """)
    return (table,)


@app.cell
def _(alt, pl, table):
    clear = table.frame.filter(pl.col("win_q") < 0.05).sort("win_difference", descending=True)
    shown = pl.concat([clear.head(12), clear.tail(12)]).unique("card", maintain_order=True)
    rows = alt.Chart(shown).encode(alt.Y("card:N", sort=None, title=None))
    intervals = rows.mark_rule(strokeWidth=3).encode(
        alt.X("win_difference_low:Q", title="win share of owners minus that of others"), alt.X2("win_difference_high:Q")
    )
    points = rows.mark_point(filled=True, size=60).encode(
        alt.X("win_difference:Q"), tooltip=["card", "n", "win_difference", "win_difference_low", "win_difference_high"]
    )
    intervals + points
    return (clear,)


@app.cell
def _(clear, mo, table):
    mo.md(f"""
    {len(clear)} of {len(table.frame)} cards differ from the others at a false discovery rate of 5%.
    """)
    return


@app.cell
def _(analysis, mo, pl, source):
    by_policy = analysis.cards(source, by="policy").frame.with_columns(pl.col("policy").cast(pl.String))
    wide = by_policy.pivot("policy", index="card", values="win_difference")
    policies = [name for name in wide.columns if name != "card"]
    spread = pl.max_horizontal(policies) - pl.min_horizontal(policies)
    mo.vstack(
        [
            mo.md("## By policy\n\nDifference in win share by policy; the largest disagreements first."),
            wide.with_columns(spread.alias("spread")).sort("spread", descending=True, nulls_last=True).head(15),
        ]
    )
    return


@app.cell
def _(analysis, mo, source):
    pairs = analysis.card_pairs(source)
    columns = ["card", "other", "n", "affinity", "lift", "lift_low", "lift_high", "shrunk", "q"]
    mo.vstack([mo.md(f"## Pairs that work well together\n\n{pairs.note}"), pairs.frame.select(columns).head(15)])
    return (pairs,)


@app.cell
def _(mo, pairs, table):
    if mo.app_meta().mode == "script":
        print(table.frame.select("card", "n", "fair_share_ratio", "win_difference", "win_q").head(10))
        print(pairs.frame.select("card", "other", "n", "shrunk", "q").head(5))
    return


if __name__ == "__main__":
    app.run()
