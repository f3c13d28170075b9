// The first edition of 7 Wonders in C++: the opponent of wsim's engine in benchmarks/test_cpp.py.
//
// It plays whole games of `random` at every seat: at each decision it lists all legal moves, with one move for each
// Pareto-minimal payment (docs/rules, R15 and R50), and picks one uniformly. The cards, boards and decks come from a
// header that benchmarks/cpp_engine.py generates from wsim's catalogue, for one number of players (SEATS), which is
// a compile-time constant. There is one record per city, no allocation, and no policy, log or formula to ask for.
//
// Amounts of resources are packed: a 64-bit word with a byte ("lane") for each of the seven resources.

#include "first_edition_payments.h"

#include <cstring>

namespace {

struct Random {  // wyrand
    u64 state;
    u64 word() {
        state += 0xa0761d6478bd642full;
        __uint128_t product = __uint128_t(state) * (state ^ 0xe7037ed1a0b428dbull);
        return u64(product >> 64) ^ u64(product);
    }
    u32 below(u32 bound) { return u32((word() >> 32) * bound >> 32); }
};

struct Row {  // of one seat of a game that is over
    int16_t points[7];  // military, treasury, wonder, civilian, science, commerce, guild
    int16_t total;
    u8 side, rank;
    float share;
};

struct Game : Solver {
    City city[SEATS];
    Random random;
    u64 moves[1024];
    u64 taken[SEATS];
    u64 pile[2];
    u8 copies[128];
    u8 deck[64];
    int age, turn;
    u64 decisions, listed;

    // --- the legal moves ------------------------------------------------------------------------------------------

    int list_turn(int seat) {
        const City &city = this->city[seat], &left = this->city[next(seat)], &right = this->city[before(seat)];
        const u64 flexible = city.flex_lanes | left.sale_flex_lanes | right.sale_flex_lanes;
        const int coins = city.coins;
        const bool discounts = city.cheapest < 2;
        Payer payer = {all(u64(coins)), all(city.cheapest), all(city.production[0]),
                       all(city.production[1] + left.production[3] + right.production[3]), all(flexible),
                       all(left.production[2]), all(right.production[2]), {all(city.built[0]), all(city.built[1])},
                       discounts};
        Offers offers;
        alignas(32) u64 entry[9] = {};
        offers.ready = offers.unsolved = offers.open = 0;
        u32 cards = 0, last = 255;
        for (u64 hand = city.hand; hand; hand &= hand - 1) {  // copies of a card are adjacent
            int slot = low(hand);
            u32 card = SLOT_CARD[age][slot];
            cards += card != last;
            last = card;
            entry[cards - 1] = card;
            offers.held[cards - 1] = card | u64(slot) << SLOT_AT;
        }
        bool more_stages = city.stages < STAGE_COUNT[city.side];
        entry[7] = more_stages ? STAGE_ENTRY[city.side][city.stages] : 0;
        offers.held[7] = STAGE << ACTION_AT;
        offer4(payer, entry, 0, offers);
        offer4(payer, entry, 4, offers);
        u32 in_hand = (1u << cards) - 1;
        int at = 0;
        for (u32 ready = offers.ready & in_hand; ready; ready &= ready - 1) {
            int i = low(ready);
            u64 move = offers.first[i];
            for (int ways = int(offers.number[i]); ways > 0; ways--, move += STEP) moves[at++] = move;
        }
        for (u32 unsolved = offers.unsolved & in_hand; unsolved; unsolved &= unsolved - 1) {
            int i = low(unsolved), bank = PRICE[entry[i]].bank;
            int count = pay_missing(city, left, right, flexible, offers.missing[i], coins - bank);
            u64 base = offers.held[i] | u64(bank) << BANK_AT;
            for (int way = 0; way < count; way++) moves[at++] = base | pairs[way];
        }
        if (city.abilities & FREE_ONCE && !city.free_used)
            for (u32 open = offers.open & in_hand; open; open &= open - 1)
                moves[at++] = offers.held[low(open)] | 1ull << FREE_AT;
        __m256i held[2] = {_mm256_load_si256((const __m256i *)offers.held),
                           _mm256_load_si256((const __m256i *)(offers.held + 4))};
        auto with_each_card = [&](u64 part) {
            for (int half = 0; half < 2; half++)
                _mm256_storeu_si256((__m256i *)(moves + at + 4 * half), _mm256_or_si256(held[half], all(part)));
            at += int(cards);
        };
        if (more_stages && offers.ready >> 7 & 1) {
            u64 move = offers.first[7];
            for (int ways = int(offers.number[7]); ways > 0; ways--, move += STEP) with_each_card(move);
        } else if (more_stages && offers.unsolved >> 7 & 1) {
            int count = pay_missing(city, left, right, flexible, offers.missing[7], coins);
            for (int way = 0; way < count; way++) with_each_card(STAGE << ACTION_AT | pairs[way]);
        }
        with_each_card(SELL << ACTION_AT);
        return at;
    }

