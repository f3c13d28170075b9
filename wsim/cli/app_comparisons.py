"""Names and options of the commands whose answers are causal: what if, pick experiments. The recipe is in ``app.py``.

Every option has a name of its own here, so that a command is the list of them.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import typer

from wsim.cli.exports import Files
from wsim.cli.options import (
    EXTRA_OPTIONS,
    ClusterAddress,
    Csv,
    Filter,
    Given,
    Json,
    Parquet,
    PlanCommand,
    Quiet,
    Sort,
    Threads,
    Top,
    Wide,
    names_of,
    plan_options,
    whole,
)
from wsim.cli.table_command import View

__all__ = ["comparisons", "experiment"]

comparisons = typer.Typer()
experiment = typer.Typer(help="Play experiments whose answers are causal.", rich_markup_mode=None)

_Texts: TypeAlias = list[str] | None
_Name: TypeAlias = str | None

# --- what if ----------------------------------------------------------------------------------------------------------

_Change = Annotated[
    _Texts,
    typer.Option("--set", metavar="PATH=VALUE", help="The change: this value in the variant only (repeatable)."),
]
_ChangeFile = Annotated[
    _Texts,
    typer.Option(metavar="FILE", help="The change: this file laid over the variant's catalogue only (repeatable)."),
]
_Sweep = Annotated[
    _Name,
    typer.Option(metavar="PATH=VALUES", help="One variant for each value: PATH=5..9, PATH=5..9..2 or PATH=5,7,9."),
]
_Ban = Annotated[
    _Texts,
    typer.Option(
        metavar="THINGS",
        help="One seat may not do this: trade, stages, sell, a colour, a card; several with commas. Every seat in "
        "turn on the same deal, or --seat. One variant for each --ban.",
    ),
]
_BaseValue = Annotated[_Texts, typer.Option(metavar="PATH=VALUE", help="A value that all arms have (repeatable).")]
_BaseFile = Annotated[_Texts, typer.Option(metavar="FILE", help="A file that all arms have (repeatable).")]
_Metric = Annotated[
    str,
    typer.Option(
        help="What decides: score, win:NAME or score:NAME (of a wonder, side or policy), owner:CARD (win share of "
        "its owners), winner:CARD (games won by an owner), built:CARD, or another number of the seats table."
    ),
]
_Seat = Annotated[int | None, typer.Option(help="Only this seat counts.", parser=whole, metavar="N")]
_Budget = Annotated[int, typer.Option(help="Deals at most, each played in every arm.", parser=whole, metavar="N")]
_Alpha = Annotated[float, typer.Option(help="Accepted chance of calling a change clear that does nothing.")]
_Margin = Annotated[
    float | None, typer.Option(help="Smaller effects do not matter: stop when all are known to be smaller.")
]
_Spending = Annotated[str, typer.Option(help="Use of alpha over the looks: pocock (stops early) or obrien_fleming.")]
_Details = Annotated[bool, typer.Option("--details", help="Show every metric of every variant.")]
_AnswerFile = Annotated[
    _Name,
    typer.Option("-o", "--out", metavar="FILE", help="Write FILE.json or FILE.parquet, or into a run folder."),
]


@comparisons.command(
    cls=PlanCommand,
    context_settings=EXTRA_OPTIONS,
    short_help="Compare a changed card or rule on common deals.",
)
@plan_options("games", "picks", "keep", "set", "patch")
def whatif(
    given: Given,
    changes: _Change = None,
    patch: _ChangeFile = None,
    sweep: _Sweep = None,
    ban: _Ban = None,
    base_set: _BaseValue = None,
    base_patch: _BaseFile = None,
    metric: _Metric = "score",
    seat: _Seat = None,
    budget: _Budget = 100_000,
    alpha: _Alpha = 0.05,
    margin: _Margin = None,
    spending: _Spending = "pocock",
    details: _Details = False,
    out: _AnswerFile = None,
    csv: Csv = None,
    parquet: Parquet = None,
    threads: Threads = None,
    cluster: ClusterAddress = None,
    wide: Wide = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare a changed card, rule or permission with the baseline on common deals.

    The options of the plan make the baseline; --set, --patch, --sweep or --ban make the variants. All arms play the
    same deals and seats until a sequential test is sure or the budget is spent.
    """
    from wsim.cli.whatif_command import Asked, whatif_command

    change = {"values": tuple(changes or ()), "files": tuple(patch or ()), "sweep": sweep, "ban": tuple(ban or ())}
    question: dict[str, Any] = {"metric": metric, "seat": seat, "budget": budget, "alpha": alpha}
    question |= {"margin": margin, "spending": spending}
    base = {"set": list(base_set or ()), "patch": list(base_patch or ())}
    asked = Asked(change, base, question, out, threads, cluster, details, Files(csv, parquet), wide)
    whatif_command(given, asked, as_json=as_json, quiet=quiet)


