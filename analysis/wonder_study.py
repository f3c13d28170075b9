"""A study of the wonders of a run: their strength, points, neighbours, and how much they decide.

    marimo edit analysis/wonder_study.py
    python analysis/wonder_study.py --run runs/my-run
    marimo export html analysis/wonder_study.py -o wonder_study.html -- --games 20000

Without --run (or the variable WSIM_RUN) it plays --games new games (default 5,000).
"""

import marimo

app = marimo.App(width="medium", app_title="Wonders")


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
    source = wsim.load_run(folder) if folder else wsim.simulate(games=games, seed=12)
    mo.md(f"# Wonders\n\nSource: {folder or f'{games:,} games played for this page'}.")
    return (source,)


@app.cell
def _(alt, analysis, mo, pl, source):
    wonders = analysis.wonders(source)
    named = wonders.frame.with_columns(pl.concat_str("wonder", "side", separator=" ").alias("board"))
    rows = alt.Chart(named).encode(alt.Y("board:N", sort=None, title=None))
    chart = (
        alt.Chart(pl.DataFrame({"fair": [1.0]})).mark_rule(strokeDash=[4, 3]).encode(alt.X("fair:Q"))
        + rows.mark_rule(strokeWidth=3).encode(
            alt.X("fair_share_ratio_low:Q", title="ratio to the fair share of wins").scale(zero=False),
            alt.X2("fair_share_ratio_high:Q"),
        )
        + rows.mark_point(filled=True, size=60).encode(alt.X("fair_share_ratio:Q"))
    )
    mo.vstack([mo.md(f"## How strong\n\n{wonders.note}"), chart])
    return (wonders,)


@app.cell
def _(analysis, mo, source):
    strengths = analysis.strengths(source)
    mo.vstack(
        [
            mo.md(f"## Strengths from the complete finishing order\n\n{strengths.note}"),
            strengths.frame.select("wonder", "side", "strength", "strength_low", "strength_high", "win_share", "q"),
        ]
    )
    return


@app.cell
def _(mo, wonders):
    points = [name for name in wonders.frame.columns if name.startswith("points_")]
    mo.vstack([mo.md("## Points by category"), wonders.frame.select("wonder", "side", "score", *points)])
    return


@app.cell
def _(analysis, mo, source):
    beside = analysis.wonders(analysis.with_neighbours(source), by=("wonder", "wonder_left")).frame
    columns = ["wonder", "wonder_left", "n", "fair_share_ratio", "fair_share_ratio_low", "fair_share_ratio_high", "q"]
    mo.vstack(
        [
            mo.md(
                "## Neighbours\n\nRatio to the fair share of wins by the wonder of the left neighbour, best and worst."
            ),
            beside.select(columns).head(8),
            beside.select(columns).tail(8),
        ]
    )
    return


@app.cell
def _(analysis, mo, source):
    variance = analysis.variance_shares(source)
    mo.vstack([mo.md(f"## How much they decide\n\n{variance.note}"), variance.frame])
    return (variance,)


@app.cell
def _(mo, variance, wonders):
    if mo.app_meta().mode == "script":
        print(wonders.frame.select("wonder", "side", "n", "fair_share_ratio", "q"))
        print(variance.frame)
    return


if __name__ == "__main__":
    app.run()
