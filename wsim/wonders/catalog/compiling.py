"""Compile a catalogue into the RULES record that kernels read: one rule set with one number of players."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.policies.effect_calls import Call, slot_of
from wsim.spec.formula import NAMED, Node, evaluate_node, span
from wsim.wonders import words as w
from wsim.wonders.catalog.clause_times import Expected
from wsim.wonders.catalog.clauses import named
from wsim.wonders.catalog.counter_slots import entries_of, slot_number, slots_of
from wsim.wonders.catalog.counters import bounds_of
from wsim.wonders.catalog.effects import EFFECTS, Effects, pack_units
from wsim.wonders.catalog.formula import WIDEST, code, parse
from wsim.wonders.catalog.house_rules import at_table
from wsim.wonders.catalog.model import Card, Catalogue, Cost
from wsim.wonders.kernels.layout import ACTIONS, CARD_SETS, CLAUSES, CODE, NO_PRICE, OPTIONS, RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wsim.wonders.catalog.clauses import Clause, Option


def age_slots(catalogue: Catalogue, age: int, seats: int) -> tuple[list[str], list[int], list[int], list[int]]:
    """Return the card in each slot of an age (1-3), and which slots are always dealt, guilds or black cards (R4)."""
    names: list[str] = []
    base: list[int] = []
    guilds: list[int] = []
    black: list[int] = []
    for card in catalogue.cards:
        drawn = guilds if card.color == "purple" else black
        if not card.copies and age in card.ages:
            drawn.append(len(names))
            names.append(card.name)
        for _ in range(card.copies_dealt(age, seats)):
            base.append(len(names))
            names.append(card.name)
    if len(names) > w.SLOTS:
        raise UserError(
            f"age {age} has {len(names)} candidate cards for {seats} seats; at most {w.SLOTS} are supported"
        )
    return names, base, guilds, black


def compile_rules(catalogue: Catalogue, players: int) -> Any:
    """Return the RULES record (a numpy recarray of length 1) of a catalogue for a number of players (R4, R38, R43).

    Raises UserError if the rule set does not support that number.
    """
    if players not in catalogue.seat_numbers:
        accepted = ", ".join(map(str, catalogue.seat_numbers))
        raise UserError(f"{players} players cannot play rule set {catalogue.ruleset}: accepted are {accepted}")
    return _compiled(catalogue, players).copy()


@lru_cache(maxsize=32)  # a question compiles the same catalogues repeatedly
def _compiled(catalogue: Catalogue, players: int) -> Any:
    rules = np.zeros(1, RULES).view(np.recarray)
    record = rules[0]
    seats = catalogue.cities_at_table(players)
    record.seats, record.players = seats, players
    record.cities, record.teams, record.duo = catalogue.cities, catalogue.teams, catalogue.duo
    record.boards, record.cards = len(catalogue.wonders), len(catalogue.cards)
    record.switch[:] = [catalogue.switches[name] for name in w.SWITCHES]
    record.price[:] = NO_PRICE
    number = {card.name: i for i, card in enumerate(catalogue.cards)}
    formulas = Formulas(number, catalogue)
    _fill_settings(record, catalogue, formulas)
    for age in range(w.AGES):
        names, base, guilds, black = age_slots(catalogue, age + 1, seats)
        record.slots[age] = len(names)
        record.slot_card[age, : len(names)] = [number[name] for name in names]
        record.base_count[age] = len(base)
        record.base_slots[age, : len(base)] = base
        wanted = at_table(catalogue.settings, int(record.players)).guilds_drawn(seats)
        drawn = (min(wanted, len(guilds)), seats if catalogue.cities else 0)
        for kind, (pool, count) in enumerate(zip((guilds, black), drawn, strict=True)):
            record.pool_count[age, kind] = len(pool)
            record.pool[age, kind, : len(pool)] = pool
            record.pool_drawn[age, kind] = count if pool else 0
    fields = _fields(rules)
    for i, card in enumerate(catalogue.cards):
        _fill_card(fields, i, card, number, catalogue)
    entry = w.STAGE_ENTRY
    for board, wonder in enumerate(catalogue.wonders):
        for side, (_, stages) in enumerate(wonder.sides):
            row = w.SIDES_OF_BOARD * board + side
            record.board_resource[row] = w.RESOURCES.index(wonder.resource)
            record.stage_count[row] = len(stages)
            for position, stage in enumerate(stages):
                if entry >= w.ENTRIES:
                    raise UserError(f"the boards have more than {w.ENTRIES - w.STAGE_ENTRY} stages in total")
                record.stage_entry[row, position] = entry
                _fill_entry(fields, entry, stage.cost, stage.effects)
                entry += 1
    _fill_others(record, catalogue, entry)
    numbers = record.card_facts[: len(catalogue.cards), : len(w.CARD_NUMBERS)]
    record.mean_facts[: len(w.CARD_NUMBERS)] = np.rint(numbers.mean(axis=0))
    _fill_counters(record, catalogue)
    _fill_clauses(record, catalogue, formulas)
    return rules


def _fields(rules: Any) -> SimpleNamespace:
    """Return the array fields of a record by name; a record looks each of them up anew whenever it is used."""
    return SimpleNamespace(**{name: rules[name][0] for name in RULES.names or () if rules[name][0].shape})


class Formulas:
    """Compiled formulas: the code words of all distinct formulas, and the sets of cards that they count.

    ``number``: the numbers of the cards by name.
    """

    def __init__(self, number: Mapping[str, int], catalogue: Catalogue) -> None:
        self.words: list[int] = []
        self.sets: dict[str, list[int]] = {}
        self._number = number
        self._catalogue = catalogue
        self._facts = [card_facts(card) for card in catalogue.cards]
        self._names = {f"{NAMED}{name}": card + 1 for name, card in number.items()}
        self._names |= {f"{NAMED}{card.name}": name_of_recruit(at) for at, card in enumerate(catalogue.deck_cards)}
        self._files = {file.name.removesuffix(".py"): file for file in catalogue.effects}
        self._starts: dict[tuple[str, str, int, bool], int] = {}

    def begins(self, formula: str, site: str = "", entry: int = -1, facts: Mapping[str, int] | None = None) -> int:
        """Return the offset of a formula in the code, compiling the formula on first use.

        ``site``: the card or board, which is passed to its functions. ``entry``: the card or stage whose counters it
        may use. ``facts``: the facts of the card that causes the event, if that card is known before the game.
        """
        known = bool(facts) and any(part.kind == "event" for part in parse(formula).walk())
        node = _with_facts(parse(formula), facts or {}) if known else parse(formula)
        parts = list(node.walk())
        counters = {part.name for part in parts if part.kind == w.COUNTER}
        calls = any(part.kind == "call" for part in parts)
        key = formula, site if calls else "", entry if counters or known else -1, known
        if key not in self._starts:
            self._starts[key] = len(self.words)
            for part in parts:
                if part.kind == "cards":
                    cards = [{**facts, w.CARD_NAME: card} for card, facts in enumerate(self._facts, start=1)]
                    matches = [evaluate_node(part.parts[0], {**self._names, **facts}) for facts in cards]
                    self.sets[part.name] = [card for card, match in enumerate(matches) if match]
            sets = {name: number for number, name in enumerate(self.sets)}

            def slot(node: Node) -> int:
                return slot_of(Call(self._files[node.whose], node.name, len(node.parts), *node.bounds, site))

            slots = {name: slot_number(self._catalogue, name.partition(".")[2], entry) for name in counters}
            self.words += code(node, {**self._number, **self._names, **sets, **slots}, slot)
        return self._starts[key]

    def fill(self, record: Any) -> None:
        """Write the code words and the card sets into a RULES record."""
        _check_sizes("formulas", ("code words", len(self.words), CODE), ("counted sets", len(self.sets), CARD_SETS))
        record.code[: len(self.words)], record.card_sets[:] = self.words, 0
        for number, cards in enumerate(self.sets.values()):
            for card in cards:
                record.card_sets[number, card >> 6] |= np.uint64(1 << (card & 63))


def _with_facts(node: Node, facts: Mapping[str, int]) -> Node:
    """Replace the known facts of the card that causes the event by numbers, and return the resulting formula."""
    if node.kind == "event" and node.name in facts:
        return replace(node, kind="number", value=facts[node.name])
    return replace(node, parts=tuple(_with_facts(part, facts) for part in node.parts))


def _check_sizes(owner: str, *sizes: tuple[str, int, int]) -> None:
    """Raise UserError if any (name, size, limit) has a size above its limit."""
    for name, size, limit in sizes:
        if size > limit:
            raise UserError(f"the {owner} of this catalogue have {size} {name} in total; at most {limit} are supported")


def name_of_recruit(position: int) -> int:
    """Return the number by which formulas know the name of a card of a further deck; cards have 1 to ``CARDS``."""
    return w.CARDS + 1 + position


def card_facts(card: Card) -> dict[str, int]:
    """Return the facts about a structure that formulas may count by (words.CARD_NUMBERS, words.CARD_MARKS)."""
    marks = {name: int(name in (card.color, card.effects.science)) for name in w.CARD_MARKS}
    marks["chained"] = int(bool(card.free_with))
    return {**_numbers(card.cost, card.effects), "age": card.ages[0], **marks}


def _numbers(cost: Cost, effects: Effects) -> dict[str, int]:
    """Return the numbers of a structure or stage that formulas may use; a stage has no age."""
    numbers = {"cost": cost.units + cost.coins, "units": cost.units, "coins": cost.coins}
    either = () if isinstance(effects.produces_one_of, str) else effects.produces_one_of
    makes = {name: effects.produces.count(name) + either.count(name) for name in w.RESOURCES}
    return {**numbers, "age": 0, "points": effects.points, "shields": effects.shields, **makes}


def _fill_settings(record: Any, catalogue: Catalogue, formulas: Formulas) -> None:
    """Write the house rules of a table into the RULES record (R3-R5, R8, R9.5, R13, R19, R22-R24)."""
    settings, rules = catalogue.settings, at_table(catalogue.settings, int(record.players))
    record.hand_size = max(rules.hand_size)
    record.age_turns[:] = [cards - 1 for cards in rules.hand_size]
    record.turns = record.hand_size - 1
    record.start_coins, record.trade_price = rules.start_coins, rules.trade_price
    record.coins_per_point, record.defeat_points = rules.coins_per_point, rules.defeat_points
    record.sale_coins, record.victory_points[:] = rules.sale_coins, rules.victory_tokens
    record.sale_at = formulas.begins(rules.sale) if rules.sale else -1
    record.science_at = formulas.begins(rules.science) if rules.science else -1
    record.to_right[:] = [direction == "right" for direction in settings.passing]
    record.last_played[:] = [fate == "played" for fate in settings.last_card]
    record.ties = len(settings.tie_breaks)
    for i, formula in enumerate(settings.tie_breaks):
        record.tie_at[i] = -1 if formula == "coins" else formulas.begins(formula)


def _fill_card(record: Any, i: int, card: Card, number: dict[str, int], catalogue: Catalogue) -> None:
    color = w.COLORS.index(card.color)
    record.color[i] = color
    record.category[i] = w.CATEGORY_OF_COLOR[color]
    record.age_of[i] = card.ages[0] - 1
    for name in card.free_with:
        # without the switch, only a predecessor printed in the preceding age counts (R16)
        if catalogue.switches["chain_from_any_age"] or {a + 1 for a in catalogue.card(name).ages} & {*card.ages}:
            record.chain[i, number[name] >> 6] |= np.uint64(1 << (number[name] & 63))
    _fill_entry(record, i, card.cost, card.effects)
    facts = card_facts(card)
    record.card_facts[i] = [*(facts[name] for name in w.CARD_FACTS), i + 1]
    scored = any(clause.event == "scored" for clause in card.effects.when)
    if record.points[i] or record.points_per[i, 0] or record.points_complete[i] or scored:
        record.scoring_cards[i >> 6] |= np.uint64(1 << (i & 63))
    if card.color == "purple":
        record.purple_cards[i >> 6] |= np.uint64(1 << (i & 63))


def _fill_entry(record: Any, i: int, cost: Cost, effects: Effects) -> None:
    record.cost[i] = pack_units(cost.resources)
    record.cost_coins[i] = cost.coins
    numbers = _numbers(cost, effects)
    facts = [numbers.get(name, int(name == effects.science)) for name in w.CARD_FACTS]
    record.card_facts[i, : len(facts)] = facts
    for name, value in effects.present().items():
        effect = EFFECTS[name]
        effect.pack(record, i, value)
        record.eventful[i] |= effect.triggers


def _fill_others(record: Any, catalogue: Catalogue, entry: int) -> None:
    """Write the cards of decks (R88) and the rules of the table (R87), from the entry after the last stage on."""
    record.deck_entry = record.table_entry = record.last_entry = w.ENTRIES
    if not catalogue.decks and not catalogue.table:
        return
    cards = catalogue.deck_cards
    record.deck_entry, record.table_entry = entry, entry + len(cards)
    record.last_entry = record.table_entry + len(catalogue.table)
    if record.last_entry > w.ENTRIES:
        most = w.ENTRIES - w.STAGE_ENTRY
        raise UserError(f"too many stages, cards of decks and rules of the table: at most {most} in total")
    for at, (cost, effects) in enumerate(
        [*((Cost(card.cost), card.effects) for card in cards), *((Cost(), rule.effects) for rule in catalogue.table)]
    ):
        _fill_entry(record, entry + at, cost, effects)
        if at < len(cards):
            record.card_facts[entry + at, w.KNOWN_OF_CARD.index(w.CARD_NAME)] = name_of_recruit(at)
    record.decks = len(catalogue.decks)
    record.drafts = sum(deck.draft > 0 for deck in catalogue.decks)
    for number, deck in enumerate(catalogue.decks):
        record.deck_from[number + 1] = record.deck_from[number] + len(deck.cards)
        record.deck_dealt[number], record.deck_shown[number] = deck.hand, deck.display
        record.deck_drafted[number], record.deck_moment[number] = deck.draft > 0, deck.moment
        record.deck_trigger[number] = list(w.TRIGGERS).index(deck.recruit)


def act_number(catalogue: Catalogue, act: str, entry: int) -> int:
    """Return the number of an action in RULES.action; ``entry`` is the card or stage with the clause."""
    if act in w.ACT:
        return w.ACT[act]
    if deck := named(act, w.DRAW):
        return w.ACT["gain draw 1"] + [one.name for one in catalogue.decks].index(deck)
    verb, _, name = act.rpartition(" ")
    return len(w.ACTS) + 2 * slot_number(catalogue, name, entry) + w.COUNTER_ACTS.index(verb)


def act_name(catalogue: Catalogue, number: int) -> str:
    """Return the name of an action, in the format of ``Clause.acts``."""
    if number < w.ACT["gain draw 1"]:
        return w.ACTS[number]
    if number < len(w.ACTS):
        return f"gain {w.DRAW} {catalogue.decks[number - w.ACT['gain draw 1']].name}"
    counter, verb = divmod(number - len(w.ACTS), len(w.COUNTER_ACTS))
    return f"{w.COUNTER_ACTS[verb]} {slots_of(catalogue)[counter].counter.name}"


def _fill_counters(record: Any, catalogue: Catalogue) -> None:
    """Write the counters into the RULES record (R70)."""
    slots = slots_of(catalogue)
    record.counters = len(slots)
    for number, slot in enumerate(slots):
        counter = slot.counter
        record.counter_of[number] = w.COUNTER_OF.index(counter.of)
        record.counter_lasts[number] = w.COUNTER_LASTS.index(counter.lasts)
        record.counter_start[number], record.counter_least[number] = counter.start, counter.least
        record.counter_most[number] = counter.most


@dataclass
class _Clauses:
    """The clauses of a catalogue as the rows of a record, ordered by event, entry and position in the card file."""

    record: Any
    catalogue: Catalogue
    formulas: Formulas
    clauses: list[tuple[Any, ...]] = field(default_factory=list)
    actions: list[tuple[int, int]] = field(default_factory=list)
    options: list[tuple[int, ...]] = field(default_factory=list)

    def note(self, trigger: int, entry: int) -> None:
        """Record that an entry has clauses for an event."""
        if entry < w.STAGE_ENTRY:
            self.record.clause_cards[trigger, entry >> 6] |= np.uint64(1 << (entry & 63))
        elif entry < self.record.deck_entry:
            self.record.clause_stages[trigger] = 1
        else:
            self.record.clause_table[trigger] = 1

    def add(self, entry: int, site: str, number: int, clause: Clause, times: list[float]) -> None:
        """Add a clause, its actions and its options; ``times``: how often it is expected to act, by age."""
        by, each, seller = (
            w.WHOM.index(name or default)
            for name, default in ((clause.by, "self"), (clause.each, "self"), (clause.seller, "anyone"))
        )
        colors = sum(1 << w.COLORS.index(color) for color in clause.color or w.COLORS)
        own = None  # the facts about the card itself, if it causes the event
        if clause.event == "built":
            own = dict(zip(w.KNOWN_OF_CARD, map(int, self.record.card_facts[entry]), strict=True))
        condition = self.formulas.begins(clause.condition, site, entry, own) if clause.condition else -1
        head = (entry, number, by, seller, colors, each, condition)
        decider = w.WHOM.index(clause.decider or "self")
        asked = (len(self.options), int(clause.optional), int(clause.one), decider)
        self.clauses.append((*head, len(self.actions), *asked, times))
        at = len(self.actions)
        for option in clause.options():
            at = self.add_option(option, at, site, entry, own)
        self.actions += [
            (act_number(self.catalogue, act, entry), self.formulas.begins(amount, site, entry, known))
            for known, acts in _acts_with_facts(clause, own)
            for act, amount in acts
        ]

    def add_option(self, option: Option, at: int, site: str, entry: int, own: dict[str, int] | None) -> int:
        """Add an option whose actions begin at index ``at``; return the index after the last of them."""
        paid, end = at + len(option.price), at + len(option.price) + len(option.acts())
        most = -1
        if option.amount:
            most = self.formulas.begins(option.amount, site, entry, own)
            largest = span(parse(option.amount), {**WIDEST, **bounds_of(self.catalogue.counters)})[1]
            self.record.most_amount = max(self.record.most_amount, largest)
        self.options.append((at, paid, end, *_card_of(option, self.formulas, site, entry), most))
        return end


def _fill_clauses(record: Any, catalogue: Catalogue, formulas: Formulas) -> None:
    """Write clauses and their actions, ordered by event, entry and position in the card file (R54)."""
    entries = [(entry, site, effects.when) for entry, site, _, effects in entries_of(catalogue)]
    rows, expected = _Clauses(record, catalogue, formulas), Expected(record, catalogue)
    for trigger, event in enumerate(w.TRIGGERS):
        record.clause_from[trigger] = len(rows.clauses)
        for entry, site, when in entries:
            for number, clause in enumerate(when, start=1):
                if clause.event == event:
                    rows.note(trigger, entry)
                    rows.add(entry, site, number, clause, expected.times(clause))
    clauses, actions, options = rows.clauses, rows.actions, rows.options
    sizes = (("clauses", len(clauses), CLAUSES), ("actions of clauses", len(actions), ACTIONS))
    _check_sizes("cards and stages", *sizes, ("options of clauses", len(options), OPTIONS))
    record.clause_from[len(w.TRIGGERS)] = len(clauses)
    record.triggers = sum(1 << trigger for trigger in range(len(w.TRIGGERS)) if np.diff(record.clause_from)[trigger])
    heads = ("entry", "number", "by", "seller", "colors", "each", "if", "actions")
    fields = (*heads, "options", "may", "one", "decider", "times")
    columns = [*zip((f"clause_{name}" for name in fields), zip(*clauses, strict=True), strict=False)]
    columns += zip(("action", "action_amount"), zip(*actions, strict=True), strict=False)
    parts = ("first", "paid", "end", "from", "do", "if", "for", "draw", "amount")
    columns += [*zip((f"option_{name}" for name in parts), zip(*options, strict=True), strict=False)]
    for name, values in columns:
        record[name][: len(values)] = values
    record.clause_actions[len(clauses)], record.clause_options[len(clauses)] = len(actions), len(options)
    of_clauses = np.diff(record.clause_options[: len(clauses) + 1])
    record.copies = np.count_nonzero(record.action[: len(actions)] == w.ACT["gain copies"])
    first_draw = w.ACT["gain draw 1"]
    record.draws = np.count_nonzero((first_draw <= record.action) & (record.action < first_draw + w.DECKS))
    record.asks = np.count_nonzero(of_clauses) + len(catalogue.decks)
    record.most_options = of_clauses.max(initial=0)
    record.targets = record.seats if record.clause_one.any() else 1
    from_hand = record.option_from[: len(options)] == w.FROM_HAND
    record.asides = np.count_nonzero(from_hand & (record.option_do[: len(options)] == w.DO_DISCARD))
    record.picks = np.count_nonzero(record.option_from[: len(options)])
    record.watches = np.count_nonzero(record.option_from[: len(options)] >= w.FROM_LEFT_HAND)
    formulas.fill(record)


def _card_of(option: Option, formulas: Formulas, site: str, entry: int) -> tuple[int, int, int, int, int]:
    """Encode the card choice of an option (R80), with -1 for absent formulas.

    Returns the number of the set from which a city chooses, the number of the action on the card, and the offsets of
    three formulas: the condition for the card, the condition for a card given in exchange, and the number of cards
    drawn.
    """
    if option.card is None:
        return w.NO_CARD, w.DO_NOTHING, -1, -1, -1
    source, do = (*w.CARD_FROM,).index(option.card.source) + 1, ("", *w.CARD_DO).index(option.card.do)
    conditions = (option.card.condition, option.card.given, option.card.draw)
    begins = [formulas.begins(condition, site, entry) if condition else -1 for condition in conditions]
    return source, do, begins[0], begins[1], begins[2]


def _acts_with_facts(
    clause: Clause, own: dict[str, int] | None
) -> Iterator[tuple[dict[str, int] | None, list[tuple[str, str]]]]:
    """Yield the actions of a clause, option by option, with the facts of `card` if they are known before the game.

    The facts of a chosen card (R80) are not known, because it is not the card that causes the event.
    """
    if options := clause.options():
        for option in options:
            yield None if option.card else own, [*option.price_acts(), *option.acts()]
    else:
        yield own, clause.acts()
