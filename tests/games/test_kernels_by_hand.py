"""Tests of the kernels shared by all games, in plain Python on a toy game: decisions, overruling, parallel games."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import in_python
from wsim.kernels import commands, engine, formula_machine, heads, lockstep, overruling, side_by_side
from wsim.kernels.formula_words import MAX_RESULT, OPERATION
from wsim.kernels.heads import NOBODY, RECORD_PICKS

pytestmark = pytest.mark.jit_off
MOVES = [10, 11, 20, 30]  # of the things 1, 1, 2 and 3; of the wider things 0, 0, 1 and 1


def wish(**values: Any) -> Any:
    blank = {"index": -9, "others": -9, "overruled": -9, "drawn": 0.0, "again": -9, "memory": [0.0, 0.0]}
    return SimpleNamespace(**{**blank, "choice": SimpleNamespace(count=0, moves=[0] * 9)} | values)


class Asked:
    """A seat with four moves whose policy picks from a list of indices; it records the requests."""

    def __init__(self, *picks: int, drawn: float, chance: float = 0.4, thing: Any = None) -> None:
        self.picks, self.seen, self.denied = list(picks), list[tuple[list[int], list[float]]](), list[int]()
        own = SimpleNamespace(memory=[5.0, 6.0])
        self.game = SimpleNamespace(
            choice=SimpleNamespace(count=4, moves=[*MOVES, 99]), own=[None, own], wish=wish(),
            hidden=SimpleNamespace(dice=drawn),
        )  # fmt: skip
        self.seating = SimpleNamespace(overrule=[0.0, chance])
        self.thing = thing or (lambda _game, move, wide: move // 20 if wide else move // 10)

    def picked(self, game: Any, *_given: Any) -> int:
        own = game.own[1]
        self.seen.append((game.choice.moves[: game.choice.count], list(own.memory)))
        own.memory[:] = [7.0, 8.0]
        return self.picks.pop(0)

    def kernels(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        module = in_python(overruling, monkeypatch)
        module.uniform = lambda drawn: drawn
        hooks = SimpleNamespace(
            thing_of=self.thing, deny=lambda _game, thing: self.denied.append(thing), memory=2,
            part_overruled=lambda _game, move: 0.5 if move == 30 else 1.0,
        )  # fmt: skip
        return module.overruling(hooks, self.picked)

    def ask(self, monkeypatch: pytest.MonkeyPatch) -> int:
        return int(self.kernels(monkeypatch).ask(self.game, None, self.seating, None, 1))


def test_a_wish_is_followed_if_the_draw_is_above_the_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(1, drawn=0.4)
    assert asked.ask(monkeypatch) == 1
    assert (asked.game.wish.index, asked.game.wish.others, asked.game.wish.overruled, asked.denied) == (1, 2, 0, [])
    assert asked.game.wish.again == 0
    assert asked.seen == [(MOVES, [5.0, 6.0])]


@pytest.mark.parametrize(
    ("drawn", "picks", "left", "thing", "made"),
    [(0.2, (1, 1), [20, 30], 1, 30), (0.1999, (0, 0), [20, 30], 0, 20), (0.399, (2, 2), [10, 11, 30], 2, 30)],
)
def test_an_overruled_policy_is_asked_again_without_the_item_and_with_its_old_memory(
    drawn: float, picks: tuple[int, int], left: list[int], thing: int, made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below half of the chance of 0.4 the wider thing is struck."""
    asked = Asked(*picks, drawn=drawn)
    index = asked.ask(monkeypatch)
    game = asked.game
    assert game.choice.moves[index] == made, "the index is one of all legal moves again"
    assert (game.choice.count, game.choice.moves[:4]) == (4, MOVES)
    assert asked.seen == [(MOVES, [5.0, 6.0]), (left, [5.0, 6.0])]
    assert asked.denied == [thing]
    assert (game.wish.index, game.wish.others, game.wish.overruled) == (picks[0], len(left), 2 if drawn < 0.2 else 1)
    assert (game.wish.again, game.own[1].memory) == (1, [7.0, 8.0])