    int list_pile(const City &city) {
        int at = 0;
        for (int word = 0; word < 2; word++)
            for (u64 names = pile[word] & ~city.built[word]; names; names &= names - 1)
                moves[at++] = u64(64 * word + low(names));
        if (at) moves[at++] = DECLINE << ACTION_AT;
        return at;
    }

    template <bool COUNTING> u64 pick(int count) {
        if (COUNTING) decisions++, listed += u64(count);
        return moves[count > 1 ? random.below(u32(count)) : 0];
    }

    // --- a turn ---------------------------------------------------------------------------------------------------

    void add(City &city, int entry) {
        const Effect &effect = EFFECT[entry];
        for (int i = 0; i < 4; i++) city.production[i] += effect.production[i];
        city.counts += effect.counts;
        city.symbols += effect.symbols;
        city.flex_lanes |= effect.flex * BYTE;
        city.sale_flex_lanes |= effect.sale_flex * BYTE;
        city.flex[city.flex_count] = effect.flex;
        city.flex_count += effect.flex != 0;
        city.sale_flex[city.sale_flex_count] = effect.sale_flex;
        city.sale_flex_count += effect.sale_flex != 0;
        if (PRICE[entry].special) {
            const Special &special = SPECIAL[entry];
            city.abilities |= special.abilities;
            for (int kind = 0; kind < 4; kind++) {
                city.price[kind] = std::min(city.price[kind], special.price[kind]);
                city.cheapest = std::min(city.cheapest, city.price[kind]);
            }
        }
    }

    void build(City &city, int card) {
        city.built[card >> 6] |= 1ull << (card & 63);
        add(city, card);
    }

    int count(int seat, u64 what, int where) const {
        u64 lanes = 0;
        if (where & 1) lanes += city[seat].counts & what;
        if (where & 2) lanes += city[next(seat)].counts & what;
        if (where & 4) lanes += city[before(seat)].counts & what;
        return all_lanes(lanes);
    }

    void gain(int seat, int entry) {
        const Special &special = SPECIAL[entry];
        city[seat].coins += special.coins + special.coins_each * count(seat, special.coins_what, special.coins_where);
    }

    void discard(int card) {
        copies[card]++;
        pile[card >> 6] |= 1ull << (card & 63);
    }

    // Resolve the moves of all seats of a mask; return the builds from the pile that the boards' stages gave.
    int resolve(int seats, int &builder) {
        int builds = 0, events = 0, entry_of[SEATS], who[SEATS];
        for (int seat = 0; seat < SEATS; seat++) {
            if (!(seats >> seat & 1)) continue;
            City &city = this->city[seat];
            u64 move = taken[seat];
            int card = int(move & BYTE), action = int(move >> ACTION_AT & 15), entry = card;
            if (action == SELL) {
                discard(card);
                city.coins += 3;
                continue;
            }
            if (action == BUILD) {
                build(city, card);
                city.free_used |= move >> FREE_AT & 1;
            } else {
                entry = STAGE_ENTRY[city.side][city.stages++];
                add(city, entry);
            }
            int to_left = int(move >> LEFT_AT & BYTE), to_right = int(move >> RIGHT_AT & BYTE);
            city.coins -= int(move >> BANK_AT & BYTE) + to_left + to_right;
            this->city[next(seat)].coins += to_left;
            this->city[before(seat)].coins += to_right;
            if (PRICE[entry].special) {
                who[events] = seat, entry_of[events++] = entry;
                if (SPECIAL[entry].abilities & BUILD_DISCARD) builds++, builder = seat;
            }
        }
        for (int i = 0; i < events; i++) gain(who[i], entry_of[i]);
        return builds;
    }

    template <bool COUNTING> void build_from_pile(int seat) {
        int count = list_pile(city[seat]);
        if (!count) return;
        u64 move = pick<COUNTING>(count);
        if (move >> ACTION_AT & 15) return;
        int card = int(move & BYTE);
        if (--copies[card] == 0) pile[card >> 6] &= ~(1ull << (card & 63));
        build(city[seat], card);
        if (PRICE[card].special) gain(seat, card);
    }

