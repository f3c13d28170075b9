"""Generate docs/data/playtests.csv: the synthetic playtests of docs/people.md.

Ten friends of three houses play 48 games of the first edition with four players. Each has a favourite wonder and picks
it half the time if it is free. The people are policies of different strength, so the true differences between them and
``net`` are known. Run from the repository: python analysis/made_playtests.py
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

import wsim

TARGET = Path("docs/data/playtests.csv")
HOUSES = {
    "Ada's kitchen": {"Ada": "balanced", "Ben": "greedy", "Cleo": "rulebased", "Dov": "military"},
    "Café Orion": {"Elif": "balanced", "Finn": "rulebased", "Gül": "science", "Hugo": "greedy", "Ida": "balanced"},
    "Library": {"Jan": "rulebased", "Ada": "balanced", "Finn": "rulebased", "Ida": "balanced"},
}
FAVOURITES = {"Ada": "Rhodos", "Ben": "Gizah", "Cleo": "Babylon", "Dov": "Rhodos", "Elif": "Olympia", "Gül": "Babylon"}
WONDERS = ["Alexandria", "Babylon", "Ephesos", "Gizah", "Halikarnassos", "Olympia", "Rhodos"]
CATEGORIES = ["military", "treasury", "wonder", "civilian", "science", "commerce", "guild"]
GAMES = 48


def main() -> None:
    """Write the sheet with one row per seat, as people would record it."""
    draw = random.Random(7)
    rows = []
    for game in range(GAMES):
        house = draw.choice(list(HOUSES))
        names = draw.sample(list(HOUSES[house]), 4)
        free = WONDERS.copy()
        boards = []
        for name in names:
            wanted = FAVOURITES.get(name)
            wonder = wanted if wanted in free and draw.random() < 0.5 else draw.choice(free)
            free.remove(wonder)
            boards.append(wonder)
        sides = [draw.choice("AB") for _ in names]
        seats = wsim.simulate(
            players=4, ruleset="1e", games=1, seed=1000 + game, rotate=False, wonders=",".join(boards),
            sides=",".join(sides), policies=[HOUSES[house][name] for name in names],
        )  # fmt: skip
        for name, seat in zip(names, seats.iter_rows(named=True), strict=True):
            points = [seat[f"points_{category}"] for category in CATEGORIES]
            rows.append([game + 1, house, name, seat["wonder"], seat["side"], *points, seat["total"], seat["coins"]])
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["Game", "House", "Player", "Wonderboard", "Side", *map(str.capitalize, CATEGORIES), "Score", "Coins"]
        )
        writer.writerows(rows)


if __name__ == "__main__":
    main()