def test_wishes_that_cannot_be_overruled_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(3, drawn=0.2)
    assert asked.ask(monkeypatch) == 3, "half of the chance of 0.4 for this move"
    assert asked.game.wish.overruled == 0
    asked = Asked(0, drawn=0.0, thing=lambda *_given: -1)
    assert (asked.ask(monkeypatch), asked.denied, asked.game.wish.others) == (0, [], 0)
    asked = Asked(0, drawn=0.0, thing=lambda *_given: 0)
    assert (asked.ask(monkeypatch), asked.denied, asked.game.wish.others) == (0, [], 0), "there is nothing else to do"
    asked = Asked(-1, drawn=0.0)
    assert (asked.ask(monkeypatch), asked.game.wish.index) == (-1, -9)
    asked = Asked(0, -1, drawn=0.0)
    assert asked.ask(monkeypatch) == -1
    alone = Asked(0, drawn=0.0, thing=lambda _game, move, _wide: int(move == 30))
    assert alone.game.choice.moves[alone.ask(monkeypatch)] == 30
    assert len(alone.seen) == 1, "of a single move that is left nobody is asked"


def test_a_late_answer_continues_the_decision_that_requested_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(-1, -1, drawn=0.2)
    kernels = asked.kernels(monkeypatch)
    assert kernels.ask(asked.game, None, asked.seating, None, 1) == -1
    assert kernels.resume(asked.game, None, asked.seating, None, 1, 0) == -1, "it is asked again"
    assert asked.seen[1] == ([20, 30], [5.0, 6.0])
    assert kernels.resume(asked.game, None, asked.seating, None, 1, 0) == 2
    assert asked.game.choice.moves[:4] == MOVES


class Counting:
    """A game in which seats take turns to choose among ``moves`` moves; the choices are recorded."""

    def __init__(self, decisions: int = 4, moves: int = 3) -> None:
        self.decisions, self.own = decisions, [SimpleNamespace(rng=10 * seat, entrant=seat) for seat in range(2)]
        self.choice = SimpleNamespace(count=0, moves=[100, 101, 102], kind=4)
        self.answer = SimpleNamespace(asked=0, entry=-9, seat=-9, wrong=0, index=-9, count=-9, searching=0, number=-9)
        self.log, self.public, self.made = SimpleNamespace(recording=0), "public", list[int]()
        self.moves, self.number, self.former = moves, -9, list[int]()


def hooks_of(module: Any, picks: Any = None, **more: Any) -> Any:
    def next_decision(game: Any, _rules: Any, _until: Any) -> int:
        game.choice.count = game.moves
        return NOBODY if len(game.made) == game.decisions else len(game.made) % 2

    def set_up(game: Any, _rules: Any, _seating: Any, number: int) -> None:
        game.made, game.number, game.former = [], number, [own.entrant for own in game.own]
        for seat, own in enumerate(game.own):
            own.entrant = seat

    def write_rows(game: Any, _rules: Any, rows: Any, start: int, number: int) -> None:
        rows.append((start, number, list(game.made)))

    return module.EngineHooks(
        set_up, next_decision, lambda game, _rules, move: game.made.append(move), write_rows, **more
    )


SEATING = SimpleNamespace(
    pool_size=[0, 6], settings=["settings of 0", "settings of 1"], settings_at=[1, 0], overrule=[0.0, 0.0],
    parameters=np.array([[1.0, 2], [3, 4]]),
)  # fmt: skip
RULES = SimpleNamespace(seats=2)


def test_policies_get_the_records_of_their_seat_and_searchers_the_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    module = in_python(engine, monkeypatch)
    called: list[Any] = []

    def call(entry: Any, *given: Any) -> int:
        called.append((entry, game.answer.searching, *given))
        return int(entry)

    monkeypatch.setattr(module, "call", call)
    game = Counting()
    game.choice.count = 3
    assert module.picked(game, RULES, SEATING, [2, 1], 0) == 2
    assert called.pop() == (2, 0, "public", game.own[0], game.choice, RULES, "settings of 1")
    assert module.picked(game, RULES, SEATING, [2, 1], 1) == 1
    assert called.pop() == (1, 1, game, RULES, SEATING, [2, 1], 1)
    assert (game.answer.asked, game.answer.entry, game.answer.seat, game.answer.searching) == (2, 1, 1, 0)
    assert game.answer.wrong == 0
    for wrong in (3, -1):
        game.answer.wrong = 0
        assert module.picked(game, RULES, SEATING, [wrong, 1], 0) == -1
        assert (game.answer.wrong, game.answer.index, game.answer.count) == (1, wrong, 3)
    own = SimpleNamespace(entrant=9, parameters=[0.0, 0.0])
    module.loading(2)(own, SEATING, 1)
    assert (own.entrant, own.parameters) == (1, [3, 4])


