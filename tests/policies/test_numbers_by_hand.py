"""Nets in files, weight sets, pools of rivals, chances of seats and watched decisions, by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.kernels.net_layers import Sizes
from wsim.policies import nets
from wsim.policies.chances import chances, follows, overruling_of, per_seat
from wsim.policies.confined import TEXT, ConfinedProcess, printable
from wsim.policies.lineup import Entry, check_length, parse_entry
from wsim.policies.net_integers import _finest, _is_within, _pairs, _rounded, _Weights, in_integers
from wsim.policies.nets import LearnedNet, NetSpec, _game_of, _grown, _learned
from wsim.policies.pool import COPIES, NETS, Player, Pool, check_budget, infers, named_pool, noisy, players_of
from wsim.policies.registry import EXPLORE, LineUp, Parameter, _digest, _parameters_of, explores
from wsim.policies.watchdog import Answering, Watch, _Played, watched
from wsim.policies.weights import WeightSets

# --- nets in files --------------------------------------------------------------------------------------------------

SIZES = Sizes(width=2, narrow=1, state_numbers=1, move_numbers=1, item_rows=3)


def spec(**more: Any) -> NetSpec:
    given: dict[str, Any] = {"items": {"roles": (2, 3), "late": (1, 2)}, "later": {"late": 2, "roles": 1}}
    return NetSpec("mine", SIZES, (2,), **given | more)


def arrays(**changed: Any) -> dict[str, Any]:
    return {name: np.full(shape, 0.5, np.float32) for name, shape in spec().shapes.items()} | changed


def net(**changed: Any) -> LearnedNet:
    return LearnedNet(spec(), arrays(**changed), np.array([1.0, 2.0]), {"plan": {"game": "mine"}})


def saved(folder: Path, **content: Any) -> str:
    """Write a file with the arrays of a net, some of them changed (None: left out); return its path."""
    about = {"plan": {"game": "mine"}}
    given = {**arrays(), "weights": np.array([1.0, 2.0]), "about": np.array(json.dumps(about))} | content
    buffer = BytesIO()
    np.savez_compressed(buffer, **{name: value for name, value in given.items() if value is not None})
    path = folder / "net.npz"
    path.write_bytes(buffer.getvalue())
    return str(path)


def test_shapes_of_nets_with_and_without_later_inputs() -> None:
    assert spec().shapes["roles"] == (2, 3, 2)
    assert spec().first_shapes["roles"] == (2, 2, 2)
    assert spec().first_shapes["late"] == (1, 0, 2)
    assert spec().first_shapes["bias"] == spec().shapes["bias"] == (2,)


def test_a_net_is_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    net(bias=np.array([0.1, 1.0], np.float32)).save(path)
    again = spec().read(str(path))
    assert again.arrays["bias"].tolist() == [np.float32(np.float16(0.1)), 1.0], "half precision"
    assert (again.weights.tolist(), again.about) == ([1.0, 2.0], {"plan": {"game": "mine"}})
    assert spec().read("elsewhere.npz", str(path)).digest == again.digest


def test_an_older_net_has_zeros_for_new_inputs(tmp_path: Path) -> None:
    older = saved(tmp_path, roles=np.ones((2, 2, 2), np.float32), late=None)
    found = spec().read(older)
    assert found.arrays["roles"][:, :2].all()
    assert not found.arrays["roles"][:, 2:].any()
    assert not found.arrays["late"].any()
    assert _grown(np.ones((2, 2)), (2, 3, 2)).shape == (2, 2), "another shape is left as it is"
    assert _grown(np.ones((2, 4, 2)), (2, 3, 2)).shape == (2, 4, 2)
    assert _grown(np.ones(2), (3,)).shape == (2,)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"bias": None}, "is from a different version of wsim: bias is missing; train it again"),
        ({"bias": np.zeros(3)}, r"bias has shape \(3,\), not \(2,\)"),
        ({"roles": None}, "roles is missing"),
        ({"weights": np.zeros(2, int)}, r"weights has shape \(2,\), not \(2,\)"),
        ({"bias": np.array([1.0, np.nan])}, "is damaged: bias contains infinite, NaN or too large numbers"),
        ({"weights": np.array([1.0, 1e39])}, "is damaged: weights"),
        ({"about": np.array('{"plan": {"game": "other"}}')}, "is for other, not mine"),
        ({"about": np.array("no json")}, "is not a wsim net"),
        ({"about": None}, "is not a wsim net"),
        ({"bias": np.zeros(100_000)}, "is not a wsim net"),
    ],
)
def test_other_files_are_no_nets(tmp_path: Path, content: Mapping[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        spec().read(saved(tmp_path, **content))


def test_what_is_not_a_net_file_is_named(tmp_path: Path) -> None:
    assert spec().read(saved(tmp_path, about=np.array('{"plan": 3}'))).about == {"plan": 3}
    with pytest.raises(UserError, match=r"cannot read the net '.*none.npz': No such file"):
        spec().read(str(tmp_path / "none.npz"))
    (tmp_path / "text.npz").write_text("text")
    with pytest.raises(UserError, match="is not a wsim net: wsim learn writes them"):
        spec().read(str(tmp_path / "text.npz"))
    for about, game in (({"plan": {"game": "x"}}, "x"), ({"plan": {"game": 3}}, None), ([], None), ({}, None)):
        assert _game_of(about) == game


def test_built_in_nets_are_chosen_by_their_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NetSpec, "read", lambda _spec, path, actual=None: (path, actual))
    two: Any = spec(files=(Path("one"), Path("two")))
    assert two.named("", "1") == ("one", None)
    assert two.named("", "2") == ("two", None)
    assert two.named("mine", "1", "there") == ("mine", "there")
    with pytest.raises(UserError, match="seed=2 selects a built-in net and cannot be combined with file='mine'"):
        two.named("mine", "2")
    with pytest.raises(UserError, match="mine has built-in nets for seeds 1, 2, not '3'"):
        two.named("", "3")
    with pytest.raises(UserError, match="for seed 1 only, not '2'"):
        spec(files=(Path("one"),)).named("", "2")
    with pytest.raises(UserError, match="mine has no built-in net: name a file written by wsim learn"):
        spec().named("", "5")
    none: Any = spec()
    assert none.named("mine", "5") == ("mine", None)


def test_digests_ignore_inputs_that_are_not_learned() -> None:
    zeros = np.zeros((2, 3, 2), np.float32)
    some, more = zeros.copy(), np.zeros((2, 5, 2), np.float32)
    some[1, 1, 0] = more[1, 1, 0] = 1
    assert _learned(some).shape == _learned(more).shape == (2, 2, 2)
    assert _learned(zeros).shape == (2, 0, 2)
    assert _learned(np.zeros((3, 2))).shape == (3, 2)
    assert net(roles=some).digest == net(roles=more).digest != net(roles=zeros).digest
    assert net().digest != LearnedNet(spec(), arrays(), np.array([1.0, 3.0])).digest


def test_nets_are_blended_weight_by_weight() -> None:
    blended = net(bias=np.array([0, 4], np.float32)).blended(net(bias=np.array([8, 4], np.float32)), 0.25)
    assert blended.arrays["bias"].tolist() == [2, 4]
    assert blended.arrays["bias"].dtype == np.float32
    assert blended.weights.tolist() == [1, 2]


def test_a_record_says_whether_later_inputs_decide() -> None:
    rows: Any = lambda _arrays, _rules: [np.zeros((3, 2), np.float32)]  # noqa: E731
    for late, decides in ((0.0, 0), (0.5, 1)):
        made = LearnedNet(spec(item_rows=rows, deciding=("late",)), arrays(late=np.full((1, 2, 2), late)), np.zeros(2))
        assert made.record(None)["decides"] == decides


# --- nets in integers -----------------------------------------------------------------------------------------------


def test_bounds_of_rounded_weights() -> None:
    """Three rows: the largest weight is 2, the sums of sizes are 3.5 and 1; each row may be rounded up by one half."""
    weights = _Weights.of(np.array([[1, 0.5]], np.float32), np.array([[-2, 0.5], [0.5, 0]], np.float32))
    assert (weights.rows, weights.most, weights.sizes.tolist()) == (3, 2.0, [3.5, 1.0])
    assert weights.largest(3) == 16.5
    assert weights.sums(1).tolist() == [8.5, 3.5]
    assert _rounded(np.array([0.3, -0.3, 0.25], np.float32), 2).tolist() == [1, -1, 1]
    assert _pairs(np.array([[1, 2], [3, 4], [5, 6]])).tolist() == [[[1, 3], [2, 4]], [[5, 0], [6, 0]]]
    assert _finest(9, lambda bits: bits <= 4) == 4
    assert _finest(3, lambda bits: bits <= 4) == 3
    most = 2.0**31 - 1
    assert _is_within(np.array([most - 9]), np.array([-1.0], np.float32), 3)
    assert not _is_within(np.array([most - 8]), np.array([-1.0], np.float32), 3)


def test_a_small_net_has_the_finest_units() -> None:
    """Weights of one half have 14 fractional bits; the first layer's numbers have 8 more."""
    record = in_integers(SIZES, arrays(), [np.full((3, 2), 0.5, np.float32)])
    assert record["of_number"][0, :, 0].tolist() == [2**13] * 2
    assert record["of_number"][0, :, 1].tolist() == [0, 0], "the number of rows is odd"
    assert record["second"].shape == (1, 1, 2)
    assert record["bias"][0] == record["bias"][1] > 2**13


