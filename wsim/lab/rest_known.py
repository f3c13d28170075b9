"""Known differences of figures between good players: from the run folder, or shipped with the game. They are known for
a catalogue, a rule set, a number of players and options of the game, and for some policies; only a run whose seats are
all played by these policies shows them. An answer in the run folder takes precedence over the shipped figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.files import json_of, text_within
from wsim.game import find_game
from wsim.lab.plan import digest_of
from wsim.stats.between import Between

OF_ANSWERS = ("wsim-robustness/1", "wsim-rest/1")
_NOT_OF_THE_RULES = ("engine", "policies", "catalogue", "changes")
"""Entries of a rules record that are not rules: the policies, file names, how the catalogue was requested."""


def known_between(provenance: Mapping[str, Any], folder: Path | None, table: str) -> Between | None:
    """Return how much the figures of a table of a run differ between players; None if that is unknown.

    Parameters
    ----------
    provenance: the identity of the run. folder: the run folder, if there is one.

    Raises UserError for a damaged answer of ``wsim robustness`` in the folder.
    """
    here = _conditions(provenance)
    playing = set(provenance["plan"]["policies"])
    for one in _known(folder, provenance["plan"]["game"]):
        figures = one["figures"].get(table)
        if figures and _set(one["conditions"]) == _set(here) and playing <= set(one["identities"]):
            return Between(tuple(one["players"]), one["games"], figures)
    return None


def between_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the differences in an answer of ``wsim robustness``; raise KeyError, TypeError or the like if it is
    damaged."""
    figures: dict[str, dict[str, float]] = {}
    for row in record["items"] if "items" in record else record["things"]:
        sd = row.get("shrunk", row["between"])
        if sd is not None:
            figures.setdefault(row["table"], {})[row["item"] if "item" in row else row["thing"]] = sd
    identities = [one["identity"] for one in record["made"]]
    return {
        "conditions": _conditions(identities[0]),
        "players": list(record["policies"]),
        "identities": [policy for identity in identities for policy in identity["plan"]["policies"]],
        "games": int(record["games"]),
        "figures": figures,
    }


def _conditions(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the conditions of a figure apart from the policies."""
    plan = identity["plan"]
    names = ("game", "ruleset", "players", *find_game(plan["game"]).OPTIONS)
    rules = {key: value for key, value in identity["rules"].items() if key not in _NOT_OF_THE_RULES}
    return {**{name: plan.get(name) for name in names}, "rules": digest_of(rules)}


def _set(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the conditions that are set; options of a later version are not set in older records."""
    return {name: value for name, value in conditions.items() if value is not None}


def _known(folder: Path | None, game: str) -> Iterator[Mapping[str, Any]]:
    """Yield all known differences: those in the folder, the latest first, then those shipped with the game."""
    here = [] if folder is None else [*folder.glob("robustness*.json"), *folder.glob("rest*.json")]
    for path in sorted(here, key=lambda one: one.stat().st_mtime, reverse=True):
        try:
            record = json_of(text_within(path))
            if record["format"] in OF_ANSWERS:
                yield between_of(record)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise UserError(f"{str(path)!r} is not an answer of wsim robustness, or is damaged: {error!r}") from error
    shipped = find_game(game).REST
    if shipped is not None:
        yield from _shipped(shipped)


@cache
def _shipped(path: Path) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["known"]
    return found
