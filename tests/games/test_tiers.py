"""Tests in shares (``pytest --share 2/4``)."""

from __future__ import annotations

import pytest

from tests.tiers import in_share, share


def test_a_share_is_counted_from_one() -> None:
    assert share("1/4") == (0, 4)
    assert share("4/4") == (3, 4)
    assert share("12/30") == (11, 30)


@pytest.mark.parametrize("text", ["0/4", "5/4", "2", "2/", "2/4/8", "a/b", "1/0", ""])
def test_what_names_no_share_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        share(text)


def test_each_test_is_in_one_share_and_shares_are_about_equal() -> None:
    tests = [f"tests/a/test_b.py::test_c[{number}]" for number in range(2000)]
    dealt = [[number for number in range(4) if in_share(test, number, 4)] for test in tests]
    assert {len(shares) for shares in dealt} == {1}
    assert all(400 < dealt.count([number]) < 600 for number in range(4))
    assert in_share("tests/a.py::b", 3, 4)  # crc32 0xe4b947f7: the same on every machine
