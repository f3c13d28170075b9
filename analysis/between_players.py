"""How much figures differ between good players: writes wsim/wonders/rest.json, which tables of `net` show.

    python analysis/between_players.py                       # the nets that ship with wsim
    python analysis/between_players.py before.npz            # and a previous net
    python analysis/between_players.py --games 1000 --out mine.json --player search:playouts=64:pool=net

The unmodified first edition with 3 to 7 players. For other rules, use wsim robustness ... -o RUN, which
stores the answer in a run folder.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from wsim.files import write_text
from wsim.lab.rest_known import between_of
from wsim.questions.robustness.answer import rest
from wsim.wonders.game import GAME

SHIPPED = ("net", "net:seed=2", "net:seed=3")
FORMAT, SEATS, SEED = "wsim-between/1", range(3, 8), 20_261_123
_DIGITS = 4


def known(players: list[str], seats: int, games: int) -> dict[str, Any]:
    """Play self-play games of each policy and return a short record of the differences."""
    answer = rest(*players, players=seats, games=games, seed=SEED)
    print(answer.display().tables[0].title, f"at {seats} seats:")
    print(answer.pairs.drop("items").filter(first="all pairs" if len(players) > 2 else players[0]), flush=True)
    found = between_of(json.loads(json.dumps(answer.record())))
    found["figures"] = {
        table: {thing: round(sd, _DIGITS) for thing, sd in rows.items()} for table, rows in found["figures"].items()
    }
    return found


def main() -> None:
    """Play and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("nets", nargs="*", type=Path, help="additional nets, all in one folder")
    parser.add_argument("--player", action="append", default=[], help="another entry of a line-up (repeatable)")
    parser.add_argument("--games", type=int, default=20_000, help="games per policy and number of players")
    parser.add_argument("--out", type=Path, default=GAME.REST)
    given = parser.parse_args()
    out = given.out.absolute()
    if given.nets:
        os.chdir(given.nets[0].parent)  # so that players are called by the names of their files, wherever these lie
    players = [*SHIPPED, *(f"net:file={one.name}" for one in given.nets), *given.player]
    words = [*(one.name for one in given.nets), *(word for one in given.player for word in ("--player", one))]
    command = shlex.join(["python", "analysis/between_players.py", *words, "--games", str(given.games)])
    tables = [known(players, seats, given.games) for seats in SEATS]
    rows = ",\n".join(json.dumps(one, ensure_ascii=False) for one in tables)
    head = json.dumps({"format": FORMAT, "command": command}, ensure_ascii=False)[:-1]
    write_text(out, f'{head}, "known": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    sys.exit(main())