def test_games_are_played_to_the_end_and_a_wrong_index_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    module = in_python(engine, monkeypatch)
    monkeypatch.setattr(module, "call", lambda entry, *_given: entry)
    monkeypatch.setattr(module, "entry_point", lambda _template, made: made)
    settled: list[Any] = []

    def settle(_game: Any, _rules: Any, _seating: Any, seat: int, index: int, stream: int) -> int:
        settled.append((seat, index, stream))
        return index

    def write_picks(game: Any, picks: Any, filled: int, number: int) -> int:
        picks.append((number, filled))
        return filled + len(game.made)

    kinds = SimpleNamespace(chunk=lambda *_kinds: lambda made: made, package="")
    seating = SimpleNamespace(**{**vars(SEATING), "pool_size": [0, 0]})
    made = module.engine_of(hooks_of(module, settle=settle, write_picks=write_picks), kinds)
    play = module.chunk_of(made, None, None)

    class Rows(list[Any]):
        shape = (6,)

    rows, picks, game = Rows(), list[Any](), Counting()
    game.answer.searching = game.answer.wrong = 1
    assert play(game, RULES, seating, [2, 1], 7, rows, picks, RECORD_PICKS) == 12
    assert rows == [(2 * place, 7 + place, [102, 101, 102, 101]) for place in range(3)]
    assert picks == [(7, 0), (8, 4), (9, 8)]
    assert settled[:2] == [(0, 2, 0), (1, 1, 10)]
    assert (game.answer.number, game.log.recording) == (9, RECORD_PICKS)
    assert (game.answer.searching, game.answer.wrong) == (0, 0), "what a former game left is forgotten"
    assert game.former == [0, 1], "the same line-up plays on: nothing is forgotten between its games"
    assert play(Counting(), RULES, seating, [2, 1], 7, Rows(), picks, 0) == 0
    assert play(Counting(), RULES, seating, [2, 9], 7, Rows(), [], 0) == -8
    forced = Counting(moves=1)
    assert play(forced, RULES, seating, [9, 9], 7, Rows(), [], 0) == 0, "of forced moves nobody is asked"
    begun = Counting()
    begun.answer.searching = 1
    made.begin(begun, RULES, seating, 5)
    assert (begun.number, begun.answer.number, begun.answer.searching) == (5, 5, 0)
    assert begun.former == [-1, -1]


def test_overflow_marks_propagate_to_dependent_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    combined, most = in_python(formula_machine, monkeypatch).combined, MAX_RESULT
    cases = {"+": 9, "-": 5, "*": 14, "//": 3, "%": 1, "<": 0, "<=": 0, "==": 0, "!=": 1, ">": 1, ">=": 1, "and": 2,
             "or": 7, "min": 2, "max": 7}  # fmt: skip
    assert {name: combined(OPERATION[name], 7, 2) for name in cases} == cases
    assert [combined(OPERATION[name], 3, 3) for name in ("<", "<=", "==", "!=", ">", ">=")] == [0, 1, 1, 0, 0, 1]
    assert combined(OPERATION["<"], 2, 7) == 1
    assert combined(OPERATION["+"], most, -most) == 0, "the largest is not beyond"
    for beyond in (most + 1, -most - 1):
        assert combined(OPERATION["%"], beyond, 7) == combined(OPERATION["-"], 7, beyond) == beyond


def evaluated(monkeypatch: pytest.MonkeyPatch, *words: tuple[str, int]) -> int:
    module = in_python(formula_machine, monkeypatch)
    module._room = lambda: [77] * 20
    stopped: list[tuple[Any, ...]] = []
    module.stop_game = lambda *given: stopped.append(given)

    def called(_seen: Any, _rules: Any, stack: list[int], first: int, operand: int, *_whose: int) -> int:
        return 10 * (operand >> 3) + sum(stack[first : first + (operand & 7)])

    code = [0, 0, *(operand << 8 | OPERATION[name] for name, operand in (*words, ("end", 0)))]
    made = module.machine(lambda _seen, _rules, _operation, operand, _owner, _other: operand, called)
    result = int(made(None, SimpleNamespace(code=code), 2, 3, 0))
    bound = MAX_RESULT if result > 0 else -MAX_RESULT
    assert stopped == ([] if abs(result) <= MAX_RESULT else [(module.FORMULA, 3, 2, result, bound)])
    return result


