"""Every kind of mistake in a card file, patch or change: one sentence with file, entry, field and accepted values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.wonders.catalog import default_cards_path, load_catalogue, ruleset_names

if TYPE_CHECKING:
    from pathlib import Path

BLACK = ("Cells", "City Gates", "Customs", "Dive", "Hideout", "Militia", "Residence", "Pigeonhole")


def refusal(changes: list[str], ruleset: str = "1e") -> list[str]:
    """Apply invalid changes and return the lines of the error message."""
    with pytest.raises(UserError) as caught:
        load_catalogue(ruleset, changes=changes)
    return str(caught.value).splitlines()


def patch_refusal(tmp_path: Path, text: str, ruleset: str = "1e") -> str:
    """Read an invalid patch file called mine.toml and return the first line of the error message."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_catalogue(ruleset, patches=[path])
    return str(caught.value).splitlines()[0].replace(str(path), "mine.toml")


CHANGES = """
# unknown effect
cards.Palace.point=6
    cards.Palace.point: unknown field or effect 'point' (did you mean 'points'?); accepted: age,
# unknown resource
cards.Palace.cost.oer=1
    cards.Palace.cost.oer: unknown part of a cost 'oer' (did you mean 'ore'?); accepted: coins, clay, stone, ore,
# unknown product
cards.Mine.produces_one_of=["iron", "ore"]
    cards.Mine.produces_one_of: unknown resource 'iron'
# unknown color
cards.Palace.color=grey
    cards.Palace.color: unknown color 'grey' (did you mean 'gray'?); accepted: brown, gray
# unknown predecessor
cards.Palace.free_with=["Tempel"]
    cards.Palace.free_with: unknown predecessor 'Tempel' (did you mean 'Temple'?); accepted: one of 75 names
# own predecessor
cards.Palace.free_with=["Palace"]
    cards.Palace.free_with: 'Palace' cannot be its own predecessor
# predecessor twice
cards.Palace.free_with=["Loom", "Loom"]
    cards.Palace.free_with: 'Loom' is listed twice
# age
cards.Palace.age=4
    cards.Palace.age: 4 is not accepted; accepted: a whole number from 1 to 3
# no age
cards.Palace.age=false
    cards.Palace.age: is missing; accepted: 1, 2, 3
# true for a number
cards.Palace.points=true
    cards.Palace.points: true is not accepted; accepted: a whole number from -99 to 99
# text for a number
cards.Palace.points=six
    cards.Palace.points: 'six' is not accepted
# fraction
cards.Palace.points=1.5
    cards.Palace.points: 1.5 is not accepted
# table for a number
cards.Palace.points={ n = 1 }
    cards.Palace.points: a table is not accepted
# number for a flag
cards.Palace.copy_guild=1
    cards.Palace.copy_guild: 1 is not accepted; accepted: true, false
# number for a word
cards.Palace.science=1
    cards.Palace.science: 1 is not a symbol; accepted: compass, gear, tablet, any
# number for a table
cards.Palace.cost=3
    cards.Palace.cost: 3 is not accepted; accepted: a table with coins, clay
# number for an entry
cards.Palace=3
    --set 'cards.Palace=3' names no field of cards.Palace
# negative cost
cards.Palace.cost.ore=-1
    cards.Palace.cost.ore: -1 is not accepted; accepted: a whole number from 0 to 12
# cost of 13 units
cards.Palace.cost.ore=7
    cards.Palace.cost: 13 units are not accepted; accepted: at most 12
# negative coins
cards.Tavern.coins=-1
    cards.Tavern.coins: -1 is not accepted; accepted: a whole number from 0 to 99
# too many points
cards.Palace.points=100
    cards.Palace.points: 100 is not accepted
# copies for 8 players
cards.Palace.copies=[3, 8]
    cards.Palace.copies: 8 is not accepted; accepted: a whole number from 3 to 7
# no copies
cards.Palace.copies=false
    cards.Palace.copies: is missing; accepted: a minimum player number (3 to 7) for each copy
# empty copies
cards.Palace.copies=[]
    cards.Palace.copies: a list of 0 is not accepted
# copies in age 4
cards.Loom.copies.4=[3]
    cards.Loom.copies.4: unknown age '4'; accepted: 1, 2, 3
# two ages and an age
cards.Loom.age=1
    cards.Loom.age: cannot be combined with copies by age; accepted: age = false
# copies of a guild
cards.Workers Guild.copies=[3]
    cards."Workers Guild".copies: a purple card has no copies
# guild of age I
cards.Workers Guild.age=1
    cards."Workers Guild".age: 1 is not accepted for a guild; accepted: 3
# guild that copies
cards.Workers Guild.copy_guild=true
    a guild cannot copy guilds
# brown card of R18
cards.Mine.produces_one_of=own_board_brown_gray
    cards.Mine.produces_one_of: a brown card must name its resources
# one alternative
cards.Mine.produces_one_of=["ore"]
    cards.Mine.produces_one_of: a list of 1 is not accepted; accepted: 2 to 12 items
# same alternative
cards.Mine.produces_one_of=["ore", "ore"]
    cards.Mine.produces_one_of: 'ore' is listed twice
# unknown alternative
cards.Forum.produces_one_of=own_board
    cards.Forum.produces_one_of: unknown alternative 'own_board'
# nothing to count
cards.Haven.points_per.what=[]
    cards.Haven.points_per.what: a list of 0 is not accepted
# unknown thing to count
cards.Haven.points_per.what=["browns"]
    cards.Haven.points_per.what: unknown thing to count 'browns' (did you mean 'brown'?)
# unknown city
cards.Haven.points_per.cities=others
    cards.Haven.points_per.cities: unknown city 'others'; accepted: self, left, right
# part of a count missing
cards.Palace.points_per={ n = 1 }
    cards.Palace.points_per: what and cities are missing
# unknown part of a count
cards.Haven.points_per.m=1
    cards.Haven.points_per.m: unknown field 'm'
# price
cards.Marketplace.trade_price.price=0
    cards.Marketplace.trade_price.price: 0 is not accepted; accepted: 1
# token
cards.Palace.victory_token=2
    cards.Palace.victory_token: 2 is not accepted; accepted: 0, 1, 3, 5
# occasion
cards.Palace.free_build=always
    cards.Palace.free_build: unknown occasion 'always'
# victim
cards.Palace.debt={ who = 'all', n = 1 }
    cards.Palace.debt.who: unknown victim or beneficiary 'all'; accepted: others, neighbors
# empty note
cards.Palace.uncertain=''
    cards.Palace.uncertain: '' is not accepted; accepted: words in quotes
# no such card
cards.Palas.points=6
    cards.Palas: there is no such card in rule set 1e (did you mean 'Palace'?); a new one needs at least a color
# card of another rule set
cards.Well.points=6
    cards.Well: there is no such card in rule set 1e
# no such board
wonders.Giza.A.1.points=6
    wonders.Giza: there is no such board in rule set 1e (did you mean 'Gizah'?); a new one needs a resource and
# nothing to remove
cards.Palas.remove=true
    cards.Palas: there is no entry with this name to remove (did you mean 'Palace'?)
# remove = false
cards.Palace.remove=false
    cards.Palace.remove: `remove = true` must be the only key
# no such stage
wonders.Gizah.A.5.points=6
    wonders.Gizah.sides.A.5: no such stage; accepted: 1 to 3 to change a stage, 4 to add one
# stage 0
wonders.Gizah.A.0.points=6
    wonders.Gizah.sides.A.0: no such stage
# seven stages
wonders.Gizah.A=[{}, {}, {}, {}, {}, {}, {}]
    wonders.Gizah.sides.A: 7 stages are not accepted; accepted: a list of 1 to 6 stages
# no stage
wonders.Gizah.A=[]
    wonders.Gizah.sides.A: 0 stages are not accepted
# side of no rule set
wonders.Gizah.C=[{}]
    wonders.Gizah.sides.C: unknown side 'C'; accepted: A, B, day, night
# side missing
wonders.Gizah.B=false
    wonders.Gizah.sides: has no side 'B'; rule set 1e uses the sides A and B
# effect of a stage
wonders.Gizah.A.1.shield=1
    wonders.Gizah.sides.A.1.shield: unknown field or effect 'shield' (did you mean 'shields'?)
# age of a stage
wonders.Gizah.A.1.age=1
    wonders.Gizah.sides.A.1.age: unknown field or effect 'age'
# board resource
wonders.Gizah.resource=gold
    wonders.Gizah.resource: unknown resource 'gold'
# unknown switch
switches.debt_choise=false
    rulesets.1e.switches.debt_choise: unknown switch 'debt_choise' (did you mean 'debt_choice'?); accepted:
# number for a switch
switches.debt_choice=0
    rulesets.1e.switches.debt_choice: 0 is not accepted; accepted: true, false
# unknown setting
settings.coins=0
    rulesets.1e.settings.coins: unknown setting 'coins'
# two tokens
settings.victory_tokens=[1, 3]
    rulesets.1e.settings.victory_tokens: a list of 2 is not accepted; accepted: 3 items
# unknown layer
rulesets.1e.layers=['leaders']
    rulesets.1e.layers: unknown layer 'leaders'; accepted: second-edition, cities
# unknown parent
rulesets.2e.extends=3e
    rulesets.2e.extends: unknown rule set '3e'; accepted: 1e, 1e-duo, 2e
# circle of parents
rulesets.1e.extends=2e
    rulesets.1e.extends: is circular: 1e -> 2e -> 1e
# eight seats
rulesets.1e.seats=[8]
    rulesets.1e.seats: 8 is not accepted; accepted: a whole number from 2 to 7
# two seats
rulesets.1e.seats=[2, 3]
    rulesets.1e.seats: 2 players are not accepted; accepted: 3, 4, 5, 6, 7
# teams of five
rulesets.1e={ seats = [5], teams = true }
    rulesets.1e.seats: 5 players are not accepted in teams; accepted: 4, 6
# one side
rulesets.1e.sides=['A']
    rulesets.1e.sides: a list of 1 is not accepted
# value missing
cards.Palace.points=
    is not a change; accepted: path=value, such as cards.Palace.points=6
# no value
cards.Palace.points
    --set 'cards.Palace.points' is not a change
# empty part
cards..points=6
    is not a change
# no field
cards.points=6
    names no field of cards.points
# unknown head
card.Palace.points=6
    unknown 'card' (did you mean 'cards'?); accepted: cards, wonders, counters, table, decks, rulesets, settings
# broken value
cards.Palace.copies=[3, 7
    '[3, 7' is not a value; accepted: a number, a word
"""
"""Three lines for each kind of mistake: what it is, the change, and what the first line of its refusal must say."""


