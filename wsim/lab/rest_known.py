"""Look up between-player differences of figures, in the run folder or in records shipped with the game.

Each record is for one catalogue, rule set, number of players and set of game options, and for some policies; it applies
only to runs in which these policies play all seats. An answer in the run folder takes precedence over shipped records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from wsim.errors import UserError
from wsim.files import json_of, text_within
from wsim.game import find_game
from wsim.lab.plan import digest_of
from wsim.stats.between import Between

OF_ANSWERS = ("wsim-robustness/1", "wsim-rest/1")
_NOT_OF_THE_RULES = ("engine", "policies", "catalogue", "changes")
"""Entries of a rules record that are not rules: policies, file names, and how the catalogue was requested."""


_DIGITS = 4
SAME_PLAN = {"net:seed=1": "net", "net:seed=2": "net"}
"""Policies trained with the same plan as another policy but on different deals; each pair forms one family."""


def known_between(provenance: Mapping[str, Any], folder: Path | None, table: str) -> Between | None:
    """Return the between-player differences of a table's figures; None if they are unknown for the run.

    Parameters
    ----------
    provenance: the identity of the run. folder: the run folder, if there is one.

    Raises UserError for a damaged answer of ``wsim robustness`` in the folder.
    """
    conditions = conditions_of(provenance)
    playing = set(provenance["plan"]["policies"])
    for record in _known_differences(folder, provenance["plan"]["game"]):
        figures = record["figures"].get(table)
        if (
            figures
            and _conditions_set(record["conditions"]) == _conditions_set(conditions)
            and playing <= set(record["identities"])
        ):
            values = {item: row[:-1] for item, row in figures.items()}
            noise = {item: row[-1] for item, row in figures.items()}
            games = record.get("games_of", {}).get(table, record["games"])
            return Between(tuple(record["players"]), len(next(iter(values.values()))), games, values, noise)
    return None


def families_of(policies: Sequence[str]) -> dict[str, list[int]]:
    """Return the indices of the policies in each family; policies trained with the same plan form one family."""
    families: dict[str, list[int]] = {}
    for number, policy in enumerate(policies):
        families.setdefault(SAME_PLAN.get(policy, policy), []).append(number)
    return families


def between_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mean figures of each policy family in a ``wsim robustness`` answer, by table and item.

    Raises KeyError, TypeError or similar for a damaged record.
    """
    policies = list(record["policies"])
    families = families_of(policies)
    figures: dict[str, dict[str, list[float]]] = {}
    values: dict[tuple[str, str], dict[str, float | None]] = {}
    for row in record["figures"]:
        values.setdefault((row["table"], row["item"]), {})[row["policy"]] = row["figure"]
    for row in record["items"]:
        measured = [values[row["table"], row["item"]].get(policy) for policy in policies]
        known = np.array([np.nan if value is None else value for value in measured], float)
        if len(families) < 2 or row["between"] is None or not np.isfinite(known).all():
            continue
        means = [round(float(known[members].mean()), _DIGITS) for members in families.values()]
        noise = max(float(known.var(ddof=1)) - row["between"] ** 2, 0.0)
        figures.setdefault(row["table"], {})[row["item"]] = [*means, noise]
    identities = [entry["identity"] for entry in record["made"]]
    return {
        "conditions": conditions_of(identities[0]),
        "players": policies,
        "identities": [policy for identity in identities for policy in identity["plan"]["policies"]],
        "games": int(record["games"]),
        "figures": figures,
    }


def _renamed(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a recorded ``wsim robustness`` answer with former key names replaced by the current ones."""
    names = {"things": "items", "thing": "item"}
    rows = {names.get(key, key): value for key, value in record.items()}
    for table in ("items", "figures"):
        rows[table] = [{names.get(key, key): value for key, value in row.items()} for row in rows[table]]
    return rows


def conditions_of(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the conditions that affect a figure besides the policies. ``worth`` is not one: it only adds games."""
    plan = identity["plan"]
    names = ("game", "ruleset", "players", *(name for name in find_game(plan["game"]).OPTIONS if name != "worth"))
    rules = {key: value for key, value in identity["rules"].items() if key not in _NOT_OF_THE_RULES}
    return {**{name: plan.get(name) for name in names}, "rules": digest_of(rules)}


def _conditions_set(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the conditions that are not None, because older records lack options that were added later."""
    return {name: value for name, value in conditions.items() if value is not None}


def _known_differences(folder: Path | None, game: str) -> Iterator[Mapping[str, Any]]:
    """Yield all records of differences: first those in the folder, latest first, then those shipped with the game."""
    paths = [] if folder is None else [*folder.glob("robustness*.json"), *folder.glob("rest*.json")]
    for path in sorted(paths, key=lambda one: one.stat().st_mtime, reverse=True):
        try:
            record = json_of(text_within(path))
            if record["format"] in OF_ANSWERS:
                yield between_of(_renamed(record))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise UserError(f"{str(path)!r} is not an answer of wsim robustness, or is damaged: {error!r}") from error
    shipped = find_game(game).REST
    if shipped is not None:
        yield from _shipped_records(shipped)


@cache
def _shipped_records(path: Path) -> list[Mapping[str, Any]]:
    records: list[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["known"]
    return records
