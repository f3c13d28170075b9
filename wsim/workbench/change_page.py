"""Changing: the values of a catalogue as fields, the checker's sentences beside them, kept as a patch, asked about.

What is changed stands in the address as the lines of ``--set``; nothing is written before somebody says so.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from wsim.errors import UserError, nearest
from wsim.files import write_text
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.spec.layers import value_in_patch
from wsim.workbench.ask_page import next_answer
from wsim.workbench.rendering import folder_of, form_of, page
from wsim.workbench.thing_page import catalogues_of, rows_grid

if TYPE_CHECKING:
    from starlette.requests import Request

    from wsim.report.grids import Grid
    from wsim.spec.catalogues import CataloguePage, Catalogues

MENU = (("Change", "/change"),)
TO = "to:"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Changes:
    """A catalogue and what is changed in it.

    Attributes
    ----------
    game, ruleset: of the catalogue. lines: as of ``--set``, a path once.
    """

    game: str
    ruleset: str
    lines: tuple[str, ...]

    @property
    def catalogues(self) -> Catalogues:
        """The catalogues of the game; UserError if it has none to show."""
        found: Catalogues | None = catalogues_of(find_game(self.game))
        if found is None:
            raise UserError(f"{self.game} has no catalogue to show")
        return found

    def page(
        self, name: str | None = None, *, printed: bool = False, lines: Sequence[str] | None = None
    ) -> CataloguePage:
        """Return the catalogue, or what of it is called so; raise UserError for changes that cannot be."""
        from wsim.spec.catalogues import Source

        changed = () if printed else self.lines if lines is None else tuple(lines)
        return self.catalogues.page(Source(self.ruleset, None, (), changed), name)

    def query(self, **more: str) -> str:
        """Return the address's fields."""
        own = [("game", self.game), ("ruleset", self.ruleset), *(("change", line) for line in self.lines)]
        return urlencode([*own, *more.items()])

    def with_values(self, values: Mapping[str, str], printed: Mapping[str, str]) -> Changes:
        """Return it with other values; one that is the printed one is no change."""
        lines = {_path(line): line for line in self.lines}
        for path, text in values.items():
            lines.pop(path, None)
            if text != printed.get(path, ""):
                lines[path] = f"{path}={text}"
        return Changes(self.game, self.ruleset, tuple(lines.values()))

    def mistakes(self) -> dict[str, str]:
        """Return what the checker says of single changes, by path; under no path what it says of them together."""
        try:
            self.page()
        except UserError as error:
            found = {}
            for line in self.lines:
                try:
                    self.page(lines=[line])
                except UserError as alone:
                    found[_path(line)] = str(alone)
            return found or {"": str(error)}
        return {}

    def patch(self) -> str:
        """Return the patch file that changes the same."""
        head = f"# {self.game} {self.ruleset}. Laid over the catalogue by --patch."
        body = [f"{_path(line)} = {value_in_patch(line.partition('=')[2].strip())}" for line in self.lines]
        return "\n".join([head, *body]) + "\n"


def _path(line: str) -> str:
    return line.partition("=")[0].strip()


def values_of(record: Any) -> dict[str, str]:
    """Return the values of a catalogue that can be changed, by path, as ``--set`` has them."""
    if isinstance(record, list):
        return {str(row["path"]): _text(row["value"]) for row in record if "path" in row}
    parts = {name: part for name, part in record.items() if isinstance(part, dict)}
    return {".".join(map(_key, path)): _text(value) for path, value in _leaves(parts)}


