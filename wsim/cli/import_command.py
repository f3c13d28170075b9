"""``wsim import``: import people's games into run folders, or write a sheet to fill in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wsim.cli.console import print_json, remark, write_out

if TYPE_CHECKING:
    from wsim.cli.groups import Printing
    from wsim.cli.plan_options import PlanOptions
    from wsim.people.question import ImportOptions


def import_command(plan: PlanOptions, options: ImportOptions, printing: Printing) -> None:
    """Import files and print the folders; remarks report reinterpreted texts and omitted data."""
    rules = plan.resolve()
    options = replace(options, files=(*options.files, *plan.arguments))
    if options.template is not None:
        from wsim.people.template import write_template

        write_template(Path(options.template), rules)
        write_out(options.template)
        return
    from wsim.people.importing import import_files

    imported = import_files(options, rules)
    if not printing.quiet:
        for note in imported.notes:
            remark(f"wsim: {note}")
        for row in imported.problems.iter_rows(named=True):
            remark(f"wsim: left out: {row['file']} row {row['row']}, {row['column']} {row['value']!r}: {row['why']}")
    if printing.as_json:
        print_json({
            "runs": [
                {"folder": str(run.path), "digest": run.provenance.digest, "games": run.games,
                 "players": run.plan.players, "ruleset": run.plan.ruleset}
                for run in imported.runs
            ],
            "columns": imported.columns, "unread": imported.unread, "left_out": imported.problems.to_dicts(),
        })  # fmt: skip
    for run in [] if printing.as_json else imported.runs:
        plan_of = run.plan
        write_out(f"{run.games:,} games of {plan_of.ruleset} with {plan_of.players} players: {run.path}")
