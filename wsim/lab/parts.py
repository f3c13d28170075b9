"""Parts of a run: ranges of its shards that are played separately and joined later (``wsim merge``).

A part has the same plan, identity and shard size as the whole run, so its files equal those of an undivided run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wsim.errors import UserError

_FORM = re.compile(r"(\d{1,9})/(\d{1,9})")


@dataclass(frozen=True)
class Part:
    """Part ``number`` of ``of`` parts, counted from 1 and written ``3/16``."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """Parse a part such as ``3/16``; raise UserError if it is invalid."""
        match = _FORM.fullmatch(text.strip())
        if match is None:
            raise UserError(f"a part must look like 3/16 (the third of sixteen), not {text!r}")
        number, of = int(match[1]), int(match[2])
        if not 1 <= number <= of:
            raise UserError(f"part {text.strip()} does not exist: parts are numbered from 1/{of} to {of}/{of}")
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def games(self, games: int, shard_games: int) -> range:
        """Return the range of games in this part: whole shards, with about the same number of shards in every part."""
        shards = -(-games // shard_games)
        first, end = (shards * bound // self.of * shard_games for bound in (self.number - 1, self.number))
        return range(first, min(end, games))

    def check(self, games: int, shard_games: int) -> None:
        """Raise UserError if a run has fewer shards than parts, so that some parts would be empty."""
        shards = -(-games // shard_games)
        if shards < self.of:
            smaller = f", or add --shard-games {games // self.of}" if games >= self.of else ""
            raise UserError(
                f"{self.of} parts need {self.of} shards, but {games:,} games make {shards} of {shard_games:,} games: "
                f"use at most {shards} parts{smaller}"
            )


WHOLE = Part(1, 1)
"""The whole run as a single part."""
