"""List a catalogue for people and programs: table rows, English descriptions, differences, JSON."""

from __future__ import annotations

from dataclasses import MISSING, asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.document import Sheet
from wsim.errors import Mistakes, UserError, nearest
from wsim.policies.effect_files import KEY
from wsim.spec.catalogues import CataloguePage, Catalogues, Rows, Source
from wsim.spec.source import read_toml
from wsim.wonders.catalog.clause_text import describe_clauses
from wsim.wonders.catalog.clauses import Clause
from wsim.wonders.catalog.counter_slots import counter_rows
from wsim.wonders.catalog.decks import Deck
from wsim.wonders.catalog.effects import Effects
from wsim.wonders.catalog.entry_text import ROMAN, cost_text, effects_text
from wsim.wonders.catalog.faces import faces
from wsim.wonders.catalog.house_rules import at_table, house_rows
from wsim.wonders.catalog.loading import load_catalogue, ruleset_names
from wsim.wonders.catalog.model import Card, Catalogue, Cost, Stage, Wonder
from wsim.wonders.words import AGES, COLORS, SWITCHES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wsim.spec.faces import Face


def card_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one row for each card and age, by age, colour and name, for tables and ``--json``.

    ``copies`` is the minimum player number of each copy (empty: it is drawn), ``leads_to`` the cards it makes free.
    """
    leads_to: dict[str, list[str]] = {}
    for card in catalogue.cards:
        for predecessor in card.free_with:
            leads_to.setdefault(predecessor, []).append(card.name)
    rows = [
        {
            "name": card.name,
            "age": age,
            "color": card.color,
            "cost": cost_text(card.cost),
            "copies": list(dict(card.copies).get(age, ())),
            "effects": effects_text(card.effects),
            "free_with": list(card.free_with),
            "leads_to": leads_to.get(card.name, []),
            "uncertain": card.uncertain,
        }
        for card in catalogue.cards
        for age in card.ages
    ]
    return sorted(rows, key=lambda row: (row["age"], COLORS.index(str(row["color"])), row["name"]))


def wonder_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one row for each stage: wonder, resource, side, stage (from 1), cost and effects in English."""
    return [
        {
            "wonder": wonder.name,
            "resource": wonder.resource,
            "side": side,
            "stage": number,
            "cost": cost_text(stage.cost),
            "effects": effects_text(stage.effects),
        }
        for wonder in catalogue.wonders
        for side, stages in wonder.sides
        for number, stage in enumerate(stages, start=1)
    ]


def table_rows(catalogue: Catalogue) -> list[dict[str, str]]:
    """Return one row for each rule of the table: its name and its effects in English."""
    return [{"rule": rule.name, "effects": effects_text(rule.effects)} for rule in catalogue.table]


def recruit_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one row for each card of the further decks: name, deck, coins to recruit it and effects in English."""
    return [
        {"name": card.name, "deck": deck.name, "cost": card.cost, "effects": effects_text(card.effects).replace(*_WHEN)}
        for deck in catalogue.decks
        for card in deck.cards
    ]


def further_deck_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one row for each further deck: its name and how its cards are used (R88-R92)."""
    return [{"deck": deck.name, "meaning": deck.text()} for deck in catalogue.decks]


_WHEN = ("when built", "when recruited")


