// Payments of first_edition.cpp: cities, costs, and all Pareto-minimal payments of what a city lacks (R11-R15).
//
// `offer4` decides most cases, for four prices at once in vector registers; `pay_missing` solves those in which
// either/or symbols or discounts matter.

#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;

namespace {

// What a structure or stage adds to its city, as one cache line; the generated header has one for each.
struct alignas(64) Effect {
    u64 production[4];  // packed: own fixed units; own upper bound; the same two of what neighbours may buy
    u64 counts;         // one lane for each colour, then stages: what effects and guilds count
    u64 symbols;        // lanes: compass, gear, tablet, wild, shields, civilian points, points of stages
    u64 flex;           // 1 in the lane of each alternative of an either/or symbol
    u64 sale_flex;      // the same, if neighbours may buy it
};

// What building it costs, and what it does besides.
struct alignas(32) Price {
    u64 cost;      // packed
    u64 chain[2];  // predecessors, one bit each
    u8 bank;       // coins to the bank
    u8 special;    // 1: something of `Special` applies
};

struct Special {
    u64 coins_what;       // 0xFF in the lanes of `counts` that give coins at once
    u64 points_what;      // the same for points at the end
    u8 coins, coins_each, coins_where;    // where: 1 own city, 2 left, 4 right
    u8 points_each, points_where;
    u8 points_defeats;    // points for each defeat token of the neighbours
    u8 abilities;         // PLAY_LAST ... FREE_ONCE
    u8 wild;              // 1: a guild with a wild symbol
    u8 price[4];          // of a unit: left raw, left made, right raw, right made; 99 leaves it
};

constexpr u8 PLAY_LAST = 1, BUILD_DISCARD = 2, COPY_GUILD = 4, FREE_ONCE = 8;

#include "first_edition_cards.h"  // EFFECT, PRICE, SPECIAL, decks and boards

constexpr u64 TOP = 0x0080808080808080, ONES = 0x0001010101010101;
constexpr u64 RAW = 0x00000000FFFFFFFF, MADE = 0x00FFFFFF00000000, BYTE = 0xFF;
constexpr int FAR = 99;

struct alignas(64) City {
    u64 production[4];  // as in Effect: plain, reach, sale, sale_reach
    u64 counts, symbols;
    u64 flex_lanes, sale_flex_lanes;  // 0xFF in the lanes that some either/or symbol may give
    u64 built[2];
    u64 hand;  // slots of the age
    int32_t coins, stages;
    u8 price[4];
    u8 cheapest, side, abilities, free_used;
    u8 flex_count, sale_flex_count, defeats, military;
    u64 flex[16], sale_flex[8];
};

enum : u64 { BUILD = 0, STAGE = 1, SELL = 2, DECLINE = 3 };
constexpr int ACTION_AT = 8, FREE_AT = 12, BANK_AT = 16, LEFT_AT = 24, RIGHT_AT = 32, SLOT_AT = 40;
constexpr u64 STEP = (2ull << LEFT_AT) - (2ull << RIGHT_AT);  // a unit at the full price, from left instead of right

inline u64 less(u64 amounts, u64 other) {  // amounts - other in every lane, at least 0
    u64 difference = (amounts | TOP) - other, at_least = difference & TOP;
    return difference & (at_least - (at_least >> 7));
}
inline bool exceeds(u64 amounts, u64 bound) { return (((bound | TOP) - amounts) & TOP) != TOP; }
inline int lane_sum(u64 amounts) { return int((amounts * ONES) >> 48 & BYTE); }
inline int all_lanes(u64 amounts) { return int((amounts * 0x0101010101010101ull) >> 56); }
inline u64 ones_of(u64 amounts) { return ((amounts + (TOP - ONES)) & TOP) >> 7; }
inline int lane(u64 amounts, int at) { return int(amounts >> (8 * at) & BYTE); }
inline int low(u64 word) { return __builtin_ctzll(word); }
inline u64 reversed(u64 word) {
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0F0F0F0F0F0F0F0F) | (word & 0x0F0F0F0F0F0F0F0F) << 4;
    return __builtin_bswap64(word);
}
inline u64 pair_of(int left, int right) { return u64(left) << LEFT_AT | u64(right) << RIGHT_AT; }

constexpr int next(int seat) { return seat + 1 < SEATS ? seat + 1 : 0; }
constexpr int before(int seat) { return seat > 0 ? seat - 1 : SEATS - 1; }

struct Solver {
    u64 pairs[64];  // the payments found
    u64 reachable[2][64];
    u64 stride[8], open[8];
    int span[8];