# --- weight sets ----------------------------------------------------------------------------------------------------


def sets(folder: Path, own: str = "[plain]\ncoin = 1\n", part: str = "age") -> WeightSets:
    file = folder / "weights.toml"
    file.write_text(own)
    features = {"coin": "a coin", "shield": "a shield"}
    return WeightSets(file, features, (3, 2) if part else (2,), part)


def test_sets_inherit_what_they_do_not_name(tmp_path: Path) -> None:
    shipped = sets(tmp_path, "[plain]\ncoin = 1\nshield = [1, 2, 3]\n[more]\nextends = 'plain'\ncoin = 5\n").shipped
    assert shipped["plain"].tolist() == [[1, 1], [1, 2], [1, 3]]
    assert shipped["more"].tolist() == [[5, 1], [5, 2], [5, 3]]
    assert not shipped["plain"].flags.writeable
    path = tmp_path / "mine.toml"
    path.write_text("[b]\nextends = 'a'\nshield = 7\n[a]\nextends = 'plain'\n[plain]\nextends = 'plain'\nshield = 2\n")
    mine = sets(tmp_path).read(str(path))
    assert list(mine) == ["b", "a", "plain"]
    assert mine["plain"].tolist() == mine["a"].tolist() == [[1, 2]] * 3, "a set may extend the built-in one it replaces"
    assert mine["b"].tolist() == [[1, 7]] * 3
    assert sets(tmp_path).read("shown.toml", str(path))["b"].tolist() == [[1, 7]] * 3
    flat = sets(tmp_path, part="")
    assert flat.shipped["plain"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no set: write"), ("coin = 1\n", "'coin' in .* is outside a set"),
        ("[a]\ncion = 1\n", r"unknown weight 'cion' in the set 'a' of .*did you mean 'coin'.*the weights are coin"),
        ("[a]\ncoin = [1, 2]\n", r"the weight 'coin' in the set 'a' of .* must be one number or one for each age, not"),
        ("[a]\ncoin = true\n", "must be one number or one for each age, not True"),
        ("[a]\ncoin = 'x'\n", "must be one number or one for each age, not 'x'"),
        ("[a]\ncoin = inf\n", "must be one number or one for each age, not inf"),
        ("[a]\nextends = 'plan'\n", r"extends 'plan'; accepted: plain \(did you mean 'plain'\?\)"),
        ("[a]\nextends = 'a'\n", "the weight set 'a' in .* extends 'a'; accepted: plain"),
        ("[a]\nextends = 3\n", "extends 3; accepted: plain"),
        ("[a]\nextends = 'b'\n[b]\nextends = 'a'\n", "the weight sets a -> b -> a in .* extend each other in a circle"),
    ],
)  # fmt: skip
def test_mistakes_in_weights_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=sentence):
        sets(tmp_path).read(str(path))


