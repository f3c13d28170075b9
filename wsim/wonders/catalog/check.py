"""What must hold of a catalogue as a whole: names, chains, decks that can be dealt, enough boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wsim.errors import nearest
from wsim.wonders.catalog.house_rules import at_table, check_house_rules, formulas_of
from wsim.wonders.words import AGES, BOARDS, CARDS, SLOTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from wsim.policies.effect_files import EffectFile
    from wsim.spec.fields import Path, Problems
    from wsim.wonders.catalog.effects import Effects
    from wsim.wonders.catalog.formula import Node
    from wsim.wonders.catalog.model import Card, Catalogue

SEEN = 3  # arguments that every function of a file gets: table, own, other
_SHOWN = 6  # cards named in an advice


def check_names(problems: Problems, section: str, names: Iterable[str]) -> None:
    """Report names of one section that differ in nothing but capitals and spaces."""
    seen: dict[str, str] = {}
    for name in names:
        folded = "".join(name.split()).casefold()
        if folded in seen:
            problems.at((section, name), f"differs from {seen[folded]!r} in capitals or spaces only; that is one name")
        seen.setdefault(folded, name)


def check_chains(problems: Problems, cards: Iterable[Card], names: Collection[str]) -> None:
    """Report predecessors that are not among ``names``, the cards of the rule set (R16)."""
    for card in cards:
        path = ("cards", card.name, "free_with")
        for predecessor in card.free_with:
            if predecessor == card.name:
                problems.at(path, f"{card.name!r} cannot be its own predecessor; accepted: other cards")
            elif predecessor not in names:
                problems.unknown(path, "predecessor", predecessor, names)


def formulas_of_entries(catalogue: Catalogue) -> list[tuple[Path, Node]]:
    """Return the formulas of cards and stages, each with where it stands."""
    entries: list[tuple[Path, Effects]] = [(("cards", card.name), card.effects) for card in catalogue.cards]
    entries += [
        (("wonders", wonder.name, "sides", side, str(number)), stage.effects)
        for wonder in catalogue.wonders
        for side, stages in wonder.sides
        for number, stage in enumerate(stages, start=1)
    ]
    return [
        ((*path, "when", str(number), *field), formula)
        for path, effects in entries
        for number, clause in enumerate(effects.when, start=1)
        for field, formula in clause.formulas()
    ]


def check_formulas(problems: Problems, catalogue: Catalogue) -> None:
    """Report cards and functions that formulas name and that are not there."""
    names = [card.name for card in catalogue.cards]
    rules = ("rulesets", catalogue.ruleset, "settings")
    formulas = formulas_of_entries(catalogue)
    formulas += [((*rules, name), formula) for name, formula in formulas_of(catalogue.settings)]
    for path, formula in formulas:
        for part in formula.walk():
            if part.kind == "card" and part.name not in names:
                problems.unknown(path, "card", part.name, names)
            elif part.kind == "call":
                _check_call(problems, path, part, catalogue.effects)


def _check_call(problems: Problems, path: Path, part: Node, files: Collection[EffectFile]) -> None:
    """Report a function that no file has, or that takes another number of arguments."""
    known = {one.name.removesuffix(".py"): dict(one.arguments) for one in files}
    where = f"{part.text!r}, at letter {part.at}: "
    if part.whose not in known:
        files_there = ", ".join(f"{one}.py" for one in known)
        accepted = f"a function of {files_there}" if known else 'effects = "mine.py" at the head of a patch'
        said = f"no `effects` names {part.whose}.py{nearest(part.whose, known)}; accepted: {accepted}"
        problems.at(path, where + said)
    elif part.name not in known[part.whose]:
        accepted = ", ".join(known[part.whose]) or "it has none"
        said = f"{part.whose}.py has no function {part.name!r}{nearest(part.name, known[part.whose])}"
        problems.at(path, f"{where}{said}; accepted: {accepted}")
    else:
        least, most = known[part.whose][part.name]
        if not least <= len(part.parts) + SEEN <= most:
            problems.at(
                path,
                f"{where}{part.name} takes {most if len(part.parts) + SEEN > most else least} arguments, and is handed "
                f"{len(part.parts) + SEEN}: table, own, other and the numbers in brackets",
            )


def check_sides(problems: Problems, boards: Mapping[str, Any], sides: Collection[str]) -> None:
    """Report sides of a board that no rule set plays."""
    for name, board in boards.items():
        written = board.get("sides") if isinstance(board, dict) else None
        for side in written if isinstance(written, dict) else ():
            if side not in sides:
                problems.unknown(("wonders", name, "sides", side), "side", side, tuple(dict.fromkeys(sides)))


def check_table(problems: Problems, catalogue: Catalogue) -> None:
    """Report what keeps the catalogue from being played: sizes, boards, and decks for every player number (R2, R4)."""
    sizes = (("cards", len(catalogue.cards), CARDS), ("wonders", len(catalogue.wonders), BOARDS))
    for section, size, most in sizes:
        if size > most:
            problems.at((section,), f"{size} {section} are too many; accepted: at most {most}")
    most_cities = catalogue.cities_at_table(catalogue.seats[1])
    if len(catalogue.wonders) < most_cities:
        rules = f"rule set {catalogue.ruleset}{_laid(catalogue)} needs one for each of up to {most_cities} cities"
        problems.at(("wonders",), f"{len(catalogue.wonders)} boards are too few; {rules}")
    black = [card.name for card in catalogue.cards if card.color == "black"]
    if black and not catalogue.cities:
        rules = f"rule set {catalogue.ruleset} draws no black cards"
        problems.at(("cards", black[0], "color"), f"{rules}; accepted: another color or `cities = true`")
    before_decks = len(problems.sentences)
    path = ("rulesets", catalogue.ruleset, "settings")
    check_house_rules(problems, path, catalogue.settings, catalogue.seat_numbers)
    for age in range(1, AGES + 1 if len(problems.sentences) == before_decks else 1):
        before = (0, 0)
        for players in catalogue.seat_numbers:
            before = _check_deck(problems, catalogue, players, age, before)


def _laid(catalogue: Catalogue) -> str:
    """Say what was laid over the card file, since that is where a mistake of the whole will come from."""
    return f" with {', '.join(catalogue.changes)}" if catalogue.changes else ""


def _check_deck(
    problems: Problems, catalogue: Catalogue, players: int, age: int, before: tuple[int, int]
) -> tuple[int, int]:
    """Report a deck that does not give every city a full hand; return its cities and how many cards it has too many.

    ``before``: the same of the next smaller number of players.
    """
    seats = catalogue.cities_at_table(players)
    base = sum(card.copies_dealt(age, seats) for card in catalogue.cards)
    rules = at_table(catalogue.settings, players)
    pools = [("black card", "black", seats)] if catalogue.cities else []
    if age == 3:
        pools.insert(0, ("guild", "purple", rules.guilds_drawn(seats)))
    parts, total, candidates = [f"{base} copies"], base, base
    for what, color, drawn in pools:
        pool = sum(card.color == color and age in card.ages for card in catalogue.cards)
        parts.append(f"{drawn} {what}s")
        total += drawn
        candidates += pool
        if pool < drawn:
            there = f"there {'is' if pool == 1 else 'are'} {pool}"
            problems.at(("cards",), f"{drawn} {what}s are drawn in age {age} with {players} players, but {there}")
    hand_size = rules.hand_size[age - 1]
    needed = seats * hand_size
    if total != needed:
        hands = f"{seats} hands of {hand_size}"
        dealt = f"{hands} are {needed} cards, the deck has {total} ({' + '.join(parts)})"
        where = f"in rule set {catalogue.ruleset}{_laid(catalogue)}"
        advice = _advice(catalogue, age, range(before[0] + 1, seats + 1), total - needed - before[1])
        problems.at(("cards",), f"age {age} cannot be dealt with {players} players {where}: {dealt}{advice}")
    if candidates > SLOTS:
        many = f"{candidates} copies may be dealt in age {age} with {players} players"
        problems.at(("cards",), f"{many}; accepted: at most {SLOTS}")
    return seats, total - needed


def _advice(catalogue: Catalogue, age: int, numbers: range, more: int) -> str:
    """Say which copies to add or to take so that a deck comes out.

    ``numbers``: those in ``copies`` that it has and the next smaller deck has not. ``more``: cards that it has too many
    beside that one.
    """
    if more == 0:
        return "; it comes out as soon as the deck before it does"
    if more < 0:
        return f"; add {-more} cop{'y' if more == -1 else 'ies'} of age {age} with {numbers[-1]} in `copies`"
    come = [card.name for card in catalogue.cards if any(least in numbers for least in dict(card.copies).get(age, ()))]
    names = f"{', '.join(come[:_SHOWN])}{', ...' if len(come) > _SHOWN else ''}"
    least = f"{' or '.join(map(str, numbers))}" if numbers[0] > 1 else f"at most {numbers[-1]}"
    return f"; take away {more} of those with {least} in `copies`: {names or 'there is none'}"
