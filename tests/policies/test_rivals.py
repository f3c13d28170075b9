"""How a searcher infers the policies of its rivals: predictions by hand, as plain Python, and odds in real games."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import in_python
from tests.policies.test_search import decisions, simulator
from wsim.kernels import rivals

pytestmark = pytest.mark.jit_off
ME, RIVAL = 0, 2
HALF = 1 / (1 + np.exp(-0.5))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Load the kernel module as plain Python."""
    return in_python(rivals, monkeypatch)


def chance_after(module: Any, foreseen: dict[int, tuple[int, int]], did: int, times: int = 1) -> float:
    """Return the posterior probability of a net (prior one half) after its predicted and actual moves."""
    lookahead = SimpleNamespace(
        inferring=1, when=0, chance=np.zeros(3), foreseen=np.zeros((3, 2, module.KEYS), np.int32), met=0
    )
    own = [SimpleNamespace(memory=np.zeros(8)) for _ in range(3)]
    game, rules = SimpleNamespace(lookahead=lookahead, own=own), SimpleNamespace(seats=3)
    line_up = ["net", "weights", "net"]  # its own player, then those that rivals may be
    weigh = module.weighing(lambda _game, _rules, seat, _when: did if seat == RIVAL else -1, lambda *_: 5)
    weigh(game, rules, line_up, ME, 0, 2)
    assert lookahead.chance.tolist() == [0, 0.5, 0.5]
    for _ in range(times):
        for key, often in foreseen.items():
            lookahead.foreseen[RIVAL, :, key] = often
        module.note_foreseen(game, rules, ME)
        assert own[ME].memory[7] == 5
        assert max(own[ME].memory) < 2**53  # whole numbers all of them
        weigh(game, rules, line_up, ME, 0, 2)
    assert lookahead.chance[1] == 0.5  # of whom nothing was seen
    assert own[ME].memory[7] == 0
    return float(lookahead.chance[RIVAL])


def test_the_likelihood_ratio_of_a_net_has_seven_steps_of_half_a_unit(plain: Any) -> None:
    """With nothing foreseen of the thing, as if it were drawn from everything, the ratio is 1: the middle step."""
    assert plain._step(5, 5, 9, 9, 0.1) == plain._step(0, 0, 0, 0, 0.5) == 3
    for step, edge in enumerate((-1.25, -0.75, -0.25, 0.25, 0.75, 1.25)):
        at = np.exp(edge)  # (of_nets + 1) / (0 + 1), with equal numbers of playouts and half of the rest
        assert [plain._step(at * share - 1, 0, 0, 0, 0.5) for share in (0.9999, 1.0001)] == [step, step + 1]
    assert plain._step(3, 1, 8, 3, 0.0) == 6, "3 of 3 (and 2 more) against 1 of 8 (and 2): 6 times as likely"
    assert plain._step(1, 3, 3, 8, 0.0) == 0


def test_a_rival_that_plays_like_a_net_is_inferred_to_be_a_net(plain: Any) -> None:
    """By hand, with 2 of 16 as if drawn from all: 14.25 of 16 against 0.25 of 16 is clear, held to exp(1.5)."""
    foreseen = {10: (14, 0), 129: (0, 14)}
    clear = 1 / (1 + np.exp(-1.5))
    assert chance_after(plain, foreseen, 10) == pytest.approx(clear, abs=1e-5)
    assert chance_after(plain, foreseen, 129) == pytest.approx(1 - clear, abs=1e-5)
    assert chance_after(plain, foreseen, 10, times=50) == pytest.approx(1 / (1 + np.exp(-5)), abs=1e-5)


def test_moves_equally_likely_under_both_policies_are_not_evidence(plain: Any) -> None:
    alike = {10: (7, 7), 11: (7, 7)}
    assert chance_after(plain, alike, 10) == chance_after(plain, alike, 99) == 0.5
    assert chance_after(plain, {}, 10) == 0.5
    # 2.25 of 4 beside 1.25 of 4: a ratio of 1.8
    assert chance_after(plain, {10: (2, 1), 11: (0, 1)}, 10) == pytest.approx(HALF, abs=1e-5)


def test_the_four_most_expected_moves_are_distinguished_and_the_rest_pooled(plain: Any) -> None:
    foreseen = {key: (9 - key, 0) for key in range(5)} | {100: (0, 35)}
    assert chance_after(plain, foreseen, 0) > 0.5
    assert chance_after(plain, foreseen, 100) < 0.2
    assert chance_after(plain, foreseen, 3) == chance_after(plain, foreseen, 4) == chance_after(plain, foreseen, 60)


