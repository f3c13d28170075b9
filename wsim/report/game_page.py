"""Write the page of one game, to step through with keys or touch, as one self-contained HTML file.

The page contains the scenes as data, which its script displays. Curves, turning points and the game in words do not
need the script and are printed in addition to the current scene.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.game import find_game
from wsim.positions.players import names_of, playout_line_up, seated
from wsim.report.cards import Faces, cards_in
from wsim.report.page import check_extra, check_target
from wsim.report.templating import template, text_of
from wsim.report.theme import SERIES, Palette

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress
    from wsim.positions.chances import Chances, Swing
    from wsim.positions.game_value import Game
    from wsim.positions.scenes import Card, Scene, Story

PLAYOUTS = 200
"""Playouts per seat and scene if there is no value net; a chance of one half is then known to ±7 percentage points."""
SHORT = 8
"""The number of letters of a name that label the end of a line."""


@dataclass(frozen=True)
class Replay:
    """The content of a game's page; ``chances`` is empty if nobody at the table asked for win chances."""

    plan: Plan
    number: int
    story: Story
    chances: Chances
    command: str

    @property
    def has_chances(self) -> bool:
        """Whether win chances are available for the scenes."""
        return len(self.chances.share) > 0


def check_replay(playouts: int | None = None, target: Path | None = None) -> None:
    """Raise UserError if a page cannot be written: missing extra, invalid number of playouts, or invalid file."""
    from wsim.positions.chances import check_playouts

    check_extra(("jinja2",), "a replay page")
    if playouts is not None:
        check_playouts(playouts)
    if target is not None:
        check_target(target)


def replay_of(
    plan: Plan, simulator: Simulator, number: int, playouts: int | None = None, progress: Progress | None = None
) -> Replay:
    """Replay a game of a plan and compute its win chances, which depend only on plan, game and number of playouts.

    Without a number of playouts, the chances come from the value net of the game, or else from ``PLAYOUTS`` playouts.

    Parameters
    ----------
    simulator: the prepared plan. number: the number of the game. playouts: playouts per seat and scene.
    progress: called with the number of finished scenes.
    """
    return _replay(plan, number, simulator.story(number), playouts, _command(plan, number, playouts), progress)


def replay_of_game(
    game: Game, names: Sequence[str] = (), playouts: int | None = None, progress: Progress | None = None,
    command: str = "", named: bool = False,
) -> Replay:  # fmt: skip
    """Replay a game up to its last move so far and compute its win chances.

    Parameters
    ----------
    names: the names of the players; empty: the policies. playouts, progress: as in ``replay_of``. command: the command
        that reproduces the page. named: whether seats are called by these names, as at a table of people, instead of by
        their boards.
    """
    from wsim.positions.as_played import story_of
    from wsim.positions.scenes import with_names

    story = with_names(story_of(game), names) if named else story_of(game, names)
    return _replay(game.plan, game.number, story, playouts, command, progress)


def _replay(
    plan: Plan, number: int, story: Story, playouts: int | None, command: str, progress: Progress | None
) -> Replay:
    """Compute the win chances for the positions of a story; ``command`` reproduces the page (empty: no command)."""
    from wsim.positions.chances import chances, line_up_of, playouts_of

    playing = line_up_of(plan, number)
    playouts = playouts_of(playing, PLAYOUTS) if playouts is None else playouts
    seats = [index for index, seat in enumerate(story.seats) if seat.side >= 0]
    estimated = chances(story.positions, playing, playouts, plan.seed, seats, progress)
    return Replay(plan, number, story, estimated, command)


def write_replay(replay: Replay, target: Path) -> Path:
    """Write the page of a game and return its path; raise UserError if it cannot be written to this path."""
    from wsim.files import write_text

    check_replay(replay.chances.playouts, target)
    write_text(target, render(replay))
    return target


def _command(plan: Plan, number: int, playouts: int | None) -> str:
    """Return the command that reproduces the page."""
    command = plan.replace(games=1, picks=False).command().replace("wsim run", "wsim trace", 1)
    return f"{command} --first {number} --format html" + ("" if playouts is None else f" --playouts {playouts}")


@dataclass(frozen=True)
class AtTable:
    """Additional template values for a game that is being played at a table.

    Attributes
    ----------
    me: the seat of the person who views the page; None: a spectator. acting: the seats that can choose now.
    """

    me: int | None = None
    acting: Sequence[int] = ()