def test_the_formula_machine_runs_words_on_a_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    def number(value: int) -> tuple[str, int]:
        return "number", value

    beyond = MAX_RESULT + 1
    for words, expected in (
        ((number(7), ("neg", 0)), -7), ((number(7), ("neg", 0), ("abs", 0)), 7), ((number(1), ("not", 0)), 0),
        ((number(0), ("not", 0)), 1), ((number(beyond), ("not", 0)), beyond),
        ((number(5), number(6), number(1), ("if", 0)), 5), ((number(5), number(6), number(0), ("if", 0)), 6),
        ((number(5), number(6), number(beyond), ("if", 0)), beyond),
        ((number(beyond), number(6), number(0), ("if", 0)), 6),
        ((number(1), number(9), number(4), ("-", 0), ("+", 0)), 6),
        ((number(1), number(2), number(3), ("call", 2 << 3 | 2), ("+", 0)), 1 + 20 + 5), ((("call", 4 << 3),), 40),
        ((("last", 3), ("name", 4), ("*", 0)), 12), ((number(beyond),), beyond), ((number(-beyond),), -beyond),
    ):  # fmt: skip
        assert evaluated(monkeypatch, *words) == expected


class Step(SimpleNamespace):
    """A time step of one game."""


def step_of(number: int, **more: Any) -> Step:
    return Step(**{"number": number, "action": 0, "seat": 0, "kind": 9, "moment": 9, "over": 9, "score": [0.0] * 2,
                   "share": [0.0] * 2} | more)  # fmt: skip