@pytest.mark.parametrize(("players", "chance"), [("nnw", 2 / 3), ("nww", 1 / 3), ("nnn", 0.0), ("www", 0.0)])
def test_the_prior_of_a_net_is_its_share_of_the_pool(plain: Any, players: str, chance: float) -> None:
    """Of three that rivals may be, so many are nets; where all are of a kind there is nothing to infer."""
    lookahead = SimpleNamespace(inferring=9, when=9, chance=np.zeros(3), foreseen=np.ones((3, 2, plain.KEYS), np.int32))
    own = [SimpleNamespace(memory=np.zeros(8)) for _ in range(3)]
    game = SimpleNamespace(lookahead=lookahead, own=own)
    weigh = plain.weighing(lambda *_: -1, lambda *_: 5)
    weigh(game, SimpleNamespace(seats=3), ["other", "n", *players], ME, 1, 3)
    assert lookahead.chance.tolist() == pytest.approx([0, chance, chance])
    assert (lookahead.inferring, lookahead.when) == ((1, 5) if chance else (0, 0))
    assert lookahead.foreseen[1:].any() == (not chance)


@pytest.mark.parametrize("player", [0, 1])
def test_predicted_moves_are_counted_for_both_kinds_of_rival(plain: Any, player: int) -> None:
    """Player 0 is a net and makes move 10, player 1 is none and makes move 11."""
    lookahead = SimpleNamespace(met=0, player=[-1, -1, player], foreseen=np.zeros((3, 2, plain.KEYS), np.int32))
    choice = SimpleNamespace(count=2, moves=[10, 11])
    game = SimpleNamespace(lookahead=lookahead, choice=choice, public=None, own=[None] * 3)
    seating = SimpleNamespace(settings=[None] * 2, settings_at=[0, 1])
    plain.is_net = lambda line_up, first, number: (line_up[first], number) == (0, 0)
    plain.draw_player = lambda _lookahead, _line_up, _first, _rivals, net: 0 if net else 1
    plain.call = lambda number, *_: number
    plain.foretelling(lambda _game, _rules, move: move)(game, None, seating, [0, 1], 0, 2, RIVAL, player)
    assert lookahead.met == 1 << RIVAL
    assert np.argwhere(lookahead.foreseen).tolist() == [[RIVAL, plain.NETS, 10], [RIVAL, plain.OTHERS, 11]]


def test_games_without_named_moves_predict_nothing(plain: Any) -> None:
    lookahead = SimpleNamespace(met=0, player=[0] * 3, foreseen=np.zeros((3, 2, plain.KEYS), np.int32))
    game = SimpleNamespace(lookahead=lookahead, choice=SimpleNamespace(count=2, moves=[10, 11]))
    plain.foretelling(plain.nothing_foretold)(game, None, None, ["n"], 0, 2, RIVAL, 1)
    assert (lookahead.met, lookahead.foreseen.any()) == (1 << RIVAL, False)
    assert (plain.nothing_seen(game, None, RIVAL, 5), plain.at_no_time(game, None)) == (-1, 0)


@pytest.mark.slow
def test_nets_are_inferred_to_be_nets_and_others_are_not() -> None:
    """Odds in the middle of the last age, of one searcher among three of a kind; they begin at one half."""
    believed = {}
    for rival in ("net", "balanced"):
        ready = simulator(f"search:playouts=40:candidates=3:pool=inferred,{rival},{rival}", players=3, rotate=False)
        found = []
        for number in range(3):
            for position in decisions(ready, number):
                if int(position.record.public.age) == 2 and int(position.record.public.turn) == 3:
                    found += [int(one) & 31 for one in position.record.own[0].memory[:2]]
        believed[rival] = np.mean(found) - 11
    assert believed["net"] > 1 > -1 > believed["balanced"]


@pytest.mark.slow
def test_beliefs_do_not_depend_on_hidden_information() -> None:
    ready = simulator("search:playouts=12:candidates=4:pool=inferred,net,balanced", players=3, rotate=False)
    differing = 0
    for place, position in enumerate(decisions(ready, 1)):
        if position.to_move or place % 4 == 3:
            continue
        choice = position.chosen_by(ready, seed=9)
        for seed in (1, 2):
            other = position.redrawn(0, seed)
            differing += bool((other.words != position.words).any())
            assert other.chosen_by(ready, seed=9) == choice
    assert differing > 5
