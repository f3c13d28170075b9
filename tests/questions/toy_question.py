"""A third-party question in one file: the squares of the first numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from wsim.document import COUNT, Column, Document, Sheet
from wsim.lab.answer import View, whole
from wsim.lab.execution import Execution
from wsim.options import Options, at_least, option
from wsim.questions.asked import AskedAnswer
from wsim.questions.registry import ItemLink, Question


@dataclass(frozen=True)
class ToyOptions(Options):
    """List the squares of the first numbers."""

    number: int = option("How many numbers.", 3, metavar="N", check=at_least(1))
    about: tuple[str, ...] = option("What they are about: nothing follows from it.", (), metavar="TEXT")


@dataclass(frozen=True, repr=False)
class ToyAnswer(AskedAnswer):
    """The squares."""

    FORMAT: ClassVar[str] = "wsim-toy/1"
    COMMAND: ClassVar[str] = "wsim toy"
    TITLE: ClassVar[str] = "a list of squares"
    TABLES: ClassVar[tuple[str, ...]] = ("squares",)

    squares: pl.DataFrame

    def display(self, view: View = whole) -> Document:
        """Return the answer for people."""
        shown = view(self.squares)
        sheet = Sheet("Squares", shown.to_dicts(), [Column("square", COUNT)])
        return Document(rows=shown, named="squares", tables=[sheet])


def ask(options: ToyOptions, _execution: Execution) -> ToyAnswer:
    """Return the squares."""
    return ToyAnswer(pl.DataFrame({"square": [number**2 for number in range(options.number)]}))


QUESTION = Question(
    name="toy", title="Toy", short="Squares of the first numbers.", package="tests.questions",
    groups=("toy_question:ToyOptions",), ask="toy_question:ask", answer="toy_question:ToyAnswer",
    formats=("wsim-toy/1",), item_link=ItemLink("about", "How many squares has this {noun}?", "PICKS"),
    change_fields=("about", "number"),
)  # fmt: skip
