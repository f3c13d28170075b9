"""Where the files that belong to this wsim lie."""

from __future__ import annotations

from pathlib import Path

from wsim.errors import UserError

__all__ = ["default_cards_path"]

_PACKAGE = Path(__file__).resolve().parent


def default_cards_path() -> Path:
    """Return the cards.toml of this wsim: the one at the top of the checkout, else the one inside the wheel."""
    beside, inside = _PACKAGE.parent / "cards.toml", _PACKAGE / "cards.toml"
    in_checkout = beside.is_file() and (_PACKAGE.parent / "pyproject.toml").is_file()
    for path in (beside, inside) if in_checkout else (inside, beside):
        if path.is_file():
            return path
    raise UserError(f"cards.toml is missing from this installation of wsim: neither {inside} nor {beside} exists")
