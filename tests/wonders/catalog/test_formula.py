"""Formulas: values in the kernels and in the twin, bounds, messages about mistakes, and descriptions in English."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.tiers import first_quick
from tests.wonders.both import TwinPosition
from tests.wonders.formulas import condition, number
from tests.wonders.position_kernels import evaluated
from tests.wonders.positions import Position
from tests.wonders.reference.clauses import value
from wsim.balance.goal import as_goal
from wsim.balance.knobs import knobs_of, read_patch
from wsim.errors import UserError
from wsim.game import find_game
from wsim.kernels.formula_words import DEPTH, OPERATIONS
from wsim.lab.plan import Plan
from wsim.spec.formula import FormulaError, span
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.clause_text import describe_clauses
from wsim.wonders.catalog.compiling import Formulas
from wsim.wonders.catalog.formula import VOCABULARY, WIDEST, normal, parse, with_number, written
from wsim.wonders.catalog.formula_text import english
from wsim.wonders.catalog.listing import diff_lines
from wsim.wonders.tunable_values import TUNING

BOARDS = ("Gizah A", "Rhodos A", "Ephesos B", "Olympia A")
STRUCTURES = (
    ("Altar", "Lumber Yard", "Workshop", "Scriptorium", "Apothecary", "Stockade", "Forum"),
    ("Baths", "Foundry", "Glassworks", "Scientists Guild", "Walls", "Caravansery"),
    ("Palace", "Sawmill", "Barracks", "Library"),
    ("Excavation", "Workers Guild", "Shipowners Guild", "Dispensary", "Laboratory"),
)
DRAWN = 3000


def laid_out(side: Any) -> Any:
    p = side("1e", *BOARDS, age=2, turn=4)
    for seat, cards in enumerate(STRUCTURES):
        p.city(
            seat, *cards, stages=seat % 3, coins=3 * seat, debts=seat, defeats=2 - seat // 2, victories=[1, 3][:seat]
        )
    return p


def drawn(seed: int, count: int) -> list[str]:
    """Draw random formulas, and keep those that are accepted."""
    rng = random.Random(seed)
    found: list[str] = []
    cards = [name for cards in STRUCTURES for name in cards]
    while len(found) < count:
        draw = number if rng.random() < 0.8 else condition
        text = draw(rng, cards, True, rng.randint(1, 4))
        try:
            parse(text)
        except FormulaError:
            continue
        found.append(text)
    return found


@pytest.mark.slow
def test_random_formulas_agree_with_the_twin_and_stay_in_their_range() -> None:
    engine, twin = laid_out(Position), laid_out(TwinPosition)
    names = {name: i for i, name in enumerate(engine.names)}
    texts = [text for text in drawn(1, DRAWN) if "card.order" not in text]  # a position has no order of building (R99)
    for first in range(0, len(texts), 100):
        some = texts[first : first + 100]
        formulas = Formulas(names, engine.catalogue)
        starts = list(map(formulas.begins, some))
        formulas.fill(engine.rules)
        owner, other = first // 100 % 4, first // 400 % 4
        results = np.zeros(len(some), np.int64)
        evaluated(engine.public, engine.rules, np.array(starts), owner, other, results)
        cities = twin.table.cities
        for text, result in zip(some, results.tolist(), strict=True):
            assert result == value(twin.table, cities[owner], cities[other], text), text
            low, high = span(parse(text), WIDEST)
            assert low <= result <= high, text


@pytest.mark.slow
def test_a_formula_formatted_by_python_means_the_same() -> None:
    for text in drawn(2, 300):
        once = normal(text)
        assert normal(once) == once
        assert span(parse(once), WIDEST) == span(parse(text), WIDEST)
        assert english(parse(text))


@pytest.mark.parametrize(
    ("text", "least", "greatest"),
    [
        ("3 - stages", -3, 3),
        ("abs(stages - 2)", 0, 4),
        ("-7 // 2", -4, -4),
        ("(1 - age) // 2", -1, 0),
        ("turn % 3", 0, 2),
        ("age % 7", 1, 3),
        ("stages % -4", -3, 0),
        ("stages ** 3", 0, 216),
        ("2 if red > 1 else -5", -5, 2),
        ("count('Altar', 'Baths', red > 2)", 0, 3),
        ("sets(stages, 4, red)", 0, 4),
        ("max(stages, 2) * min(-1, 3)", -6, -2),
        ("1 <= age <= 2", 0, 1),
    ],
)
def test_the_range_of_a_formula_is_computed(text: str, least: int, greatest: int) -> None:
    assert span(parse(text), WIDEST) == (least, greatest)


MISTAKES = {
    "sheilds": "'sheilds', at character 1: unknown name 'sheilds' (did you mean 'shields'?); accepted: coins, stages, ",
    "2 * othr.red": "'othr.red', at character 5: unknown city 'othr' (did you mean 'other'?); accepted: other, left,",
    "other.age": "'other.age', at character 1: unknown name 'age'",
    "red / 2": "'red / 2', at character 1: formulas use whole numbers; divide with //, which rounds down",
    "7 // red": "'red', at character 6: could be 0, and division by 0 is not allowed; divide by max(1, red)",
    "7 % (red - 2)": "'red - 2', at character 6: could be 0",
    "7 // -red": "'-red', at character 6: could be 0, and division by 0 is not allowed",
    "red and blue": "'red', at character 1: is a number where a condition is needed, such as red > 0",
    "1 if stages else 0": "'stages', at character 6: is a number where a condition is needed",
    "smallest(1, 2)": "'smallest(1, 2)', at character 1: unknown function 'smallest'",
    "mni(1, 2)": "'mni(1, 2)', at character 1: unknown function 'mni' (did you mean 'min'?); accepted: min, max, ",
    "min(1)": "'min(1)', at character 1: 1 argument is not accepted; accepted: 2 to 12 arguments",
    "min(*red)": "'min(*red)', at character 1: min takes plain arguments, without * or keywords",
    "'Altar'": "\"'Altar'\", at character 1: a card name must be inside count(...)",
    "card.name": "'card.name', at character 1: a name is not a number; accepted: card.name == \"...\"",
    "last.red.name + 1": "'last.red.name', at character 1: a name is not a number; accepted: last.red.name == \"...\"",
    "count(card.name)": "'card.name', at character 7: a name is not a number; accepted: card.name == ",
    "card.name > 'Altar'": "at character 1: names are compared with ==, !=, in and not in; accepted: card.name == ",
    "card.name == 'Altar' == 'Baths'": "at character 1: names are compared with ==, !=, in and not in",
    "3 == card.name": "'3', at character 1: is not a card name; accepted: names in quotes, card.name == ",
    "card.name in ('Altar', red)": "'red', at character 24: is not a card name; accepted: names in quotes, ",
    "card.nmae == 'Altar'": "'card.nmae', at character 1: unknown name 'nmae' (did you mean 'name'?); accepted: cost",
    "first.red": "'first.red', at character 1: the card built first is written with a colour and a fact, such as",
    "previous.rde.cost": "unknown colour 'rde' (did you mean 'red'?); accepted: brown",
    "count(card.cots > 1)": "'card.cots', at character 7: unknown name 'cots' (did you mean 'cost'?); accepted: cost, ",
    "count(card.cost)": "'card.cost', at character 7: is a number where a condition is needed, such as card.cost > 0",
    "count(card.cost > red)": "'red', at character 19: is not known for a counted structure; accepted: card.cost",
    "count(card.cost > count('Altar'))": "'Altar'\", at character 25: count cannot be used inside count",
    "1.5": "'1.5', at character 1: only whole numbers are accepted",
    "True": "'True', at character 1: only whole numbers are accepted",
    "9999999": "'9999999', at character 1: a number can be at most 1,000,000",
    "coins ** 9": "'9', at character 10: an exponent must be a number from 1 to 4",
    "red +": ": this is not a formula; accepted: numbers, names, ",
    "red = 2": "'red = 2', at character 5: this is not a formula; equality is written ==; accepted: numbers, ",
    "red > 1 && blue > 1": ": this is not a formula; `and` is written out; accepted: ",
    "red > 1 ? 2 : 3": ": this is not a formula; a choice is written `2 if red > 1 else 3`; accepted: ",
    "2red": ": this is not a formula; a product is written 2 * red; accepted: ",
    "!red": ": this is not a formula; `not` is written out; accepted: ",
    "count(Palace)": "'Palace', at character 7: unknown name 'Palace'; a card name needs quotes: count('Palace')",
    "": "'': this is not a formula",
    "[red]": "'[red]', at character 1: is not accepted in a formula; accepted: numbers, names, ",
    "__import__('os').system('ls')": "unknown function \"__import__('os').system\"",
    "lambda: 1": "'lambda: 1', at character 1: is not accepted in a formula",
    "red.__class__": "'red.__class__', at character 1: unknown city 'red'",
    "(red := 3)": "is not accepted in a formula",
    "red if age is 3 else 0": "is not accepted in a formula",
    "1 + " * 80 + "1": "a formula of 321 characters is too long; accepted: at most 300",
    "+".join(["1"] * 100): "is too deeply nested or too long; split it into several effects",
    "(1+" * 20 + "1" + ")" * 20: "is too deeply nested or too long; split it into several effects",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_reported_in_one_sentence_with_its_position(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert MISTAKES[text] in str(caught.value)
    assert "\n" not in str(caught.value)


CLAUSES = {
    '{event="bulit", gain={coins=1}}': "when.1.event: unknown event 'bulit' (did you mean 'built'?)",
    "{gain={coins=1}}": "when.1: event is missing; accepted: built, card_built",
    '{event="built"}': "when.1: has no effect; accepted: at least one of take, give, gain, lose, points, choose",
    '{event="built", gain={coin=1}}': "when.1.gain.coin: unknown thing to gain 'coin' (did you mean 'coins'?)",
    '{event="built", gain={coins=-1}}': "'-1' could be -1, and less than 0 is not accepted; accepted: 1 with lose",
    '{event="built", gain={shields=-1}}': "'-1' could be -1, and less than 0 is not accepted; accepted: max(0, ...)",
    '{event="built", each="left", give=-2}': "could be -2, and less than 0 is not accepted; accepted: 2 with take",
    '{event="built", gains={coins=1}}': "when.1.gains: unknown field 'gains' (did you mean 'gain'?)",
    '{event="built", each="neighbour", take=1}': "when.1.each: unknown seat 'neighbour' (did you mean 'neighbor'?)",
    '{event="built", gain={coins="3 - red"}}': "when.1.gain.coins: '3 - red' could be -252, and less than 0",
    '{event="built", take=1}': "when.1.take: coins are taken from other cities; accepted: each = one of left",
    '{event="built", each="left", take=1, by="self"}': "when.1.by: 'built' is not a move; accepted with: card_built",
    '{event="built", each="trigger", take=1}': "when.1.each: 'trigger' is the city that made a move, but",
    '{event="sold", color="red", gain={coins=1}}': "when.1.color: 'sold' has no color; accepted with: card_built",
    '{event="sold", from="left", gain={coins=1}}': "when.1.from: 'sold' has no seller; accepted with: bought",
    '{event="bought", from="self", gain={coins=1}}': "when.1.from: a city cannot buy from itself; accepted: also",
    '{event="sold", gain={coins="purchase"}}': "when.1.gain.coins: 'purchase', at character 1: nothing is bought;",
    '{event="scored", gain={points=1}}': "when.1.gain: only points can change at the end of the game; accepted: points",
    '{event="built", gain={points="3 - red"}}': "when.1.gain.points: '3 - red' could be -252, and less than 0",
    '{event="built", gain={points=-2}}': "when.1.gain.points: '-2' could be -2, and less than 0 is not",
    '{event="scored", gain={coins=1}}': "when.1.gain: only points can change at the end of the game; accepted: points",
    '{event="built", points=1}': "when.1.points: these points are counted at the end of the game; accepted:",
    '{event="built", gain={coins="other.red"}}': "when.1.gain.coins: 'other.red', at character 1: there is no other",
    '{event="built", gain={coins=1}, if="red"}': "when.1.if: 'red' is a number where a condition is needed",
    '{event="built", gain={coins="count(\'Altra\')"}}': "when.1.gain.coins: unknown card 'Altra' (did you mean",
    '{event="card_built", if="card.name == \'Altra\'", gain={coins=1}}': "when.1.if: unknown card 'Altra' (did you",
    '{event="sold", if="card.name == \'Altar\'", gain={coins=1}}': "when.1.if: 'card.name', at character 1: 'sold' is",
    '{event="built", gain={coins=true}}': "when.1.gain.coins: True is not accepted; accepted: a whole number",
    '{event="sold", gain={coins=1}}, {event="sold", gain={coins="rde"}}': "when.2.gain.coins: 'rde', at character 1",
}


@first_quick(12, "text", CLAUSES)
def test_a_mistake_in_a_clause_names_its_field(text: str) -> None:
    with pytest.raises(UserError) as caught:
        load_catalogue("1e", changes=[f"cards.Palace.when=[{text}]"])
    assert "cards.Palace.when." in str(caught.value)
    assert CLAUSES[text] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("when={event='built', gain={coins=1}}", "cards.Palace.when: {'event': 'built', 'gain': {'coins': 1}} is not "),
        ("when.3.gain.coins=2", "cards.Palace.when.3: no such clause; accepted: 1 to add the first"),
        ("when.1.gain.coins:2=2", 'cards.Palace.when.1.gain."coins:2": '),
        ("when=[]", "cards.Palace.when: 0 of them are not accepted; accepted: a list of 1 to 9 tables, such as"),
    ],
)
def test_changes_of_unknown_clauses_list_the_existing_ones(change: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        load_catalogue("1e", changes=[f"cards.Palace.{change}"])
    assert said in str(caught.value)


def test_all_mistakes_are_reported_together() -> None:
    text = '[{event="built", gain={coins="rde", shields="blu"}}, {event="biult"}]'
    with pytest.raises(UserError) as caught:
        load_catalogue("1e", changes=[f"cards.Palace.when={text}"])
    assert len(str(caught.value).splitlines()) == 3


def test_a_number_of_a_clause_can_be_set() -> None:
    clause = 'cards.Palace.when=[{event="built", gain={coins=1}}]'
    [card] = [
        c
        for c in load_catalogue("1e", changes=[clause, "cards.Palace.when.1.gain.coins=4"]).cards
        if c.name == "Palace"
    ]
    assert card.effects.when[0].table() == {"event": "built", "gain": {"coins": "4"}}
    other = load_catalogue("1e", changes=[clause, 'cards.Palace.when.1.gain.coins="  1"'])
    assert other.digest == load_catalogue("1e", changes=[clause]).digest != load_catalogue("1e").digest


@pytest.mark.parametrize(
    ("text", "place", "number", "becomes"),
    [
        ("1 + 22*red - 3", 2, 7, "1 + 7 * red - 3"),
        ("2 if red > 1 else -5", 3, 4, "2 if red > 1 else -4"),
        ("4 - 3**2", 2, -1, "4 - (-1) ** 2"),
        ("(red - 2)**3", 2, 2, "(red - 2) ** 2"),
        ("count('Bäcker', red > 12) * 5", 1, 6, "count('Bäcker', red > 6) * 5"),
        ("7", 1, 0, "0"),
    ],
)
def test_a_number_of_a_formula_is_changed_by_its_position(text: str, place: int, number: int, becomes: str) -> None:
    assert normal(with_number(text, place, number)) == becomes
    assert [value for _, value in written(with_number(text, place, 3))][place - 1] == 3


def test_a_nonexistent_number_of_a_formula_is_rejected() -> None:
    with pytest.raises(FormulaError, match=r"'2 \* red' has no number 2; accepted: 1 \(the 2\)"):
        with_number("2 * red", 2, 1)


TITHE = 'cards.Altar.when=[{event="built", gain={coins="3 + red"}}, {event="scored", points="2 if brown > 1 else 0"}]'


def test_every_number_of_a_clause_can_be_changed() -> None:
    stage = 'wonders.Gizah.A.2.when=[{event="sold", gain={coins=4}}]'
    simulator = find_game("seven_wonders").prepare(Plan.make(set=[TITHE, stage]))
    values = {path: number for path, number in TUNING.values(simulator).items() if "when" in path}
    assert {"/".join(path): number for path, number in values.items()} == {
        "cards/Altar/when/1/gain/coins:1": 3,
        "cards/Altar/when/2/points:1": 2,
        "cards/Altar/when/2/points:2": 1,
        "cards/Altar/when/2/points:3": 0,
        "wonders/Gizah/sides/A/2/when/1/gain/coins:1": 4,
    }
    same = [f"{'.'.join(path)}={number}" for path, number in values.items()]
    digests = {load_catalogue("1e", changes=changes).digest for changes in ([TITHE, stage], [TITHE, stage, *same])}
    assert digests == {simulator.provenance()["catalogue_digest"]}
    quoted = load_catalogue("1e", changes=[TITHE, stage, 'cards.Altar.when.1.gain."coins:1"=5'])
    assert quoted.card("Altar").effects.when[0].gain == (("coins", "5 + red"),)


NUMBERS = {
    "1.gain.coins:2=1": "when.1.gain.\"coins:2\": '3 + red' has no number 2; accepted: 1 (the 3)",
    "1.gain.coins:1=x": "when.1.gain.\"coins:1\": 'x' is not accepted; accepted: a whole number",
    "1.gain.coin:1=2": "when.1.gain.\"coin:1\": unknown thing to gain 'coin:1' (did you mean 'coins'?)",
    "1.gain.coins:1=-9": "when.1.gain.coins: '-9 + red' could be -9, and less than 0 is not accepted",
    "9.gain.coins:1=2": "when.9: no such clause; accepted: 1 to 2 to change a clause, 3 to add one",
}


@pytest.mark.parametrize("change", NUMBERS)
def test_a_mistake_about_a_number_in_a_formula_is_reported_in_one_sentence(change: str) -> None:
    with pytest.raises(UserError) as caught:
        load_catalogue("1e", changes=[TITHE, f"cards.Altar.when.{change}"])
    assert f"--set cards.Altar.when.{change}, cards.Altar.{NUMBERS[change]}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_number_of_a_formula_is_a_knob(tmp_path: Path) -> None:
    goal = {"policies": "random", "set": [TITHE]}
    knob = {"path": "cards.Altar.when.*.*.*", "range": "-2..2", "absolute": False}
    read = as_goal({"plan": goal, "target": [{"of": "wonder", "within": 0.1}], "knob": [knob]})
    [one] = knobs_of(read, find_game("seven_wonders").prepare(read.settings[0].plan))
    assert (one.name, one.base, one.low, one.high) == ('cards.Altar.when.1.gain."coins:1"', 3, 1, 5)
    tithe, file = tmp_path / "tithe.toml", tmp_path / "patch.toml"
    tithe.write_text(f"{TITHE}\n")
    file.write_text(f"{one.name} = 5\n")  # as `wsim balance` writes it
    assert read_patch(file) == ((one.path, 5),)
    altar = load_catalogue("1e", patches=[tithe, file]).card("Altar")
    assert altar.effects.when[0].gain == (("coins", "5 + red"),)


def test_whatif_can_change_a_number_of_a_formula() -> None:
    answer = wsim.whatif(
        policies="random",
        players=3,
        budget=60,
        threads=1,
        base_set=[TITHE],
        sweep="cards.Altar.when.1.gain.coins:1=0,9",
    )
    less, more = answer.effects["effect"]
    assert less < 0 < more


def test_a_difference_is_described_clause_by_clause() -> None:
    first = load_catalogue("1e", changes=[TITHE])
    changes = ("cards.Altar.when.1.gain.coins:1=5", "cards.Altar.when.2.remove=true")
    second = load_catalogue("1e", changes=[TITHE, *changes])
    was, now = (f"when built: gains ({number} plus own red cards) coins" for number in (3, 5))
    assert diff_lines(first, second)[1:] == [
        f"  Altar: clause 1 {was} -> {now}",
        "  Altar: clause 2 at the end of the game: (2 if own brown cards are more than 1, else 0) points -> none",
    ]


ENGLISH = {
    "2 * (red + blue)": "2 times (own red cards plus own blue cards)",
    "(2 * red) + 1": "2 times own red cards plus 1",
    "1 if other.shields < shields and age == 3 else 0": (
        "1 if their shields are fewer than own shields and the age is exactly 3, else 0"
    ),
    "red - (blue - 1)": "own red cards minus (own blue cards minus 1)",
    "left.count(card.cost >= 3 and not card.red)": (
        "the number of: the left neighbour's structures where (the cost is at least 3 and the colour is not red)"
    ),
    "count(card.chained, card.gear)": (
        "the number of: own structures where there is a chain to it and own structures where the symbol is a gear"
    ),
    'left.count("Altar", red > 1)': "the number of: the left neighbour's Altar and own red cards are more than 1",
    "card.name == 'Altar' and not last.red.name == card.name": (
        "its name is Altar and the name of own last red card is not its name"
    ),
    "count(card.name not in ('Altar', 'Baths'))": (
        "the number of: own structures where (not (the name is Altar or the name is Baths))"
    ),
    "left.first.red.cost + previous.cards.age": (
        "the cost of the left neighbour's first red card plus the age of own last card but one"
    ),
    "card.order % 3": "the remainder of its number in the order of building divided by 3",
    "coins // 3": "own coins divided by 3, rounded down",
    "-max(1, 2)": "minus the greater of 1 and 2",
}


@pytest.mark.parametrize("text", ENGLISH)
def test_formulas_are_described_in_english(text: str) -> None:
    assert english(parse(text)) == ENGLISH[text]


TELLING = {
    '{event="built", each="neighbor", if="other.shields < shields", take=1}': (
        "when built: takes 1 coin from each neighbour, if their shields are fewer than own shields"
    ),
    '{event="card_built", by="neighbor", color=["red", "blue"], gain={age_shields=1}}': (
        "whenever a neighbour builds a red or blue card: gains 1 shield for this age"
    ),
    '{event="sold", by="anyone", each="trigger", lose={coins=2}, gain={debts=1}}': (
        "whenever any city sells a card: that city gains 1 debt, that city loses 2 coins"
    ),
    '{event="scored", each="other", points="other.red"}': (
        "at the end of the game for each other city: (their red cards) points"
    ),
    '{event="bought", by="neighbor", from="self", each="trigger", take="purchase // 2"}': (
        "whenever a neighbour buys from this city: takes (the coins paid for the purchase divided by 2, rounded down) "
        "coins from the buyer"
    ),
    '{event="age_start", gain={turn_wood=1, turn_ore="red"}}': (
        "at the start of each age: gains (own red cards) ore units for one turn, gains 1 wood unit for one turn"
    ),
    '{event="built", gain={left_raw_price=1}, lose={right_manufactured_price="right_manufactured_price"}}': (
        "when built: the price of raw units from the left rises by 1, "
        "the price of manufactured units from the right falls by (own price of manufactured units from the right)"
    ),
    '{event="built", each="neighbor", gain={left_raw_price=1}}': (
        "when built: the price of raw units from the left rises by 1 for each neighbour"
    ),
    '{event="sold", each="neighbor", gain={points="max(0, gained_points)"}, lose={points=1}}': (
        "whenever this city sells a card: each neighbour gains (the greater of 0 and own points gained in the game so "
        "far) points, each neighbour loses 1 point"
    ),
    '{event="built", gain={free_build_tokens=1, discard_builds=2}}': (
        "when built: gains 1 token of a free build, gains 2 builds from the discard pile"
    ),
    '{event="bought", each="trigger", give=1}': (
        "whenever this city buys from a neighbour: gives 1 coin to the seller"
    ),
    '{event="turn_start", each="left", give="age"}': (
        "at the start of each turn: gives (the age) coins to the left neighbour"
    ),
}


@pytest.mark.parametrize("clause", TELLING)
def test_clauses_are_described_in_english(clause: str) -> None:
    effects = load_catalogue("1e", changes=[f"cards.Palace.when=[{clause}]"]).card("Palace").effects
    assert describe_clauses(effects.when) == TELLING[clause]


def stack_of(words: list[int]) -> int:
    """Return the maximum stack depth of a formula, by simulating the effect of each word on the stack."""
    taken = {"end": 1, "neg": 1, "not": 1, "abs": 1, "if": 3} | dict.fromkeys(("number", "name", "card", "cards"), 0)
    held = deepest = 0
    for word in words:
        operation = OPERATIONS[word & 0xFF]
        held += 1 - (word >> 8 & 7 if operation == "call" else taken.get(operation, 2))
        deepest = max(deepest, held)
    return deepest


@pytest.mark.parametrize(("outer", "levels"), [("1 if {} > 0 else 2", 7), ("1 if red > 0 else {}", 13), ("1 + {}", 15)])
def test_a_formula_must_fit_the_stack_of_the_machine(outer: str, levels: int) -> None:
    text = "red"
    for _ in range(levels):
        text = f"({outer.format(text)})"
        words, depth = VOCABULARY.words(parse(text), {}, None)
        assert depth == stack_of(words) <= DEPTH
    with pytest.raises(FormulaError, match="too deeply nested"):
        parse(f"({outer.format(text)})")
