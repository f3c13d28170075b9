"""``wsim skill``: what cards or boards are worth in weak and in good hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.exports import Files
from wsim.cli.presenter import Output, answered
from wsim.cli.run_command import announce_compiling
from wsim.errors import UserError
from wsim.experiments.skill import GAMES, Skill, SkillQuestion, play_skill
from wsim.game import find_game
from wsim.lab.cluster import check_cluster

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.cli.table_command import View


@dataclass(frozen=True)
class Asked:
    """The options of ``wsim skill`` besides those of the plan.

    Attributes
    ----------
    question: of ``SkillQuestion``, but for what is asked about. how: threads, cluster.
    out: FILE.json, FILE.parquet or a run folder. files: where else the rows are written.
    """

    question: Mapping[str, Any]
    how: Mapping[str, Any]
    view: View
    out: str | None
    files: Files


def skill_command(given: Given, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Play, print the answer, write it if asked; after Ctrl-C print what is known so far and exit with 130."""
    if len(given.arguments) > 1:
        raise UserError(f"skill is told of one table, not also of {given.arguments[1]!r}")
    question = SkillQuestion(**asked.question)
    if given.arguments:
        question = replace(question, what=given.arguments[0])
    asked.files.check()
    if asked.out is not None:
        Skill.check_target(Path(asked.out))
    check_cluster(asked.how["cluster"], asked.how["threads"])
    plan = given.resolve(games=GAMES)
    if not quiet:
        announce_compiling(find_game(plan.game))
    answered(
        lambda progress: play_skill(plan, question, **asked.how, progress=progress),
        Output(asked.files, wide=asked.view.wide, as_json=as_json, quiet=quiet),
        display=lambda answer: answer.display(asked.view.of),
        write=lambda answer: None if asked.out is None else answer.write(asked.out),
    )
