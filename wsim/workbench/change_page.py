"""The page Change: edit catalogue values, see mistakes, save a patch or ask a what-if question about it.

The address contains the changes, in the syntax of ``--set``; nothing is written until the user saves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from wsim.errors import UserError, nearest
from wsim.files import write_text
from wsim.game import find_game
from wsim.installed import GAMES
from wsim.report.cards import Faces
from wsim.spec.catalogues import Source, catalogues_of
from wsim.spec.layers import value_in_patch
from wsim.spec.values import key_in_path, name_in_words
from wsim.workbench.ask_page import Field, fields_of, next_answer
from wsim.workbench.folder import titles
from wsim.workbench.forms import forms
from wsim.workbench.item_page import rows_grid
from wsim.workbench.printed import printed_values, ruleset_names
from wsim.workbench.questions import Form
from wsim.workbench.queue_of_questions import lines_of
from wsim.workbench.rendering import folder_of, form_of, page

if TYPE_CHECKING:
    from markupsafe import Markup
    from starlette.requests import Request

    from wsim.report.grids import Grid
    from wsim.spec.catalogues import CataloguePage, Catalogues

MENU = (("Change", "/change"),)
TO = "to:"
WHOLE = "The game as a whole"
"""The heading of the parts that belong to no kind."""


@dataclass(frozen=True)
class Changes:
    """A catalogue with changes.

    Attributes
    ----------
    game, ruleset: identify the catalogue. lines: the changes, as for ``--set``; each path occurs once.
    """

    game: str
    ruleset: str
    lines: tuple[str, ...]

    @property
    def catalogues(self) -> Catalogues:
        """The catalogues of the game; raises UserError if the game has none."""
        catalogues: Catalogues | None = catalogues_of(find_game(self.game))
        if catalogues is None:
            raise UserError(f"{self.game} has no catalogue to show")
        return catalogues

    def page(
        self, name: str | None = None, *, printed: bool = False, lines: Sequence[str] | None = None
    ) -> CataloguePage:
        """Return the catalogue, or its entry ``name``; raise UserError for invalid changes."""
        changed = () if printed else self.lines if lines is None else tuple(lines)
        return self.catalogues.page(Source(self.ruleset, None, (), changed), name)

    def query(self, **more: str) -> str:
        """Return the changes as the query string of an address."""
        own = [("game", self.game), ("ruleset", self.ruleset), *(("change", line) for line in self.lines)]
        return urlencode([*own, *more.items()])

    def with_values(self, values: Mapping[str, str], printed: Mapping[str, str]) -> Changes:
        """Return the changes with some values replaced; setting the printed value removes a change."""
        lines = {path_of(line): line for line in self.lines}
        for path, text in values.items():
            lines.pop(path, None)
            if text != printed.get(path, ""):
                lines[path] = f"{path}={text}"
        return Changes(self.game, self.ruleset, tuple(lines.values()))

    def mistakes(self) -> dict[str, str]:
        """Return the mistakes by path; a mistake caused only by a combination of changes has an empty path."""
        if not self.lines:
            return {}
        try:
            self.page()
        except UserError as error:
            mistakes = {}
            for line in self.lines:
                try:
                    self.page(lines=[line])
                except UserError as single:
                    mistakes[path_of(line)] = str(single)
            return mistakes or {"": str(error)}
        return {}

    def patch(self) -> str:
        """Format the changes as the text of a patch file."""
        head = f"# {self.game} {self.ruleset}. Apply to the catalogue with --patch."
        body = [f"{path_of(line)} = {value_in_patch(line.partition('=')[2].strip())}" for line in self.lines]
        return "\n".join([head, *body]) + "\n"


def path_of(line: str) -> str:
    """Extract the path from a change such as ``cards.Palace.points=5``."""
    return line.partition("=")[0].strip()


def group_of(path: str) -> str:
    """Return the path of the part that contains a value: ``cards.Palace``."""
    parts = re.findall(r'"[^"]*"|[^.]+', path)
    return ".".join(parts[:2] if len(parts) > 2 else parts[:1])


def name_of(part: str) -> str:
    """Return the name of a part: ``Palace`` for ``cards.Palace``, ``settings`` for ``settings``."""
    head, _, name = part.partition(".")
    return name.strip('"') or head.replace("_", " ")


def short_name(path: str, part: str) -> str:
    """Return the name of a value within its part in words: ``cost, clay`` for ``cards.Palace.cost.clay``."""
    return path.removeprefix(f"{part}.").replace("_", " ").replace(".", ", ")


def changes_of(pairs: Sequence[tuple[str, str]]) -> Changes:
    """Return the catalogue and changes that an address or a form contains."""
    fields = dict(pairs)
    game = fields.get("game") or next(iter(GAMES))
    lines = [value.strip() for key, value in pairs if key == "change" and value.strip()]
    ruleset = fields.get("ruleset") or str(find_game(game).default_plan()["ruleset"])
    return Changes(game, ruleset, tuple({path_of(line): line for line in lines}.values()))


def change_page(request: Request) -> Response:
    """Return the page of a changed catalogue, with the fields of one part if the address names it."""
    pairs = request.query_params.multi_items()
    changes, at = changes_of(pairs), request.query_params.get("at", "")
    printed = printed_values(changes.game, changes.ruleset)
    groups = list(dict.fromkeys(map(group_of, printed)))
    at = find_part(at, groups)
    part = name_of(at)
    values = {key.removeprefix(TO): text.strip() for key, text in pairs if key.startswith(TO)}
    if values:
        changes = changes.with_values(values, printed)
        if not changes.mistakes():
            return RedirectResponse(f"/change?{changes.query(at=at)}", 303)
    mistakes, faces = changes.mistakes(), Faces.of(changes.game, Source(changes.ruleset))
    fields = _fields(changes, at, printed)
    return page(
        request, "change.html.j2", f"Change {part}".rstrip(), status=400 if mistakes else 200, changes=changes, at=at,
        part=part,
        games=titles(), rulesets=ruleset_names(changes.game),
        groups=list(_grouped(changes, groups, faces).items()), fields=fields, mistakes=mistakes,
        moves=any(value.lstrip("-").isdecimal() for *_, value in fields) and "." in at,
        differences=_differences(changes, printed), texts=[] if mistakes else list(_texts(changes, at)),
        decks=[] if mistakes else list(_decks(changes)),
        game=changes.game, faces=faces, drawn=_drawn(changes, at, faces, mistakes),
        asked=[ShortForm.of(request, form, changes) for form in forms() if form.question.change_fields],
        saved=request.query_params.get("saved", ""),
    )  # fmt: skip


@dataclass(frozen=True)
class ShortForm:
    """The short form of a question about the changes.

    Attributes
    ----------
    form: the full form. filled: the fields that contain the changes, with their lines. fields: the fields to fill in.
    out: the file of the answer.
    """

    form: Form
    filled: Sequence[tuple[str, str]]
    fields: Sequence[Field]
    out: str

    @classmethod
    def of(cls, request: Request, form: Form, changes: Changes) -> ShortForm:
        """Return the short form of a question."""
        filled, *others = form.question.change_fields
        lines = [("game", changes.game), ("ruleset", changes.ruleset), *((filled, line) for line in changes.lines)]
        fields = [field for group in fields_of(form, {}).values() for field in group if field.name in others]
        return cls(form, lines, fields, next_answer(request, form))

    @property
    def address(self) -> str:
        """The address of the full form."""
        return f"/ask/{self.form.name}?{urlencode(self.filled)}"

    @property
    def command(self) -> str:
        """The shell command that asks the same question."""
        return self.form.words(lines_of(self.filled), self.out)


def find_part(at: str, groups: Sequence[str]) -> str:
    """Return the path of a part, given either its path or its name."""
    if not at or at in groups:
        return at
    matches = [group for group in groups if group.endswith(f".{key_in_path(at)}")]
    if not matches:
        raise UserError(f"the catalogue has no {at!r}{nearest(at, groups)}")
    return matches[0]


def _grouped(changes: Changes, groups: Sequence[str], faces: Faces) -> dict[str, list[tuple[str, str, bool]]]:
    """Group the parts by kind, each with its name, address and whether it is changed; cards are in face order.

    Parts of the whole game, such as its settings, come last.
    """
    order = {name: place for place, name in enumerate(faces)}
    changed = {group_of(path_of(line)) for line in changes.lines}
    kinds: dict[str, list[tuple[str, str, bool]]] = {}
    for group in groups:
        head, _, name = group.partition(".")
        link = f"/change?{changes.query(at=group)}#at"
        kinds.setdefault(head if name else WHOLE, []).append((name_of(group), link, group in changed))
    for parts in kinds.values():
        parts.sort(key=lambda part: order.get(part[0], -1))
    return {kind: parts for kind, parts in kinds.items() if kind != WHOLE} | {
        kind: parts for kind, parts in kinds.items() if kind == WHOLE
    }


def _fields(changes: Changes, at: str, printed: Mapping[str, str]) -> list[tuple[str, str, str, str]]:
    """Return the fields of a part, each with path, short name, value and printed value."""
    if not at:
        return []
    current = {path_of(line): line.partition("=")[2].strip() for line in changes.lines}
    paths = [path for path in dict.fromkeys([*printed, *current]) if group_of(path) == at]
    return [
        (path, short_name(path, at), current.get(path, printed.get(path, "")), printed.get(path, "")) for path in paths
    ]


def _drawn(changes: Changes, at: str, faces: Faces, mistakes: Mapping[str, str]) -> list[tuple[str, Markup]]:
    """Return the card or board of a part as printed, and as changed if it differs and the changes are valid."""
    name = name_of(at)
    if name not in faces:
        return []
    printed = faces.card(name)
    if not changes.lines or mistakes:
        return [("printed", printed)]
    changed = Faces.of(changes.game, Source(changes.ruleset, None, (), changes.lines)).card(name)
    return [("printed", printed)] + ([("changed", changed)] if changed != printed else [])


def _decks(changes: Changes) -> Iterator[Grid]:
    """Yield tables of the decks by number of players: as printed and, if they differ, as changed."""
    decks = {lines: changes.catalogues.decks(Source(changes.ruleset, None, (), lines)) for lines in ((), changes.lines)}
    for lines, rows in decks.items():
        if rows and (lines == changes.lines or rows != decks[changes.lines]):
            state = "changed" if lines else "printed"
            yield rows_grid(f"decks-{state}", f"Cards dealt, as {state}", rows)


def _differences(changes: Changes, printed: Mapping[str, str]) -> Grid:
    rows = [
        {
            "value": name_in_words(path_of(line)),
            "printed": printed.get(path_of(line), "none"),
            "changed": line.partition("=")[2].strip(),
        }
        for line in changes.lines
    ]
    return rows_grid("differences", "Differences from the printed game", rows)


def _texts(changes: Changes, at: str) -> Iterator[Grid]:
    """Yield the description of a part, as printed and as changed."""
    name = at.partition(".")[2].strip('"')
    if not name:
        return
    for state, printed in (("as printed", True), ("changed", False)):
        if printed or changes.lines:
            try:
                shown = changes.page(name, printed=printed)
            except UserError:  # a part without its own text
                return
            for index, table in enumerate(shown.tables):
                yield rows_grid(f"{state.replace(' ', '-')}-{index}", f"{name}, {state}", table.rows)


def save(request: Request) -> Response:
    """Write the changes as a patch file; raise UserError, and write nothing, if the patch is invalid."""
    pairs = form_of(request)
    changes, out = changes_of(pairs), dict(pairs).get("out", "").strip()
    changes.page()
    if not changes.lines:
        raise UserError("there are no changes to save as a patch")
    path = folder_of(request).inside(out)
    if path.suffix != ".toml" or not path.parent.is_dir():
        raise UserError(f"a patch must be FILE.toml in the folder, not {out!r}")
    if path.exists():
        raise UserError(f"the file {out!r} already exists: choose a different name")
    write_text(path, changes.patch())
    try:
        changes.catalogues.check(Source(changes.ruleset), str(path))
    except UserError:
        path.unlink()
        raise
    return RedirectResponse(f"/change?{changes.query(saved=out)}", 303)


ROUTES = [Route("/change", change_page), Route("/change/save", save, methods=["POST"])]
