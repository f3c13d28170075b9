"""The form of a question: its fields, help and checks come from the options of the command.

The question's registration (``wsim.questions.registry``) names its option dataclasses and plan keys.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from wsim.errors import Mistakes, UserError, nearest
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.options import READERS, Option, Options, names, option_words, options_of
from wsim.policies.effect_files import named_file
from wsim.policies.lineup import parse_entry
from wsim.questions.registry import OUTPUTS, Question

if TYPE_CHECKING:
    from wsim.balance.goal import Goal
    from wsim.lab.execution import Execution
    from wsim.workbench.folder import Folder

Texts = Mapping[str, Sequence[str]]
"""The content of a form: field -> lines; a field without lines has its default."""
POLICIES = "policies"
TRUST = "trust"
LINE_UPS = (POLICIES, "policy", "ladder", "between", "players", "styles", "against", "judges", "start")
"""Fields that name policies."""
NOT_IN_FORMS = ("cards", "rotate")
"""Plan keys that forms omit."""


@dataclass(frozen=True)
class Form:
    """The form of a question."""

    question: Question

    @property
    def name(self) -> str:
        """The name of the question, with which the names of its answer files begin."""
        return self.question.name

    @property
    def title(self) -> str:
        """The heading of the form."""
        return self.question.title

    @property
    def asks(self) -> str:
        """The question in plain English."""
        return self.question.asks

    @property
    def about(self) -> str:
        """The explanation of the question."""
        return self.question.about

    @property
    def followed(self) -> bool:
        """Whether figures are available while games are played, as for a run."""
        return False

    @property
    def button(self) -> str:
        """The words on its button."""
        return "Play" if self.followed else "Ask"

    @property
    def has_goal(self) -> bool:
        """Whether its preview describes a goal instead of changes."""
        return bool(self._goal_field)

    @property
    def _goal_field(self) -> str:
        return next((name for name, *_, option in self.fields() if option.picker == "goal"), "")

    def goal(self, texts: Texts) -> Goal | None:
        """Return the goal that the form names, None if it names none; raise UserError for an invalid goal."""
        from wsim.balance.goal import read_goal
        from wsim.workbench.folder import Folder

        name = " ".join(texts.get(self._goal_field, ()))
        return read_goal(Folder.of(Path()).inside(name)) if name else None

    def written(self, folder: Folder, texts: Texts, out: str) -> str:  # noqa: ARG002 (questions are asked)
        """Write what needs no games, and return the address of the next page; "" for a question, which is asked."""
        return ""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The accepted suffixes of answer files, default first."""
        return self.question.answer_class.SUFFIXES

    def answer(self, out: Path) -> Path:
        """Return the path of the answer: the file written, or the JSON file next to a patch."""
        return out.with_suffix(".json") if out.suffix == ".toml" else out

    def address(self, out: str) -> str:
        """Return the address of the answer's page."""
        return f"/answer?{urlencode({'file': self.answer(Path(out)).as_posix()})}"

    def target(self, folder: Folder, texts: Texts, out: str) -> str:  # noqa: ARG002 (a run may be continued)
        """Return the name of the file to write; raise UserError if it cannot be written."""
        path = folder.inside(out)
        if path.suffix not in self.suffixes or not path.parent.is_dir():
            files = " or ".join(f"FILE{suffix}" for suffix in self.suffixes)
            raise UserError(f"an answer must be {files} in the folder, not {out!r}")
        if self.answer(path).exists() or path.exists():
            raise UserError(f"the file {out!r} already exists: choose a different name")
        return out

    def perform(self, texts: Texts, out: str, execution: Execution) -> bool:
        """Compute the answer and write it; return whether the computation was stopped early."""
        plan, groups = self.read(texts)
        stopped = False
        try:
            answer = self.question.answered(plan, groups, execution)
        except Interrupted as interrupt:
            if interrupt.result is None:
                raise
            answer, stopped = interrupt.result, True
        answer.write(Path(out))
        return stopped

    def fields(self) -> Iterator[tuple[str, type[Any], str, Any, Option]]:
        """Yield each field as a tuple: name, dataclass, type, default and option."""
        taken = set()
        for group in self.question.option_groups:
            for name, (option_field, option) in options_of(group).items():
                if name not in (*OUTPUTS, *self.question.only_command):
                    taken.add(name)
                    yield name, group, str(option_field.type), option_field.default, option
        for name, (option_field, option) in options_of(Plan).items():
            if name in self.question.plan and name not in (*taken, *NOT_IN_FORMS):
                yield name, Plan, str(option_field.type), MISSING, option

    def filled(self, texts: Texts) -> Texts:
        """Return the initial content of the form, given the fields in its address."""
        return texts

    def settled(self, texts: Texts) -> Collection[str]:  # noqa: ARG002 (a continued run has its own plan)
        """Return the fields that the form omits because other fields determine them."""
        return ()

    def read(self, texts: Texts) -> tuple[Plan | None, list[Options]]:
        """Return the plan (if the question takes one) and the option groups; UserError lists all mistakes."""
        mistakes, values = Mistakes(), dict[type[Any], dict[str, Any]]()
        command, known = self.question.command, {name for name, *_ in self.fields()}
        for name in texts:
            if name not in known:
                mistakes.add(f"{command} has no field {name!r}{nearest(name, known)}")
        for name, group, typed, _, option in self.fields():
            lines = [line.strip() for line in texts.get(name, ()) if line.strip()]
            if lines:
                with mistakes.noted():
                    values.setdefault(group, {})[name] = value_of(name, typed, option, lines)
        groups: list[Options] = []
        with mistakes.noted():
            groups = self.question.groups_of([values.get(group, {}) for group in self.question.option_groups])
        plan, games = None, self.question.games
        if self.question.plan:
            with mistakes.noted():
                plan = Plan.make(**{**({} if games is None else {"games": games}), **values.get(Plan, {})})
        mistakes.raise_any()
        return plan, groups

    def named_files(self, texts: Texts) -> list[str]:
        """Return the file names entered in a form."""
        named = [name for name, _, _, _, option in self.fields() if option.file]
        return [line for name in named for line in texts.get(name, ())]

    def words(self, texts: Texts, out: str) -> str:
        """Return the shell command that answers the question and writes the same file."""
        words = ["wsim", *self.question.command.split()]
        options = []
        for name, group, typed, _, option in self.fields():
            lines = [line.strip() for line in texts.get(name, ()) if line.strip()]
            if not lines:
                continue
            if option.argument:
                words += [word for line in lines for word in (names(line) if typed.startswith("tuple") else [line])]
                continue
            if group is Plan:
                option = self.question.plan_options.get(name, option)
            options += option_words(name, option, typed, lines)
        return shlex.join([*words, *options, "-o", out])