def board_values(replay: Replay, table: AtTable | None = None, home: int = 0) -> dict[str, Any]:
    """Return the template values for ``board.html.j2``: the table, the chances, the points and the story.

    Parameters
    ----------
    table: given for an unfinished game, whose replay contains only what the viewer may see. home: the scene that is
        shown first; at a table, the last scene.
    """
    from markupsafe import Markup

    story = replay.story
    sides, playing = _sides(replay), playout_line_up(replay.plan, replay.number)
    palette = Palette({**find_game(replay.plan.game).COLOURS, **story.colours})
    return {
        "replay": replay,
        "seats": story.seats,
        "labels": _labels(story),
        "live": table is not None,
        "me": None if table is None else table.me,
        "colours": SERIES,
        "scenes": story.scenes,
        "curves": _curves(replay, sides),
        "players": "by the same policies"
        if playing == seated(replay.plan, replay.number)
        else f"by {names_of(playing).replace(',', ', ')}",
        "chapters": _chapters(story),
        "swings": [_swing_in_words(replay, sides, swing) for swing in _swings(replay, sides)]
        if replay.has_chances
        else [],
        "hands": story.hands,
        "data": Markup(
            json.dumps(_script_data(replay, palette, table, home), ensure_ascii=False).replace("<", "\\u003c")
        ),
    }


def render(replay: Replay) -> str:
    """Render the page as an HTML string."""
    from markupsafe import Markup

    game, faces = find_game(replay.plan.game), Faces.of_plan(replay.plan)
    palette = Palette({**game.COLOURS, **replay.story.colours})
    return template("replay.html.j2").render(
        title=game.TITLE,
        **board_values(replay),
        drawings=faces.sprite + faces.hidden(cards_in(replay.story.scenes)),
        style=Markup(palette.style() + text_of("page.css", "cards.css", "replay.css")),
        script=Markup(text_of("theme.js", "cards.js", "replay.js")),
    )


def _script_data(replay: Replay, palette: Palette, table: AtTable | None, home: int) -> dict[str, Any]:
    """Return the data that the page's script needs."""
    story, chances = replay.story, replay.chances
    home = len(story.scenes) - 1 if table is not None else home
    at_table = {} if table is None else {"live": True, "me": table.me, "acting": list(table.acting)}
    kinds = dict.fromkeys(card.kind for scene in story.scenes for card in _cards_shown(scene) if card.kind is not None)
    return {
        "seats": [{**asdict(seat), "label": label} for seat, label in zip(story.seats, _labels(story), strict=True)],
        "colours": list(SERIES),
        "kinds": {kind: palette.of(kind, index) for index, kind in enumerate(kinds)},
        "cards": story.cards,
        "hands": story.hands,
        "flows": story.flows,
        "scenes": [asdict(scene) for scene in story.scenes],
        "shares": [[round(float(cell), 3) for cell in row] for row in chances.share],
        "outside": [_percents(row, _sides(replay)) for row in chances.outside],
        "home": home,
        **at_table,
    }


def _percents(shares: Sequence[float], sides: Sequence[_Side]) -> list[int]:
    """Round the win chances of the sides to whole percentages that add up to 100; return one percentage per seat."""
    exact = [100 * _mean(shares, side) for side in sides]
    whole = [int(share) for share in exact]
    most_cut = sorted(range(len(sides)), key=lambda index: whole[index] - exact[index])
    for index in most_cut[: 100 - sum(whole)]:
        whole[index] += 1
    percents = {seat: percent for side, percent in zip(sides, whole, strict=True) for seat in side.seats}
    return [percents.get(seat, 0) for seat in range(len(shares))]


def _labels(story: Story) -> list[str]:
    """Return the labels of seats: number and name, or only the name for people."""
    return [
        seat.name if story.named or str(index) in seat.name else f"{index} {seat.name}"
        for index, seat in enumerate(story.seats)
    ]


def _cards_shown(scene: Scene) -> list[Card]:
    cards = [card for city in scene.cities for card in (*city.hand, *city.cards)]
    return cards + [index for row in scene.board for index in row.places if index is not None]


# --- curves


@dataclass(frozen=True)
class _Side:
    """A side that wins together, a player or a team; ``seat`` represents all seats of the side."""

    name: str
    short: str
    seats: Sequence[int]

    @property
    def seat(self) -> int:
        return self.seats[0]


def _sides(replay: Replay) -> list[_Side]:
    members: dict[int, list[int]] = {}
    for index, seat in enumerate(replay.story.seats):
        if seat.side >= 0:
            members.setdefault(seat.side, []).append(index)
    labels = _labels(replay.story)
    return [
        _Side(" + ".join(labels[member] for member in places), _end_label(replay.story, places), places)
        for places in members.values()
    ]


def _end_label(story: Story, seats: Sequence[int]) -> str:
    """Return the label for the end of a chart line: the seat numbers, or the beginning of a name."""
    if story.named and len(seats) == 1:
        name = story.seats[seats[0]].name
        return name if len(name) <= SHORT else f"{name[: SHORT - 3]}\N{HORIZONTAL ELLIPSIS}{name[-2:].strip()}"
    return "+".join(map(str, seats))


