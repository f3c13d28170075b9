"""Find the run of people's games that matches a study, in a run folder or in a folder of runs from ``wsim import``."""

from __future__ import annotations

from pathlib import Path

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.store import Run, load_run


def runs_within(path: str) -> list[str]:
    """Return the names of the run folders directly inside a folder; empty if the folder itself is a run."""
    folder = Path(path)
    if not folder.is_dir() or (folder / "run.json").exists():
        return []
    return sorted(child.name for child in folder.iterdir() if (child / "run.json").exists())


def fitting_run(path: str, plan: Plan) -> Run:
    """Open a run or, in a folder of several runs, the one with the plan's rule set and number of players.

    Raises UserError if the folder has no such run.
    """
    within = runs_within(path)
    if not within:
        return load_run(path)
    name = f"{plan.ruleset}-{plan.players}p"
    if name not in within:
        raise UserError(
            f"{path!r} has no games of {plan.ruleset} with {plan.players} players: it has {', '.join(within)}"
        )
    return load_run(Path(path) / name)


def open_two_runs(first: str, second: str) -> tuple[Run, Run]:
    """Open two runs; if one path is a folder of several runs, open the run in it that matches the other path's run."""
    if (several := runs_within(first)) and runs_within(second):
        raise UserError(f"{first!r} and {second!r} both contain several runs: name one, such as {first}/{several[0]}")
    if several:
        other = load_run(second)
        return fitting_run(first, other.plan), other
    run = load_run(first)
    return run, fitting_run(second, run.plan)


def people_run(path: str, plan: Plan) -> Run:
    """Open the run of people's games with the same rules and number of players as a plan (``fitting_run``).

    Raises UserError if the games were played by policies or no run matches.
    """
    run = fitting_run(path, plan)
    if run.people is None:
        raise UserError(f"{path!r} was played by policies: people's games come from wsim import")
    for key in ("game", "ruleset", "players"):
        if getattr(run.plan, key) != getattr(plan, key):
            raise UserError(
                f"{path!r} and the study do not match: {key} is {getattr(run.plan, key)} and {getattr(plan, key)}"
            )
    return run
