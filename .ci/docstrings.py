"""An extension of griffe: the parameters and attributes of docstrings, ``name: what it is``, become lists."""

from __future__ import annotations

import re
from typing import Any

import griffe

HEAD = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^([\w*/.]+(?:, [\w*/.]+)*): ", re.MULTILINE)
EXAMPLE = re.compile(r"^((?:>>>|==) ?.*)$", re.MULTILINE)


class Lists(griffe.Extension):
    """Write docstrings in the form that Markdown shows."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of every object."""
        if obj.docstring is not None:
            text = HEAD.sub(r"**\1**\n", obj.docstring.value)
            text = EXAMPLE.sub(r"    \1", ENTRY.sub(r"* `\1`: ", text))
            obj.docstring.value = text.replace("::\n", ":\n").replace("``", "`")
