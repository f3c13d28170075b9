"""The environment of measured processes."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["environment_of"]


def environment_of(checkout: Path, modules: Path) -> dict[str, str]:
    """Return the environment of a process that runs a checkout.

    Compiled modules are stored in ``modules``, as in an installed wsim, regardless of the settings of this process.
    """
    own = {"PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": str(modules)}
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own
