"""Unit tests of how catalogues are displayed (faces, pages, clauses and formulas in words) and clauses are read."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from wsim.errors import UserError
from wsim.spec.catalogues import Source
from wsim.spec.faces import READ, Symbol
from wsim.spec.fields import Problems, schema_of
from wsim.spec.formula import evaluate_node
from wsim.wonders.catalog import Cost, Count, Effects, Toll, TradeDiscount, TradePrice, load_catalogue
from wsim.wonders.catalog.clauses import Clause, Option, read_when
from wsim.wonders.catalog.compiling import Formulas, _with_facts, compile_rules
from wsim.wonders.catalog.counters import Counter, read_counters
from wsim.wonders.catalog.effects import EFFECTS, pack_units, resource_mask
from wsim.wonders.catalog.faces import SYMBOLS, _cost, _gives, faces
from wsim.wonders.catalog.formula import parse
from wsim.wonders.catalog.listing import CATALOGUES
from wsim.wonders.catalog.loading import change_patch
from wsim.wonders.catalog.model import Settings
from wsim.wonders.catalog.sources import source_name
from wsim.wonders.words import MAX_OPTIONS, RESOURCES, STAGE_ENTRY


def drawn(symbols: Any) -> list[str]:
    """Return symbols as short texts: ``coin=3``, ``/``, ``card:brown``."""
    return [
        f"{each.icon}{f':{each.kind}' if each.kind else ''}{f'={each.text}' if each.text and each.icon else each.text}"
        for each in symbols
    ]


@pytest.mark.parametrize(
    ("effect", "value", "expected"),
    [
        ("points", 3, "laurel=3"), ("points", -2, "laurel=\N{MINUS SIGN}2"), ("shields", 4, " ".join(["shield"] * 4)),
        ("shields", 5, "shield=5"), ("shields", 1, "shield"), ("coins", 6, "coin=6"), ("science", "gear", "gear"),
        ("science", "any", "compass / gear / tablet"), ("produces", ("ore", "ore"), "ore ore"),
        ("produces_one_of", ("clay", "wood", "ore"), "clay / wood / ore"), ("produces_one_of", "raw", "any"),
        ("trade_price", TradePrice("raw", ("left",), 1), "left card:brown coin=1"),
        ("trade_price", TradePrice("manufactured", ("left", "right"), 1), "left card:gray right coin=1"),
        ("trade_discount", TradeDiscount("first_unit_each_turn", ("right",), 1), "any right coin=\N{MINUS SIGN}1"),
        ("points_per", Count(("red",), ("left", "right"), 1), "laurel=1 per card:red left right"),
        ("points_per", Count(("wonder_stage",), ("self",), 2), "laurel=2 per stage"),
        ("coins_per", Count(("victory_token_3", "defeat_token"), ("self", "left"), 1),
         "coin=1 per victory=3 defeat left city"),
        ("points_if_wonder_complete", 7, "laurel=7 if all stage"),
        ("coins_to_others", Toll("neighbors", 2), "coin=+2 left right"),
        ("coin_loss", Toll("others", 1, "victory_token"), "coin=\N{MINUS SIGN}1 per victory others"),
        ("debt", Toll("others", 1), "debt=1 others"), ("copy_science", 1, "copy=1 compass / gear / tablet"),
        ("copy_guild", True, "copy card:purple"), ("build_from_discard", True, "pile free"), ("diplomacy", 1, "dove"),
    ],
)  # fmt: skip
def test_the_symbols_of_an_effect(effect: str, value: Any, expected: str) -> None:
    assert " ".join(drawn(SYMBOLS[effect](value))) == " ".join(expected.split(" "))


def test_faces_of_cards_and_boards_by_hand() -> None:
    assert drawn(_cost(Cost(2, (("clay", 2), ("glass", 1))))) == ["coin=2", "clay", "clay", "glass"]
    assert _gives(Effects(points=1, when=(Clause("scored", points="red"),))) == (
        (Symbol("laurel", "1"),),
        (Symbol(READ),),
    )
    every = faces(load_catalogue("1e"))
    by_name = {face.name: face for face in every}
    order = [(face.facets["age"][0], face.name) for face in every if face.noun == "card"]
    assert [age for age, _ in order] == sorted(age for age, _ in order)
    assert every[-1].noun == "wonder"
    temple = by_name["Temple"]
    assert (temple.kind, temple.about, temple.notes) == (
        "blue",
        ("Age II", "blue"),
        ("Free with Altar", "Makes Pantheon free"),
    )
    assert (temple.part.costs, temple.part.does) == ("1 clay, 1 wood, 1 glass", "3 points")
    assert (temple.links, temple.facets) == (
        {"free with": ("Altar",), "makes free": ("Pantheon",)}, {"age": ("2",), "color": ("blue",)},
    )  # fmt: skip
    loom, gizah = by_name["Loom"], by_name["Gizah"]
    assert (loom.about[0], loom.notes, loom.links, loom.facets["age"]) == ("Age I and II", (), {}, ("1", "2"))
    assert (gizah.kind, gizah.about, gizah.part.does) == ("wonder", ("board",), "Produces stone")
    assert [(stage.name, stage.costs, stage.does) for stage in gizah.sides["A"]] == [
        ("Stage 1", "2 stone", "3 points"), ("Stage 2", "3 wood", "5 points"), ("Stage 3", "4 stone", "7 points"),
    ]  # fmt: skip


def test_a_page_shows_a_catalogue_or_one_entry() -> None:
    page = CATALOGUES.page(Source("1e", changes=("settings.start_coins=4",)), None)
    assert [table.title for table in page.tables] == ["Cards", "Wonders", "House rules", "Switches"]
    assert [table.labels for table in page.tables] == [1, 4, 1, 1], (
        "a stage is named by board, resource, side and number"
    )
    assert page.head.startswith("7 Wonders, first edition (2010) (1e) for 3, 4, 5, 6, 7 players; cards.toml, digest ")
    card = CATALOGUES.page(Source(None), "loom")
    assert [(table.title, [row["age"] for row in table.rows]) for table in card.tables] == [("Cards", [1, 2])]
    assert card.record == card.tables[0].rows
    board = CATALOGUES.page(Source("1e"), "GIZAH")
    assert [(table.title, len(table.rows)) for table in board.tables] == [("Wonders", 7)]
    assert board.record == board.tables[0].rows
    with pytest.raises(UserError, match=r"no card or wonder is called 'Gizeh' \(did you mean 'Gizah'\?\)"):
        CATALOGUES.page(Source("1e"), "Gizeh")
    old, new = CATALOGUES.differences(Source(changes=("settings.start_coins=4",)), "1e", "2e")
    assert all(row["field"] != "start_coins" for row in old), "a change is made to both"
    assert new[:2] == ["Rules", "  sides A, B -> day, night"]


def test_changes_of_settings_and_stages_are_shown_where_they_belong() -> None:
    assert change_patch("settings.start_coins=4", "2e") == {"rulesets": {"2e": {"settings": {"start_coins": 4}}}}
    assert change_patch("wonders.Gizah.A.2.points=4", "1e") == {
        "wonders": {"Gizah": {"sides": {"A": {"2": {"points": 4}}}}}
    }
    for same in ("wonders.Gizah.sides.A.2.points=4", "wonders.Gizah.resource='ore'", "wonders.Gizah.remove=true"):
        assert [*change_patch(same, "1e")["wonders"]["Gizah"]] == [same.split(".")[2].partition("=")[0]]


def read(*entries: Any) -> tuple[Any, list[str]]:
    """Read a list of clauses; return the clauses and the messages without file and path."""
    problems = Problems("mine.toml")
    clauses = read_when(problems, ("cards", "Palace", "when"), list(entries))
    return clauses, [sentence.partition(": ")[2] for sentence in problems.sentences]


def test_event_facts_are_0_or_1_or_amounts() -> None:
    """`1 - card.paid` is never less than 0; a card costs at most 99 coins and 12 units."""
    (clause,), said = read({"event": "card_built", "gain": {"coins": "1 - card.paid"}})
    assert (clause.gain, said) == ((("coins", "1 - card.paid"),), [])
    _, said = read({"event": "card_built", "gain": {"coins": "1 - card.cost"}})
    assert said == ["'1 - card.cost' could be -110, and less than 0 is not accepted; accepted: max(0, ...)"]


def test_an_amount_may_read_the_other_city_and_a_price_may_not() -> None:
    left = {"event": "built", "each": "left"}
    assert read({**left, "gain": {"coins": "other.red"}})[1] == []
    assert read({**left, "gain": {"coins": 1}, "price": "red"})[1] == []
    assert "there is no other city" in read({**left, "gain": {"coins": 1}, "price": "other.red"})[1][0]
    assert "there is no other city" in read({"event": "built", "each": "self", "gain": {"coins": "other.red"}})[1][0]
    assert "there is no other city" in read({"event": "built", "gain": {"coins": "other.red"}})[1][0]
    assert read({"event": "sold", "by": "left", "gain": {"coins": "other.red"}})[1] == [], "the city that sold"
    assert "a price cannot be less than 0" in read({"event": "built", "gain": {"coins": 1}, "price": "red - 1"})[1][0]
    assert read({"event": "built", "price": {"coins": 1}, "gain": {"coins": 2}})[0][0].price == (("coins", "1"),)


@pytest.mark.parametrize(
    ("verb", "item", "accepted"),
    [
        ("gain", "coins", "3 with lose"),
        ("lose", "coins", "3 with gain"),
        ("gain", "shields", "max(0, ...)"),
        ("gain", "debts", "3 with lose"),
    ],
)
def test_an_always_negative_amount_becomes_the_opposite_action(verb: str, item: str, accepted: str) -> None:
    _, said = read({"event": "built", verb: {item: -3}})
    assert said == [f"'-3' could be -3, and less than 0 is not accepted; accepted: {accepted}"]


def test_clause_and_option_lists_have_size_limits() -> None:
    gain = {"gain": {"coins": 1}}
    clause = {"event": "built", **gain}
    assert len(read(*[clause] * 9)[0]) == 9
    assert read(*[clause] * 10)[1][0].startswith("10 of them are not accepted; accepted: a list of 1 to 9 tables")
    assert read()[1][0].startswith("0 of them are not accepted")
    for count in (1, MAX_OPTIONS + 1):
        said = f"{count} of them are not accepted; accepted: a list of 2 to {MAX_OPTIONS} tables"
        assert read({"event": "built", "choose": [gain] * count})[1][0].startswith(said)
    for count in (2, MAX_OPTIONS):
        assert len(read({"event": "built", "choose": [gain] * count})[0][0].choose) == count
    free = {"event": "built", "choose": [gain, {"price": 1}]}
    assert "has no effect; accepted: at least one of take" in read(free)[1][0]


def test_the_options_and_actions_of_a_clause() -> None:
    plain = Clause("built", take="2", each="left", gain=(("coins", "1"), ("counter favour", "3")))
    assert (plain.optional, plain.options()) == (False, ())
    assert plain.acts() == [("take", "2"), ("gain coins", "1"), ("gain counter favour", "3")]
    paid = Clause("built", gain=(("coins", "red"),), price=(("", "2"),))
    assert (paid.optional, paid.options()) == (True, (Option(gain=(("coins", "red"),), price=(("", "2"),)),))
    assert paid.acts() == [("lose coins", "2"), ("gain coins", "red")]
    assert [(*path, node.text) for path, node in paid.formulas()] == [("price", "2"), ("gain", "coins", "red")]
    chosen = Clause(
        "built", choose=(Option(gain=(("coins", "3"),)), Option(take="1", price=(("coins", "2"),))), each="left"
    )
    assert chosen.optional is False
    assert chosen.acts() == [("gain coins", "3"), ("lose coins", "2"), ("take", "1")]
    assert [path for path, _ in chosen.formulas()] == [
        ("choose", "1", "gain", "coins"), ("choose", "2", "price", "coins"), ("choose", "2", "take"),
    ]  # fmt: skip
    assert dict(chosen.numbers()) == {
        ("choose", "1", "gain", "coins:1"): 3, ("choose", "2", "price", "coins:1"): 2, ("choose", "2", "take:1"): 1,
    }  # fmt: skip
    assert chosen.table() == {
        "event": "built", "each": "left", "choose": [{"gain": {"coins": "3"}}, {"price": {"coins": "2"}, "take": "1"}],
    }  # fmt: skip
    assert Clause("built", one=True, each="other", give="1").options() == (Option(give="1"),)


@pytest.mark.parametrize(
    ("by", "seller", "pairs"),
    [("", "", 2), ("self", "left", 1), ("neighbor", "self", 2), ("left", "other", 1), ("left", "anyone", 2),
     ("anyone", "anyone", 10), ("other", "other", 6), ("right", "self", 1), ("partner", "right", 0),
     ("other", "left", 1)],
)  # fmt: skip
def test_buyer_and_seller_pairs_of_five_cities(by: str, seller: str, pairs: int) -> None:
    """City 0 has the clause, 1 sits on its left and 4 on its right; whoever buys, buys from either neighbour."""
    assert Clause("bought", by=by, seller=seller).sales(5) == pairs


def test_counters_units_and_resources_are_read() -> None:
    assert read_counters(Problems("x"), {"a": {"most": 2, "least": 0}}) == (Counter("a", 2),)
    assert pack_units((("clay", 2), ("papyrus", 1))) == 2 + (1 << 8 * RESOURCES.index("papyrus")) * (
        RESOURCES[0] == "clay"
    )
    assert resource_mask(("clay", RESOURCES[3], "clay")) == 1 + 8


def test_settings_are_printed_by_default() -> None:
    assert asdict(Settings()) == {
        "hand_size": 7, "start_coins": 3, "sale_coins": 3, "trade_price": 2, "victory_tokens": (1, 3, 5),
        "defeat_points": -1, "coins_per_point": 3, "guilds_extra": 2, "guilds": "",
        "passing": ("left", "right", "left"), "last_card": ("discarded",) * 3, "tie_breaks": ("coins",),
        "science": "compass ** 2 + gear ** 2 + tablet ** 2 + 7 * sets(compass, gear, tablet)",
    }  # fmt: skip
    assert load_catalogue("1e").settings == Settings()


def test_schemas_accept_lists_of_valid_sizes() -> None:
    clauses = Draft202012Validator(schema_of(read_when))
    gain, clause = {"gain": {"coins": 1}}, {"event": "built"}
    for count, accepted in ((1, False), (2, True), (MAX_OPTIONS, True), (MAX_OPTIONS + 1, False)):
        assert clauses.is_valid([{**clause, "choose": [gain] * count}]) is accepted
        assert clauses.is_valid({"1": {"choose": {str(number): gain for number in range(1, count + 1)}}})
    for count, accepted in ((0, False), (1, True), (9, True), (10, False)):
        assert clauses.is_valid([{**clause, **gain}] * count) is accepted
    assert not clauses.is_valid([gain]), "a clause has an event"
    assert clauses.is_valid({"1": gain}), "a patch to a clause need not repeat it"


def test_facts_of_the_built_card_are_substituted_into_formulas() -> None:
    """A card that costs 3 and has 2 shields: `shields` alone are those of the city."""
    known = _with_facts(parse("card.cost + 2 * shields - card.shields"), {"cost": 3, "shields": 2})
    assert evaluate_node(known, {"shields": 10}) == 3 + 2 * 10 - 2
    catalogue = load_catalogue("1e")
    formulas = Formulas({card.name: number for number, card in enumerate(catalogue.cards)}, catalogue)
    assert formulas.begins("2 * red") == 0
    assert formulas.begins("2 * red", "Palace", 5) == 0, "it reads nothing of the card"
    first = formulas.begins("card.cost + red", "Palace", 5, {"cost": 3})
    second = len(formulas.words)
    assert 0 < first < second
    assert formulas.begins("card.cost + red", "Palace", 6, {"cost": 4}) == second, "a card of another cost"
    assert formulas.begins("card.cost + red", "Palace", 5, {"cost": 3}) == first, "the same card again"


def test_tokens_are_packed_by_number_and_settings_may_name_city_counters(tmp_path: Path) -> None:
    rules: Any = SimpleNamespace(victory_token=[0, 0])
    for value, packed in ((1, 1), (3, 2), (5, 3)):
        EFFECTS["victory_token"].pack(rules, 1, value)
        assert rules.victory_token == [0, packed]
    patch = tmp_path / "mine.toml"
    clause = '[[cards.Palace.when]]\nevent = "built"\ngain = { counter.favour = 1 }\n'
    for owner, accepted in (("city", True), ("table", True), ("card", False)):
        rule = '[rulesets.1e.settings]\nscience = "gear + counter.favour"\n'
        patch.write_text(f'[counters.favour]\nof = "{owner}"\nmost = 3\n{clause}{rule}', encoding="utf-8")
        with (
            nullcontext()
            if accepted
            else pytest.raises(UserError, match="'favour' belongs to cards, and a setting has")
        ):
            load_catalogue("1e", patches=[patch])


def test_entries_are_named_by_number() -> None:
    catalogue = load_catalogue("1e")
    names = [source_name(catalogue, None, STAGE_ENTRY + number) for number in range(4)]
    assert names == [f"stage {number} of Alexandria A" for number in (1, 2, 3)] + ["stage 1 of Alexandria B"]
    assert (source_name(catalogue, None, 0), source_name(catalogue, None, -1)) == (catalogue.cards[0].name, "")
    rules = compile_rules(load_catalogue("1e", changes=["settings.science='2 * gear'"]), 3)[0]
    assert source_name(catalogue, rules, int(rules.science_at), of_formula=True) == "settings.science"
    assert source_name(catalogue, rules, 99, of_formula=True) == ""
