"""The kinds of answers that can be asked again from a file: ``wsim rerun``. A new question is one more here."""

from __future__ import annotations

from collections.abc import Mapping

from wsim.experiments.matches.playing import Match
from wsim.experiments.picks import PickExperiment
from wsim.experiments.skill import Skill
from wsim.experiments.whatif import WhatIf
from wsim.lab.answer import Answer

KINDS: Mapping[str, type[Answer]] = {kind.FORMAT: kind for kind in (WhatIf, PickExperiment, Match, Skill)}
"""By the format that a file names."""
