"""Paths of the files that belong to this installation of wsim."""

from __future__ import annotations

from pathlib import Path

from wsim.errors import UserError

PACKAGE = Path(__file__).resolve().parent
_CHECKOUT_CARDS = PACKAGE.parent / "cards.toml"


def default_cards_path() -> Path:
    """Return the path of the built-in cards.toml: at the top of the checkout, otherwise inside the wheel."""
    inside = PACKAGE / "cards.toml"
    in_checkout = _CHECKOUT_CARDS.is_file() and (PACKAGE.parent / "pyproject.toml").is_file()
    for path in (_CHECKOUT_CARDS, inside) if in_checkout else (inside, _CHECKOUT_CARDS):
        if path.is_file():
            return path
    raise UserError(
        f"cards.toml is missing from this installation of wsim: neither {inside} nor {_CHECKOUT_CARDS} exists"
    )


def is_in_wsim(path: Path) -> bool:
    """Return whether a file is part of this installation of wsim."""
    return path == _CHECKOUT_CARDS or path.is_relative_to(PACKAGE)