def mistakes() -> list[Any]:
    """Yield each change in ``CHANGES`` with its expected error message."""
    lines = [line.strip() for line in CHANGES.strip().splitlines()]
    return [pytest.param(lines[i + 1], lines[i + 2], id=lines[i][2:]) for i in range(0, len(lines), 3)]


@first_quick(24, ("change", "expected"), mistakes())
def test_a_mistake_in_one_value_is_reported(change: str, expected: str) -> None:
    first = refusal([change])[0]
    assert expected in first
    assert first.startswith("--set ")


def test_two_values_in_one_change_are_rejected() -> None:
    assert "contains more than one value; give --set once for each" in refusal(["cards.Palace.points=6\nextra = 1"])[0]


@pytest.mark.parametrize(
    ("ruleset", "changes", "expected"),
    [
        ("1e-duo", ["rulesets.1e-duo.cities=true"], "rulesets.1e-duo.duo: cannot be combined with cities = true"),
        ("1e-duo", ["rulesets.1e-duo.seats=[3]"], "rulesets.1e-duo.seats: 3 players are not accepted for two players"),
        ("2e-cities-teams", ["rulesets.2e-cities-teams.seats=[4, 5]"], "5 players are not accepted in teams"),
        ("2e-cities", ["cards.Cells.copies=[3]"], "cards.Cells.copies: a black card has no copies"),
        (
            "2e-cities",
            ["cards.Smuggler's Cache.trade_discount.neighbors=['left']"],
            'trade_discount.neighbors: a discount of scope "board_resource" must apply to both neighbors',
        ),
        ("2e-cities", ["cards.Sepulcher.coin_loss.per=card"], "cards.Sepulcher.coin_loss.per: unknown measure 'card'"),
    ],
)
def test_mistakes_in_other_rule_sets_are_reported(ruleset: str, changes: list[str], expected: str) -> None:
    assert expected in refusal(changes, ruleset)[0]