def test_all_mistakes_of_a_weights_file_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[a]\nx = 1\ny = 2\n[b]\nextends = 'a'\nz = 1\n")
    with pytest.raises(UserError) as caught:
        sets(tmp_path).read(str(path))
    assert [line.partition(" in the set")[0] for line in str(caught.value).splitlines()] == [
        "unknown weight 'x'", "also: unknown weight 'y'", "also: unknown weight 'z'"
    ]  # fmt: skip


def test_weights_in_a_line_up(tmp_path: Path) -> None:
    by_age, flat = sets(tmp_path), sets(tmp_path, part="")
    assert by_age.in_entry("coin", "1/2.5/0", "p") == [1.0, 2.5, 0.0]
    assert by_age.in_entry("coin", 3, "p") == by_age.in_entry("coin", "3", "p") == 3.0
    assert flat.in_entry("coin", 2.5, "p") == 2.5
    for given, value in ((by_age, "1/2"), (by_age, "1/x/2"), (by_age, True), (by_age, float("inf")), (flat, "1/2/3")):
        with pytest.raises(UserError, match="parameter coin of policy 'p' must be a number"):
            given.in_entry("coin", value, "p")


# --- pools ----------------------------------------------------------------------------------------------------------

KNOWN = {"random": "baseline", "net": "net", "balanced": "weights", "weighted": "weights", "military": "weights",
         "search": "search"}  # fmt: skip


