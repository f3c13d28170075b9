"""The environment of a process that is measured."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["environment_of"]


def environment_of(checkout: Path, modules: Path) -> dict[str, str]:
    """Return the environment of a process that runs a checkout.

    Its modules are kept compiled in ``modules``, as where wsim is installed, whatever is set here.
    """
    own = {"PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": str(modules)}
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own