class Lockstep:
    """Toy games that are stepped together; seat 1 is played by a policy."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, policy: int = 2) -> None:
        module, plain = in_python(lockstep, monkeypatch), in_python(engine, monkeypatch)
        monkeypatch.setattr(plain, "call", lambda entry, *_given: entry)
        monkeypatch.setattr(module, "entry_point", lambda _template, made: made)
        kinds = SimpleNamespace(lockstep=lambda made: made, package="")
        made = plain.engine_of(hooks_of(plain), kinds)
        hooks = module.LockstepHooks(
            observe=lambda game, _rules, seat, seen: seen.__setitem__(slice(None), [seat, len(game.made)]),
            outcome=lambda game, seat: (sum(game.made[seat::2]), 1.0 - seat),
            moment=lambda _game, _rules, seat: 50 + seat,
            fixed_action=lambda _choice, _rules, move: move - 98,
            move_of=lambda _choice, _rules, action: action + 98,
            load=lambda state, words, _rules: setattr(words[0], "made", list(state[0])),
            save=lambda game, _words, state, _rules: state.__setitem__(0, list(game.made)),
        )
        self.step_all, self.game, self.policy = module.lockstep_of(made, hooks), Counting(), policy
        self.seating = SimpleNamespace(**{**vars(SEATING), "pool_size": [0, 0]})

    def step(self, states: list[Any], steps: list[Step], **request: int) -> tuple[int, Any, Any]:
        asked = SimpleNamespace(**{"begin": 0, "callers": 0b01, "fixed": 0, "stride": 0} | request)
        self.game.own = [SimpleNamespace(rng=0, entrant=seat) for seat in range(2)]

        class Steps(list[Step]):
            shape = (len(steps),)

        seen, masks = np.full((len(steps), 2), 9), np.full((len(steps), 5), 9)
        given = self.game, [self.game], states, RULES, self.seating, [0, self.policy], asked, Steps(steps), seen, masks
        return self.step_all(*given), seen.tolist(), masks.tolist()


def test_games_step_together_to_the_next_caller_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Lockstep(monkeypatch)
    states, steps = [[[]], [[100, 101]]], [step_of(3, action=2), step_of(4, action=1, seat=NOBODY)]
    failed, seen, masks = table.step(states, steps)
    assert failed == lockstep.ALL_WELL
    assert states == [[[102, 102]], [[100, 101]]], "the caller took 102, the policy 102; a game that is over stays"
    assert (steps[0].seat, steps[0].kind, steps[0].moment, steps[0].over) == (0, 4, 50, 0)
    assert seen == [[0, 2], [9, 9]]
    assert masks == [[1, 1, 1, 0, 0], [9] * 5]
    failed, seen, masks = table.step(states[:1], [step_of(3, action=4)], fixed=1)
    assert states[0] == [[102, 102, 102, 102]]
    assert masks == [[0] * 5], "no action when the game is over"
    assert seen == [[0, 0]]


def test_a_finished_game_is_followed_by_the_next_of_its_stride(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Lockstep(monkeypatch)
    step = step_of(3, action=1)
    states = [[[100, 102]]]
    assert table.step(states, [step], stride=0)[0] == lockstep.ALL_WELL
    assert (step.over, step.seat, step.kind, step.moment) == (1, NOBODY, NOBODY, NOBODY)
    assert (step.score, step.share) == ([100 + 101, 102 + 102], [1.0, 0.0])
    step, states = step_of(3, action=1), [[[100, 102]]]
    table.step(states, [step], stride=5)
    assert (step.over, step.seat, step.number) == (1, 0, 8)
    assert states == [[[]]]
    step = step_of(6, seat=NOBODY)
    _, _, masks = table.step([[[100]]], [step], begin=1, fixed=1)
    assert (step.seat, table.game.number, masks) == (0, 6, [[0, 0, 1, 1, 1]])
    wrong = Lockstep(monkeypatch, policy=3)
    steps = [step_of(1, seat=NOBODY), step_of(2, action=0)]
    assert wrong.step([[[]], [[]]], steps)[0] == 1, "the place of the game with a wrong index"
    assert wrong.game.answer.wrong == 1
    both = Lockstep(monkeypatch)
    steps = [step_of(1, action=1)]
    both.step([[[]]], steps, callers=0b11)
    assert steps[0].seat == 1


class Worded(Counting):
    """A toy game whose state is one word: the moves made so far, and the seed with which its cards were resampled."""

    def __init__(self) -> None:
        self.words: list[Any] = [()]
        super().__init__()

    @property
    def made(self) -> list[int]:
        return [move for move in self.words[0] if isinstance(move, int)]

    @made.setter
    def made(self, moves: list[int]) -> None:
        self.words[0] = tuple(moves)


class Commands:
    """The position commands of the toy game; each line-up entry returns its own index."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *line_up: int) -> None:
        module, plain = in_python(commands, monkeypatch), in_python(engine, monkeypatch)
        monkeypatch.setattr(plain, "call", lambda entry, *_given: entry)
        monkeypatch.setattr(module, "entry_point", lambda _template, made: made)
        module.copying = in_python(heads, monkeypatch).copying
        hooks = replace(
            hooks_of(plain), take=lambda game, _rules, move: game.words.__setitem__(0, (*game.words[0], move))
        )
        kinds = SimpleNamespace(commands=lambda made: made, state=np.dtype("u8"), package="")
        self.told: list[tuple[Any, ...]] = []
        own = module.CommandHooks(
            redraw=lambda game, _rules, *how: game.words.__setitem__(0, (*game.words[0], f"redrawn {how}")),
            seat_players=lambda game, _rules, _seating, *how: self.seat(game, *how),
            observe=lambda game, _rules, seat, seen: seen.append((seat, game.choice.count)),
            outcome=lambda game, seat: (sum(game.made[seat::2]), self.told[-1][2]),
            add=lambda game, _rules, seat, what: game.words.__setitem__(0, (*game.words[0], 10 * seat + what)),
            count=lambda game, _rules: self.told.append(("counted", list(game.made))),
        )
        self.run, self.game = module.commands_of(plain.engine_of(hooks, kinds), own), Worded()
        self.line_up = line_up or (2, 1)
        self.game.answer.wrong = self.game.answer.searching = self.game.log.recording = 1

    def seat(self, game: Any, *how: int) -> None:
        self.told.append(("seated", *how))
        for seat, own in enumerate(game.own):
            own.entrant = seat

    def __call__(self, state: list[Any], command: int, number: int = 0, **given: Any) -> int:
        seating = SimpleNamespace(**{**vars(SEATING), "pool_size": [0, 0]})
        words = self.game, self.game.words, state, RULES, seating, self.line_up
        outcomes = given.get("out", np.zeros((0, 2, 2)))
        return int(
            self.run(*words, command, number, given.get("seat", -1), given.get("seed", 0), outcomes, given.get("seen"))
        )