def test_decks_that_cannot_be_dealt_are_reported() -> None:
    lines = refusal(["cards.Pawnshop.remove=true"])
    assert lines[0] == (
        "cards.toml, cards: age 1 cannot be dealt with 4 players in rule set 1e with cards.Pawnshop.remove=true: "
        "4 hands of 7 are 28 cards, the deck has 27 (27 copies); add 1 copy of age 1 with 4 in `copies`"
    )
    assert lines[1].endswith("; fixing the deck for fewer players also fixes this one")
    assert lines[-1].endswith("the deck has 47 (47 copies); add 1 copy of age 1 with 7 in `copies`")
    assert [line[: len("also: cards.toml, cards: age 1")] for line in lines[1:]] == [
        "also: cards.toml, cards: age 1"
    ] * 3
    guild = refusal(["settings.guilds_extra=3"])
    assert "age 3 cannot be dealt with 3 players" in guild[0]
    assert "(16 copies + 6 guilds)" in guild[0]
    assert "hands of 6" in refusal(["settings.hand_size=6"])[0]
    more = refusal(["cards.Pawnshop.copies=[4, 4, 7]"])
    assert more[0].endswith(
        "the deck has 29 (29 copies); remove 1 of the copies with 4 in `copies`: "
        "Excavation, Guard Tower, Lumber Yard, Ore Vein, Pawnshop, Scriptorium, ..."
    )
    assert "remove 1 of the copies with at most 3 in `copies`: " in refusal(["cards.Pawnshop.copies=[3, 4, 7]"])[0]


