"""A game played literally by the rules. ``Reference(...).play()`` returns its trace; ``picks`` lists its decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.babel.reference import lists
from tests.babel.reference.components import KINDS, discs
from tests.babel.reference.randomness import Stream
from tests.babel.reference.scoring import set_points, wonder_points

Pick = tuple[int, int, int, str, int, int, int]
"""turn, action, seat, decision, number of moves, index, code of the move."""
Choose = Callable[["Reference", int, str, list[int]], int]
"""Given the game, the seat, the name of the decision and the codes of the moves, return an index."""


def choose_at_random(game: Reference, seat: int, _decision: str, moves: list[int]) -> int:
    """Choose a move at random, like the policy ``random``."""
    return game.streams[seat].below(len(moves))


class Reference:
    """A game in progress: hands, board, points, and everything that has happened."""

    def __init__(self, rules: dict[str, Any], seats: int, seed: int, number: int, choose: Choose = choose_at_random):
        self.rules, self.seats, self.seed, self.number, self.choose = rules, seats, seed, number, choose
        self.streams = [Stream(seed, number, 4 + seat) for seat in range(seats)]
        self.picks: list[Pick] = []
        self.points = [0] * seats
        self.sources = [Counter[str]() for _ in range(seats)]
        self.hands: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.action_hands: list[list[str]] = [[] for _ in range(seats)]
        self.drawn_now: list[str] = []  # action cards that the active player drew this turn
        self.owned: list[list[dict[str, int]]] = [[] for _ in range(seats)]
        self.units = {wonder: [0] * seats for wonder in rules["wonders"]}
        self.completed = 0
        self.turn, self.action = 1, 1
        self.over = ""
        self.drawn: list[str] = []  # since somebody last looked
        self.reshuffles = 0
        self.set_up()

    # --- section 2 ----------------------------------------------------------------------------------------------------
    def set_up(self) -> None:
        """Shuffle the action deck, draw the start player, lay out the discs, deal the hands."""
        stream = Stream(self.seed, self.number, 1)
        deck = [card for card, copies in self.rules["action_cards"].items() for _ in range(copies)]
        if not self.rules["use_action_cards"]:
            deck = []
        for place in range(min(8, len(deck))):
            other = place + stream.below(len(deck) - place)
            deck[place], deck[other] = deck[other], deck[place]
        self.action_deck = deck[:8]
        self.active = self.start = Stream(self.seed, self.number, 3).below(self.seats)
        self.dealer = Stream(self.seed, self.number, 0)
        pile = discs(self.rules)
        for place in range(len(pile) - 1):
            other = place + self.dealer.below(len(pile) - place)
            pile[place], pile[other] = pile[other], pile[place]
        self.dealt_discs = list(pile)
        self.board: list[dict[str, int] | None] = list(pile)
        numbers = [self.rules["cards"].get(kind, self.rules["cards_of_each_kind"]) for kind in KINDS]
        self.deck = [kind for kind, number in zip(KINDS, numbers, strict=True) for _ in range(number)]
        self.discards: list[str] = []
        self.dealt_hands = []
        for seat in range(self.seats):
            self.draw(seat, self.rules["starting_hand"])
            self.dealt_hands.append(self.take_drawn())

    def draw(self, seat: int, number: int = 1) -> None:
        """Draw cards from the deck (A2)."""
        for _ in range(number):
            if not self.deck and self.rules["reshuffle_discards"] and self.discards:
                self.deck, self.discards = sorted(self.discards), []
                self.reshuffles += 1
            if self.deck:
                card = self.deck.pop(self.dealer.below(len(self.deck)))
                self.hands[seat][card] += 1
                self.drawn.append(card)

    def take_drawn(self) -> list[str]:
        """Return the cards drawn since the last call."""
        drawn, self.drawn = self.drawn, []
        return drawn

    def decide(self, seat: int, decision: str, moves: dict[int, Any]) -> Any:
        """Ask the seat; return the meaning of its move."""
        codes = sorted(moves)
        if len(codes) == 1:
            return moves[codes[0]]
        index = self.choose(self, seat, decision, codes)
        self.picks.append((self.turn, self.action, seat, decision, len(codes), index, codes[index]))
        return moves[codes[index]]

    def clockwise(self, first: int, number: int) -> list[int]:
        """Return ``number`` seats in clockwise order, starting with ``first``."""
        return [(first + step) % self.seats for step in range(number)]

    def pay(self, seat: int, points: int, source: str) -> None:
        """Add points to a seat's score."""
        self.points[seat] += points
        self.sources[seat][source] += points

    def usable(self, seat: int, card: str) -> int:
        """Return the copies of an action card that the seat may play (A18)."""
        held = self.action_hands[seat].count(card)
        if seat == self.active and not self.rules["action_card_usable_at_once"]:
            held -= self.drawn_now.count(card)
        return held

    def figure(self, seat: int, card: str) -> int:
        """Return the value of an action card: a number, or its formula evaluated for the seat (A33)."""
        own = self.owned[seat]
        names = {kind: sum(list(disc) == [kind] for disc in own) for kind in KINDS}
        names |= {"discs": len(own), "hand": self.hands[seat].total(), "action_cards": len(self.action_hands[seat])}
        names |= {"completed": self.completed, "turn": self.turn, "players": self.seats}
        functions = {"min": min, "max": max, "abs": abs, "sets": min, "count": lambda *holding: sum(holding)}
        return int(eval(str(self.rules["effects"][card]), {"__builtins__": {}}, {**functions, **names}))

    # --- section 3 ----------------------------------------------------------------------------------------------------
    def play(self) -> dict[str, Any]:
        """Play to the end and return the trace."""
        turns = []
        while not self.over:
            turns.append(self.play_turn())
        return {
            "board": self.told_board(),
            "start": self.start,
            "hands": self.dealt_hands,
            "turns": turns,
            **self.final_scoring(),
        }

    def play_turn(self) -> dict[str, Any]:
        """Play one turn."""
        told: dict[str, Any] = {"turn": self.turn, "seat": self.active, "actions": []}
        self.action, self.drawn_now = 0, []
        while True:
            self.action += 1
            told["actions"].append(self.act())
            if self.over:
                break
            if self.action > self.rules["max_double_turns"] or not self.usable(self.active, "double_turn"):
                break
            again = self.decide(self.active, "double_turn", {0: False, 1: True})
            told["actions"][-1]["double_turn"] = again
            if not again:
                break
            self.action_hands[self.active].remove("double_turn")
        if not self.over:
            told["draws"] = []
            for seat in self.clockwise(self.active, self.seats):
                self.draw(seat, self.rules["common_draw"])
                told["draws"].append({"seat": seat, "cards": self.take_drawn()})
        told["points"] = list(self.points)
        told["hand_sizes"] = [hand.total() for hand in self.hands]
        if not self.over and self.turn == self.rules["turn_limit"]:
            self.over = "turn_limit"
        if not self.over:
            self.turn += 1
            self.active = (self.active + 1) % self.seats
        return told

    def act(self) -> dict[str, Any]:
        """Let the active seat pass (section 4) or build (section 5)."""
        told: dict[str, Any] = {"plays": self.window("W1", self.clockwise(self.active, self.seats))}
        moves: dict[int, int | None] = {0: None}
        moves.update({slot + 1: slot for slot, disc in enumerate(self.board) if disc})
        slot = self.decide(self.active, "turn", moves)
        if slot is None:
            self.draw(self.active, self.rules["pass_draw"])
            return {**told, "action": "pass", "drawn": self.take_drawn()}
        return self.build(slot, told)

    # --- section 7 ----------------------------------------------------------------------------------------------------
    def window(self, name: str, seats: list[int]) -> list[dict[str, Any]]:
        """Let each seat play Card exchange and Draw three."""
        plays = []
        for seat in seats:
            while True:
                moves: dict[int, str | None] = {0: None}
                if self.usable(seat, "card_exchange") and self.hands[seat].total():
                    moves[1] = "card_exchange"
                if self.usable(seat, "draw_three"):
                    moves[4] = "draw_three"
                if len(moves) == 1:
                    break
                card = self.decide(seat, "play_card", moves)
                play: dict[str, Any] = {"window": name, "seat": seat, "card": card}
                plays.append(play)
                if card is None:
                    break
                self.action_hands[seat].remove(card)
                if card == "card_exchange":
                    play["aside"] = self.exchange(seat)
                else:
                    self.draw(seat, self.rules["effects"]["draw_three"])
                play["drawn"] = self.take_drawn()
        return plays

    def exchange(self, seat: int) -> list[str]:
        """Set aside cards (five by the printed rules), draw as many, then discard the cards set aside."""
        aside: list[str] = []
        while len(aside) < self.rules["effects"]["card_exchange"]:
            later = KINDS[KINDS.index(aside[-1]) :] if aside else KINDS
            moves: dict[int, str | None] = {0: None}
            moves.update({KINDS.index(kind) + 1: kind for kind in later if self.hands[seat][kind]})
            kind = self.decide(seat, "exchange", moves)
            if kind is None:
                break
            aside.append(kind)
            self.hands[seat][kind] -= 1
        self.draw(seat, len(aside))
        self.discards += aside
        return aside

    # --- section 5 ----------------------------------------------------------------------------------------------------
    def build(self, slot: int, told: dict[str, Any]) -> dict[str, Any]:
        """Carry out a build: announce it, collect offers, choose partners, complete it and settle the offers."""
        disc = self.dealt_discs[slot]
        wonder = self.rules["wonders"][slot // 3]
        opponents = self.clockwise((self.active + 1) % self.seats, self.seats - 1)
        plays = told.pop("plays") + self.window("W2", opponents)
        laid, offers = {}, []
        for seat in opponents:
            laid[seat] = self.decide(seat, "offer", lists.offers(self.rules, disc, self.hands[seat]))
            offers.append({"seat": seat, **laid[seat]})
            if self.rules["allow_bluff_cards"]:
                offers[-1]["bluff"] = self.decide(seat, "bluff", lists.bluffs(disc, self.hands[seat]))
        plays += self.window("W3", [self.active])
        taken = self.decide(self.active, "take", lists.partners(disc, laid))
        missing = {kind: need - sum(laid[seat]["cards"].get(kind, 0) for seat in taken) for kind, need in disc.items()}
        jokers = self.usable(self.active, "joker")
        ways = lists.completions(self.rules, disc, missing, self.hands[self.active], jokers)
        replaced = self.decide(self.active, "complete", ways)
        told = {"plays": plays, "action": "build", "wonder": wonder, "space": slot % 3 + 1, "disc": disc}
        told |= {"offers": offers, "taken": taken, "completed": replaced is not None}
        if replaced is None:
            unpaid, ended = opponents, False
        else:
            own = {kind: missing[kind] - replaced[kind] for kind in disc}
            told["own"] = {kind: number for kind, number in own.items() if number}
            told["jokers"] = {kind: number for kind, number in replaced.items() if number}
            ended = self.succeed(slot, own, replaced, {seat: laid[seat] for seat in taken}, told)
            unpaid = [seat for seat in opponents if seat not in taken]
        told["paid"] = self.settle(unpaid, laid, replaced is not None)
        if ended:
            self.over = "kind_gone"
        return told

    def succeed(
        self, slot: int, own: dict[str, int], replaced: dict[str, int], taken: dict[int, Any], told: dict[str, Any]
    ) -> bool:
        """Carry out steps 1-4 of a successful build; return whether a kind is gone from the board."""
        wonder = self.rules["wonders"][slot // 3]
        self.discard(self.active, own)
        for _ in range(sum(replaced.values()) // self.rules["effects"]["joker"]):
            self.action_hands[self.active].remove("joker")
        parts = [0] * self.seats
        parts[self.active] = sum(own.values()) + sum(replaced.values())
        owner = self.active
        for seat, offer in taken.items():
            self.discard(seat, offer["cards"])
            if offer["trade"]:
                owner = seat
                parts[self.active] += sum(offer["cards"].values())
            else:
                parts[seat] += sum(offer["cards"].values())
        for seat in range(self.seats):
            if self.rules["limit_parts"]:
                on_board = sum(units[seat] for units in self.units.values())
                parts[seat] = min(parts[seat], self.rules["parts"] - on_board)
            self.units[wonder][seat] += parts[seat]
        disc = self.board[slot]
        assert disc is not None
        self.owned[owner].append(disc)
        self.board[slot] = None
        told["parts"], told["disc_to"] = parts, owner
        ended = any(all(kind not in left for left in self.board if left) for kind in KINDS)
        if not any(self.board[slot // 3 * 3 : slot // 3 * 3 + 3]):
            told["wonder_completed"] = self.complete(wonder, ended)
        return ended

    def discard(self, seat: int, cards: dict[str, int]) -> None:
        """Put cards on the discard pile."""
        for kind, number in cards.items():
            self.hands[seat][kind] -= number
            self.discards += [kind] * number

    def complete(self, wonder: str, ended: bool) -> dict[str, Any]:
        """Score a completed wonder (section 6)."""
        row = self.rules["value_rows"][min(self.completed, 6)]
        units = self.units[wonder]
        points = wonder_points(units, row)
        for seat, number in enumerate(points):
            self.pay(seat, number, "wonders")
        self.units[wonder] = [0] * self.seats
        self.completed += 1
        told: dict[str, Any] = {"row": self.completed, "units": units, "points": points, "action_card": None}
        if self.action_deck and (not ended or self.rules["action_card_for_last_wonder"]):
            told["action_card"] = self.action_deck.pop(0)
            self.action_hands[self.active].append(told["action_card"])
            self.drawn_now.append(told["action_card"])
        return told

    def settle(self, unpaid: list[int], laid: dict[int, Any], built: bool) -> list[dict[str, Any]]:
        """Pay for the offers that were not accepted."""
        paid = []
        for seat in unpaid:
            cards = sum(laid[seat]["cards"].values())
            if cards == 0:
                continue
            points = cards * self.rules["effects"]["refused_offer"]
            tripled = cards * self.figure(seat, "triple_bonus")
            entry = {"seat": seat, "points": points}
            self.pay(seat, points, "refused_offers")
            if self.usable(seat, "triple_bonus") and (built or self.rules["triple_bonus_on_failed_build"]):
                entry["triple_bonus"] = self.decide(seat, "triple_bonus", {0: False, 1: True})
                if entry["triple_bonus"]:
                    self.action_hands[seat].remove("triple_bonus")
                    self.pay(seat, tripled - points, "action_cards")
                    entry["points"] = tripled
            paid.append(entry)
        return paid

    # --- section 9 ----------------------------------------------------------------------------------------------------
    def final_scoring(self) -> dict[str, Any]:
        """Do the final scoring: unfinished wonders, sets, automatic action cards, ranks."""
        unfinished = []
        for wonder, units in self.units.items():
            if any(units):
                points = wonder_points(units, self.rules["light_row"])
                unfinished.append({"wonder": wonder, "units": units, "points": points})
                for seat, number in enumerate(points):
                    self.pay(seat, number, "unfinished_wonders")
        for seat in range(self.seats):
            sets = set_points(self.owned[seat], self.rules["set_values"], self.rules["set_table_cap"])
            self.pay(seat, sets, "disc_sets")
            bonus = self.figure(seat, "five_points") * self.action_hands[seat].count("five_points")
            each = self.figure(seat, "disc_bonus")
            bonus += each * len(self.owned[seat]) * self.action_hands[seat].count("disc_bonus")
            self.pay(seat, bonus, "action_cards")
        end = {"reason": self.over, "reshuffles": self.reshuffles, "unfinished": unfinished}
        return {"end": end, "scores": self.told_scores()}

    def told_scores(self) -> list[dict[str, Any]]:
        """Return the scores in the format of the trace."""
        strength = [(points, 0) for points in self.points]
        if self.rules["victory_tie"] == "discs":
            strength = [(points, len(owned)) for points, owned in zip(self.points, self.owned, strict=True)]
        winners = strength.count(max(strength))
        sources = ("wonders", "unfinished_wonders", "refused_offers", "disc_sets", "action_cards")
        return [
            {
                "seat": seat,
                **{source: self.sources[seat][source] for source in sources},
                "total": self.points[seat],
                "discs": self.owned[seat],
                "cards": {kind: self.hands[seat][kind] for kind in KINDS},
                "held": sorted(self.action_hands[seat]),
                "rank": 1 + sum(other > strength[seat] for other in strength),
                "win_share": round(1 / winners, 6) if strength[seat] == max(strength) else 0.0,
            }
            for seat in range(self.seats)
        ]

    def told_board(self) -> list[dict[str, Any]]:
        """Return the board in the format of the trace: wonders with their discs as laid out."""
        return [
            {"wonder": wonder, "discs": self.dealt_discs[3 * number : 3 * number + 3]}
            for number, wonder in enumerate(self.rules["wonders"])
        ]