def _leaves(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values within a part of a catalogue; what stands in a list, such as stages, is counted from 1."""
    if isinstance(part, list) and any(isinstance(one, dict) for one in part):
        part = dict(enumerate(part, start=1))
    if not isinstance(part, dict):
        yield path, part
        return
    for name, value in part.items():
        yield from _leaves(value, (*path, str(name)))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) and _BARE.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _group(path: str) -> str:
    """Return what a value belongs to: ``cards.Palace``."""
    parts = re.findall(r'"[^"]*"|[^.]+', path)
    return ".".join(parts[:2] if len(parts) > 2 else parts[:1])


def _changes_of(pairs: Sequence[tuple[str, str]]) -> Changes:
    """Return the catalogue and the changes of an address or a form."""
    one = dict(pairs)
    game = one.get("game") or next(iter(GAMES))
    lines = [value.strip() for key, value in pairs if key == "change" and value.strip()]
    ruleset = one.get("ruleset") or str(find_game(game).default_plan()["ruleset"])
    return Changes(game, ruleset, tuple({_path(line): line for line in lines}.values()))


def change_page(request: Request) -> Response:
    """Return the catalogue with what is changed, and the fields of one of its parts."""
    pairs = request.query_params.multi_items()
    changes, at = _changes_of(pairs), request.query_params.get("at", "")
    printed = values_of(changes.page(printed=True).record)
    groups = list(dict.fromkeys(map(_group, printed)))
    at = _found(at, groups)
    values = {key.removeprefix(TO): text.strip() for key, text in pairs if key.startswith(TO)}
    if values:
        changes = changes.with_values(values, printed)
        if not changes.mistakes():
            return RedirectResponse(f"/change?{changes.query(at=at)}", 303)
    mistakes = changes.mistakes()
    return page(
        request, "change.html.j2", "Change", status=400 if mistakes else 200, changes=changes, at=at,
        games=list(GAMES), rulesets=[str(row["ruleset"]) for row in changes.catalogues.rulesets()],
        groups=_grouped(changes, groups), fields=_fields(changes, at, printed), mistakes=mistakes,
        differences=_differences(changes, printed), texts=[] if mistakes else list(_texts(changes, at)),
        decks=[] if mistakes else list(_decks(changes)),
        out=next_answer(request, "whatif"), saved=request.query_params.get("saved", ""),
        command=shlex.join(["wsim", "whatif", "--game", changes.game, "--ruleset", changes.ruleset,
                            *(word for line in changes.lines for word in ("--set", line))]),
        form=f"/ask/whatif?{changes.query()}",
    )  # fmt: skip


def _found(at: str, groups: Sequence[str]) -> str:
    """Return the part that is meant: by its path, or by its own name."""
    if not at or at in groups:
        return at
    own = [one for one in groups if one.endswith(f".{_key(at)}")]
    if not own:
        raise UserError(f"the catalogue has no {at!r}{nearest(at, groups)}")
    return own[0]


def _grouped(changes: Changes, groups: Sequence[str]) -> dict[str, list[tuple[str, str, bool]]]:
    """Return the parts by what they are: name, address, whether something of it is changed."""
    changed = {_group(_path(line)) for line in changes.lines}
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for one in groups:
        head, _, name = one.partition(".")
        link = f"/change?{changes.query(at=one)}#at"
        found.setdefault(head, []).append((name.strip('"') or head, link, one in changed))
    return found


def _fields(changes: Changes, at: str, printed: Mapping[str, str]) -> list[tuple[str, str, str, str]]:
    """Return the fields of a part: path, its last name, the value, the printed one."""
    if not at:
        return []
    now = {_path(line): line.partition("=")[2].strip() for line in changes.lines}
    paths = [path for path in dict.fromkeys([*printed, *now]) if _group(path) == at]
    return [
        (path, path.removeprefix(f"{at}."), now.get(path, printed.get(path, "")), printed.get(path, ""))
        for path in paths
    ]


def _decks(changes: Changes) -> Iterator[Grid]:
    """Yield the decks, printed and changed where they differ, if the game has decks that depend on the players."""
    from wsim.spec.catalogues import Source

    found = {lines: changes.catalogues.decks(Source(changes.ruleset, None, (), lines)) for lines in ((), changes.lines)}
    for lines, rows in found.items():
        if rows and (lines == changes.lines or rows != found[changes.lines]):
            said = "as changed" if lines else "as printed"
            yield rows_grid(f"decks-{said[3:]}", f"Cards dealt, {said}", rows)


def _differences(changes: Changes, printed: Mapping[str, str]) -> Grid:
    rows = [
        {"value": _path(line), "printed": printed.get(_path(line), "none"), "changed": line.partition("=")[2].strip()}
        for line in changes.lines
    ]
    return rows_grid("differences", "What differs from the printed game", rows)


def _texts(changes: Changes, at: str) -> Iterator[Grid]:
    """Yield what is written on the part, printed and changed."""
    name = at.partition(".")[2].strip('"')
    if not name:
        return
    for said, printed in (("as printed", True), ("changed", False)):
        if printed or changes.lines:
            try:
                found = changes.page(name, printed=printed)
            except UserError:  # of a part that has no text of its own
                return
            for place, table in enumerate(found.tables):
                yield rows_grid(f"{said.replace(' ', '-')}-{place}", f"{name}, {said}", table.rows)


def save(request: Request) -> Response:
    """Write the patch; what cannot be is refused, and not left there."""
    from wsim.spec.catalogues import Source

    pairs = form_of(request)
    changes, out = _changes_of(pairs), dict(pairs).get("out", "").strip()
    changes.page()
    if not changes.lines:
        raise UserError("nothing is changed: there is no patch to write")
    path = folder_of(request).inside(out)
    if path.suffix != ".toml" or not path.parent.is_dir():
        raise UserError(f"a patch is written as FILE.toml into the folder, not {out!r}")
    if path.exists():
        raise UserError(f"there is a file {out!r} already: name another one")
    write_text(path, changes.patch())
    try:
        changes.catalogues.check(Source(changes.ruleset), str(path))
    except UserError:
        path.unlink()
        raise
    return RedirectResponse(f"/change?{changes.query(saved=out)}", 303)


ROUTES = [Route("/change", change_page), Route("/change/save", save, methods=["POST"])]