def test_all_mistakes_of_all_kinds_are_reported_together() -> None:
    changes = ["settings.start_coin=4", "switches.olympia=true", "cards.Palace.point=6", "wonders.Gizah.A.1.gold=2"]
    lines = refusal([*changes, "rulesets.1e.seets=[4]", "colour.Palace=3"])
    for wrong in ("start_coin", "olympia", "point", "gold", "seets", "colour"):
        assert any(wrong in line for line in lines), wrong


def test_too_few_cards_to_draw_from_are_reported() -> None:
    guilds = [f"cards.{name} Guild.remove=true" for name in ("Workers", "Spies")]
    assert refusal(guilds)[0] == "cards.toml, cards: 9 guilds are drawn in age 3 with 7 players, but there are only 8"
    black = [f"cards.{name}.remove=true" for name in BLACK]
    first = refusal(black, "2e-cities")[0]
    assert first == "cards.toml, cards: 7 black cards are drawn in age 1 with 7 players, but there are only 6"


def test_more_than_64_copies_in_an_age_are_rejected() -> None:
    first = refusal(["cards.Crime={ age = 3, color = 'black' }"], "2e-cities")[0]
    assert first == "cards.toml, cards: 65 copies could be dealt in age 3 with 7 players; accepted: at most 64"


def test_fewer_boards_than_seats_are_rejected() -> None:
    first = refusal(["wonders.Gizah.remove=true"])[0]
    assert first.startswith(
        "cards.toml, wonders: 6 boards are too few; rule set 1e with wonders.Gizah.remove=true needs one"
    )


def test_too_many_boards_are_rejected(tmp_path: Path) -> None:
    boards = "".join(f'[wonders.B{n}]\nresource = "ore"\nsides = {{ A = [{{}}], B = [{{}}] }}\n' for n in range(18))
    assert patch_refusal(tmp_path, boards) == "cards.toml, wonders: 25 wonders are too many; accepted: at most 24"


