"""Load one rule set of a card file with its layers, patches and changes, and check the result."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.paths import default_cards_path
from wsim.policies.effect_files import KEY, EffectFile, digest_of_named, effect_file
from wsim.spec.fields import Problems
from wsim.spec.layers import Grammar, Layers, nested, parse_change, read_card_file
from wsim.spec.source import Entries, copied, entry_of, shown, text_of
from wsim.wonders.catalog.check import (
    check_chains,
    check_counters,
    check_decks,
    check_draws,
    check_formulas,
    check_names,
    check_sides,
    check_table,
    check_table_rules,
)
from wsim.wonders.catalog.counters import bounds_of, read_counters
from wsim.wonders.catalog.decks import read_decks
from wsim.wonders.catalog.effects import Effects
from wsim.wonders.catalog.house_rules import with_number
from wsim.wonders.catalog.model import ADDED_SETTINGS, Catalogue, Settings
from wsim.wonders.catalog.reading import read_card, read_table, read_wonder
from wsim.wonders.catalog.ruleset import Ruleset, read_rulesets, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENTRIES = ("cards", "wonders", "counters", "table", "decks")
"""Sections that contain entries by name: in the file itself, its layers and patches."""
_OF_RULESET = ("settings", "switches")
_OF_DECKS = ("decks", "*", "cards", "*", "when")
_CLAUSES = (("cards", "*", "when"), ("wonders", "*", "sides", "*", "*", "when"), ("table", "*", "when"), _OF_DECKS)
GRAMMAR = Grammar(
    sections=(*ENTRIES, "layers", "rulesets"),
    heads={
        "cards": 3,
        "wonders": 3,
        "counters": 3,
        "table": 3,
        "decks": 3,
        "rulesets": 3,
        "settings": 2,
        "switches": 2,
    },
    example="cards.Palace.points=6",
    removable=ENTRIES,
    numbered={
        ("wonders", "*", "sides", "*"): "stage",
        **dict.fromkeys(_CLAUSES, "clause"),
        **{(*clauses, "*", "choose"): "choice" for clauses in _CLAUSES},
    },
    formulas=(*_CLAUSES, ("rulesets", "*", "settings")),
    keys=(KEY,),
    with_number=with_number,
)
NO_EFFECTS = asdict(Effects())
ORDERED = (
    "cards", "wonders", "sides", "hand_size", "sale_coins", "victory_tokens", "passing", "last_card", "tie_breaks",
    "when", "choose",
)  # fmt: skip
"""Lists whose order matters or is already fixed."""


def load_catalogue(
    ruleset: str = "1e",
    cards: str | Path | None = None,
    patches: Sequence[str | Path] = (),
    changes: Sequence[str] = (),
) -> Catalogue:
    """Load, patch and check one rule set.

    Parameters
    ----------
    ruleset: id of a rule set, such as "1e", "2e-cities" (see ``ruleset_names``).
    cards: a card file that replaces wsim's own cards.toml.
    patches: card files applied to the rule set, in order, after its layers.
    changes: single changes such as "cards.Palace.points=6", applied last.

    Raises UserError with one line for every mistake in any of them: file, entry, field and accepted values.
    """
    path = Path(cards) if cards is not None else default_cards_path()
    files = tuple(map(Path, patches))
    texts, code = tuple(map(text_of, (path, *files))), tuple(map(digest_of_named, (path, *files)))
    key = (ruleset, texts, code, tuple(file.name for file in files), tuple(changes))
    if key not in _LOADED:
        if len(_LOADED) == _MAX_CACHED:
            del _LOADED[next(iter(_LOADED))]  # the oldest
        _LOADED[key] = _load(ruleset, path, files, tuple(changes))
    catalogue = _LOADED[key]
    return catalogue if catalogue.source == shown(path) else replace(catalogue, source=shown(path))


_LOADED: dict[tuple[Any, ...], Catalogue] = {}
"""Cache of loaded catalogues by content: playing a run and showing it load the same catalogue from different paths."""
_NAMES: dict[tuple[str, ...], tuple[str, ...]] = {}
"""Cache of the rule set ids that card files define, by content."""
_MAX_CACHED = 32


def _load(ruleset: str, path: Path, patches: tuple[Path, ...], changes: tuple[str, ...]) -> Catalogue:
    problems = Problems(shown(path))
    layers = Layers(problems, GRAMMAR)
    document = read_card_file(path, GRAMMAR, problems)
    patched = [(shown(file), read_card_file(file, GRAMMAR, problems)) for file in patches]
    for change in changes:
        with problems.noted():
            patched.append((f"--set {change}", change_patch(change, ruleset)))
    for source, patch in patched:
        layers.apply(document, {name: patch[name] for name in ("layers", "rulesets") if name in patch}, source)
    _check_layers(problems, document)
    rulesets = read_rulesets(problems, document)
    rules = resolve(problems, rulesets, ruleset)
    content = _content(problems, layers, document, rules, patched)
    problems.counters = bounds_of(read_counters(Problems(problems.source), content["counters"]))
    catalogue = _catalogue(problems, content, rules, problems.source, (*(patch.name for patch in patches), *changes))
    catalogue = replace(catalogue, effects=_effect_files(problems, (path, *patches)))
    check_names(problems, "cards", content["cards"])
    check_names(problems, "wonders", content["wonders"])
    check_names(problems, "table", content["table"])
    check_names(problems, "decks", content["decks"])
    check_table_rules(problems, content)
    check_chains(problems, catalogue.cards, content["cards"])
    check_formulas(problems, catalogue)
    check_counters(problems, catalogue)
    check_draws(problems, catalogue, content["decks"].keys())
    check_sides(problems, content["wonders"], [side for rules in rulesets.values() for side in rules.get("sides", ())])
    problems.raise_any()  # decks can only be counted if every card is valid
    check_decks(problems, catalogue)
    check_table(problems, catalogue)
    problems.raise_any()
    return replace(catalogue, digest=_digest(catalogue))


def change_patch(change: str, ruleset: str) -> Entries:
    """Return the patch for a ``--set`` string; raise UserError if the string is not a change.

    ``switches.`` and ``settings.`` refer to ``ruleset``; ``wonders.Gizah.A.2`` is short for
    ``wonders.Gizah.sides.A.2``.
    """
    path, value = parse_change(change, GRAMMAR)
    if path[0] in _OF_RULESET:
        path = ("rulesets", ruleset, *path)
    elif path[0] == "wonders" and len(path) > 2 and path[2] not in ("resource", "sides", "remove"):
        path = (*path[:2], "sides", *path[2:])
    return nested(path, value)


def ruleset_names(cards: str | Path | None = None, patches: Sequence[str | Path] = ()) -> tuple[str, ...]:
    """Return the ids of the rule sets that the card file and the patches define, in the order of the file."""
    path = Path(cards) if cards is not None else default_cards_path()
    files = (path, *map(Path, patches))
    key = tuple(map(text_of, files))
    if key not in _NAMES:
        if len(_NAMES) == _MAX_CACHED:
            del _NAMES[next(iter(_NAMES))]
        documents = [read_card_file(file, GRAMMAR) for file in files]
        _NAMES[key] = tuple(dict.fromkeys(name for document in documents for name in document.get("rulesets", {})))
    return _NAMES[key]


def _effect_files(problems: Problems, card_files: Sequence[Path]) -> tuple[EffectFile, ...]:
    """Return the files of functions that card files name; files with the same name must be identical."""
    files: dict[str, EffectFile] = {}
    for card_file in card_files:
        name = entry_of(card_file, KEY)
        if name is None:
            continue
        try:
            file = effect_file(name, card_file)
        except UserError as mistake:
            problems.add(f"{shown(card_file)}, {KEY}: {mistake}")
            continue
        if files.setdefault(file.name, file) != file:
            message = f"a different file is already called {file.name!r}; accepted: another name"
            problems.add(f"{shown(card_file)}, {KEY}: {message}")
    return tuple(files.values())


def _check_layers(problems: Problems, document: Mapping[str, Any]) -> None:
    """Report layers that contain anything other than the sections in ``ENTRIES``."""
    for name, layer in document.get("layers", {}).items():
        for section, entries in layer.items() if isinstance(layer, dict) else [(str(layer), None)]:
            if section not in ENTRIES or not isinstance(entries, dict):
                problems.at(
                    ("layers", name),
                    f"contains {section!r}; accepted: tables of cards, wonders, counters, table and decks",
                )


def _content(
    problems: Problems, layers: Layers, document: Entries, rules: Ruleset, patched: Sequence[tuple[str, Entries]]
) -> Entries:
    """Return the entries of a rule set with its layers, patches and changes applied in this order."""
    content = {section: copied(document.get(section, {})) for section in ENTRIES}
    known = document.get("layers", {})
    for layer in rules.layers:
        sections = known.get(layer)  # mistakes in it have already been reported
        for section, entries in sections.items() if isinstance(sections, dict) else ():
            for name, entry in entries.items() if section in ENTRIES and isinstance(entries, dict) else ():
                source = problems.origin(("layers", layer, section, name))  # a patch may have changed the layer
                layers.apply(content, {section: {name: entry}}, f"{source} (layer {layer})")
    for source, patch in patched:
        layers.apply(content, {section: patch[section] for section in ENTRIES if section in patch}, source)
    return content


def _catalogue(
    problems: Problems, content: Entries, rules: Ruleset, source: str, changes: tuple[str, ...]
) -> Catalogue:
    """Read all entries and build the catalogue; invalid entries are reported and omitted."""
    cards = [read_card(problems, name, entry, rules.name, content["cards"]) for name, entry in content["cards"].items()]
    boards = content["wonders"]
    wonders = [read_wonder(problems, name, entry, rules.name, rules.sides, boards) for name, entry in boards.items()]
    return Catalogue(
        ruleset=rules.name,
        title=rules.title,
        seat_numbers=rules.seats,
        sides=rules.sides,
        cards=tuple(sorted((card for card in cards if card), key=lambda card: card.name)),
        wonders=tuple(sorted((wonder for wonder in wonders if wonder), key=lambda wonder: wonder.name)),
        switches=rules.switches,
        settings=rules.settings,
        cities=rules.cities,
        teams=rules.teams,
        duo=rules.duo,
        digest="",
        source=source,
        changes=changes,
        counters=read_counters(problems, content["counters"]),
        table=read_table(problems, content["table"]),
        decks=read_decks(problems, content["decks"]),
    )


def _digest(catalogue: Catalogue) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of the content that games depend on, in canonical form.

    Effects, settings and clause fields with their default value are left out, so adding new ones to wsim does not
    change any digest.
    """
    content = _plain(catalogue)
    for key in ("ruleset", "title", "digest", "source", "changes", "effects"):
        del content[key]
    for name in ("counters", "table", "decks"):
        if not content[name]:
            del content[name]
    if catalogue.effects:
        content["effects"] = [(file.name, file.digest) for file in catalogue.effects]
    for name in ADDED_SETTINGS:
        if content["settings"][name] == getattr(Settings(), name):
            del content["settings"][name]
    stages = [stage for wonder in content["wonders"] for _, stages in wonder["sides"] for stage in stages]
    for deck in content.get("decks", ()):
        if not deck["draft"]:
            del deck["draft"]
    deck_cards = [card for deck in content.get("decks", ()) for card in deck["cards"]]
    for entry in (*content["cards"], *stages, *content.get("table", ()), *deck_cards):
        _drop_defaults(entry)
    text = json.dumps(_canonical(content), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _drop_defaults(entry: dict[str, Any]) -> None:
    """Remove values equal to their default from a card, stage or rule of the table."""
    entry.pop("uncertain", None)
    entry["effects"] = {name: value for name, value in entry["effects"].items() if value != NO_EFFECTS[name]}
    for clause in entry["effects"].get("when", ()):
        for name in ("seller", "one", "may", "price", "choose"):
            if not clause[name]:
                del clause[name]


def _plain(value: Any) -> Any:
    """Convert a record like ``asdict``, but without copying values, which is ten times as fast."""
    kind = type(value)
    if kind in _SINGLE:
        return value
    if is_dataclass(kind):
        return {name: _plain(getattr(value, name)) for name in kind.__dataclass_fields__}
    if issubclass(kind, dict):
        return {name: _plain(item) for name, item in value.items()}
    if issubclass(kind, list | tuple):
        return kind(map(_plain, value))
    return value


_SINGLE = frozenset((str, int, bool, type(None)))
"""The types that nearly all values in a catalogue have."""


def _canonical(value: Any, ordered: bool = False) -> Any:
    """Sort the lists whose order does not matter (alternatives, predecessors, ...) so that they hash alike."""
    if type(value) in _SINGLE:
        return value
    if isinstance(value, dict):
        return {key: _canonical(item, key in ORDERED) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [_canonical(item, ordered=True) for item in value]
        return items if ordered or len(items) < 2 else sorted(items, key=json.dumps)
    return value
