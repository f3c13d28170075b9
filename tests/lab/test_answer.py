"""Answers of every kind: fields match the record, and all are written, read, shown and repeated in the same way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

import wsim
from wsim.cli.exports import Files
from wsim.cli.groups import Printing
from wsim.cli.presenter import Output, present
from wsim.document import Document, Sheet
from wsim.errors import UserError
from wsim.lab.answer import UNRECORDED, Answer, View, whole
from wsim.questions.registry import Question, questions


@dataclass(frozen=True, repr=False)
class Heights(Answer):
    """How high towers are."""

    FORMAT: ClassVar[str] = "wsim-heights/1"
    COMMAND: ClassVar[str] = "wsim heights"
    TITLE: ClassVar[str] = "heights"
    TABLES: ClassVar[tuple[str, ...]] = ("towers",)
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"towers": ("name", "height"), "question.unit": ()}

    estimand: str
    question: Mapping[str, Any]
    seconds: float
    towers: pl.DataFrame
    remarks: tuple[str, ...]
    builder: object = field(default=None, metadata=UNRECORDED)

    def display(self, view: View = whole) -> Document:
        shown = view(self.towers)
        return Document(rows=shown, named="towers", tables=[Sheet("Towers", shown.to_dicts())], notes=self.remarks)

    @classmethod
    def identity(cls, record: Mapping[str, Any]) -> Any:
        return record["question"]

    @classmethod
    def flat_plan(cls, record: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"game": record["question"]["game"]}


def heights(**changes: Any) -> Heights:
    towers = pl.DataFrame({"name": ["<Babel>", "Pisa"], "height": [91.5, 56.7]})
    values: dict[str, Any] = {"question": {"unit": "m", "game": "luck"}, "seconds": 1.23456, "towers": towers}
    return Heights(**{"estimand": "Metres above the ground", **values, "remarks": ("One leans",), **changes})


RECORD: dict[str, Any] = {
    "format": "wsim-heights/1",
    "estimand": "Metres above the ground",
    "question": {"unit": "m", "game": "luck"},
    "seconds": 1.235,
    "towers": [{"name": "<Babel>", "height": 91.5}, {"name": "Pisa", "height": 56.7}],
    "remarks": ["One leans"],
}


def test_the_fields_match_the_record() -> None:
    assert list(heights(builder=object()).record().items()) == list(RECORD.items())


@pytest.mark.parametrize("name", ["a.json", "a.parquet"])
def test_written_answers_can_be_read(tmp_path: Path, name: str) -> None:
    path = heights().write(tmp_path / name)
    assert path == tmp_path / name
    stored = Heights.read(path)
    assert (stored.record, stored.name, stored.game()) == (RECORD, name, "luck")
    assert stored.main.equals(heights().towers)
    if name == "a.parquet":
        assert pl.read_parquet(path).equals(heights().towers)


def test_an_answer_in_a_run_folder_is_named_after_its_question(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    first, again = heights().write(tmp_path), heights(seconds=9.0).write(tmp_path)
    other = heights(question={"unit": "ft", "game": "luck"}).write(tmp_path)
    assert first == again != other
    assert Heights.files_in(tmp_path) == sorted([first, other])
    assert first.name.startswith("heights-")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a.txt", "heights is written as FILE.json or FILE.parquet, or into a run folder, not "),
        ("nowhere/a.json", "cannot write heights to "),
    ],
)
def test_an_unwritable_answer_path_is_reported(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        heights().write(tmp_path / name)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"format": "wsim-match/1"},
            "is not an answer of wsim heights: its format is 'wsim-match/1', not 'wsim-heights/1'",
        ),
        ({"towers": None}, "is damaged: "),
        ({"towers": []}, "is damaged: "),
        ({"towers": [{"name": "Pisa"}]}, "is damaged: "),
        ({"question": {"game": "luck"}}, "is damaged: KeyError('unit')"),
    ],
)
def test_incomplete_answers_are_rejected(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps(RECORD | change))
    with pytest.raises(UserError) as refused:
        Heights.read(tmp_path / "a.json")
    assert why in str(refused.value)
    left = {key: value for key, value in RECORD.items() if key != "towers"}
    (tmp_path / "a.json").write_text(json.dumps(left))
    with pytest.raises(UserError, match=r"is damaged: it has no towers$"):
        Heights.read(tmp_path / "a.json")


def test_a_prompt_and_a_notebook_show_title_rows_and_remarks() -> None:
    text, page = repr(heights()), heights()._repr_html_()
    assert text.startswith("Metres above the ground\n")
    assert text.endswith("\nOne leans")
    assert "<h4>Metres above the ground</h4>" in page
    assert "&lt;Babel&gt;" in page
    assert "<Babel>" not in page


def test_a_terminal_shows_the_requested_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = heights()
    present(
        answer,
        Output(Printing(quiet=True), Files(csv=str(tmp_path / "a.csv"))),
        answer.display(lambda rows: rows.head(1)),
    )
    out = capsys.readouterr().out
    assert "<Babel>" in out
    assert "Pisa" not in out
    assert out.endswith("\n\nOne leans\n")
    written = (tmp_path / "a.csv").read_text()
    assert '# {"format": "wsim-heights/1"}' in written
    assert '# {"towers"' not in written
    assert "Pisa" not in written
    present(answer, Output(Printing(as_json=True)), answer.display(lambda rows: rows.head(1)), {"notes": ["n"]})
    assert json.loads(capsys.readouterr().out) == {**RECORD, "towers": RECORD["towers"][:1], "notes": ["n"]}


@pytest.mark.parametrize("question", [*questions()], ids=lambda question: question.name)
def test_every_kind_of_answer_has_a_name(question: Question) -> None:
    kind = question.answer_class
    assert (kind.FORMAT, *kind.FORMER_FORMATS) == question.formats
    assert f"wsim {question.command}" == kind.COMMAND
    assert kind.TITLE
    assert kind.TABLES


def test_the_former_names_of_class_attributes_are_accepted() -> None:
    class Heights(Answer):
        CALLED, NOUN, LIES, LONG = "heights", "record", ", next to the run", "towers"

    assert (Heights.TITLE, Heights.FILE_NOUN, Heights.LOCATION_HINT) == ("heights", "record", ", next to the run")
    assert Heights.LONG_TABLE == "towers"


def test_an_answer_in_memory_can_be_repeated() -> None:
    answer = wsim.match("builder", "collector", game="tower_of_babel", budget=20, seed=3)
    found = answer.again(threads=1)
    assert (found.identical, found.remarks) == (True, [])
    assert found.compared == "20 deals in every seating, 1 pair"


@pytest.mark.slow
def test_a_match_records_every_option_of_its_game() -> None:
    """This includes options of a game that only the game package knows."""
    options: dict[str, Any] = {"action_cards": "true", "two_colour_discs": "true"}
    answer = wsim.match("builder", "collector", game="tower_of_babel", budget=10, **options)
    plan = answer.record()["plan"]
    assert {key: plan[key] for key in options} == {key: answer.made["made"]["plan"][key] for key in options}
    assert not {"policies", "players", "ruleset", "games"} & set(plan)
