"""A part of a run: some of its shards, one after the other, played by themselves and joined later (``wsim merge``).

A part has the plan, the identity and the shards of the whole run, so its files are those of the run made in one go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wsim.errors import UserError

_FORM = re.compile(r"(\d{1,9})/(\d{1,9})")


@dataclass(frozen=True)
class Part:
    """Part ``number`` (from 1) of ``of`` parts, written ``3/16``."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """Read ``3/16``; raise UserError for anything else."""
        match = _FORM.fullmatch(text.strip())
        if match is None:
            raise UserError(f"a part is written 3/16, the third of sixteen, not {text!r}")
        number, of = int(match[1]), int(match[2])
        if not 1 <= number <= of:
            raise UserError(f"part {text.strip()} does not exist: parts are numbered from 1/{of} to {of}/{of}")
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def games(self, games: int, shard_games: int) -> range:
        """Return the games of this part of a run: whole shards, about as many in every part."""
        shards = -(-games // shard_games)
        first, end = (shards * bound // self.of * shard_games for bound in (self.number - 1, self.number))
        return range(first, min(end, games))

    def check(self, games: int, shard_games: int) -> None:
        """Raise UserError if a run has fewer shards than parts: some would be empty."""
        shards = -(-games // shard_games)
        if shards < self.of:
            smaller = f", or --shard-games {games // self.of} for all of them" if games >= self.of else ""
            raise UserError(
                f"{self.of} parts need {self.of} shards, and {games:,} games are {shards} of {shard_games:,} games: "
                f"play at most {shards} parts{smaller}"
            )


WHOLE = Part(1, 1)
"""All of a run."""