def switch_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one row for each switch: name, value, and meaning with the rule number."""
    rows = SWITCHES.items()
    return [{"switch": name, "on": catalogue.switches[name], "meaning": switch.meaning} for name, switch in rows]


def catalogue_dict(catalogue: Catalogue) -> dict[str, Any]:
    """Return the whole catalogue as JSON-compatible values; cards and boards as in cards.toml."""
    settings = {name: value for name, value in asdict(catalogue.settings).items() if value != ""}
    return {
        "ruleset": catalogue.ruleset,
        "title": catalogue.title,
        "source": catalogue.source,
        "changes": list(catalogue.changes),
        "digest": catalogue.digest,
        "seats": list(catalogue.seat_numbers),
        "sides": list(catalogue.sides),
        "cities": catalogue.cities,
        "teams": catalogue.teams,
        "duo": catalogue.duo,
        "settings": {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()},
        "switches": dict(catalogue.switches),
        "cards": {card.name: _card_fields(card) for card in catalogue.cards},
        "wonders": {wonder.name: _wonder_fields(wonder) for wonder in catalogue.wonders},
        **(
            {"counters": {counter.name: counter.table() for counter in catalogue.counters}}
            if catalogue.counters
            else {}
        ),
        **({"table": {rule.name: _effect_fields(rule.effects) for rule in catalogue.table}} if catalogue.table else {}),
        **({"decks": {deck.name: _deck_fields(deck) for deck in catalogue.decks}} if catalogue.decks else {}),
    } | ({KEY: {file.name: file.digest for file in catalogue.effects}} if catalogue.effects else {})


def diff_rows(old: Catalogue, new: Catalogue) -> list[dict[str, Any]]:
    """Return the differences between two catalogues: one row per field, with both values (None: absent).

    ``part`` is "rules", "counters", "table", "decks", "cards" or "wonders"; ``name`` the counter, the rule, the card,
    "<board>" or "<board> <side> <stage>"; ``field`` is "" if only one of the two has the entry.
    """
    rows = _diff("rules", _rules(old), _rules(new))
    rows += _diff("counters", _counters(old), _counters(new))
    rows += _diff("table", _table(old), _table(new))
    rows += _diff("decks", _decks(old), _decks(new))
    rows += _diff("cards", _cards(old), _cards(new))
    return rows + _diff("wonders", _boards(old), _boards(new))


def diff_lines(old: Catalogue, new: Catalogue) -> list[str]:
    """Return the differences between two catalogues as lines of text, with a heading for each part."""
    headings = {
        "rules": "Rules",
        "counters": "Counters",
        "table": "Rules of the table",
        "decks": "Decks",
        "cards": "Cards",
        "wonders": "Boards",
    }
    lines: list[str] = []
    part = ""
    for row in diff_rows(old, new):
        if row["part"] != part:
            part = str(row["part"])
            lines += [*([""] if lines else []), headings[part]]
        lines.append("  " + _diff_line(row))
    return lines or ["no differences"]


def _listed(words: Iterable[object]) -> str:
    return ", ".join(map(str, words))


def _effect_fields(effects: Effects) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in effects.present().items():
        if isinstance(value, tuple):
            values[name] = [item.table() if isinstance(item, Clause) else item for item in value]
        else:
            values[name] = value if isinstance(value, bool | int | str) else _plain(value)
    return values


def _plain(record: Any) -> dict[str, Any]:
    """Return a small record (Count, Toll, ...) as written in cards.toml, without fields at their default."""
    defaults = {f.name: f.default for f in fields(record) if f.default is not MISSING}
    entry_of = {key: value for key, value in asdict(record).items() if value != defaults.get(key, MISSING)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in entry_of.items()}


def _cost_fields(cost: Cost) -> dict[str, Any]:
    table = ({"coins": cost.coins} if cost.coins else {}) | dict(cost.resources)
    return {"cost": table} if table else {}


def _card_fields(card: Card) -> dict[str, Any]:
    """Return a card as written in cards.toml."""
    fields: dict[str, Any] = {"color": card.color}
    if len(card.copies) > 1:
        fields["copies"] = {str(age): list(minima) for age, minima in card.copies}
    else:
        fields["age"] = card.ages[0]
        fields |= {"copies": list(card.copies[0][1])} if card.copies else {}
    fields |= _cost_fields(card.cost)
    fields |= {"free_with": list(card.free_with)} if card.free_with else {}
    fields |= _effect_fields(card.effects)
    return fields | ({"uncertain": card.uncertain} if card.uncertain else {})


def _deck_fields(deck: Deck) -> dict[str, Any]:
    """Return a further deck as written in a card file."""
    cards = {card.name: {"cost": card.cost} | _effect_fields(card.effects) for card in deck.cards}
    return {**deck.table(), "cards": cards}


def _wonder_fields(wonder: Wonder) -> dict[str, Any]:
    """Return a board as written in cards.toml."""

    def entry(stage: Stage) -> dict[str, Any]:
        return _cost_fields(stage.cost) | _effect_fields(stage.effects)

    return {"resource": wonder.resource, "sides": {side: [entry(s) for s in stages] for side, stages in wonder.sides}}


Parts = dict[str, dict[str, Any]]


def _rules(catalogue: Catalogue) -> Parts:
    """Return the rules of a catalogue for comparison, as a single entry without a name."""
    fields: dict[str, Any] = {"seats": _listed(catalogue.seat_numbers), "sides": _listed(catalogue.sides)}
    fields |= {"cities": catalogue.cities, "teams": catalogue.teams, "duo": catalogue.duo}
    settings = {name: value for name, value in asdict(catalogue.settings).items() if value != ""}
    settings |= {name: _listed(value) or "none" for name, value in settings.items() if isinstance(value, tuple)}
    return {"": fields | settings | dict(catalogue.switches)}


def _counters(catalogue: Catalogue) -> Parts:
    return {row["counter"]: {"meaning": row["meaning"]} for row in counter_rows(catalogue)}


def _decks(catalogue: Catalogue) -> Parts:
    decks: Parts = {deck.name: {"meaning": deck.text()} for deck in catalogue.decks}
    return decks | {card.name: {"cost": card.cost, **_effect_texts(card.effects)} for card in catalogue.deck_cards}


def _table(catalogue: Catalogue) -> Parts:
    return {rule.name: _effect_texts(rule.effects) for rule in catalogue.table}


def _cards(catalogue: Catalogue) -> Parts:
    return {
        card.name: {
            "color": card.color,
            "age": " and ".join(ROMAN[age] for age in card.ages),
            "copies": "; ".join(f"{ROMAN[age]}: {_listed(minima)}" for age, minima in card.copies) or "drawn",
            "cost": cost_text(card.cost),
            "free_with": _listed(card.free_with) or "none",
            **_effect_texts(card.effects),
            "uncertain": card.uncertain or "no",
        }
        for card in catalogue.cards
    }


def _boards(catalogue: Catalogue) -> Parts:
    """Return boards and stages in English for comparison. Sides match by position, so B is compared with night."""
    shown: Parts = {}
    for wonder in catalogue.wonders:
        shown[wonder.name] = {"resource": wonder.resource}
        for position, (_, stages) in enumerate(wonder.sides):
            for number, stage in enumerate(stages, start=1):
                name = f"{wonder.name}, {('first', 'second')[position]} side, stage {number}"
                shown[name] = {"cost": cost_text(stage.cost), **_effect_texts(stage.effects)}
    return shown


def _effect_texts(effects: Effects) -> dict[str, str]:
    """Return effects in English for comparison, each clause separately."""
    clauses = {f"clause {number}": describe_clauses((clause,)) for number, clause in enumerate(effects.when, start=1)}
    return {"effects": effects_text(replace(effects, when=())), **clauses}


def _diff(part: str, old: Parts, new: Parts) -> list[dict[str, Any]]:
    """Compare entries field by field; an entry that only one catalogue contains becomes a single row."""
    rows = []
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            rows.append({"part": part, "name": name, "field": "", "old": _text(before), "new": _text(after)})
            continue
        rows += [
            {"part": part, "name": name, "field": key, "old": before.get(key, "none"), "new": after.get(key, "none")}
            for key in dict.fromkeys([*before, *after])
            if before.get(key) != after.get(key)
        ]
    return rows


def _text(entry: dict[str, Any] | None) -> str | None:
    """Return a whole entry as one phrase, without empty fields."""
    if entry is None:
        return None
    empty = {"free_with": "none", "uncertain": "no", "effects": "none"}
    fields = {key: value for key, value in entry.items() if empty.get(key) != value}
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in fields.items())


def _diff_line(row: Mapping[str, Any]) -> str:
    if row["field"]:
        name = f"{row['name']}: " if row["name"] else ""
        # true and false as in cards.toml
        old, new = (str(value).lower() if isinstance(value, bool) else str(value) for value in (row["old"], row["new"]))
        return f"{name}{str(row['field']).replace('_', ' ')} {old} -> {new}"
    return f"- {row['name']}: {row['old']}" if row["new"] is None else f"+ {row['name']}: {row['new']}"


def deck_rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return the number of cards dealt, one row per age and colour, one column per number of players.

    Guilds and black cards are drawn (R4).
    """
    rows = []
    for age in range(1, AGES + 1):
        for color in COLORS:
            row: dict[str, Any] = {"age": age, "color": color}
            for players in catalogue.seat_numbers:
                seats = catalogue.cities_at_table(players)
                dealt = sum(card.copies_dealt(age, seats) for card in catalogue.cards if card.color == color)
                if color == "purple" and age == AGES:
                    dealt += at_table(catalogue.settings, players).guilds_drawn(seats)
                row[f"{players} players"] = dealt + seats * (color == "black" and catalogue.cities)
            if any(row[f"{players} players"] for players in catalogue.seat_numbers):
                rows.append(row)
    return rows


