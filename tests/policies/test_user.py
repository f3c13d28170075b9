"""User policies: compiled and plain Python, from files and modules, and every kind of mistake in them."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.policies.in_file import policies_in_file
from tests.policies.lineups import resolve
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.jit import JIT
from wsim.lab.plan import Plan
from wsim.policies import user_policies as plugs
from wsim.wonders.game import GAME

pytestmark = [pytest.mark.jit_off]
only_jitted = pytest.mark.skipif(not JIT, reason="what numba says of a policy")

GAMES = 20 if JIT else 2

MINE = '''
import wsim
from wsim.wonders.kit import BUILD, LOSS, SELL, STAGE, action_of, below, card_of, kernel, next_stage, price_of
from wsim.wonders.kit import has_chain, next_holder, owns, rivals_loss, score_change


@kernel
def worth(public, rules, seat, move):
    """A helper of its own."""
    action = action_of(move)
    if action == BUILD:
        return score_change(public, rules, seat, card_of(move)) - price_of(move) / 3
    if action == STAGE:
        return score_change(public, rules, seat, next_stage(public, rules, seat)) - price_of(move) / 3
    return -5.0


@wsim.policy(parameters={"sale": -5.0, "keen": True}, idea="the most points")
def bold(public, own, choice, rules):
    best, at = -1e9, 0
    if choice.kind == LOSS:
        return 0
    for i in range(choice.count):
        value = worth(public, rules, choice.seat, choice.moves[i])
        if action_of(choice.moves[i]) == SELL:
            value = own.parameters[0] * own.parameters[1]
        if value > best:
            best, at = value, i
    return at


@wsim.policy(python=True, parameters={"sale": -5.0})
def slow(public, own, choice, rules):
    if choice.kind == LOSS:
        return 0
    values = []
    for move in choice.moves[: choice.count]:
        value = own.parameters[0]
        if action_of(move) == BUILD:
            value = score_change(public, rules, choice.seat, card_of(move)) - price_of(move) / 3
        elif action_of(move) == STAGE:
            stage = next_stage(public, rules, choice.seat)
            value = score_change(public, rules, choice.seat, stage) - price_of(move) / 3
        values.append(value)
    return values.index(max(values))


@wsim.policy
def dice(public, own, choice, rules):
    return 0 if choice.kind == LOSS else below(own, choice.count)


def plain_dice(public, own, choice, rules):
    return 0 if choice.kind == LOSS else below(own, choice.count)


@wsim.policy
def counting(public, own, choice, rules):
    own.memory[0] += 1
    return 0 if choice.kind == LOSS else int(own.memory[0]) % choice.count


def plain_counting(public, own, choice, rules):
    own.memory[0] += 1
    return 0 if choice.kind == LOSS else int(own.memory[0]) % choice.count


def forgetful(public, own, choice, rules):
    return 0 if choice.kind == LOSS else 1 % choice.count


@wsim.policy(name="The best", parameters={"nerve": 2})
def named(public, own, choice, rules):
    return choice.count - 1


def meddling(public, own, choice, rules):
    public.coins[:] = 99
    choice.count = 1
    own.hand = 0
    rules.points[:] = 0
    return 0


def broken(public, own, choice, rules):
    if public.age == 1:
        raise ValueError("no  idea")
    return 0


def vague(public, own, choice, rules):
    return "the first"


def far(public, own, choice, rules):
    return 10**30


def interrupted(public, own, choice, rules):
    raise KeyboardInterrupt


@wsim.policy
def three(public, own, choice):
    return 0


@wsim.policy
def half(public, own, choice, rules):
    return 0.5


@wsim.policy
def nothing(public, own, choice, rules):
    pass


@wsim.policy
def misspelt(public, own, choice, rules):
    return public.coinz[own.seat]


@wsim.policy
def unknown(public, own, choice, rules):
    return does_not_exist(own)


@wsim.policy
def files(public, own, choice, rules):
    return len({str(own): public})


number = 7
'''


mine = policies_in_file(MINE)


def rows(*entries: str, players: int = 3, games: int = GAMES, first: int = 0, **fields: Any) -> Any:
    """Return the rows of some games of a line-up."""
    table = GAME.prepare(Plan.make(players=players, policies=entries, **fields))
    filled = np.zeros(games * table.seats, table.row_dtype)
    table.play(first, filled)
    return filled


def complaint(entry: str) -> BaseException:
    """Play a failing policy; return the error message of the table or its line-up."""
    table = GAME.prepare(Plan.make(players=3, policies=(entry,)))
    told: BaseException = AssertionError("nothing went wrong")
    for step in (lambda: table.play(0, np.zeros(GAMES * 3, table.row_dtype)), table.line_up.raise_failure):
        try:
            step()
        except (UserError, KeyboardInterrupt) as error:
            told = error
    table.line_up.raise_failure()  # told once
    return told


# --- playing --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@only_jitted
def test_one_compiled_entry_point_calls_every_plain_policy(tmp_path: Path) -> None:
    """Three plain policies share one entry point and play the same moves as when they are compiled."""
    file, text = tmp_path / "own.py", "import wsim\n"
    for place in range(3):
        body = f"(public, own, choice, rules):\n    return {place} % choice.count\n"
        text += f"def plain_{place}{body}@wsim.policy\ndef compiled_{place}{body}"
    file.write_text(text)
    plain, compiled = ([f"{file}:{kind}_{place}" for place in range(3)] for kind in ("plain", "compiled"))
    calls = [plugged.call for plugged in resolve(plain, 3).plugged.values()]
    assert len({call.address for call in calls}) == 3
    assert len({id(call.kept[1]) for call in calls}) == 1
    assert rows(*plain)["total"].tolist() == rows(*compiled)["total"].tolist()


def test_numba_error_reasons_are_stripped_of_colour() -> None:
    text = 'Failed in nopython mode\n\x1b[1m\x1b[1mNameError: no\x1b[0m\nFile "mine.py", line 3:\x1b[0m'
    assert plugs._first_useful(text) == 'NameError: no (File "mine.py", line 3)'


@pytest.mark.slow
def test_a_compiled_policy_plays_as_written(mine: str) -> None:
    assert rows(f"{mine}:bold", games=GAMES)["total"].tolist() == rows(f"{mine}:slow", games=GAMES)["total"].tolist()


@pytest.mark.slow
def test_a_plain_policy_draws_from_the_stream_of_its_seat(mine: str) -> None:
    for name in ("dice", "plain_dice"):
        assert rows(f"{mine}:{name}")["total"].tolist() == rows("random")["total"].tolist()


@pytest.mark.slow
def test_parameters_arrive_in_order(mine: str) -> None:
    assert rows(f"{mine}:bold:sale=99")["sold"].min() > 15
    assert rows(f"{mine}:bold:sale=99:keen=false")["sold"].mean() < 10  # a sale at 0 points
    assert rows(f"{mine}:bold")["sold"].mean() < 2
    line_up = resolve([f"{mine}:bold:keen=false:explore=0.5"], 3)
    assert line_up.parameters[0].tolist() == [-5.0, 0.0, 0, 0, 0, 0, 0, 0.5]


@pytest.mark.slow
def test_explore_is_accepted_for_every_policy(mine: str) -> None:
    explored = rows(f"{mine}:bold:explore=1", games=GAMES)
    assert explored["sold"].mean() > 3
    assert rows(f"{mine}:slow:explore=1", games=GAMES)["total"].tolist() == explored["total"].tolist()


@pytest.mark.slow
def test_games_do_not_depend_on_chunks_or_threads(mine: str) -> None:
    table = GAME.prepare(Plan.make(players=3, policies=(f"{mine}:plain_dice", "balanced", f"{mine}:bold")))
    whole = np.zeros(GAMES * 3, table.row_dtype)
    table.play(0, whole)
    parts = [np.zeros(3, table.row_dtype) for _ in range(GAMES)]
    threads = [threading.Thread(target=table.play, args=(game, part)) for game, part in enumerate(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.slow
def test_policy_memory_lasts_for_one_game(mine: str) -> None:
    counted = rows(f"{mine}:counting", games=GAMES)
    for name in ("total", "coins", "sold"):
        assert rows(f"{mine}:plain_counting", games=GAMES)[name].tolist() == counted[name].tolist()
    assert rows(f"{mine}:forgetful", games=GAMES)["total"].tolist() != counted["total"].tolist()
    table = GAME.prepare(Plan.make(players=3, policies=(f"{mine}:counting",)))
    alone = np.zeros(3, table.row_dtype)
    table.play(GAMES - 1, alone)
    whole = np.zeros(GAMES * 3, table.row_dtype)
    table.play(0, whole)
    assert np.array_equal(whole[-3:], alone)


def test_a_plain_policy_cannot_meddle_with_the_game(mine: str) -> None:
    met = rows(f"{mine}:meddling", "first", "first")
    assert met["total"].max() < 100
    assert met["coins"].max() < 99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ruleset", "players"), [("1e", 7), ("2e", 3), ("2e-cities", 4), ("2e-cities-teams", 4), ("1e-duo", 2)]
)
def test_user_policies_play_every_rule_set(mine: str, ruleset: str, players: int) -> None:
    played = rows(f"{mine}:bold", players=players, games=2, ruleset=ruleset)
    assert played["total"].min() > 0


@pytest.mark.slow
def test_a_policy_can_be_named_by_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_wsim_policies.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    line_up = resolve(["my_wsim_policies:dice"], 3)
    assert line_up.labels == ("my_wsim_policies:dice",) * 3
    assert list(line_up.digests) == ["my_wsim_policies:dice"]
    assert line_up.plugged["my_wsim_policies:dice"].where == "my_wsim_policies"
    (tmp_path / "same_policies.py").write_text(MINE)
    (tmp_path / "other_policies.py").write_text(MINE + "\n")
    digests = [*line_up.digests.values()]
    digests += [resolve([f"{name}_policies:dice"], 3).digests[f"{name}_policies:dice"] for name in ("same", "other")]
    assert digests[0] == digests[1] != digests[2]


@pytest.fixture
def entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "installed_policies.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("tricky", "installed_policies:dice", plugs.GROUP)
    monkeypatch.setattr(plugs, "entry_points", lambda group: [point] if group == "wsim.policies" else [])
    yield
    sys.modules.pop("installed_policies", None)


@pytest.mark.usefixtures("entry_point")
@pytest.mark.slow
def test_an_installed_policy_can_be_used() -> None:
    assert GAME.policies()[-1]["name"] == "tricky"
    assert rows("tricky")["total"].tolist() == rows("random")["total"].tolist()
    with pytest.raises(UserError, match="did you mean 'tricky'"):
        resolve(["triky"], 3)


@pytest.mark.slow
def test_a_policy_can_declare_its_own_name(mine: str) -> None:
    assert resolve([f"{mine}:named:nerve=3"], 3).labels[0] == "The best:nerve=3"


@pytest.mark.slow
def test_a_duplicate_name_is_replaced_by_the_entry(tmp_path: Path) -> None:
    text = "import wsim\n@wsim.policy(name='greedy')\ndef f(public, own, choice, rules):\n    return 0\n"
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(text)
    entries = [f"{tmp_path}/a.py:f", f"{tmp_path}/b.py:f", "greedy"]
    assert list(resolve(entries, 3).labels) == entries


@pytest.mark.slow
def test_an_edited_policy_file_is_reloaded(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    results = []
    for index in ("0", "choice.count - 1"):
        file.write_text(f"import wsim\n@wsim.policy\ndef f(public, own, choice, rules):\n    return {index}\n")
        results.append(rows(f"{file}:f", games=2)["total"].tolist())
    assert results[0] != results[1]


def test_a_file_may_import_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_mine.py").write_text("def last(choice):\n    return choice.count - 1\n")
    file = tmp_path / "mine.py"
    file.write_text("from neighbour_of_mine import last\ndef f(public, own, choice, rules):\n    return last(choice)\n")
    assert rows(f"{file}:f", games=1)["sold"].sum() > 0
    assert str(tmp_path) not in sys.path
    del sys.modules["neighbour_of_mine"]


# --- going wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", r"policy '.*mine.py:broken' raised ValueError: no idea \(mine.py, line \d+\), in game 0$"),
        ("vague", r"policy '.*mine.py:vague' raised TypeError: it returned 'the first', not the index of a move"),
        ("far", r"policy '.*mine.py:far' returned -1 .*"),
    ],
)
def test_errors_in_a_plain_policy_are_reported(mine: str, name: str, message: str) -> None:
    told = complaint(f"{mine}:{name}")
    assert isinstance(told, UserError)
    assert re.match(message, str(told))


@pytest.mark.slow
def test_errors_in_a_compiled_policy_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = (
        "import wsim\n@wsim.policy\ndef f(public, own, choice, rules):\n"
        "    if choice.count > 1:\n        raise ValueError('none of these')\n    return 0\n"
    )
    file.write_text(text)
    table = GAME.prepare(Plan.make(players=3, policies=(f"{file}:f",)))
    with pytest.raises(UserError, match=r"^policy '.*mine.py:f' raised ValueError: none of these, in game 0$"):
        table.play(0, np.zeros(3, table.row_dtype))
    with pytest.raises(UserError, match=r"^policy '.*mine.py:f' raised ValueError: none of these$"):
        table.line_up.raise_failure(ValueError("none of these"))
    resolve(["random"], 3).raise_failure(ValueError("not a policy's"))


def test_an_interrupt_in_a_policy_is_passed_on(mine: str) -> None:
    assert isinstance(complaint(f"{mine}:interrupted"), KeyboardInterrupt)


@first_quick(
    3,
    ("name", "message"),
    [
        ("bald", r"there is no function 'bald' in .*mine.py: it has .*bold.* \(did you mean 'bold'"),
        ("number", r"'number' in .*mine.py is of type int, not a function"),
        (
            "three",
            r"policy '.*:three' takes \(public, own, choice\), but a policy takes four arguments: public, own",
        ),
        (
            "bold:sail=1",
            r"policy '.*:bold' has no parameter 'sail' \(did you mean 'sale'\?\): accepted are sale, keen, explore",
        ),
        ("bold:keen=1", r"parameter keen of policy '.*:bold' must be true or false, not 1"),
        ("bold:sale=no", r"parameter sale of policy '.*:bold' must be a number, not 'no'"),
        ("named:nerve=2.5", r"parameter nerve of policy '.*:named' must be a whole number, not 2.5"),
        ("plain_dice:x=1", r"policy '.*:plain_dice' has no parameter 'x': accepted are explore"),
    ],
)
def test_mistakes_in_policy_files_are_named(mine: str, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        resolve([f"{mine}:{name}"], 3)


@only_jitted
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("half", r"policy '.*:half' returns float64, but a policy must return the index of a move, a whole number"),
        ("nothing", r"policy '.*:nothing' returns none, but"),
        (
            "misspelt",
            r"policy '.*:misspelt' cannot be compiled: no record has the field 'coinz' \(did you mean 'coins'",
        ),
        ("unknown", r"policy '.*:unknown' cannot be compiled: NameError: name 'does_not_exist' is not defined"),
        ("files", r"policy '.*:files' cannot be compiled: \S+"),
    ],
)
def test_numba_errors_are_reported_in_one_sentence(mine: str, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as refused:
        resolve([f"{mine}:{name}"], 3)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", r"has a syntax error in line 1: "),
        ("\nx = 1 / 0\n", r"cannot be loaded: ZeroDivisionError: division by zero \(line 2\)"),
        (
            "import not_there_at_all\n",
            r"cannot be loaded: ModuleNotFoundError: No module named 'not_there_at_all' \(line 1\)",
        ),
        ("import sys\nsys.exit(3)\n", r"cannot be loaded: SystemExit: 3 \(line 2\)"),
        ("import wsim\nwsim.policy(parameters={'explore': 1})\n", r"cannot be loaded: a policy cannot declare"),
        (
            "from wsim.policy import BUILD\n",
            r"cannot be loaded: ImportError: wsim.policy is .*wsim.wonders.kit import BUILD",
        ),
    ],
)
def test_a_file_that_cannot_be_loaded_is_reported(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        resolve([f"{file}:f"], 3)


def test_a_missing_policy_file_is_reported(mine: str) -> None:
    with pytest.raises(UserError, match=r"the policy file '.*/mime.py' does not exist \(did you mean 'mine.py'"):
        resolve([mine.replace("mine.py", "mime.py:bold")], 3)
    with pytest.raises(UserError, match=r"the policy file '/nowhere/mine.py' does not exist$"):
        resolve(["/nowhere/mine.py:bold"], 3)
    with pytest.raises(UserError, match=r"parameters cannot be policies: .*, write ./FILE.py:NAME$"):
        resolve([f"search:evaluate={mine}:bold"], 3)


def test_a_missing_policy_module_is_reported() -> None:
    with pytest.raises(
        UserError, match=r"the policy module 'no_such' cannot be imported: ModuleNotFoundError: No module"
    ):
        resolve(["no_such:bold"], 3)


@pytest.mark.slow
@only_jitted
def test_a_plain_policy_sees_no_moves_of_other_decisions() -> None:
    """An earlier decision may have had more moves, from a different seat with a different hand."""
    left: list[int] = []

    def looks(public: Any, own: Any, choice: Any, rules: Any) -> int:
        left.append(int(np.count_nonzero(choice["moves"][int(choice["count"]) :])))
        return 0

    wsim.simulate(players=3, games=2, rotate=False, policies=["random", looks, "random"], threads=1)
    assert len(left) > 20
    assert not any(left)