    u64 cover(u64 reach, u64 gives) const {
        u64 grown = reach;
        for (; gives; gives &= gives - 1) {
            int resource = low(gives) >> 3;
            grown |= (reach & open[resource]) << stride[resource];
        }
        return grown;
    }

    int number_states(u64 missing) {
        int states = 1;
        for (u64 rest = missing; rest;) {
            int resource = low(rest) >> 3, amount = lane(rest, resource);
            rest &= ~(BYTE << (8 * resource));
            stride[resource] = states;
            span[resource] = amount;
            states *= amount + 1;
        }
        for (u64 rest = ones_of(missing); rest; rest &= rest - 1) {
            int resource = low(rest) >> 3, step = int(stride[resource]);
            u64 block = (1ull << (step * span[resource])) - 1, word = block;
            int period = step * (span[resource] + 1);
            for (int at = period; at < states; at += period) word |= block << at;
            open[resource] = word;
        }
        return states;
    }

    void cover_all(u64 *words, int top, u64 gives, int price) const {
        for (int total = top - price; total >= 0; total--)
            if (words[total]) words[total + price] |= cover(words[total], gives);
    }

    void buy(const City &seller, u64 for_sale, u64 *words, u64 needed, int top, int raw_price, int made_price) {
        for (int total = 1; total <= top; total++) words[total] = 0;
        for (u64 rest = needed; rest; rest &= rest - 1) {
            u64 gives = rest & -rest;
            int resource = low(rest) >> 3, price = resource < 4 ? raw_price : made_price;
            for (int units = std::min(lane(for_sale, resource), span[resource]); units > 0; units--)
                cover_all(words, top, gives, price);
        }
        for (int symbol = 0; symbol < seller.sale_flex_count; symbol++) {
            u64 gives = seller.sale_flex[symbol] & needed;  // raw alternatives only, in the first edition
            if (gives & (gives - 1)) cover_all(words, top, gives, raw_price);
        }
    }

    // Payments in which either/or symbols have several uses: words of reachable states, as wsim counts them.
    __attribute__((noinline)) int pay_sets(const City &city, const City &left, const City &right, u64 missing,
                                           int budget, u64 used, u64 left_sells, u64 right_sells) {
        int states = number_states(missing);
        u64 needed = ones_of(missing), own = 1;
        for (int symbol = 0; symbol < city.flex_count; symbol++) {
            u64 gives = city.flex[symbol] & needed;
            if (gives && !(used >> symbol & 1)) own = cover(own, gives);
        }
        if (own >> (states - 1) & 1) {
            pairs[0] = 0;
            return 1;
        }
        int price[4] = {city.price[0], city.price[1], city.price[2], city.price[3]}, scale = 1;
        int dearest = std::max(std::max(price[0], price[1]), std::max(price[2], price[3]));
        if (city.cheapest == dearest) {
            scale = dearest, budget /= dearest;
            price[0] = price[1] = price[2] = price[3] = dearest = 1;
        }
        int most = std::min(lane_sum(missing) * dearest, budget);
        u64 lanes = needed * BYTE;
        int left_top = 0, right_top = 0;
        reachable[0][0] = own;
        reachable[1][0] = 1;
        if ((left.production[2] | left.sale_flex_lanes) & lanes) {
            left_top = most;
            buy(left, left_sells, reachable[0], needed, most, price[0], price[1]);
        }
        if ((right.production[2] | right.sale_flex_lanes) & lanes) {
            right_top = most;
            buy(right, right_sells, reachable[1], needed, most, price[2], price[3]);
        }
        // (left, right) pays if a state of the left word and one of the right word add up to the full state
        for (int total = 0; total <= right_top; total++)
            reachable[1][total] = reversed(reachable[1][total]) >> (64 - states);
        int count = 0, best = right_top + 1;
        for (int to_left = 0; to_left <= left_top; to_left++) {
            u64 word = reachable[0][to_left];
            if (!word) continue;
            int end = std::min(best - 1, budget - to_left);
            for (int to_right = 0; to_right <= end; to_right++)
                if (word & reachable[1][to_right]) {
                    best = to_right;
                    pairs[count++] = pair_of(to_left * scale, to_right * scale);
                    break;
                }
        }
        return count;
    }

