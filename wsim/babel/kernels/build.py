"""The steps of a build, section 5: announcement, offers, partners, completion and consequences (order: flow.py)."""

from __future__ import annotations

from wsim.babel.kernels.deal import draw_action_card, forget_build, spend_action_card
from wsim.babel.kernels.formula import points_of
from wsim.babel.kernels.layout import LOG_BUILT, LOG_FAILED, LOG_PAID, LOG_PARTS, NOBODY
from wsim.babel.kernels.log import note
from wsim.babel.kernels.moves import cards_of, first_of, second_of, trades, usable
from wsim.babel.kernels.scoring import score_wonder
from wsim.babel.words import JOKER, KINDS, NEEDS, NO_KIND, ROWS, SPACES, TRIPLE_BONUS, WONDERS
from wsim.jit import kernel


@kernel
def announce(public, rules, slot):
    """Section 5.1: announce a build."""
    disc = public.board[slot]
    public.slot = slot
    for place in range(NEEDS):
        public.kind[place] = rules.kind[disc, place]
        public.need[place] = rules.need[disc, place]


@kernel
def reveal_offers(game):
    """Section 5.2: reveal all offers, which were made secretly."""
    public, hidden = game.public, game.hidden
    for seat in range(public.seats):
        public.offer[seat] = hidden.offer[seat]
        public.bluff[seat] = hidden.bluff[seat]
        hidden.tally[seat].offers_made += hidden.offer[seat] != 0
        if hidden.offer[seat] or hidden.bluff[seat]:
            offer, bluff = public.offer[seat], public.bluff[seat]
            kind = public.kind[0]
            public.shown[seat, kind] = max(public.shown[seat, kind], first_of(offer))
            if second_of(offer):
                kind = public.kind[1]
                public.shown[seat, kind] = max(public.shown[seat, kind], second_of(offer))
            for other in range(len(KINDS)):
                if (bluff >> other) & 1:
                    public.shown[seat, other] = max(public.shown[seat, other], 1)


@kernel
def accept(public, taken):
    """Section 5.3: record the partners and the missing cards."""
    public.taken = taken
    public.partner = NOBODY
    first, second = public.need[0], public.need[1]
    for seat in range(public.seats):
        if (taken >> seat) & 1:
            offer = public.offer[seat]
            first -= first_of(offer)
            second -= second_of(offer)
            if trades(offer):
                public.partner = seat
    public.missing[0] = first
    public.missing[1] = second


