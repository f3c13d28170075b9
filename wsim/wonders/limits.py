"""The limits of 7 Wonders that a catalogue can exceed; ``kernels.guards`` lists where each is checked."""

from __future__ import annotations

from wsim.limits import OF_FORMULAS, Limit

MAX_COINS = 32_767  # coins, debts, coins to be lost: signed columns and observations of 16 bits
MAX_COUNT = 255  # shields, tokens: columns of 8 bits
MAX_SYMBOLS = 181  # science symbols of a city when clauses add some: its square is a score of 16 bits
MAX_PAID = 255  # coins of a move: 8 bits of its word

LIMITS = (
    OF_FORMULAS,
    Limit("coins", "`coins`, `coins_per`, `coins_to_others`, settings.start_coins, settings.sale_coins or `when`"),
    Limit("shields", "`shields` or `gain.shields` of `when`"),
    Limit("victory tokens of one age", "`victory_token` or `gain.victory_tokens` of `when`"),
    Limit("defeat tokens", "`gain.defeat_tokens` of `when`"),
    Limit("debts", "`debt`, `coin_loss` or `gain.debts` of `when`"),
    Limit("diplomacy tokens", "`diplomacy` or `gain.diplomacy_tokens` of `when`"),
    Limit("science symbols", "`science` or `gain` of `when`"),
    Limit("units of one resource", "`produces`, `produces_one_of` or `gain` of `when`"),
    Limit("either/or symbols", "`produces_one_of`"),
    Limit("free build tokens", "`gain.free_build_tokens` of `when`"),
    Limit("pending builds from the discard pile", "`build_from_discard` or `gain.discard_builds` of `when`"),
    Limit("lost coins", "`coin_loss`"),
    Limit("coins to pay for one loss", "`coin_loss`"),
    Limit("moves", "`build_from_discard`, `play_last_card`, or `gain.discard_builds` or `card` of `when`"),
    Limit("log entries", "`event`, `by` and `each` of `when`"),
    Limit("pending decisions", "`may`, `price`, `choose` or `card` of `when`"),
    Limit("decisions of clauses", "`may`, `price`, `choose` or `card` of `when`"),
    Limit("coins to pay for one choice", "`price` of `when`"),
    Limit("in a value that a formula reads", "the effects that increase it"),
    Limit("points of victory tokens", "settings.victory_tokens, `victory_token` or `gain.victory_tokens` of `when`"),
    Limit("points gained in one category", "`gain.points` or `lose.points` of `when`"),
    Limit("points in one category", "`points`, `points_per`, `points` of `when` or settings.science"),
    Limit("points", "`points`, `points_per`, `debt`, `coin_loss` or what they count"),
    Limit("coins in a cost", "`dearer.coins` of `when`"),
    Limit("resources in a cost", "`dearer` of `when`"),
)
(
    COINS, SHIELDS, VICTORY, DEFEATS, DEBTS, DIPLOMACY, SYMBOLS, UNITS, FLEXIBLE, FREE_TOKENS, WAITING, LOSSES, PAYABLE,
    MOVES, LOGGED, PENDING, DECIDED, PRICE, ASKED, TOKEN_POINTS, GAINED, CATEGORY, TOTAL, COST_COINS,
    COST_UNITS,
) = range(1, len(LIMITS))  # fmt: skip