    template <bool COUNTING> void choose(int seat) {
        u64 move = pick<COUNTING>(list_turn(seat));
        taken[seat] = move;
        city[seat].hand &= ~(1ull << (move >> SLOT_AT & 63));
    }

    // --- a game ---------------------------------------------------------------------------------------------------

    void set_up() {
        u8 boards[BOARDS];
        for (int i = 0; i < BOARDS; i++) boards[i] = u8(i);
        u64 word = random.word();
        for (int seat = 0; seat < SEATS; seat++) {
            __uint128_t product = __uint128_t(word) * u32(BOARDS - seat);
            std::swap(boards[seat], boards[seat + int(product >> 64)]);
            word = u64(product);
        }
        u64 sides = random.word() >> 57;
        for (int seat = 0; seat < SEATS; seat++) {
            City &one = city[seat];
            std::memset(&one, 0, offsetof(City, flex));
            one.side = u8(2 * boards[seat] + (sides >> seat & 1));
            u64 unit = 1ull << (8 * BOARD_RESOURCE[one.side]);
            for (int i = 0; i < 4; i++) one.production[i] = unit;
            one.coins = 3;
            std::fill(one.price, one.price + 4, u8(2));
            one.cheapest = 2;
        }
        pile[0] = pile[1] = 0;
        std::memset(copies, 0, sizeof copies);
    }

    // Move `drawn` random slots of `from` to its front; several draws share a random word (their bounds' product is
    // far below 2^64).
    void draw(u8 *from, int size, int drawn) {
        u64 word = 0;
        for (int i = 0; i < drawn; i++) {
            if (i % 6 == 0) word = random.word();
            __uint128_t product = __uint128_t(word) * u32(size - i);
            int j = i + int(product >> 64);
            word = u64(product);
            u8 slot = from[j];
            from[j] = from[i];
            from[i] = slot;
        }
    }

    void deal() {
        int size = BASE_COUNT[age];
        std::memcpy(deck, BASE_SLOTS[age], 64);
        if (GUILDS_DRAWN[age]) {
            u8 guilds[16];
            std::memcpy(guilds, GUILDS[age], 16);
            draw(guilds, GUILD_COUNT[age], GUILDS_DRAWN[age]);
            std::memcpy(deck + size, guilds, GUILDS_DRAWN[age]);
            size += GUILDS_DRAWN[age];
        }
        draw(deck, size, size - 1);
        for (int seat = 0; seat < SEATS; seat++) {
            u64 hand = 0;
            for (int i = 0; i < 7; i++) hand |= 1ull << deck[7 * seat + i];
            city[seat].hand = hand;
            city[seat].free_used = 0;
        }
    }

    void pass() {
        u64 hands[SEATS];
        for (int seat = 0; seat < SEATS; seat++) hands[seat] = city[seat].hand;
        for (int seat = 0; seat < SEATS; seat++) city[age == 1 ? before(seat) : next(seat)].hand = hands[seat];
    }

    template <bool COUNTING> void play_age() {
        deal();
        for (turn = 0; turn < 6; turn++) {
            for (int seat = 0; seat < SEATS; seat++) choose<COUNTING>(seat);
            int builder = 0, builds = resolve((1 << SEATS) - 1, builder);
            if (turn == 5) {
                int last = 0;
                for (int seat = 0; seat < SEATS; seat++) {
                    if (city[seat].abilities & PLAY_LAST) last |= 1 << seat;
                    else discard(SLOT_CARD[age][low(city[seat].hand)]);
                }
                for (int seat = 0; seat < SEATS; seat++)
                    if (last >> seat & 1) choose<COUNTING>(seat);
                if (last) builds += resolve(last, builder);
            }
            for (; builds; builds--) build_from_pile<COUNTING>(builder);
            if (turn < 5) pass();
        }
        for (int seat = 0; seat < SEATS; seat++) {
            City &one = city[seat], &other = city[next(seat)];
            int margin = lane(one.symbols, 4) - lane(other.symbols, 4);
            if (margin == 0) continue;
            (margin > 0 ? one : other).military += u8(2 * age + 1);
            (margin > 0 ? other : one).defeats++;
        }
    }

    // --- the score ------------------------------------------------------------------------------------------------

    static int science(int compass, int gear, int tablet) {
        return compass * compass + gear * gear + tablet * tablet + 7 * std::min(compass, std::min(gear, tablet));
    }