@kernel
def succeed(game, rules, replaced):
    """Section 5.4, steps 1-4; Jokers stand for the cards ``replaced``. Return whether the game ends (section 8)."""
    public, hidden = game.public, game.hidden
    active, slot = public.active, public.slot
    hidden.tally[active].builds_led += 1
    _spend(game, active, public.missing[0] - first_of(replaced), public.missing[1] - second_of(replaced))
    for _ in range(cards_of(replaced) // rules.effects[JOKER]):
        spend_action_card(game, active, JOKER)
    parts = public.missing[0] + public.missing[1]
    for seat in range(public.seats):
        if (public.taken >> seat) & 1:
            offer = public.offer[seat]
            _spend(game, seat, first_of(offer), second_of(offer))
            hidden.tally[seat].offers_taken += 1
            if trades(offer):
                hidden.tally[seat].trades_taken += 1
                parts += cards_of(offer)
            else:
                _place(game, rules, seat, cards_of(offer))
    _place(game, rules, active, parts)
    _hand_disc(game, rules, active if public.partner == NOBODY else public.partner)
    public.slots_left &= ~(1 << slot)
    ended = False
    for kind in range(NO_KIND):
        ended |= public.kind_left[kind] == 0
    wonder = slot // SPACES
    if (public.slots_left >> (wonder * SPACES)) & 7 == 0:
        # Section 6: score the row, move the marker, return the parts, draw an action card (A22).
        row = min(public.row, ROWS - 1)
        winners = score_wonder(game, wonder, rules.values[row, 0], rules.values[row, 1], rules.values[row, 2])
        for seat in range(public.seats):
            public.units[wonder, seat] = 0
            if (winners >> seat) & 1:
                hidden.tally[seat].wonders_won |= 1 << wonder
                hidden.tally[seat].rows_won |= 1 << row
        hidden.completed |= 1 << wonder
        public.row += 1
        if not ended or rules.action_card_for_last_wonder:
            draw_action_card(game, rules, public.active)
    return ended


@kernel
def _spend(game, seat, first, second):
    """Move cards of the disc's kinds from a hand to the discard pile."""
    public, own = game.public, game.own[seat]
    kind = public.kind[0]
    own.hand[kind] -= first
    public.discards[kind] += first
    public.shown[seat, kind] = max(public.shown[seat, kind] - first, 0)
    if second:
        kind = public.kind[1]
        own.hand[kind] -= second
        public.discards[kind] += second
        public.shown[seat, kind] = max(public.shown[seat, kind] - second, 0)
    public.hand_size[seat] -= first + second


@kernel
def _place(game, rules, seat, parts):
    """Put parts of a seat on the wonder; with a limit, at most as many as are left (A28)."""
    public = game.public
    if rules.limit_parts:
        placed = 0
        for wonder in range(WONDERS):
            placed += public.units[wonder, seat]
        parts = min(parts, rules.parts - placed)
    if parts:
        public.units[public.slot // SPACES, seat] += parts
        game.hidden.tally[seat].parts_placed += parts
        note(game, LOG_PARTS, seat, parts, 0)


@kernel
def _hand_disc(game, rules, seat):
    public, own = game.public, game.own[seat]
    disc = public.board[public.slot]
    game.hidden.tally[seat].discs_owned |= 1 << disc
    public.disc_count[seat] += 1
    public.kind_left[rules.kind[disc, 0]] -= 1
    if rules.is_two_colour[disc]:
        public.kind_left[rules.kind[disc, 1]] -= 1
        own.two_colour |= 1 << disc
        public.two_colour[seat] = own.two_colour if rules.public_discs else 0
    else:
        kind = rules.kind[disc, 0]
        own.discs[kind] += 1
        public.discs[seat, kind] = own.discs[kind] if rules.public_discs else 0
    note(game, LOG_BUILT, seat, disc, 0)


@kernel
def may_triple(game, rules, seat, built):
    """Return whether a seat may play the Triple bonus on its rejected offer."""
    if usable(game.own[seat], TRIPLE_BONUS) == 0 or cards_of(game.public.offer[seat]) == 0:
        return False
    return built != 0 or rules.triple_bonus_on_failed_build != 0


@kernel
def pay_offer(game, rules, seat, tripled):
    """Section 5.4, step 5: pay a rejected offer, with or without the Triple bonus."""
    public, tally = game.public, game.hidden.tally[seat]
    tally.offers_refused += 1
    cards = cards_of(public.offer[seat])
    points = cards * rules.refused_offer
    tally.refused_points += points
    if tripled:
        tripled_points = cards * points_of(game, rules, seat, TRIPLE_BONUS)
        spend_action_card(game, seat, TRIPLE_BONUS)
        tally.action_points += tripled_points - points
        points = tripled_points
    public.points[seat] += points
    if cards:
        note(game, LOG_PAID, seat, points, 0)


@kernel
def fail(game):
    """Section 5.4: fail a build that is not completed."""
    game.hidden.tally[game.public.active].builds_failed += 1
    game.public.taken = 0
    note(game, LOG_FAILED, game.public.active, 0, 0)


@kernel
def clear_build(game):
    """Clear the build; cards and trade cards that were not spent are back in their hands."""
    forget_build(game.public)
    for seat in range(game.public.seats):
        game.hidden.offer[seat] = 0
        game.hidden.bluff[seat] = 0
