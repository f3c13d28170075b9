"""A griffe extension that turns the parameters and attributes of docstrings, ``name: description``, into lists."""

from __future__ import annotations

import re
from typing import Any

import griffe

HEAD = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^([\w*/.]+(?:, [\w*/.]+)*): ", re.MULTILINE)
EXAMPLE = re.compile(r"^((?:>>>|==) ?.*)$", re.MULTILINE)


class Lists(griffe.Extension):
    """Convert docstrings to Markdown."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Convert the docstring of each object."""
        if obj.docstring is not None:
            text = HEAD.sub(r"**\1**\n", obj.docstring.value)
            text = EXAMPLE.sub(r"    \1", ENTRY.sub(r"* `\1`: ", text))
            obj.docstring.value = text.replace("::\n", ":\n").replace("``", "`")