# --- pick experiments -------------------------------------------------------------------------------------------------

_Randomise = Annotated[
    str, typer.Option(metavar="CHANCE", help="Chance that a pick is replaced by a uniform one; or one for each seat.")
]
_Actions = Annotated[
    _Name,
    typer.Option(
        "--action",
        metavar="NAMES",
        help="build, stage (bury), sell (deny), take (any of them).",
        show_default="build,stage,sell",
    ),
]
_Outcome = Annotated[str, typer.Option(help="score, win, or another number of the seats table.")]
_Against = Annotated[
    str, typer.Option(help="others: a uniformly drawn other legal move; policy: what the policy wants.")
]
_Card = Annotated[_Name, typer.Option(help="This card only.")]
_Age = Annotated[int | None, typer.Option(help="This age only.", parser=whole, metavar="N")]
_Turn = Annotated[int | None, typer.Option(help="This turn of the ages only.", parser=whole, metavar="N")]
_AskedAt = Annotated[
    _Name, typer.Option(metavar="PATH=VALUES", help="Ask at each value: PATH=5..9, PATH=5..9..2 or PATH=5,7,9.")
]
_Target = Annotated[
    float | None, typer.Option(help="With --sweep: find the value at which the effect is this.", metavar="EFFECT")
]
_PickLevel = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
_Fewest = Annotated[
    int, typer.Option(help="Leave out what was effectively done less often.", parser=whole, metavar="N")
]
_RunKept = Annotated[_Name, typer.Option("-o", "--out", metavar="FOLDER", help="Keep the run here.")]
_Resume = Annotated[bool, typer.Option("--resume", help="Go on with the interrupted run in --out.")]


@experiment.command(
    cls=PlanCommand, context_settings=EXTRA_OPTIONS, short_help="What doing something with a card causes."
)
@plan_options("picks", "keep", games="20,000")
def picks(
    given: Given,
    randomise: _Randomise = "0.1",
    actions: _Actions = None,
    outcome: _Outcome = "score",
    against: _Against = "others",
    card: _Card = None,
    age: _Age = None,
    turn: _Turn = None,
    sweep: _AskedAt = None,
    target: _Target = None,
    level: _PickLevel = 0.95,
    fewest: _Fewest = 30,
    sort: Sort = None,
    top: Top = None,
    only: Filter = None,
    wide: Wide = False,
    csv: Csv = None,
    parquet: Parquet = None,
    out: _RunKept = None,
    resume: _Resume = False,
    threads: Threads = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Randomise picks with a known probability; estimate what doing something with a card causes.

    For each card: over the turns on which a seat could do it, its mean score if it builds
    (buries, sells) the card less its mean score if it makes a uniformly drawn other move; by inverse-propensity
    weighting.
    """
    from wsim.cli.picks_command import Asked, Playing, picks_command

    done = None if actions is None else names_of(actions)
    question: dict[str, Any] = {"actions": done, "outcome": outcome, "against": against}
    question |= {"card": card, "age": age, "turn": turn, "level": level, "fewest": fewest}
    question |= {"sweep": sweep, "target": target}
    view = View(sort, top, tuple(only or ()), wide)
    asked = Asked(randomise, question, view, Playing(out, resume, threads, cluster), Files(csv, parquet))
    picks_command(given, asked, as_json=as_json, quiet=quiet)
