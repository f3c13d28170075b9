"""``wsim rerun``: play again what made a run, an answer or a page, and say whether the same comes out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from wsim.cli.console import FAILURE, print_json, progress_bar, write_out
from wsim.cli.run_command import announce_compiling, trusted
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.files import refuse_remote
from wsim.options import Options, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Trust, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress
    from wsim.lab.rerun import Rerun

_PARQUET, _PAGE = ".parquet", (".html", ".htm")


@dataclass(frozen=True)
class RerunOptions(Options):
    """Play again what made something, and compare; exit 1 if it is not the same: wsim rerun RUN

    A run folder or a shard of one, an answer of wsim whatif, match or skill (FILE.json, FILE.parquet), one of wsim
    experiment picks --json, a page of wsim report. Files that it names are read in its run folder, or where their names
    say.
    """

    out: str | None = option("Keep the games that are played, of a run.", None, metavar="FOLDER", names=("-o", "--out"))


@dataclass(frozen=True)
class _Again:
    """What is played again: the plan that it is laid under, where games are kept, how they are played."""

    given: PlanOptions
    source: str
    out: str | None
    threads: int | None
    trust: bool
    quiet: bool

    def plan(self, base: Plan) -> Plan:
        """Return the plan that is played; UserError if that runs code which nobody has named."""
        return trusted(self.given, base, self.source, "played again", trust=self.trust)

    def ready(self, base: Plan) -> Plan:
        """Return the same, and say if kernels have to be compiled first."""
        plan = self.plan(base)
        if not self.quiet:
            announce_compiling(find_game(plan.game))
        return plan

    def refuse_out(self, what: str) -> None:
        """Raise UserError if games are to be kept that nobody writes."""
        if self.out is not None:
            raise UserError(f"--out keeps the games of a run; {what} writes none")


def rerun_command(plan: PlanOptions, options: RerunOptions, workers: Workers, trust: Trust, printing: Printing) -> None:
    """Play again what the argument is of, print what is the same, exit 1 if something is not."""
    if len(plan.arguments) != 1:
        raise UserError("name one thing to play again: a run folder, a shard of one, an answer, a page")
    if plan.extra:
        raise UserError(f"rerun has no option {next(iter(plan.extra))!r}: what is played again cannot be changed")
    source = plan.arguments[0]
    refuse_remote(source)
    asked = _Again(plan, source, options.out, workers.threads, trust.trust, printing.quiet)
    with progress_bar(not printing.quiet) as progress:
        found = _rerun(Path(source), asked, progress)
    if printing.as_json:
        told = {"source": source, "identical": found.identical, "compared": found.compared}
        print_json({**told, "differences": list(found.differences), "remarks": list(found.remarks)})
    else:
        same = "the same" if found.identical else "not the same"
        write_out(f"{source} played again is {same}: {found.compared}")
        for line in (*found.differences, *found.remarks):
            write_out(f"  {line}")
    if not found.identical:
        raise Exit(FAILURE)


def _rerun(path: Path, asked: _Again, progress: Progress | None) -> Rerun:
    """Find out what ``path`` is, and play it again."""
    if (answer := _match_in(path)) is not None:
        return _rerun_file(answer, asked, progress)
    if path.is_dir() or not path.exists():
        from wsim.lab.rerun import rerun_run
        from wsim.lab.store import load_run

        run = load_run(path)
        return rerun_run(run, asked.ready(run.plan), asked.out, threads=asked.threads, progress=progress)
    if path.suffix.lower() in _PAGE:
        from wsim.report.again import page_plan, read_page, rerun_page

        told = read_page(path)
        plan = asked.ready(page_plan(told, _places(path.parent)))
        return rerun_page(told, plan, asked.out, threads=asked.threads, progress=progress)
    return _rerun_file(path, asked, progress)


def _match_in(folder: Path) -> Path | None:
    """Return the answer in a folder that ``wsim match`` keeps its deals in; None for any other folder."""
    from wsim.experiments.matches.kept import ANSWER
    from wsim.lab.record import RECORD

    return folder / ANSWER if (folder / ANSWER).is_file() and not (folder / RECORD).is_file() else None


def _rerun_file(path: Path, asked: _Again, progress: Progress | None) -> Rerun:
    """Play again what made a Parquet file or an answer in JSON."""
    from wsim.experiments.rerun import ANSWERS, answer_plan, rerun_answer
    from wsim.lab.rerun import ShardFile, rerun_shard

    asked.refuse_out("an answer" if path.suffix != _PARQUET else "a single file")
    told = _told(path)
    if path.suffix == _PARQUET and told.get("format") not in ANSWERS:
        shard = ShardFile.read(path)
        plan = asked.ready(shard.plan(_places(path.parent.parent)))
        return rerun_shard(shard, plan, threads=asked.threads, progress=progress)
    if told.get("stopped") == "waiting" and "format" not in told:
        raise UserError(f"{str(path)!r} has no answer yet: go on with that match by --resume")
    if told.get("format") not in ANSWERS:
        known = ", ".join(ANSWERS)
        raise UserError(f"{str(path)!r} does not say what made it: its format is {told.get('format')!r}, not {known}")
    places = _places(path.parent)
    asked.ready(answer_plan(told, places))
    return rerun_answer(told, asked.plan, places, threads=asked.threads, progress=progress)


def _told(path: Path) -> Mapping[str, Any]:
    """Return what a file says of itself; raise UserError for one that cannot be read."""
    from wsim.lab.store import shard_metadata

    if path.suffix == _PARQUET:
        return shard_metadata(path) or {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{str(path)!r} is no answer of wsim: {error}") from error
    return found if isinstance(found, dict) else {}


def _places(folder: Path) -> dict[str, str]:
    """Return where the files lie that the plan of a run names, if ``folder`` is that of a run; nothing otherwise."""
    from wsim.lab.record import RECORD, read_record

    if not (folder / RECORD).is_file():
        return {}
    return {name: str(folder / place) for name, place in read_record(folder).places.items()}