def test_commands_on_a_position_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    run, seen = Commands(monkeypatch), list[Any]()
    state: list[Any] = [(100,)]
    assert run(state, commands.LOOK) == 1
    assert (run.game.answer.wrong, run.game.answer.searching, run.game.log.recording) == (0, 0, 0)
    assert run(state, commands.STEP, 2) == 0
    assert state == [(100, 102)]
    assert run(state, commands.OBSERVE, seat=1, seen=seen) == 1
    assert (seen, state) == ([(1, 3)], [(100, 102)]), "the moves are listed before a seat looks"
    assert run(state, commands.COUNT) == NOBODY
    assert run.told.pop() == ("counted", [100, 102])
    assert run(state, commands.DECIDE, 5, seed=9) == 2
    assert (run.told.pop(), state) == (("seated", 9, 5), [(100, 102)])
    assert run(state, commands.REDRAW, 4, seat=1, seed=7) == 0
    assert state == [(100, 102, "redrawn (7, 4, 1)")]
    assert run(state, commands.ADD, 3, seat=1) == 1
    assert state[0][-1] == 13
    assert run(state, commands.BEGIN, 6) == 0
    assert (state, run.game.number) == ([()], 6)


def test_policies_are_followed_for_a_given_number_of_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Commands(monkeypatch, 2, 1)
    state: list[Any] = [()]
    assert run(state, commands.FOLLOW) == 1
    assert (state, run.game.answer.index) == ([(102,)], 2)
    assert run(state, commands.FOLLOW, 1) == 1
    assert (state, run.game.answer.index) == ([(102, 101, 102)], 2)
    assert run(state, commands.FOLLOW, 7) == NOBODY
    assert state == [(102, 101, 102, 101)], "the game is over"
    wrong = Commands(monkeypatch, 2, 9)
    state = [()]
    assert wrong(state, commands.FOLLOW, 1) == NOBODY
    assert (state, wrong.game.answer.wrong) == ([()], 1), "after a wrong index the position stays as it was"


def test_positions_are_played_out_and_moves_share_redrawn_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    run, out = Commands(monkeypatch), np.zeros((2, 2, 2))
    state: list[Any] = [(100,)]
    assert run(state, commands.PLAY_OUT, 5, seed=9, out=out) == 0
    assert state == [(100,)]
    assert out[:, :, 0].tolist() == [[202, 202]] * 2
    assert out[:, 0, 1].tolist() == [5, 6], "each playout has the streams of its number"
    run(state, commands.PLAY_OUT, 5, seat=1, seed=9, out=out)
    assert run.game.words[0][1] == "redrawn (9, 6, 1)"
    run, state, out = Commands(monkeypatch), [(100,), None], np.zeros((4, 2, 2))
    assert run(state, commands.COMPARE, 5, seat=1, seed=9, out=out, seen=np.array([2, 0])) == 0
    assert out[:, 1, 0].tolist() == [102 + 101, 100 + 101] * 2
    assert out[:, 0, 1].tolist() == [5, 5, 6, 6], "both moves of a sample have the same streams"
    assert state == [(100,), None]
    assert run.game.words[0][:3] == (100, "redrawn (9, 6, 1)", 100)
    wrong = Commands(monkeypatch, 2, 9)
    assert wrong([()], commands.PLAY_OUT, out=np.zeros((1, 2, 2))) == NOBODY
    last = [(100, 101, 102), None]
    assert wrong(last, commands.COMPARE, out=np.zeros((1, 2, 2)), seen=np.array([0])) == 0, "nobody else is asked"
    wrong = Commands(monkeypatch, 9, 1)
    assert wrong([(100,), None], commands.COMPARE, out=np.zeros((1, 2, 2)), seen=np.array([0])) == NOBODY


LATER = side_by_side.LATER