class WondersCatalogues(Catalogues):
    """The catalogues of 7 Wonders, one for each rule set."""

    ICONS = Path(__file__).with_name("icons.svg")

    def page(self, source: Source, name: str | None) -> CataloguePage:
        catalogue = _loaded(source)
        cards, wonders = card_rows(catalogue), wonder_rows(catalogue)
        switches = switch_rows(catalogue) if name is None else []
        table, recruits = table_rows(catalogue), recruit_rows(catalogue)
        record: Any = catalogue_dict(catalogue)
        if name is not None:
            named = (("name", cards), ("wonder", wonders), ("rule", table), ("name", recruits))
            matches = [[row for row in rows if row[key].casefold() == name.casefold()] for key, rows in named]
            if not any(matches):
                names = dict.fromkeys(row[key] for key, rows in named for row in rows)
                raise UserError(f"no card or wonder is called {name!r}{nearest(name, names)}")
            cards, wonders, table, recruits = matches
            record = cards or wonders or table or recruits
        parts = (
            Sheet("Cards", cards, first=("name", "age", "cost", "effects", "color")),
            Sheet("Wonders", wonders, first=("wonder", "side", "stage", "cost", "effects"), labels=4),
            Sheet("Counters", counter_rows(catalogue) if name is None else []),
            Sheet("Rules of the table", table),
            Sheet("Decks", further_deck_rows(catalogue) if name is None else []),
            Sheet("Cards to recruit", recruits, first=("name", "deck", "cost", "effects")),
            Sheet("House rules", house_rows(catalogue.settings, catalogue.cities) if name is None else []),
            Sheet("Switches", switches),
        )
        head = (
            f"{catalogue.title} ({catalogue.ruleset}) for {_players(catalogue)} players; {catalogue.source}, "
            f"digest {catalogue.digest}"
        )
        return CataloguePage(head, [part for part in parts if part.rows], record)

    def rulesets(self) -> Rows:
        catalogues = map(load_catalogue, ruleset_names())
        return [{"ruleset": rules.ruleset, "title": rules.title, "players": _players(rules)} for rules in catalogues]

    def differences(self, source: Source, old: str, new: str) -> tuple[Rows, list[str]]:
        first, second = (_loaded(replace(source, ruleset=name)) for name in (old, new))
        return diff_rows(first, second), diff_lines(first, second)

    def decks(self, source: Source) -> Rows:
        return deck_rows(_loaded(source))

    def faces(self, source: Source) -> Sequence[Face]:
        return faces(_loaded(source))

    def check(self, source: Source, path: str) -> Rows:
        from wsim.lab.catalogue_games import play_catalogue
        from wsim.wonders.catalog.compiling import compile_rules

        document = read_toml(path)
        section = document.get("rulesets")
        rulesets = section if isinstance(section, dict) else {}
        complete = any({"seats", "sides"} <= rules.keys() for rules in rulesets.values() if isinstance(rules, dict))
        if complete and {"cards", "wonders"} <= document.keys():
            names, read = list(ruleset_names(path)), Source(cards=path)
        else:
            names = [source.ruleset] if source.ruleset else list(rulesets) or ["1e"]
            read = replace(source, patches=(*source.patches, path))
        checked, games, mistakes = [], [], Mistakes()
        for name in names:
            with mistakes.noted():
                of_ruleset = replace(read, ruleset=name)
                checked.append(_loaded(of_ruleset))
                for players in checked[-1].seat_numbers:
                    compile_rules(checked[-1], players)
                games.append(play_catalogue("seven_wonders", of_ruleset, checked[-1].seat_numbers, mistakes))
        mistakes.raise_any()
        return [
            {
                "ruleset": catalogue.ruleset,
                "title": catalogue.title,
                "cards": len(catalogue.cards),
                "wonders": len(catalogue.wonders),
                "digest": catalogue.digest,
                "games": played,
            }
            for catalogue, played in zip(checked, games, strict=True)
        ]

    def schema(self) -> Any:
        from wsim.wonders.catalog.schema import card_file_schema

        return card_file_schema()


CATALOGUES = WondersCatalogues()


def _loaded(source: Source) -> Catalogue:
    return load_catalogue(source.ruleset or "1e", source.cards, source.patches, source.changes)


def _players(catalogue: Catalogue) -> str:
    return ", ".join(map(str, catalogue.seat_numbers))
