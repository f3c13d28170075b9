"""Validate a catalogue as a whole: unique names, valid chains, decks that can be dealt, enough boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wsim.errors import nearest
from wsim.spec.formula import NAMED
from wsim.wonders.catalog.clauses import decks_drawn
from wsim.wonders.catalog.counter_slots import counters_in, entries_of, slots_of
from wsim.wonders.catalog.decks import SUPPLY
from wsim.wonders.catalog.house_rules import at_table, check_house_rules, formulas_of
from wsim.wonders.catalog.reading import check_name
from wsim.wonders.words import AGES, BOARDS, CARDS, COUNTER, COUNTERS, DECK_CARDS, DECKS, SLOTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from wsim.policies.effect_files import EffectFile
    from wsim.spec.fields import Path, Problems
    from wsim.spec.formula import Node
    from wsim.wonders.catalog.effects import Effects
    from wsim.wonders.catalog.model import Card, Catalogue

_FIXED_ARGUMENTS = 3  # passed to every function of a file: table, own, other
_MAX_SUGGESTED = 6  # cards named in a suggestion


def check_names(problems: Problems, section: str, names: Iterable[str]) -> None:
    """Report names within one section that differ only in capitalisation or spaces."""
    seen: dict[str, str] = {}
    for name in names:
        folded = "".join(name.split()).casefold()
        if folded in seen:
            problems.at(
                (section, name), f"differs from {seen[folded]!r} only in capitals or spaces; rename one of them"
            )
        seen.setdefault(folded, name)


def check_table_rules(problems: Problems, content: Mapping[str, Any]) -> None:
    """Report rules of the table and deck cards with duplicate names, since traces identify them by name (R87, R88)."""
    known = set(content["cards"])
    for name in content["table"].keys() & known:
        problems.at(("table", name), "a card already has this name; accepted: a different name")
    known |= set(content["table"])
    for deck, entry in content["decks"].items():
        cards = entry.get("cards") if isinstance(entry, dict) else None
        for name in cards if isinstance(cards, dict) else ():
            check_name(problems, ("decks", deck, "cards", name))
            if name in known:
                message = "a card, rule or deck card already has this name; accepted: a different name"
                problems.at(("decks", deck, "cards", name), message)
            known.add(name)


def check_draws(problems: Problems, catalogue: Catalogue, decks: Collection[str]) -> None:
    """Report clauses that draw from unknown decks (R104)."""
    for name, path in _draws(catalogue):
        if name not in decks:
            problems.unknown(path, "deck", name, decks)


def _draws(catalogue: Catalogue) -> Iterator[tuple[str, Path]]:
    """Yield the name of each deck that clauses draw from, with the path of the amount in the card file."""
    for path, effects in _entries(catalogue):
        yield from ((name, (*path, "when", *field)) for field, name in decks_drawn(effects.when))


def check_decks(problems: Problems, catalogue: Catalogue) -> None:
    """Report decks whose cards are too few to deal or display (R88), used nowhere, or impossible to draw (R104).

    Also reports too many decks, and too many cards in all decks.
    """
    players = catalogue.seat_numbers[-1]
    decks = {deck.name: deck for deck in catalogue.decks}
    drawn = list(_draws(catalogue))
    for deck in catalogue.decks:
        needed = deck.display or deck.hand * players
        if needed > len(deck.cards):
            dealt = f"{deck.display} displayed" if deck.display else f"{deck.hand} for each of up to {players} players"
            message = f"{dealt} are {needed} cards, but the deck has {len(deck.cards)}"
            problems.at(("decks", deck.name), f"{message}; accepted: more cards, or a smaller number")
        if not deck.supply and deck.name not in dict(drawn):
            message = "neither deal, display nor draft is given, and no clause draws from its stock; accepted"
            problems.at(("decks", deck.name), f"{message}: {SUPPLY}, or gain = {{ draw.{deck.name} = 2 }} in a clause")
    for name, path in drawn:
        if decks[name].display == len(decks[name].cards):
            message = f"all cards of {name} are displayed, so none can be drawn; accepted: display = a smaller number"
            problems.at(path, message)
    sizes = (("decks", len(catalogue.decks), DECKS), ("cards of decks", len(catalogue.deck_cards), DECK_CARDS))
    for what, size, most in sizes:
        if size > most:
            problems.at(("decks",), f"{size} {what} are too many; accepted: at most {most}")


def check_chains(problems: Problems, cards: Iterable[Card], names: Collection[str]) -> None:
    """Report predecessors that are not cards of the rule set (``names``; R16)."""
    for card in cards:
        path = ("cards", card.name, "free_with")
        for predecessor in card.free_with:
            if predecessor == card.name:
                problems.at(path, f"{card.name!r} cannot be its own predecessor; accepted: other cards")
            elif predecessor not in names:
                problems.unknown(path, "predecessor", predecessor, names)


def _entries(catalogue: Catalogue) -> list[tuple[Path, Effects]]:
    """Return path and effects of every card, stage, rule of the table and deck card in the card file."""
    entries: list[tuple[Path, Effects]] = [(("cards", card.name), card.effects) for card in catalogue.cards]
    entries += [
        (("wonders", wonder.name, "sides", side, str(number)), stage.effects)
        for wonder in catalogue.wonders
        for side, stages in wonder.sides
        for number, stage in enumerate(stages, start=1)
    ]
    entries += [(("table", rule.name), rule.effects) for rule in catalogue.table]
    entries += [(("decks", deck.name, "cards", c.name), c.effects) for deck in catalogue.decks for c in deck.cards]
    return entries


def formulas_of_entries(catalogue: Catalogue) -> list[tuple[Path, Node]]:
    """Return every formula of a card, stage or rule of the table, with its path in the card file."""
    return [
        ((*path, "when", str(number), *field), formula)
        for path, effects in _entries(catalogue)
        for number, clause in enumerate(effects.when, start=1)
        for field, formula in clause.formulas()
    ]


def check_formulas(problems: Problems, catalogue: Catalogue) -> None:
    """Report formulas that refer to unknown cards or functions."""
    names = [card.name for card in catalogue.cards]
    titles = [*names, *(card.name for card in catalogue.deck_cards)]
    rules = ("rulesets", catalogue.ruleset, "settings")
    formulas = formulas_of_entries(catalogue)
    formulas += [((*rules, name), formula) for name, formula in formulas_of(catalogue.settings)]
    for path, formula in formulas:
        for part in formula.walk():
            if part.kind == "card" and part.name not in names:
                problems.unknown(path, "card", part.name, names)
            elif part.kind == "named" and (name := part.name.removeprefix(NAMED)) not in titles:
                problems.unknown(path, "card", name, titles)
            elif part.kind == "call":
                _check_call(problems, path, part, catalogue.effects)


def check_counters(problems: Problems, catalogue: Catalogue) -> None:
    """Report references to unknown counters in clauses and settings, and more counters than supported."""
    owners = {counter.name: counter.of for counter in catalogue.counters}
    for path, name in _counters_named(catalogue):
        if name not in owners:
            problems.unknown(path, COUNTER, name, owners)
        elif path[0] == "rulesets" and owners[name] == "card":
            message = f"{name!r} belongs to cards, and a setting has none; accepted: a counter of a city or the table"
            problems.at(path, message)
    used = {name for _, _, _, effects in entries_of(catalogue) for name in counters_in(effects)}
    number = len(slots_of(catalogue)) if used <= owners.keys() else 0
    if number > COUNTERS:
        counted = "a counter of a card counts once for each card that uses it"
        problems.at(("counters",), f"{number} counters are too many; accepted: at most {COUNTERS} ({counted})")


def _counters_named(catalogue: Catalogue) -> Iterator[tuple[Path, str]]:
    """Yield the path in the card file and the name of each counter that clauses and settings refer to."""
    rules = ("rulesets", catalogue.ruleset, "settings")
    formulas = formulas_of_entries(catalogue)
    for path, formula in (*formulas, *(((*rules, name), formula) for name, formula in formulas_of(catalogue.settings))):
        if path[-2] == COUNTER:
            yield path, path[-1]
        yield from ((path, part.name.partition(".")[2]) for part in formula.walk() if part.kind == COUNTER)


def _check_call(problems: Problems, path: Path, part: Node, files: Collection[EffectFile]) -> None:
    """Report a call of an unknown function, or a call with the wrong number of arguments."""
    known = {file.name.removesuffix(".py"): dict(file.arguments) for file in files}
    where = f"{part.text!r}, at character {part.at}: "
    if part.whose not in known:
        file_names = ", ".join(f"{module}.py" for module in known)
        accepted = f"a function of {file_names}" if known else 'effects = "mine.py" at the head of a patch'
        message = f"no `effects` names {part.whose}.py{nearest(part.whose, known)}; accepted: {accepted}"
        problems.at(path, where + message)
    elif part.name not in known[part.whose]:
        accepted = ", ".join(known[part.whose]) or "none, the file has no functions"
        message = f"{part.whose}.py has no function {part.name!r}{nearest(part.name, known[part.whose])}"
        problems.at(path, f"{where}{message}; accepted: {accepted}")
    else:
        low, high = known[part.whose][part.name]
        passed = len(part.parts) + _FIXED_ARGUMENTS
        if not low <= passed <= high:
            takes = f"{part.name} takes {high if passed > high else low} arguments but would be called with {passed}"
            problems.at(path, f"{where}{takes}: table, own, other and the numbers in brackets")


def check_sides(problems: Problems, boards: Mapping[str, Any], sides: Collection[str]) -> None:
    """Report sides of a board that no rule set uses."""
    for name, board in boards.items():
        written = board.get("sides") if isinstance(board, dict) else None
        for side in written if isinstance(written, dict) else ():
            if side not in sides:
                problems.unknown(("wonders", name, "sides", side), "side", side, tuple(dict.fromkeys(sides)))


def check_table(problems: Problems, catalogue: Catalogue) -> None:
    """Report wrong sizes, missing boards, and decks that cannot be dealt for some number of players (R2, R4)."""
    sizes = (("cards", len(catalogue.cards), CARDS), ("wonders", len(catalogue.wonders), BOARDS))
    for section, size, most in sizes:
        if size > most:
            problems.at((section,), f"{size} {section} are too many; accepted: at most {most}")
    most_cities = catalogue.cities_at_table(catalogue.seats[1])
    if len(catalogue.wonders) < most_cities:
        rules = f"rule set {catalogue.ruleset}{_with_changes(catalogue)}"
        needed = f"{rules} needs one for each of up to {most_cities} cities"
        problems.at(("wonders",), f"{len(catalogue.wonders)} boards are too few; {needed}")
    black = [card.name for card in catalogue.cards if card.color == "black"]
    if black and not catalogue.cities:
        rules = f"rule set {catalogue.ruleset} draws no black cards"
        problems.at(("cards", black[0], "color"), f"{rules}; accepted: another color or `cities = true`")
    count = len(problems.sentences)
    path = ("rulesets", catalogue.ruleset, "settings")
    check_house_rules(problems, path, catalogue.settings, catalogue.seat_numbers)
    for age in range(1, AGES + 1 if len(problems.sentences) == count else 1):
        smaller = (0, 0)
        for players in catalogue.seat_numbers:
            smaller = _check_deck(problems, catalogue, players, age, smaller)


def _with_changes(catalogue: Catalogue) -> str:
    """Return " with <patches and changes>", to name the likely cause of a mistake in the whole catalogue."""
    return f" with {', '.join(catalogue.changes)}" if catalogue.changes else ""


def _check_deck(
    problems: Problems, catalogue: Catalogue, players: int, age: int, smaller: tuple[int, int]
) -> tuple[int, int]:
    """Report a deck of the wrong size; return the number of cities and of surplus cards (negative: missing).

    ``smaller``: the result for the next smaller number of players.
    """
    seats = catalogue.cities_at_table(players)
    base = sum(card.copies_dealt(age, seats) for card in catalogue.cards)
    rules = at_table(catalogue.settings, players)
    pools = [("black card", "black", seats)] if catalogue.cities else []
    if age == 3:
        pools.insert(0, ("guild", "purple", rules.guilds_drawn(seats)))
    parts, total, candidates = [f"{base} copies"], base, base
    for kind, color, drawn in pools:
        pool = sum(card.color == color and age in card.ages for card in catalogue.cards)
        parts.append(f"{drawn} {kind}s")
        total += drawn
        candidates += pool
        if pool < drawn:
            available = f"there {'is' if pool == 1 else 'are'} only {pool}"
            problems.at(("cards",), f"{drawn} {kind}s are drawn in age {age} with {players} players, but {available}")
    hand_size = rules.hand_size[age - 1]
    needed = seats * hand_size
    if total != needed:
        hands = f"{seats} hands of {hand_size}"
        dealt = f"{hands} are {needed} cards, the deck has {total} ({' + '.join(parts)})"
        where = f"in rule set {catalogue.ruleset}{_with_changes(catalogue)}"
        fix = _suggestion(catalogue, age, range(smaller[0] + 1, seats + 1), total - needed - smaller[1])
        problems.at(("cards",), f"age {age} cannot be dealt with {players} players {where}: {dealt}{fix}")
    if candidates > SLOTS:
        message = f"{candidates} copies could be dealt in age {age} with {players} players"
        problems.at(("cards",), f"{message}; accepted: at most {SLOTS}")
    return seats, total - needed


def _suggestion(catalogue: Catalogue, age: int, numbers: range, surplus: int) -> str:
    """Suggest copies to add or remove so that a deck has the right size.

    ``numbers``: values in ``copies`` that add cards to this deck but not to the next smaller one. ``surplus``: the
    number of excess cards that these values add.
    """
    if surplus == 0:
        return "; fixing the deck for fewer players also fixes this one"
    if surplus < 0:
        return f"; add {-surplus} cop{'y' if surplus == -1 else 'ies'} of age {age} with {numbers[-1]} in `copies`"
    cards = [card.name for card in catalogue.cards if any(n in numbers for n in dict(card.copies).get(age, ()))]
    names = f"{', '.join(cards[:_MAX_SUGGESTED])}{', ...' if len(cards) > _MAX_SUGGESTED else ''}"
    values = f"{' or '.join(map(str, numbers))}" if numbers[0] > 1 else f"at most {numbers[-1]}"
    return f"; remove {surplus} of the copies with {values} in `copies`: {names or 'there are none'}"
