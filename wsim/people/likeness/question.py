"""The options of the question "Which policy plays like people?"."""

from __future__ import annotations

from dataclasses import dataclass

from wsim.options import Options, argument, level_option


@dataclass(frozen=True)
class LikenessQuestion(Options):
    """Compare people's games with several simulated runs: which policy is most like these people, and at what skill.

    Each run is played by one policy in all seats, with the rules and number of players of the people. Runs of weaker
    and stronger policies say between which of them people's scores are.
    """

    folders: tuple[str, ...] = argument(
        "Run folder written by wsim import, then those of simulated games.",
        (),
        metavar="RUN...",
        file=True,
        label="Which games of people, and which runs to compare them with?",
        picker="run",
        example="people study",
    )
    level: float = level_option()