def test_too_many_cards_are_rejected(tmp_path: Path) -> None:
    guilds = "".join(f'[cards.G{n}]\nage = 3\ncolor = "purple"\n' for n in range(54))
    assert patch_refusal(tmp_path, guilds) == "cards.toml, cards: 129 cards are too many; accepted: at most 128"


def test_black_cards_need_cities(tmp_path: Path) -> None:
    first = patch_refusal(tmp_path, '[cards.Crime]\nage = 1\ncolor = "black"')
    assert (
        first
        == "mine.toml, cards.Crime.color: rule set 1e draws no black cards; accepted: another color or `cities = true`"
    )


@pytest.mark.parametrize("name", ["palace", "Town  Hall", "TownHall", "town hall"])
def test_names_that_differ_only_in_capitals_or_spaces_are_rejected(tmp_path: Path, name: str) -> None:
    first = patch_refusal(tmp_path, f'[cards."{name}"]\nage = 3\ncolor = "purple"')
    original = "Palace" if name == "palace" else "Town Hall"
    assert "is not accepted as a name" in first or f"differs from '{original}' only in capitals or spaces" in first
    assert first.startswith("mine.toml, cards.")


@pytest.mark.parametrize("name", ["", " Palace", "a.b", "a:b", "a,b", "x" * 41, "-", "a\\tb"])
def test_names_that_cannot_be_written_are_rejected(tmp_path: Path, name: str) -> None:
    assert "is not accepted as a name; accepted: at most 40 letters" in patch_refusal(
        tmp_path, f'[cards."{name}"]\nage = 3\ncolor = "purple"'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[cards.A]\nage = 1\n[cards.A]\nage = 2\n", "line 3: the name cards.A is used twice; every name"),
        ("[cards]\nA = { age = 1 }\nA = { age = 2 }", "mine.toml, line 3: the name A is used twice"),
        ("[cards]\nA = { age = 1, age = 2 }\n", "mine.toml, line 2: the name age is used twice"),
        ('[cards."Smuggler\'s Cache"]\n[cards."Smuggler\'s Cache"]', "the name cards.Smuggler's Cache is used"),
        ("\n[cards.A]\ncolor = blue\n", "mine.toml, line 3: not valid TOML (invalid value) in: color = blue"),
        ("[cards.A]\ncost = { ore = 1,\n wood = 1 }\n", "mine.toml, line 2: not valid TOML ("),
        ("[cards.A\n", "mine.toml, line 1: not valid TOML"),
        ("copies = [3, 4", "mine.toml, at its end: not valid TOML (unclosed array)"),
        ("x = " + "[" * 5000, "mine.toml is nested too deeply to be a card file"),
        ("[card.A]\n", "mine.toml, card: unknown section 'card' (did you mean 'cards'?); accepted: cards, "),
        (
            "[babel.cards]\ncamel = 3\n",
            "mine.toml, babel: [babel] belongs to a different game: its values are in wsim/",
        ),
        ("cards = 3\n", "mine.toml, cards: must be a table: [cards]"),
        ("[cards]\nPalace = 3\n", "mine.toml, cards.Palace: 3 is not accepted; accepted: a table with age, color"),
        ("[wonders.Gizah]\nA = []\n", "mine.toml, wonders.Gizah.A: unknown field 'A'; accepted: resource, sides"),
        ("[wonders.Gizah]\nsides = 3\n", "mine.toml, wonders.Gizah.sides: must be a table of sides"),
        (
            "[layers.mine]\ncards = 3\n",
            "mine.toml, layers.mine: contains 'cards'; accepted: tables of cards, wonders, counters, table and decks",
        ),
        (
            "layers.mine = 3\n",
            "mine.toml, layers.mine: contains '3'; accepted: tables of cards, wonders, counters, table and decks",
        ),
        ("[layers.city.cards]\n", "mine.toml, layers.city: no rule set uses this layer (did you mean 'cities'?)"),
        ("[layers.mine]\nrulesets = {}\n", "mine.toml, layers.mine: contains 'rulesets'; accepted: tables"),
        ("[rulesets.mine]\nseats = [3]\nstart = 1\n", "mine.toml, rulesets.mine.start: unknown field 'start'"),
        ("[rulesets.'my rules']\nextends = '1e'\n", "mine.toml, rulesets.\"my rules\": 'my rules' is not accepted"),
    ],
)
def test_mistakes_in_a_patch_file_are_reported(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in patch_refusal(tmp_path, text)


def test_a_rule_set_without_seats_and_sides_is_rejected(tmp_path: Path) -> None:
    first = patch_refusal(tmp_path, "[rulesets.mine]\ntitle = 'Mine'\n", "mine")
    assert first == "mine.toml, rulesets.mine: there is no such rule set; a new one needs `extends`, or seats and sides"


def test_a_mistake_in_a_patched_layer_names_the_patch(tmp_path: Path) -> None:
    first = patch_refusal(tmp_path, "layers.cities.cards.Cells.points = 100", "2e-cities")
    assert first.startswith("mine.toml (layer cities), cards.Cells.points: 100 is not accepted")


def test_changes_to_an_unknown_rule_set_are_reported(tmp_path: Path) -> None:
    expected = "there is no such rule set (did you mean '2e-cities'?); a new one needs `extends`, or seats and sides"
    first = refusal(["switches.debt_choice=false"], "2e-citys")[0]
    assert first == f"--set switches.debt_choice=false, rulesets.2e-citys: {expected}"
    patch = "[rulesets.2e-citys.settings]\nstart_coins = 5"
    assert patch_refusal(tmp_path, patch) == f"mine.toml, rulesets.2e-citys: {expected}"


def test_rule_sets_that_inherit_no_seats(tmp_path: Path) -> None:
    rules = "[rulesets.a]\nextends = 'b'\n[rulesets.b]\nextends = 'a'\nsides = ['A', 'B']\n"
    assert patch_refusal(tmp_path, rules, "a") == "mine.toml, rulesets.a.extends: is circular: a -> b -> a"


def test_an_unknown_rule_set_is_reported() -> None:
    with pytest.raises(
        UserError, match=r"^unknown rule set '2e-city' \(did you mean '2e-cities'\?\); accepted: 1e, 1e-duo, 2e"
    ):
        load_catalogue("2e-city")


def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(UserError, match=r"cannot read the card file '.*none.toml': No such file"):
        load_catalogue(cards=missing)
    with pytest.raises(UserError, match="cannot read the card file"):
        load_catalogue(patches=[tmp_path])
    with pytest.raises(UserError, match="cannot read the card file"):
        ruleset_names(cards=missing)
    latin = tmp_path / "latin.toml"
    latin.write_bytes("title = 'é'".encode("latin-1"))
    with pytest.raises(UserError, match="is not a text file in UTF-8"):
        load_catalogue(cards=latin)
    empty = tmp_path / "empty.toml"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(UserError, match=r"empty.toml, rulesets: there is no rule set"):
        load_catalogue(cards=empty)


def test_a_mistake_in_an_own_card_file_names_that_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = default_cards_path().read_text(encoding="utf-8")
    path.write_text(text.replace("Altar            = { points = 3 }", "Altar = { pionts = 3 }"), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_catalogue("2e", cards=path)
    assert str(caught.value).startswith(
        f"{path} (layer second-edition), cards.Altar.pionts: unknown field or effect 'pionts' (did you mean 'points'?)"
    )
    load_catalogue("1e", cards=path)


def test_all_mistakes_are_reported_together() -> None:
    lines = refusal(
        ["cards.Palace.point=1", "cards.Altar.color=bleu", "wonders.Gizah.resource=rock", "cards.Baths.age=0"]
    )
    assert lines[0].startswith("--set cards.Altar.color=bleu, cards.Altar.color: unknown color")
    assert [line.split(", ")[1].split(":")[0] for line in lines[1:]] == [
        "cards.Baths.age",
        "cards.Palace.point",
        "wonders.Gizah.resource",
    ]
    many = refusal([f"cards.Palace.effect{n}=1" for n in range(40)])
    assert len(many) == 22
    assert many[-1] == "... and 19 more"
