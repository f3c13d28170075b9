"""A first study of Tower of Babel: which strategy wins with 3, 4 and 5 players, and how much the assumed tables matter.

    marimo edit analysis/babel_study.py
    python analysis/babel_study.py --games 10000

Everything is played on common deals: the baseline and each alternative table use the same seed and seats.
"""

import marimo

app = marimo.App(width="medium", app_title="Tower of Babel")


@app.cell
def _():
    from itertools import combinations

    import marimo as mo
    import polars as pl

    import wsim
    from wsim import stats

    return combinations, mo, pl, stats, wsim


@app.cell
def _(mo):
    games = int(mo.cli_args().get("games") or 4000)
    plans = ("builder", "supplier", "collector", "majority")
    # Alternatives to the assumptions about the components, one at a time.
    alternatives = {
        **{
            f"discs {', '.join(map(str, discs))}": [
                f"babel.discs.{kind}={list(discs)}" for kind in ("camel", "crane", "ship", "stonemason")
            ]
            for discs in ((3, 3, 4, 4, 5, 6), (3, 4, 5, 5, 6, 6), (3, 4, 5, 5, 5, 6), (3, 4, 4, 4, 5, 6))
        },
        "value table rises slowly": [
            f"babel.value_table.{row}={points}"
            for row, points in enumerate(
                ([8, 4, 3], [9, 4, 3], [10, 5, 3], [11, 5, 3], [12, 6, 3], [13, 6, 3], [14, 7, 3]), 1
            )
        ],
        "value table rises fast": [
            f"babel.value_table.{row}={points}"
            for row, points in enumerate(
                ([8, 4, 3], [10, 5, 3], [13, 7, 3], [16, 9, 3], [19, 11, 3], [22, 13, 3], [25, 15, 3]), 1
            )
        ],
        **{f"light row {row}": [f"babel.value_table.light={row}"] for row in ([5, 3, 3], [4, 3, 3], [8, 4, 3])},
        **{
            f"sets of 3, 5, 6 discs: {three}, {five}, {six}": [
                f"babel.set_table.3={three}",
                f"babel.set_table.5={five}",
                f"babel.set_table.6={six}",
            ]
            for three, five, six in ((10, 35, 50), (12, 30, 42), (10, 30, 45))
        },
    }
    return alternatives, games, plans


@app.cell
def _(combinations, games, mo, pl, plans, stats, wsim):
    def shares(line_ups, players, changes=()):
        """Return the ratio to the fair share of wins by policy over some line-ups, on rotating seats."""
        played = [
            wsim.simulate(
                game="tower_of_babel", players=players, policies=list(line_up), rotate=True, games=games, set=changes
            ).with_columns(pl.col("policy").cast(pl.String), game=pl.col("game") + number * games)
            for number, line_up in enumerate(line_ups)
        ]
        return stats.policies(pl.concat(played)).frame

    by_seats = {
        3: shares(list(combinations(plans, 3)), 3),
        4: shares([plans], 4),
        5: shares([(*plans, extra) for extra in plans], 5),
    }
    study = pl.concat(
        frame.select(
            "policy", "n", "fair_share_ratio", "fair_share_ratio_low", "fair_share_ratio_high", "score"
        ).with_columns(seats=pl.lit(seats))
        for seats, frame in by_seats.items()
    )
    print(study)
    mo.vstack([mo.md("## Which strategy wins (1.00 is a fair share)"), study])
    return (shares,)


@app.cell
def _(alternatives, mo, pl, plans, shares):
    rows = [{"assumption": "as assumed", **dict(shares([plans], 4).select("policy", "fair_share_ratio").iter_rows())}]
    rows += [
        {"assumption": name, **dict(shares([plans], 4, changes).select("policy", "fair_share_ratio").iter_rows())}
        for name, changes in alternatives.items()
    ]
    sensitivity = pl.DataFrame(rows).select("assumption", *plans)
    with pl.Config(tbl_rows=20, fmt_str_lengths=40, tbl_width_chars=120):
        print(sensitivity)
    mo.vstack([mo.md("## How much the assumed tables matter (4 players, ratio to the fair share)"), sensitivity])
    return


if __name__ == "__main__":
    app.run()
