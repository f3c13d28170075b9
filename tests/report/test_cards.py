"""Card faces: every symbol has an icon, and every effect has symbols or text, in every game and rule set."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from wsim.game import find_game
from wsim.installed import GAMES
from wsim.lab.plan import Plan
from wsim.report.cards import Faces, source_of
from wsim.spec.catalogues import Source, catalogues_of
from wsim.spec.faces import Face, Symbol, plain_faces
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.catalog.faces import SYMBOLS

CATALOGUES = [
    (game, str(row["ruleset"]))
    for game in GAMES
    for row in catalogues_of(find_game(game)).rulesets()  # type: ignore[union-attr]
]
CLAUSE = 'cards.Altar.when=[{event="scored", points="2 * coins"}]'


def symbols_of(face: Face) -> Iterator[Symbol]:
    """Yield all symbols of a face."""
    for part in (face.part, *(stage for stages in face.sides.values() for stage in stages)):
        for row in (part.cost, *part.gives):
            yield from row


@pytest.mark.parametrize(("game", "ruleset"), CATALOGUES)
def test_every_symbol_has_an_icon_and_every_card_face_has_text(game: str, ruleset: str) -> None:
    faces = Faces.of(game, Source(ruleset))
    icons = set(re.findall(r'id="icon-([\w-]+)"', str(faces.sprite)))
    colours = find_game(game).COLOURS
    assert faces
    for face in faces.values():
        assert face.part.does or face.sides, face.name
        for symbol in symbols_of(face):
            assert symbol.icon in icons or (not symbol.icon and symbol.text), (face.name, symbol)
            assert not symbol.kind or symbol.kind in colours
        drawn = str(faces.card(face.name))
        assert re.findall(r'<use href="#icon-([\w-]+)"', drawn) == [one.icon for one in symbols_of(face) if one.icon]


def test_every_effect_except_clauses_has_symbols() -> None:
    assert EFFECTS.keys() - SYMBOLS.keys() == {"when"}
    assert SYMBOLS.keys() <= EFFECTS.keys()


def test_a_card_also_describes_its_colour_name_cost_effect_and_chains() -> None:
    drawn = str(Faces.of("seven_wonders", Source("1e")).card("Caravansery", link="/there"))
    assert '<a href="/there">Caravansery</a>' in drawn
    assert "var(--own-yellow)" in drawn
    assert "Age II · yellow" in drawn
    assert 'role="img" aria-label="Cost: 2 wood"' in drawn
    assert drawn.count("#icon-wood") == 3  # two to pay, one to produce
    assert "Produces clay or stone or ore or wood" in drawn
    assert "Free with Marketplace" in drawn
    assert "Makes Lighthouse free" in drawn


def test_a_board_shows_the_stages_of_both_sides() -> None:
    gizah = Faces.of("seven_wonders", Source("1e"))["Gizah"]
    assert {side: len(stages) for side, stages in gizah.sides.items()} == {"A": 3, "B": 4}
    assert [symbol.text for symbol in gizah.sides["A"][2].gives[0]] == ["7"]
    assert [symbol.icon for symbol in gizah.sides["B"][3].cost] == ["stone"] * 4 + ["papyrus"]


def test_a_clause_is_described_in_words() -> None:
    changed = Faces.of("seven_wonders", Source("1e", changes=(CLAUSE,)))
    altar = changed["Altar"]
    assert altar.part.gives[-1] == (Symbol("words"),)
    assert "coins" in altar.part.does
    assert altar.part.does in str(changed.card("Altar")).replace("&#39;", "'")
    assert Faces.of("seven_wonders", Source("1e"))["Altar"].part.does == "2 points"


def test_changes_of_a_plan_are_shown_on_its_cards() -> None:
    plan = Plan.make(games=1, set=("cards.Palace.points=5",))
    assert Faces.of_plan(plan)["Palace"].part.does == "5 points"
    assert source_of(plan).changes == ("cards.Palace.points=5",)


def test_a_game_without_symbols_has_text_cards() -> None:
    faces = plain_faces("values", [{"path": "pair", "value": 3, "note": ""}])
    (face,) = faces
    assert (face.name, face.noun, face.part.does) == ("pair", "values", "value 3")
    assert "value 3" in str(Faces("seven_wonders", faces).card("pair"))


def test_an_unknown_name_gives_a_card_without_symbols_and_escaped_text() -> None:
    faces = Faces("seven_wonders", [Face("<b>", notes=("<i>",))])
    assert "&lt;b&gt;" in str(faces.card("<b>"))
    assert "<i>" not in str(faces.card("<b>"))
    assert "data-face" not in str(faces.chip("Nobody"))
    assert 'data-face="&lt;b&gt;"' in str(faces.chip("<b>"))
    assert str(faces.hidden(["Nobody"])).strip() == ""