def _curves(replay: Replay, sides: Sequence[_Side]) -> list[dict[str, Any]]:
    """Build the charts: points so far, win chances with intervals, and win chances with all hands visible."""
    scenes = replay.story.scenes
    totals = [[sum(city.points) for city in scene.cities] for scene in scenes]
    top = max(10, max(max(row) for row in totals))
    low = min(0, min(min(row) for row in totals))
    points = [
        _curve(
            _Side(label, _end_label(replay.story, [index]), [index]),
            [(row[index] - low) / (top - low) for row in totals],
            (),
        )
        for index, label in enumerate(_labels(replay.story))
    ]
    _separate_labels(points)
    step = max(5, round((top - low) / 4 / 5) * 5)
    heights = range(-(-low // step) * step, top + 1, step)
    ticks = [(100 - 100 * (height - low) / (top - low), str(height)) for height in heights]
    return [{"name": "points", "lines": points, "ticks": ticks}, *_chance_curves(replay.chances, sides)]


def _chance_curves(win_chances: Chances, sides: Sequence[_Side]) -> list[dict[str, Any]]:
    """Build the charts of win chances, based on what each seat knows and on the view of someone who sees all hands."""
    if not len(win_chances.share):
        return []
    chance = [
        _curve(
            side,
            [_mean(row, side) for row in win_chances.share],
            [
                (_mean(less, side), _mean(more, side))
                for less, more in zip(win_chances.low, win_chances.high, strict=True)
            ],
        )
        for side in sides
    ]
    outside = [_curve(side, [_mean(row, side) for row in win_chances.outside], ()) for side in sides]
    for lines in (chance, outside):
        _separate_labels(lines)
    ticks = [(100.0 - share, f"{share}%") for share in (0, 25, 50, 75, 100)]
    return [{"name": "chances", "lines": chance, "ticks": ticks}, {"name": "outside", "lines": outside, "ticks": ticks}]


def _mean(row: Sequence[float], side: _Side) -> float:
    return float(sum(row[seat] for seat in side.seats) / len(side.seats))


def _curve(side: _Side, values: Sequence[float], band: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Return the points of a line and its interval band, in a square of 100 by 100 units with the origin at the top."""
    last = max(1, len(values) - 1)

    def point(index: int, value: float) -> str:
        return f"{100 * index / last:.2f},{100 - 100 * value:.2f}"

    low = [point(index, edge) for index, (edge, _) in enumerate(band)]
    high = [point(index, edge) for index, (_, edge) in enumerate(band)]
    return {
        "name": side.name,
        "short": side.short,
        "colour": SERIES[side.seat % len(SERIES)],
        "line": " ".join(point(index, value) for index, value in enumerate(values)),
        "band": " ".join([*low, *reversed(high)]),
        "end": 100 - 100 * values[-1],
    }


def _separate_labels(lines: Sequence[dict[str, Any]], apart: float = 7.0) -> None:
    """Separate the labels at the ends of lines by setting their ``at`` (percent from the top)."""
    order = sorted(lines, key=lambda line: line["end"])
    below = -apart
    for line in order:
        below = line["at"] = max(line["end"], below + apart)
    above = 100.0 + apart
    for line in reversed(order):
        above = line["at"] = min(line["at"], above - apart)


def _chapters(story: Story, apart: float = 15.0) -> list[dict[str, Any]]:
    """Return the position of each chapter's start in percent of the width, and whether its name fits."""
    last = max(1, len(story.scenes) - 1)
    chapters: list[dict[str, Any]] = []
    name, named = "", -apart
    for index, scene in enumerate(story.scenes):
        if scene.chapter != name:
            name, at = scene.chapter, 100 * max(index - 1, 0) / last
            room = at >= named + apart
            named = at if room else named
            chapters.append({"name": name, "at": at, "named": room})
    return chapters


# --- turning points


def _swings(replay: Replay, sides: Sequence[_Side]) -> list[Swing]:
    from wsim.positions.chances import swings

    return swings(replay.chances, [side.seat for side in sides])


def _swing_in_words(replay: Replay, sides: Sequence[_Side], swing: Swing) -> Mapping[str, Any]:
    """Describe a turning point: the scene, the side, the chances before and after, and the move."""
    side = next(candidate for candidate in sides if candidate.seat == swing.seat)
    scene = replay.story.scenes[swing.step]
    shown = (None, scene.turn_of, *side.seats)
    did = [event for event in scene.events if event.seat in shown]
    return {
        "step": swing.step,
        "label": scene.label.partition(";")[0],  # without counts, such as the size of a pile
        "name": side.name,
        "before": f"{swing.before:.0%}",
        "after": f"{swing.after:.0%}",
        "colour": SERIES[side.seat % len(SERIES)],
        "did": did,
    }