class Several:
    """Toy games stepped side by side, in which line-up entry 1 decides in a separate process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, games: int, first: int, slots: int = 2) -> None:
        module, plain = in_python(side_by_side, monkeypatch), in_python(engine, monkeypatch)
        monkeypatch.setattr(module, "element_of", lambda _kind: lambda many, slot: many[slot])
        monkeypatch.setattr(plain, "call", lambda entry, *_given: entry)
        hooks = hooks_of(plain, write_picks=self.write_picks)
        made = plain.engine_of(hooks, SimpleNamespace(game=None))
        self.play = module._playing_on(made, self.load)
        self.games = [Counting() for _ in range(slots)]

        class Waits(list[Any]):
            shape = (slots,)

        blank = {
            "place": side_by_side.UNUSED,
            "entry": -9,
            "seat": -9,
            "count": -9,
            "index": -9,
            "stream": 0,
            "asked": 0,
        }
        self.waiting = Waits(SimpleNamespace(**blank, places=[0, 0]) for _ in range(slots))
        self.progress, self.rows = [SimpleNamespace(begun=0, current=-9)], list[Any]()
        self.written, self.first = np.zeros(games, np.int64), first
        self.picks, self.orders = np.zeros(4 * games), np.zeros((0, 0), np.int64)

    @staticmethod
    def load(own: Any, _seating: Any, entrant: int) -> None:
        own.entrant = int(entrant)

    @staticmethod
    def write_picks(game: Any, picks: Any, start: int, number: int) -> int:
        picks[start : start + 3] = number
        return start + 3

    def on(self, recording: int = 0, later: tuple[int, ...] = (-1, 0)) -> int:
        seating = SimpleNamespace(**{**vars(SEATING), "pool_size": [0, 0]})
        given = RULES, seating, [0, LATER], self.waiting, self.progress, later, self.orders, self.first
        return int(self.play(self.games, *given, self.rows, self.picks, self.written, recording))


def test_each_game_waits_for_its_decision_then_frees_its_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Several(monkeypatch, games=3, first=20)
    assert table.on(RECORD_PICKS) == 2
    assert [(wait.place, wait.entry, wait.seat, wait.count, wait.asked, wait.stream) for wait in table.waiting] == [
        (0, 1, 1, 3, 1, 10), (1, 1, 1, 3, 1, 10)
    ]  # fmt: skip
    assert [game.answer.wrong for game in table.games] == [0, 0]
    table.waiting[0].index, table.waiting[1].index = 2, 1
    assert table.on(RECORD_PICKS) == 2
    assert [game.made for game in table.games] == [[100, 102, 100], [100, 101, 100]]
    table.waiting[0].index, table.waiting[1].index = 1, 2
    assert table.on(RECORD_PICKS) == 1, "two games are over, and one is left"
    assert table.rows == [(0, 20, [100, 102, 100, 101]), (2, 21, [100, 101, 100, 102])]
    assert [(wait.place, wait.asked) for wait in table.waiting] == [(2, 1), (side_by_side.OVER, 0)]
    assert table.games[0].answer.number == 22
    for _ in range(2):
        table.waiting[0].index = 0
        left = table.on(RECORD_PICKS)
    assert (left, len(table.rows), table.progress[0].begun) == (0, 3, 3)
    assert table.rows[2] == (4, 22, [100] * 4)
    assert table.picks.tolist() == [20, 20, 20, 0, 21, 21, 21, 0, 22, 22, 22, 0]
    assert table.written.tolist() == [3, 3, 3]


def test_an_invalid_index_from_an_in_process_policy_stops_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Several(monkeypatch, games=3, first=20)
    assert table.on(later=(-1, -1)) == -1
    assert table.progress[0].current == 0
    assert table.games[0].answer.wrong == 1


def test_reordered_seats_keep_their_policies_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first game entry 1 sits in seat 0, which waits at once."""
    table = Several(monkeypatch, games=2, first=0)
    table.orders = np.array([[1, 0], [0, 1]])
    assert table.on() == 2
    assert [(wait.entry, wait.seat, wait.places) for wait in table.waiting] == [(1, 0, [0, 1]), (1, 1, [0, 1])]
    for _ in range(2):
        for wait in table.waiting:
            wait.index = 2
        table.on()
    assert [row[2] for row in table.rows] == [[102, 100] * 2, [100, 102] * 2]
    assert [own.entrant for own in table.games[0].own] == [0, 1], "the rows name the entry of the plan"
    assert not table.written.any()
