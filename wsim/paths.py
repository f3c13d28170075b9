"""Where the files that belong to this wsim lie."""

from __future__ import annotations

from pathlib import Path

from wsim.errors import UserError

PACKAGE = Path(__file__).resolve().parent
_BESIDE = PACKAGE.parent / "cards.toml"


def default_cards_path() -> Path:
    """Return the cards.toml of this wsim: the one at the top of the checkout, else the one inside the wheel."""
    inside = PACKAGE / "cards.toml"
    in_checkout = _BESIDE.is_file() and (PACKAGE.parent / "pyproject.toml").is_file()
    for path in (_BESIDE, inside) if in_checkout else (inside, _BESIDE):
        if path.is_file():
            return path
    raise UserError(f"cards.toml is missing from this installation of wsim: neither {inside} nor {_BESIDE} exists")


def is_own(path: Path) -> bool:
    """Say whether a file came with wsim."""
    return path == _BESIDE or path.is_relative_to(PACKAGE)