    // Payments with symbols of one use each: only the numbers of raw and manufactured units from the left matter.
    inline int pay_plain(const City &city, u64 missing, int budget, u64 left_sells, u64 right_sells) {
        u64 most = missing - less(missing, left_sells), least = less(missing, right_sells);
        int units = lane_sum(missing), price = city.price[0];
        if (city.cheapest == 2) {  // no discount
            if (units * 2 > budget) return 0;
            int count = 0;
            for (int number = lane_sum(least), end = lane_sum(most); number <= end; number++)
                pairs[count++] = pair_of(number * 2, (units - number) * 2);
            return count;
        }
        int raw = lane_sum(missing & RAW), made = units - raw;
        int raw_least = lane_sum(least & RAW), raw_most = lane_sum(most & RAW);
        int made_least = lane_sum(least & MADE), made_most = lane_sum(most & MADE);
        int left_raw = price, left_made = city.price[1], right_raw = city.price[2], right_made = city.price[3];
        if (made_least == made_most) {
            int to_left = raw_least * left_raw + made_least * left_made;
            int to_right = (raw - raw_least) * right_raw + (made - made_least) * right_made, count = 0;
            for (int step = raw_most - raw_least; step >= 0; step--) {
                pairs[count] = pair_of(to_left, to_right);
                count += to_left + to_right <= budget;
                to_left += left_raw, to_right -= right_raw;
            }
            return count;
        }
        int8_t best_right[64];
        int top = std::min(budget, raw_most * left_raw + made_most * left_made);
        for (int total = 0; total <= top; total++) best_right[total] = FAR;
        for (int i = raw_least; i <= raw_most; i++)
            for (int j = made_least; j <= made_most; j++) {
                int to_left = i * left_raw + j * left_made;
                int to_right = (raw - i) * right_raw + (made - j) * right_made;
                if (to_left <= top && to_right < best_right[to_left]) best_right[to_left] = int8_t(to_right);
            }
        int count = 0, best = FAR;
        for (int to_left = 0; to_left <= top; to_left++)
            if (best_right[to_left] < best) {
                best = best_right[to_left];
                if (to_left + best <= budget) pairs[count++] = pair_of(to_left, best);
            }
        return count;
    }

    // Fill `pairs` with the payments of what plain production lacks; return how many there are.
    __attribute__((noinline)) int pay_missing(const City &city, const City &left, const City &right, u64 flexible,
                                              u64 missing, int budget) {
        int choices = 0;
        u64 used = 0;
        if (missing & flexible) {
            u64 needed = ones_of(missing);
            for (bool again = true; again;) {  // a symbol with only one use has no better one
                again = false;
                choices = 0;
                for (int symbol = 0; symbol < city.flex_count; symbol++) {
                    u64 gives = city.flex[symbol] & needed;
                    if (!gives || used >> symbol & 1) continue;
                    if (gives & (gives - 1)) {
                        choices++;
                    } else {
                        used |= 1ull << symbol;
                        missing -= gives;
                        if (!(missing & (gives * BYTE))) needed &= ~gives, again = true;
                    }
                }
            }
            if (!missing) {
                pairs[0] = 0;
                return 1;
            }
        }
        if ((lane_sum(missing) - choices) * city.cheapest > budget) return 0;
        u64 left_sells = left.production[2], right_sells = right.production[2];
        if (missing & flexible) {
            u64 needed = ones_of(missing);
            for (int symbol = 0; symbol < left.sale_flex_count; symbol++) {
                u64 gives = left.sale_flex[symbol] & needed;
                if (gives & (gives - 1)) choices++;
                else left_sells += gives;
            }
            for (int symbol = 0; symbol < right.sale_flex_count; symbol++) {
                u64 gives = right.sale_flex[symbol] & needed;
                if (gives & (gives - 1)) choices++;
                else right_sells += gives;
            }
            if (choices) return pay_sets(city, left, right, missing, budget, used, left_sells, right_sells);
        }
        return pay_plain(city, missing, budget, left_sells, right_sells);
    }

    // What a city can pay for, eight prices side by side: the cards of the hand, and the next stage in the last place.
    struct alignas(32) Offers {
        u64 held[8];     // the move without its payment
        u64 first[8];    // the first move; each further one moves a unit from the right to the left neighbour
        u64 number[8];   // moves
        u64 missing[8];  // packed: what own fixed production lacks
        u32 ready;       // bits: `first` and `number` are the payments
        u32 unsolved;    // either/or symbols or discounts matter: `pay_missing` says
        u32 open;        // neither owned nor had by a chain
    };

    struct Payer {
        __m256i coins, cheapest, plain, bound, flexible, left_sells, right_sells, built[2];
        bool discounts;
    };

