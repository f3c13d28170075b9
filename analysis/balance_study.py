"""A study of balance: effects of card values, the smallest patch that evens the sides, and the worth of cards.

    marimo edit analysis/balance_study.py
    python analysis/balance_study.py --games 100000 --within 0.03
    marimo export html analysis/balance_study.py -o balance.html -- --games 20000

By default this is a small run: --games games (default 4,000) measure a patch, five times as many prove it, and --within
(default 0.05) is the tolerance around the fair share. The goals in analysis/balance are full-sized;
docs/balance-results.md has their results.
"""

import marimo

app = marimo.App(width="medium", app_title="Balance")


@app.cell
def _():
    import altair as alt
    import marimo as mo
    import polars as pl

    import wsim

    return alt, mo, pl, wsim


@app.cell
def _(mo):
    games = int(mo.cli_args().get("games") or 4000)
    within = float(mo.cli_args().get("within") or 0.05)
    table = {"ruleset": "1e", "policies": "balanced"}
    goal = {
        "plan": table,
        "setting": [{"name": "four", "players": 4}, {"name": "seven", "players": 7, "report": True}],
        "target": [{"of": "wonder,side", "within": within}],
        "knob": [{"path": "wonders.*.sides.*.*.points", "range": "-2..2"}],
        "search": {"games": games, "rounds": 2, "proposals": 4, "proof_games": 5 * games},
    }
    mo.md(f"""
    # Balance

    The 14 sides of the first edition with four players, all seats `balanced`: each within {100 * within:g} points
    of the fair share, by points of stages; {games:,} games measure a patch.
    """)
    return games, goal, table


@app.cell
def _(goal, mo, wsim):
    sensitivity = wsim.sensitivity(goal)
    strongest = sensitivity.strongest().drop("setting", "metric")
    mo.vstack(
        [
            mo.md(
                "## The effect of each step\n\nOn the side that it moves most, with 95% intervals. Points cost no "
                "games: they are given to every seat that built the stage, with fixed decisions, and the games are "
                "ranked again."
            ),
            strongest.head(15),
        ]
    )
    return (strongest,)


@app.cell
def _(goal, mo, wsim):
    answer = wsim.smallest_patch(goal, players=["science"], elsewhere_games=goal["search"]["games"])
    mo.md(f"""
    ## The smallest patch

    {answer.headline()}. {answer.games:,} games in all.

    ```toml
    {answer.patch_text()}
    ```
    """)
    return (answer,)


@app.cell
def _(alt, answer, pl):
    targets = answer.targets.sort("before")
    ends = (("", "share"), ("_low", "from"), ("_high", "to"))
    shares = pl.concat(
        [
            targets.select(
                "of", pl.lit(when).alias("when"), *(pl.col(f"{when}{end}").alias(name) for end, name in ends)
            )
            for when in ("before", "after")
        ]
    )
    rows = alt.Chart(shares).encode(alt.Y("of:N", sort=targets["of"].to_list(), title=None), color="when:N")
    accepted = alt.Chart(targets.head(1)).mark_rule(strokeDash=[4, 4])
    before_after = (
        rows.mark_rule(strokeWidth=3).encode(alt.X("from:Q", title="win share"), alt.X2("to:Q"))
        + rows.mark_point(filled=True, size=60).encode(alt.X("share:Q"))
        + accepted.encode(alt.X("low:Q"))
        + accepted.encode(alt.X("high:Q"))
    )
    before_after
    return (shares,)


@app.cell
def _(answer, mo):
    mo.vstack(
        [
            mo.md("Each change, given the others, and the result of fewer changes (1: at the bound)."),
            answer.changes.select("path", "old", "new", "of", "effect", "effect_low", "effect_high"),
            answer.trade,
            mo.md(
                "## Other players\n\nDeviations from the fair share with a different number of players and a different "
                "policy. A patch fits the players for which it was found."
            ),
            answer.carried.select(
                "setting", "policies", "spread_before", "spread_after", "largest_before", "largest_after", "error"
            ),
        ]
    )
    return


@app.cell
def _(games, pl, table, wsim):
    def worth_by_price(card, path, steps, plan):
        """Return the worth of building a card at each price, against a random move and against the policy's choice."""
        told = wsim.sensitivity(
            {
                "plan": {**table, "players": 4, **plan},
                "target": [
                    {"card": card, "metric": "score", "against": against, "value": 0.0, "within": 0.5}
                    for against in ("others", "policy")
                ],
                "knob": [{"path": path, "range": steps}],
                "search": {"games": games, "replays": games, "picks": max(games, 1500)},
            }
        )
        now = told.levels.select("of", pl.col("value").alias("worth"), "value_low", "value_high")
        reach = (pl.col("value_high") - pl.col("value_low")) / 2
        there = now.select("of", "worth", pl.lit(0, pl.Int64).alias("coins"), reach.alias("reach"))
        priced = told.effects.join(now, on="of").select(
            "of",
            (pl.col("worth") + pl.col("effect")).alias("worth"),
            (pl.col("to") - pl.col("now")).alias("coins"),
            ((pl.col("effect_high") - pl.col("effect_low")) / 2).alias("reach"),
        )
        return pl.concat([there, priced]).sort("of", "coins")

    return (worth_by_price,)


@app.cell
def _(alt):
    def drawn(worth, title):
        """Plot the worth of a card against its price. Bars are 95% intervals; at other prices, of the change."""
        from_to = alt.Chart(worth).transform_calculate(
            low="datum.worth - datum.reach", high="datum.worth + datum.reach"
        )
        scale = alt.X("coins:Q", title=title)
        lines = from_to.mark_line(point=True).encode(scale, alt.Y("worth:Q", title="points"), color="of:N")
        return lines + from_to.mark_rule().encode(scale, alt.Y("low:Q"), alt.Y2("high:Q"), color="of:N")

    return (drawn,)


@app.cell
def _(drawn, mo, worth_by_price):
    guild = worth_by_price("Scientists Guild", "cards.Scientists Guild.cost.coins", "0..4", {})
    mo.vstack(
        [
            mo.md(
                "## The price of the Scientists Guild\n\nWhat building it adds to the score of a seat that may build "
                "it: against a random different move, and against the policy's choice. The two have different zeros, "
                "so a target has to say which is meant."
            ),
            drawn(guild, "additional cost in coins"),
        ]
    )
    return (guild,)


@app.cell
def _(drawn, mo, worth_by_price):
    bazaar = {
        "age": 2,
        "color": '"yellow"',
        "copies": "[4]",
        "cost": "{ clay = 1 }",
        "coins_per": '{ what = ["gray"], cities = ["self", "left", "right"], n = 2 }',
    }
    new = [f'cards."Grand Bazaar".{key}={value}' for key, value in bazaar.items()] + ["cards.Bazar.copies=[7]"]
    own = worth_by_price("Grand Bazaar", "cards.Grand Bazaar.cost.coins", "0..4", {"set": new})
    mo.vstack(
        [
            mo.md("## A custom card\n\nThe Grand Bazaar: coins for grey cards of its city and the neighbours."),
            drawn(own, "additional cost in coins"),
        ]
    )
    return (own,)


@app.cell
def _(answer, guild, mo, own, strongest):
    if mo.app_meta().mode == "script":
        print(strongest.head(5))
        print(answer.headline())
        print(answer.targets.select("of", "before", "after", "proven"))
        print(guild)
        print(own)
    return


if __name__ == "__main__":
    app.run()
