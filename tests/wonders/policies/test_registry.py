"""The registry of policies, line-ups and weight sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.policies.lineups import WEIGHTS as SETS_OF_WEIGHTS
from tests.policies.lineups import resolve
from wsim.errors import UserError
from wsim.wonders.game import GAME
from wsim.wonders.kernels.layout import WEIGHTS
from wsim.wonders.policies.features import FEATURES, INDEX
from wsim.wonders.registry import REGISTRY
from wsim.wonders.words import AGES, PARAMETERS, SEATS

SETS = ("balanced", "military", "science", "civilian", "commerce", "guilds")


# --- the registry ---------------------------------------------------------------------------------------------------


def test_the_registry_lists_every_policy_with_its_documentation() -> None:
    rows = {row["name"]: row for row in GAME.policies()}
    simple = ["random", "first", "greedy", "rulebased"]
    assert [*rows][: len(REGISTRY)] == [*simple, "weighted", *SETS, "net", "mixed", "search", "endgame"]
    for row in rows.values():
        assert list(row) == ["name", "kind", "idea", "parameters", "source", "random"]
    for name in REGISTRY:
        assert rows[name]["idea"]
        assert rows[name]["source"]
        assert "explore=0.0" in rows[name]["parameters"]
    assert {rows[name]["kind"] for name in REGISTRY} == {"baseline", "heuristic", "weights", "net", "search"}
    assert [name for name in REGISTRY if rows[name]["random"]] == [
        "random",
        "first",
        "rulebased",
        "mixed",
        "search",
        "endgame",
    ]


def test_every_weight_set_is_a_named_policy() -> None:
    others = {"flat", "tuned"}  # where tuning began, and where it ended: played as weighted:set=tuned, in nobody's pool
    assert set(SETS_OF_WEIGHTS.shipped) - others == set(SETS)
    assert [name for name, policy in REGISTRY.items() if policy.weights] == list(SETS)
    for name in SETS:
        assert resolve([name], 3).weights[0].tolist() == SETS_OF_WEIGHTS.shipped[name].tolist()


# --- line-ups -------------------------------------------------------------------------------------------------------


def test_a_single_entry_plays_every_seat() -> None:
    line_up = resolve(["greedy"], 5)
    assert line_up.labels == ("greedy",) * 5
    assert len(line_up.functions) == SEATS
    assert len({id(function) for function in line_up.functions}) == 1


def test_a_line_up_has_one_entry_per_seat() -> None:
    line_up = resolve(["random", "military", "random:explore=0.5", "greedy:explore=0.1"], 4)
    assert line_up.labels == ("random", "military", "random:explore=0.5", "greedy:explore=0.1")
    assert line_up.parameters.shape == (SEATS, PARAMETERS)
    assert line_up.weights.shape == (SEATS, AGES, WEIGHTS)
    assert line_up.parameters[3, -1] == 0.1
    assert line_up.weights[1].any()
    assert not line_up.weights[3].any()
    assert line_up.functions[0] is line_up.functions[2]
    assert list(line_up.digests) == list(line_up.labels)


def test_a_digest_identifies_the_play_of_an_entry(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[only]\nextends = 'military'\n")
    entries = (
        "military",
        "weighted:set=military",
        f"weighted:file={file}",
        "military:shield=9",
        "military:explore=0.5",
    )
    digests = list(resolve(entries, 5).digests.values())
    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests)) == 3
    file.write_text("[only]\nextends = 'science'\n")
    assert resolve(entries, 5).digests[entries[2]] == resolve(["science"], 5).digests["science"]


def test_equal_entries_share_a_label() -> None:
    assert (
        resolve(["greedy:explore=0.10", "random", "greedy:explore=.1"], 3).labels[0::2] == ("greedy:explore=0.1",) * 2
    )


@pytest.mark.parametrize(("entries", "seats"), [(["random"] * 2, 4), (["random"] * 5, 4), (["random,greedy"], 3)])
def test_other_numbers_of_entries_are_rejected(entries: list[str], seats: int) -> None:
    with pytest.raises(UserError, match=rf"\d policies for {seats} players: give one for all seats or one per seat"):
        resolve(entries, seats)


def test_weighted_plays_any_weight_set() -> None:
    assert resolve(["weighted"], 3).weights[0].tolist() == SETS_OF_WEIGHTS.shipped["balanced"].tolist()
    assert resolve(["weighted:set=military"], 3).weights[0].tolist() == SETS_OF_WEIGHTS.shipped["military"].tolist()


def test_an_entry_may_set_individual_weights() -> None:
    weights = resolve(["military:shield=9"], 3).weights[0]
    assert weights[:, INDEX["shield"]].tolist() == [9.0, 9.0, 9.0]
    assert weights[0, INDEX["raw_1"]] == SETS_OF_WEIGHTS.shipped["military"][0, INDEX["raw_1"]]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("balancd", r"unknown policy 'balancd' \(did you mean 'balanced'\?\); accepted: random, first, "),
        (
            "greedy:explor=1",
            r"policy 'greedy' has no parameter 'explor' \(did you mean 'explore'\?\): accepted are explore",
        ),
        ("greedy:explore=2", r"parameter explore of policy 'greedy' must be a number from 0 to 1, not 2$"),
        ("greedy:explore=-0.1", r"must be a number from 0 to 1, not -0.1"),
        ("greedy:explore=nan", r"must be a number from 0 to 1, not nan"),
        ("greedy:explore=true", r"must be a number from 0 to 1, not True"),
        ("greedy:explore=much", r"must be a number from 0 to 1, not 'much'"),
        ("weighted:set=militry", r"unknown weight set 'militry' \(did you mean 'military'\?\); accepted: balanced, "),
        ("balanced:set=military", r"policy 'balanced' has no parameter 'set'"),
        ("balanced:sheild=1", r"has no parameter 'sheild' \(did you mean 'shield"),
        ("balanced:shield=x", r"parameter shield of policy 'balanced' must be a number, or one for each age as in 1/2"),
        ("balanced:military", r"'military' is not a parameter of policy 'balanced': write balanced:key=value"),
        ("weighted:file=none.toml", r"cannot read the weights file 'none.toml': No such file"),
    ],
)
def test_mistakes_in_entries_are_named(entry: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        resolve([entry], 3)


# --- weight sets ----------------------------------------------------------------------------------------------------


def test_every_weight_has_an_index_and_a_description() -> None:
    assert len(FEATURES) <= WEIGHTS
    assert list(INDEX.values()) == list(range(len(FEATURES)))
    assert all(FEATURES.values())


@pytest.mark.parametrize("name", SETS)
def test_no_weight_set_rewards_helping_rivals_or_harming_itself(name: str) -> None:
    weights = SETS_OF_WEIGHTS.shipped[name]
    for good in ("point", "coin", "reserve", "rivals_loss", "rivals_debt", "diplomacy", "truce", "science"):
        assert weights[:, INDEX[good]].min() > 0, good
    for bad in ("rivals_coin", "debt"):
        assert weights[:, INDEX[bad]].max() < 0, bad
    for useless_in_age_three in ("raw_1", "made_1", "either_two", "either_more", "discount"):
        assert weights[2, INDEX[useless_in_age_three]] == 0


def test_a_user_weights_file_may_extend_sets(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text("[mine]\nextends = 'warlike'\ncoin = 1\n\n[warlike]\nextends = 'balanced'\nshield = [9, 8, 7.5]\n")
    sets = SETS_OF_WEIGHTS.read(str(file))
    expected = SETS_OF_WEIGHTS.shipped["balanced"].copy()
    expected[:, INDEX["shield"]] = (9, 8, 7.5)
    assert np.array_equal(sets["warlike"], expected)
    expected[:, INDEX["coin"]] = 1
    assert np.array_equal(sets["mine"], expected)
    line_up = resolve([f"weighted:file={file}:set=mine"], 3)
    assert np.array_equal(line_up.weights[0], expected)
    assert line_up.digests[line_up.labels[0]].startswith("sha256:")


def test_a_file_with_one_set_needs_no_choice(tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text("[only]\npoint = 2\n")
    weights = resolve([f"weighted:file={file}"], 3).weights[0]
    assert weights[:, INDEX["point"]].tolist() == [2.0] * 3
    assert np.count_nonzero(weights) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"has no set"),
        ("point = 1", r"'point' in .* is outside a set"),
        ("[a", r"line 1: not valid TOML \("),
        ("[a]\npiont = 1", r"unknown weight 'piont' in the set 'a' of .*did you mean 'point'"),
        (
            "[a]\npoint = 'x'",
            r"the weight 'point' in the set 'a' of .* must be one number or one for each age, not 'x'",
        ),
        ("[a]\npoint = [1, 2]", r"one for each age, not \[1, 2\]"),
        ("[a]\npoint = nan", r"not nan"),
        ("[a]\npoint = true", r"not True"),
        ("[a]\nextends = 'balancd'", r"extends 'balancd'; accepted: .*did you mean 'balanced'"),
        ("[a]\nextends = 'b'\n[b]\nextends = 'a'", r"a -> b -> a in .* extend each other in a circle"),
        ("[a]\npoint = 1\n[b]\npoint = 1", r"has the sets a, b: choose one with set="),
    ],
)
def test_mistakes_in_weights_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "my.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        resolve([f"weighted:file={file}"], 3)