    int best_science(u64 symbols, int wild) const {
        int a = lane(symbols, 0), b = lane(symbols, 1), c = lane(symbols, 2), best = 0;
        wild += lane(symbols, 3);
        for (int i = 0; i <= wild; i++)
            for (int j = 0; i + j <= wild; j++) best = std::max(best, science(a + i, b + j, c + wild - i - j));
        return best;
    }

    int points_of(int seat, int card, int more_purple) const {
        const Special &special = SPECIAL[card];
        int points = special.points_each * count(seat, special.points_what, special.points_where);
        points += special.points_defeats * (city[next(seat)].defeats + city[before(seat)].defeats);
        if (special.points_what >> 48 & 1 && special.points_where & 1) points += special.points_each * more_purple;
        return points;
    }

    void score(int seat, Row &row) const {
        const City &one = city[seat];
        int commerce = 0, guild = 0, best = -1, best_points = 0, best_symbols = 0;
        for (int word = 0; word < 2; word++) {
            for (u64 names = one.built[word] & SCORING[word]; names; names &= names - 1) {
                int card = 64 * word + low(names), points = points_of(seat, card, 0);
                (PURPLE[word] >> (card & 63) & 1 ? guild : commerce) += points;
            }
        }
        if (one.abilities & COPY_GUILD) {
            for (int word = 0; word < 2; word++) {
                u64 names = (city[next(seat)].built[word] | city[before(seat)].built[word]) & PURPLE[word];
                for (; names; names &= names - 1) {
                    int card = 64 * word + low(names), points = points_of(seat, card, 1);
                    int symbols = best_science(one.symbols, SPECIAL[card].wild);
                    if (points + symbols > best) best = points + symbols, best_points = points, best_symbols = symbols;
                }
            }
            if (best >= 0) {
                guild += best_points;
                for (int word = 0; word < 2; word++)
                    for (u64 names = one.built[word] & SCORING[word]; names; names &= names - 1) {
                        int card = 64 * word + low(names);
                        guild += points_of(seat, card, 1) - points_of(seat, card, 0);
                    }
            }
        }
        row.points[0] = int16_t(one.military - one.defeats);
        row.points[1] = int16_t(one.coins / 3);
        row.points[2] = int16_t(lane(one.symbols, 6));
        row.points[3] = int16_t(lane(one.symbols, 5));
        row.points[4] = int16_t(best >= 0 ? best_symbols : best_science(one.symbols, 0));
        row.points[5] = int16_t(commerce);
        row.points[6] = int16_t(guild);
        int total = 0;
        for (int category = 0; category < 7; category++) total += row.points[category];
        row.total = int16_t(total);
        row.side = one.side;
    }

    void rank(Row *rows) const {
        int key[SEATS], winners = 0;
        for (int seat = 0; seat < SEATS; seat++) key[seat] = rows[seat].total * 65536 + city[seat].coins;
        for (int seat = 0; seat < SEATS; seat++) {
            int better = 0;
            for (int other = 0; other < SEATS; other++) better += key[other] > key[seat];
            rows[seat].rank = u8(better + 1);
            winners += better == 0;
        }
        for (int seat = 0; seat < SEATS; seat++) rows[seat].share = rows[seat].rank == 1 ? 1.0f / float(winners) : 0.0f;
    }

    template <bool COUNTING> void play(Row *rows) {
        set_up();
        for (age = 0; age < 3; age++) play_age<COUNTING>();
        for (int seat = 0; seat < SEATS; seat++) score(seat, rows[seat]);
        rank(rows);
    }
};

template <bool COUNTING> u64 play_all(u64 seed, u64 games, Row *rows, u64 *moves) {
    static thread_local Game game;
    game.decisions = game.listed = 0;
    for (u64 number = 0; number < games; number++) {
        game.random.state = (seed << 32 | number) * 0x9E3779B97F4A7C15ull;
        game.play<COUNTING>(rows + number * SEATS);
        if (COUNTING) {
            moves[2 * number] = game.decisions, moves[2 * number + 1] = game.listed;
            game.decisions = game.listed = 0;
        }
    }
    return game.random.state;
}

}  // namespace

// Play games of a seed: SEATS rows for each; the second one also writes its decisions and the moves that it listed.
extern "C" void play(u64 seed, u64 games, Row *rows) { play_all<false>(seed, games, rows, nullptr); }
extern "C" void play_counting(u64 seed, u64 games, Row *rows, u64 *moves) { play_all<true>(seed, games, rows, moves); }
