"""Render answers as sections of a page, each from the document that its question defines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from wsim.display import title
from wsim.lab.answer import Stored
from wsim.lab.repetition import sound
from wsim.questions.registry import question_of_format
from wsim.report.grids import Grid, grid
from wsim.report.page_parts import Figure, Section, drawn_of
from wsim.report.theme import Palette


def sections(answers: Sequence[Stored], palette: Palette) -> Iterator[Section]:
    """Render the answers, and yield one section per kind of answer."""
    for kind in dict.fromkeys(answer.kind for answer in answers):
        same = [answer for answer in answers if answer.kind is kind]
        where = " or ".join(repr(answer.name) for answer in same)
        yield sound(partial(_section_of_kind, same, palette), f"the answer in {where} is damaged")


def _section_of_kind(answers: Sequence[Stored], palette: Palette) -> Section:
    family = answers[0].kind.family()
    figures: list[Figure] = []
    folded: list[Grid] = []
    shown: list[Grid] = []
    documents = [answer.document() for answer in answers]
    for number, (answer, document) in enumerate(zip(answers, documents, strict=True)):
        source = f" ({answer.name})" if answer.name else ""
        drawn: list[Figure] = []
        grids: list[Grid] = []
        for index, sheet in enumerate(document.tables):
            drawn += drawn_of(sheet, palette)
            made = grid(f"{family}-{number}-{index}", sheet, f"{sheet.title}{source}", palette=palette, wide=True)
            grids.append(made)
        (folded if drawn else shown).extend(grids)
        figures += drawn
    first = documents[0]
    notes = [note for document in documents for note in document.notes]
    intro = " ".join(dict.fromkeys([*first.head, *notes]))
    commands = [document.command for document in documents if document.command]
    question = question_of_format(answers[0].kind.FORMAT)
    heading = (question and question.section) or title(family)
    return Section(family, heading, intro, figures, grids=shown, numbers=folded, commands=commands)
