"""Options for comparing policies with people."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.options import Options, argument, level_option


@dataclass(frozen=True)
class LikenessQuestion(Options):
    """Compare people's games with simulated runs: which policy plays most like these people, and how strong they are.

    In each run, one policy plays all seats, with the same rules and number of players as the people. Runs of weaker and
    stronger policies bracket people's scores.
    """

    folders: tuple[str, ...] = argument(
        "Run folder written by wsim import, followed by run folders of simulated games.",
        (),
        metavar="RUN...",
        file=True,
        label="Which games of people, and which runs to compare them with?",
        picker="run",
        example="people study",
    )
    level: float = level_option()