    static __m256i all(u64 word) { return _mm256_set1_epi64x((long long)word); }
    static __m256i is_zero(__m256i words) { return _mm256_cmpeq_epi64(words, _mm256_setzero_si256()); }
    static u32 bits(__m256i lanes) { return u32(_mm256_movemask_pd(_mm256_castsi256_pd(lanes))); }
    static __m256i sum(__m256i words) { return _mm256_sad_epu8(words, _mm256_setzero_si256()); }
    static __m256i less4(__m256i amounts, __m256i other) {
        __m256i difference = _mm256_sub_epi64(_mm256_or_si256(amounts, all(TOP)), other);
        __m256i at_least = _mm256_and_si256(difference, all(TOP));
        __m256i kept = _mm256_sub_epi64(at_least, _mm256_srli_epi64(at_least, 7));
        return _mm256_and_si256(difference, kept);
    }

    static inline __attribute__((always_inline)) void offer4(const Payer &payer, const u64 *entry, int at,
                                                             Offers &offers) {
        __m256i row[4];
        for (int i = 0; i < 4; i++) row[i] = _mm256_load_si256((const __m256i *)&PRICE[entry[at + i]]);
        __m256i a = _mm256_unpacklo_epi64(row[0], row[1]), b = _mm256_unpackhi_epi64(row[0], row[1]);
        __m256i c = _mm256_unpacklo_epi64(row[2], row[3]), d = _mm256_unpackhi_epi64(row[2], row[3]);
        __m256i cost = _mm256_permute2x128_si256(a, c, 0x20), chain_1 = _mm256_permute2x128_si256(a, c, 0x31);
        __m256i chain_0 = _mm256_permute2x128_si256(b, d, 0x20), rest = _mm256_permute2x128_si256(b, d, 0x31);
        __m256i bank = _mm256_and_si256(rest, all(BYTE));
        __m256i number = _mm256_load_si256((const __m256i *)(entry + at));
        __m256i owned = _mm256_or_si256(_mm256_srlv_epi64(payer.built[0], number),
                                        _mm256_srlv_epi64(payer.built[1], _mm256_sub_epi64(number, all(64))));
        owned = _mm256_slli_epi64(owned, 63);  // the sign bit is read
        __m256i chain = _mm256_or_si256(_mm256_and_si256(payer.built[0], chain_0),
                                        _mm256_and_si256(payer.built[1], chain_1));
        __m256i chained = _mm256_xor_si256(is_zero(chain), all(~0ull));
        __m256i missing = less4(cost, payer.plain), units = sum(missing);
        __m256i room = _mm256_sub_epi64(_mm256_or_si256(payer.bound, all(TOP)), cost);
        __m256i in_reach = _mm256_cmpeq_epi64(_mm256_and_si256(room, all(TOP)), all(TOP));
        __m256i fixed = is_zero(_mm256_and_si256(missing, payer.flexible));
        __m256i price = _mm256_add_epi64(_mm256_mul_epu32(units, payer.cheapest), bank);
        __m256i dear = _mm256_cmpgt_epi64(price, payer.coins), poor = _mm256_cmpgt_epi64(bank, payer.coins);
        __m256i least = sum(less4(missing, payer.right_sells));
        __m256i most = _mm256_sub_epi64(units, sum(less4(missing, payer.left_sells)));
        __m256i held = _mm256_load_si256((const __m256i *)(offers.held + at));
        __m256i to_bank = _mm256_slli_epi64(bank, BANK_AT);
        __m256i pair = _mm256_add_epi64(_mm256_slli_epi64(least, LEFT_AT + 1),
                                        _mm256_slli_epi64(_mm256_sub_epi64(units, least), RIGHT_AT + 1));
        __m256i paid = _mm256_andnot_si256(chained, _mm256_add_epi64(to_bank, pair));
        __m256i ways = _mm256_andnot_si256(chained, _mm256_sub_epi64(most, least));
        _mm256_store_si256((__m256i *)(offers.first + at), _mm256_or_si256(held, paid));
        _mm256_store_si256((__m256i *)(offers.number + at), _mm256_add_epi64(ways, all(1)));
        _mm256_store_si256((__m256i *)(offers.missing + at), missing);
        __m256i closed = payer.discounts ? is_zero(missing) : fixed;
        u32 can = bits(in_reach) & ~bits(poor);
        u32 open = ~bits(owned) & ~bits(chained) & 15, done = bits(closed), cheap = ~(bits(fixed) & bits(dear));
        offers.ready |= (~bits(owned) & 15 & (bits(chained) | (can & done & cheap))) << at;
        offers.unsolved |= (open & can & ~done & cheap) << at;
        offers.open |= open << at;
    }
};

}  // namespace