def player(name: str) -> Player:
    return Player(name, None, np.zeros(1), np.ones((3, 2)), "")


def test_members_of_a_pool() -> None:
    assert [str(entry) for entry in named_pool("net@explore=0.5+random", KNOWN)] == ["net:explore=0.5", "random"]
    for name in ("all", "inferred"):
        assert [entry.name for entry in named_pool(name, KNOWN)] == ["balanced", "military"]
    for text, sentence in (("search", "'search' is not one of random, net, balanced, weighted, military"),
                           ("randm", r"'randm' is not one of .*did you mean 'random'"),
                           ("net@x", r"'x' in 'net@x' is not a parameter: write net@key=value"),
                           ("net@file=a", "'net@file=a' in a pool cannot read a file"),
                           ("", "parameter pool of policy 'search' must be all, inferred or")):  # fmt: skip
        with pytest.raises(UserError, match=sentence):
            named_pool(text, KNOWN)


def test_the_pool_of_everybody_has_copies_and_nets() -> None:
    made = players_of("random", KNOWN, lambda entry: player(entry.name))
    assert [one.label for one in made] == ["net", "random"], "the searcher's own player is first"
    everybody = players_of("all", KNOWN, lambda entry: player(entry.name))
    labels = [one.label for one in everybody]
    assert labels == ["net", "balanced", "military", *["balanced"] * (COPIES // 2), *["net"] * NETS]
    without = {name: kind for name, kind in KNOWN.items() if kind != "net"}
    labels = [one.label for one in players_of("inferred+random", without, lambda entry: player(entry.name))]
    assert labels == ["balanced", "balanced", "military", "random", *["balanced"] * COPIES]


def test_copies_differ_and_are_the_same_everywhere() -> None:
    weights = np.array([[1.0, -2.0], [0.0, 4.0]])
    first, second = noisy(weights, 0), noisy(weights, 1)
    assert first.tolist() == noisy(weights, 0).tolist() != second.tolist()
    assert weights.tolist() == [[1, -2], [0, 4]]
    ratio = np.array([noisy(np.ones(50), copy) for copy in range(20)])
    assert 0.5 <= ratio.min() < 0.52
    assert 1.48 < ratio.max() <= 1.5
    assert first[1, 0] == 0
    assert first[0, 1] < 0


def test_searchers_have_playouts_or_time() -> None:
    def budget(text: str, playouts: int = 200, ms: float = 0) -> Any:
        return check_budget(parse_entry(text), {"playouts": playouts, "ms": ms})

    assert budget("search") == {"playouts": 200, "ms": 0}
    assert budget("search:ms=5", ms=5) == {"playouts": 0, "ms": 5}
    assert budget("search:ms=5:playouts=0", 0, 5) == {"playouts": 0, "ms": 5}
    with pytest.raises(UserError, match="sets both playouts and ms: give only one of them"):
        budget("search:ms=5:playouts=3", 3, 5)
    with pytest.raises(UserError, match="has no playouts and no time"):
        budget("search:playouts=0", 0)
    assert [infers(pool, known=True) for pool in ("inferred", "net+inferred", "all")] == [True, True, False]
    assert not infers("all", known=False)
    with pytest.raises(UserError, match="cannot infer their rivals' policies: use all instead of 'inferred'"):
        infers("inferred", known=False)


# --- line-ups -------------------------------------------------------------------------------------------------------


def test_parameters_are_checked_by_kind() -> None:
    whole, share = Parameter("depth", int, 2, "", 0, 10), Parameter("share", float, 0.5, "")
    flag, text = Parameter("keen", bool, True, ""), Parameter("book", str, "", "")
    assert [whole.check(value, "p") for value in (0, 10)] == [0, 10]
    assert [share.check(value, "p") for value in (1, -2.5)] == [1.0, -2.5]
    assert (flag.check(False, "p"), text.check(3, "p")) == (False, "3")
    wrong: list[tuple[Parameter, Any, str]] = [
        (whole, 11, "must be a whole number from 0 to 10, not 11"), (whole, -1, "from 0 to 10"),
        (whole, 1.0, "a whole number from 0 to 10, not 1.0"), (whole, True, "not True"),
        (share, "x", "must be a number, not 'x'"), (share, float("nan"), "must be a number, not nan"),
        (share, 10**400, "must be a number, not 1000"), (flag, 1, "must be true or false, not 1"),
        (text, True, "must be text, not True"),
    ]  # fmt: skip
    for parameter, value, sentence in wrong:
        with pytest.raises(UserError, match=sentence):
            parameter.check(value, "p")
    assert [str(one) for one in (whole, flag)] == ["depth=2", "keen=true"]
    interface: Any = SimpleNamespace(records=(None, {"parameters": np.zeros(5)}))
    values = {"depth": 3, "book": "x", "keen": True, "explore": 0.25}
    assert _parameters_of((whole, text, flag), values, interface).tolist() == [3, 1, 0, 0, 0.25]
    assert [explores(Entry("p", {"explore": chance})) for chance in (0, 0.1)] == [False, True]
    assert not explores(Entry("p"))
    assert EXPLORE.most == 1
    numbers, other = np.ones(2), np.zeros(2)
    found = {_digest("s", numbers, other), _digest("t", numbers, other), _digest("s", other, numbers)}
    assert len(found) == 3


def line_up_of(*players: Player, seats: int = 3) -> LineUp:
    return LineUp.of(players, seats)


def test_players_repeat_until_the_seats_are_filled() -> None:
    pool = Pool("all", (player("x"), player("y")))
    searching = Player("s", "f", np.array([5.0]), np.zeros((3, 2)), "d", pool=pool)
    made = line_up_of(player("a"), searching)
    assert made.labels == ("a", "s")
    assert made.functions == (None, "f", None)
    assert made.parameters.tolist() == [[0], [5], [0]]
    assert made.digests == {"a": "", "s": "d"}
    assert [one.label for one in made.pooled] == ["x", "y"]
    assert made.entry_points == (None, "f", None, None, None)
    kinds = [("parameters", "f8", (1,)), ("settings_at", "i8"), ("pool_at", "i8"), ("pool_size", "i8")]
    seating = {name: np.zeros((6, *shape[0]) if shape else 6) for name, _, *shape in kinds}
    seating["settings"] = [{"weights": None} for _ in range(6)]  # type: ignore[assignment]
    made.fill(seating, None)
    assert seating["parameters"][:, 0].tolist() == [0, 5, 0, 0, 0, 0]
    assert seating["settings_at"].tolist() == [0, 1, 0, 0, 0, 0], "equal weights share a slot"
    assert seating["pool_at"].tolist() == [0, 3, 0, 0, 0, 0]
    assert seating["pool_size"].tolist() == [0, 2, 0, 0, 0, 0]
    other = {name: values.copy() for name, values in seating.items() if name != "settings"}
    made.fill_in_order(other, seating, np.array([1, 0]))
    assert other["parameters"][:, 0].tolist() == [5, 0, 0, 0, 0, 0]
    assert other["pool_at"].tolist() == [3, 0, 0, 0, 0, 0]
    for count in (1, 3):
        check_length(["x"] * count, 3)
    with pytest.raises(UserError, match="2 policies for 3 players: give one for all seats or one per seat"):
        check_length(["x"] * 2, 3)


# --- chances --------------------------------------------------------------------------------------------------------


def test_chances_of_seats() -> None:
    assert per_seat("x", " a ", 3) == ["a", "a", "a"]
    assert per_seat("x", "a, b,c", 3) == ["a", "b", "c"]
    with pytest.raises(UserError, match="option x gives 2 values for 3 seats: give one value or 3"):
        per_seat("x", "a,b", 3)
    assert list(chances("x", "0,1,0.5", 3)) == [0, 1, 0.5]
    for text in ("-0.1", "1.1", "often", "nan"):
        with pytest.raises(UserError, match="option x must be a probability from 0 to 1, not"):
            chances("x", text, 1)
    assert list(overruling_of({}, 2)) == [0, 0]
    assert list(overruling_of({"overrule": "0.1"}, 2)) == [0.1, 0.1]
    assert list(overruling_of({"worth": "0", "overrule": "0.1"}, 1)) == [0.1]
    with pytest.raises(UserError, match="leave out overrule"):
        overruling_of({"worth": "0.4", "overrule": "0.1"}, 2)
    with pytest.raises(UserError, match="option worth must be a probability"):
        overruling_of({"worth": "2"}, 2)
    assert [follows({"character": text}) for text in ("true", "false")] == [True, False]
    assert not follows({}, picks=True)
    with pytest.raises(UserError, match="must be true or false, not 'yes'"):
        follows({"character": "yes"})
    with pytest.raises(UserError, match="character cannot be combined with picks"):
        follows({"character": "true"}, picks=True)


# --- watched decisions ----------------------------------------------------------------------------------------------


def test_a_slow_decision_is_remarked_once() -> None:
    """Looked at from 100 s on, after the first request: it lasts 2 s, 60 s, 61 s; then the next one begins."""
    said: list[str] = []
    watch = Watch(60.0, 1000.0, said.append)
    watch._thread = cast("Any", SimpleNamespace(is_alive=lambda: True))
    answer: dict[str, Any] = {"asked": 5, "number": 7, "seat": 2}
    played = _Played(watch, lambda _answer: "slow", answer, numbered=True)
    played.__enter__()
    assert watch.look(90.0) == "", "nothing was asked yet"
    answer["asked"] = 6
    assert watch.look(100.0) == ""
    assert watch.look(100.9) == ""
    assert watch.look(102.0) == "policy 'slow' has been deciding for 2 s, in game 7, seat 2"
    assert said == []
    watch.look(160.0)
    watch.look(161.0)
    assert said == ["policy 'slow' has been deciding for 60 s, in game 7, seat 2"]
    answer["asked"] = 7
    assert watch.look(200.0) == ""
    watch.look(260.0)
    assert len(said) == 2
    played.numbered = False
    assert watch.look(262.0) == "policy 'slow' has been deciding for 62 s, seat 2"
    played.__exit__(None, None, None)
    assert watch.look(300.0) == ""
    with watched(False, lambda _answer: "x", None, numbered=True):
        pass


class Table(Answering):
    def __init__(self, *compiled: str, complaints: Mapping[str, Any] | None = None) -> None:
        self.labels, self.limit_error = ("a", "b"), None
        self.plugged = cast("Any", {
            name: SimpleNamespace(complaint=lambda _label, _where, name=name: (complaints or {}).get(name),
                                  declaration=SimpleNamespace(python=name not in compiled))
            for name in ("a", "b")})  # fmt: skip


def test_failures_of_policies_in_one_sentence() -> None:
    answer = {"entry": 3, "number": 7, "seat": 2, "index": 9, "count": 4}
    assert Table().label_of(answer) == "b"
    assert Table().label_of({"entry": 1}, np.array([1, 0])) == "a"
    with pytest.raises(UserError, match=r"^policy 'b' returned 9 in game 7, seat 2: .* legal moves, from 0 to 3$"):
        Table().raise_wrong(answer, numbered=True)
    with pytest.raises(UserError, match=r"^policy 'b' returned 9 in seat 2: it must return an index"):
        Table().raise_wrong(answer)
    with pytest.raises(UserError, match="complaint of a"):
        Table(complaints={"a": UserError("complaint of a")}).raise_wrong(answer)
    Table("a").raise_failure()
    error = ZeroDivisionError("by\nzero")
    Table().raise_failure(error)
    with pytest.raises(UserError, match=r"^policy 'b' raised ZeroDivisionError: by zero, in game 7$"):
        Table("a", "b").raise_failure(error, ", in game 7", "b")
    with pytest.raises(UserError, match=r"^policy 'a' or 'b' raised ZeroDivisionError"):
        Table("a", "b").raise_failure(error, "", "other")


# --- confined processes ---------------------------------------------------------------------------------------------


def process(*lines: Any, code: int | None = 0) -> Any:
    """Return a process that has written lines, each as JSON, and has ended with a code."""
    made: Any = object.__new__(ConfinedProcess)
    waiting = iter(lines)
    made.line = lambda _seconds: json.dumps(next(waiting)).encode()
    made._popen = SimpleNamespace(
        returncode=code, wait=lambda _seconds: None, kill=lambda: None, stdin=None, stdout=None
    )
    made.ended = []
    made.end = lambda: made.ended.append(True)
    return made


def test_what_a_process_writes_is_shortened_to_one_printable_line() -> None:
    assert printable("a\n b\x1b[0m\t") == "a b?[0m"
    assert printable("x" * (TEXT + 1)) == "x" * TEXT
    assert printable(7) == "7"


def test_code_is_loaded_or_the_reason_is_told() -> None:
    assert process(["no\nnetwork"], {"name": "bold"}).loaded() == (["no network"], {"name": "bold"})
    with pytest.raises(UserError, match="no such file"):
        process([], {"error": "no such\nfile"}).loaded()
    with pytest.raises(UserError, match="cannot confine"):
        process({"error": "cannot confine"}).loaded()
    failing = process()
    for error in (ValueError(), OSError(), KeyError("x")):
        with (
            pytest.raises(UserError, match="the code cannot be loaded: its process ended or did not answer correctly"),
            failing.loading("the code"),
        ):
            raise error
    with pytest.raises(UserError, match=r"^said$"), failing.loading("the code"):
        raise UserError("said")
    assert failing.ended == [True] * 4
    with failing.loading("the code"):
        pass
    assert len(failing.ended) == 4
    ends = {code: process(code=code).why_ended() for code in (0, 3, -9)}
    assert ends == {
        0: "ended its process (exit 0)",
        3: "ended its process (exit 3)",
        -9: "ended its process (signal 9)",
    }
    assert nets.MAX_BYTES == 64 << 20
