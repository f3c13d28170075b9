"""Runs of people's games that fit a study: a run folder, or the folder of several that ``wsim import`` wrote."""

from __future__ import annotations

from pathlib import Path

from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.store import Run, load_run


def runs_within(path: str) -> list[str]:
    """Return the names of the run folders in a folder of several; empty for a run folder and for anything else."""
    folder = Path(path)
    if not folder.is_dir() or (folder / "run.json").exists():
        return []
    return sorted(child.name for child in folder.iterdir() if (child / "run.json").exists())


def fitting_run(path: str, plan: Plan) -> Run:
    """Open a run, or the one in a folder of several that has the rule set and players of a plan; UserError for none."""
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
    """Open two runs; one of them may be a folder of several, and then the other one says which of them is meant."""
    if (several := runs_within(first)) and runs_within(second):
        raise UserError(f"{first!r} and {second!r} both contain several runs: name one, such as {first}/{several[0]}")
    if several:
        other = load_run(second)
        return fitting_run(first, other.plan), other
    run = load_run(first)
    return run, fitting_run(second, run.plan)


def people_run(path: str, plan: Plan) -> Run:
    """Open people's games with the rules and number of players of a plan, as ``fitting_run`` does.

    Raises UserError for a run of policies, and where no run fits.
    """
    run = fitting_run(path, plan)
    if run.people is None:
        raise UserError(f"{path!r} was played by policies: people's games come from wsim import")
    for key in ("game", "ruleset", "players"):
        if getattr(run.plan, key) != getattr(plan, key):
            raise UserError(
                f"{path!r} and the study do not fit: {key} is {getattr(run.plan, key)} and {getattr(plan, key)}"
            )
    return run