def value_of(name: str, typed: str, spec: Option, lines: Sequence[str]) -> Any:
    """Return the value of a field, parsed as on the command line."""
    base = typed.removesuffix(" | None").partition(" | ")[0]
    if base == "bool":
        return True
    if name == POLICIES:
        return [word for line in lines for word in names(line)] if spec.argument else ",".join(lines)
    if base.startswith("tuple"):
        read = spec.read or READERS["int" if base.startswith("tuple[int") else "str"]
        return read(",".join(lines)) if spec.read else tuple(map(read, lines))
    if len(lines) > 1:
        raise UserError(f"{name} takes one value, not {len(lines)}: {', '.join(lines)}")
    return (spec.read or READERS.get(base, str))(lines[0])


def code_in(form: Form, texts: Texts) -> list[str]:
    """Return the user code named in a form (policies and effects), which answering the question would run."""
    entries = [entry for name in LINE_UPS for line in texts.get(name, ()) for entry in names(line)]
    effects = (named_file(line) for name in ("patch", "change_files") for line in texts.get(name, ()))
    code = (
        *(entry for entry in entries if ".py" in entry or _is_code(entry)),
        *(str(path) for path in effects if path),
    )
    with suppress(UserError):  # reported when the form is read
        _, groups = form.read(texts)
        return list(dict.fromkeys([*code, *form.question.code(None, groups)]))
    return list(code)


def _is_code(entry: str) -> bool:
    try:
        parsed = parse_entry(entry)
    except UserError:
        return False  # reported when the form is read
    return bool(parsed.file or parsed.module)
