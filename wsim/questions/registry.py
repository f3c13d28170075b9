"""The registration of questions, from which command, form, Python function and ``wsim rerun`` are derived.

A question is a package whose ``__init__`` defines a ``Question`` called ``QUESTION``, provided as an entry point of the
group ``wsim.questions`` (``wsim.installed``). By convention it contains ``question.py`` (groups of options: dataclasses
of ``wsim.options``) and ``answer.py`` (the ``Answer`` and the function that computes it). Registrations must be cheap:
``wsim --help`` loads all of them, but no other module of a question.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from wsim.errors import Mistakes, UserError
from wsim.installed import QUESTIONS as QUESTIONS
from wsim.installed import load_question
from wsim.options import Option, Options, former_names, option_words, options_of

if TYPE_CHECKING:
    from wsim.lab.answer import Answer
    from wsim.lab.execution import Execution
    from wsim.lab.plan import Plan

OUTPUTS = ("out", "folder", "resume", "printed")
"""Output options of commands; a form writes to the open folder instead."""


class ItemLink(NamedTuple):
    """A link from the page of a card or wonder to the form of a question, with the item already filled in.

    Attributes
    ----------
    option: the field that takes the name of the item. text: the link text, with ``{noun}`` for ``card`` or ``wonder``.
    needs: the constant that a game must define for this question, such as ``PICKS``.
    """

    option: str
    text: str
    needs: str


@dataclass(frozen=True, eq=False, repr=False)  # wsim --help creates this class: each method takes time
class Question:
    """A question about games.

    Modules, classes and functions are named as ``module:name`` within ``package``, and imported on first use.

    Attributes
    ----------
    name: the name of its entry point and of its form, and the prefix of its answer files in a run folder.
    title: its display name. package: its package (``__name__``).
    asks: the question as a person would ask it; default: the title. topic: the heading under which it is listed.
    groups: the dataclasses of its options, each an ``Options``; the docstring of the first explains the question.
    ask: the function that computes the answer from the plan (if it takes one), each group and an ``Execution``.
    answer: the class of its answer. formats: its file formats, the current one first.
    command: the words after ``wsim``; default: the name. short: its line in the list of commands. panel: its heading in
        that list; empty: not listed. aliases: former names of the command and of the function.
    function: the name of its Python function; default: the name.
    plan: the plan keys that it takes; empty: it takes no plan. games: its default number of games.
    games_help: this default in words, for the help. plan_options: plan options that have a different name in this
        question.
    display: a dataclass of options that are passed as keywords to the answer's ``display``.
    write: a function of the answer and the groups that writes the requested files and returns the path or paths;
        empty: the command has ``--out FILE``.
    only_command: options that only the command has, not the form, in addition to ``OUTPUTS``.
    section: the heading for its answers on the page of a run; empty: not shown.
    people_page: whether the page of people's games explains how to get an answer while there is none.
    item_link: the link to its form on the page of a card or wonder; None: no link.
    item_effects: whether the main table of its answers has effects of cards or wonders, each shown on the item's page.
    change_fields: the field for changed values (``PATH=VALUE``), which the catalogue page fills in, and further fields
        that this page asks for; empty: the page does not offer the question.
    goal_field: the field for a goal file, which the page of sliders writes; empty: it takes no goal file.
    first: the fields that its form shows first; the others are collapsed.
    checks_first: whether it makes all its checks before the first game, so that a form can also make them.
    """

    name: str
    title: str
    package: str
    groups: tuple[str, ...]
    ask: str
    answer: str
    formats: tuple[str, ...]
    command: str = ""
    short: str = ""
    panel: str = ""
    aliases: tuple[str, ...] = ()
    asks: str = ""
    topic: str = "More questions"
    function: str = ""
    plan: tuple[str, ...] = ()
    games: int | None = None
    games_help: str = ""
    plan_options: Mapping[str, Option] = field(default_factory=dict)
    display: str = ""
    write: str = ""
    only_command: tuple[str, ...] = ()
    section: str = ""
    people_page: bool = False
    item_link: ItemLink | None = None
    item_effects: bool = False
    change_fields: tuple[str, ...] = ()
    goal_field: str = ""
    first: tuple[str, ...] = ()
    checks_first: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "command", self.command or self.name)
        object.__setattr__(self, "asks", self.asks or self.title)
        object.__setattr__(self, "function", self.function or self.name)

    def named(self, target: str) -> Any:
        """Import and return the object ``module:name`` from the package."""
        module, _, name = target.partition(":")
        return getattr(import_module(f"{self.package}.{module}"), name)

    @property
    def families(self) -> list[str]:
        """The names of its formats without ``wsim-`` and version."""
        return [name.partition("/")[0].removeprefix("wsim-") for name in self.formats]

    @property
    def option_groups(self) -> tuple[type[Options], ...]:
        """The dataclasses of its options."""
        return tuple(map(self.named, self.groups))

    @property
    def answer_class(self) -> type[Answer]:
        """The class of its answer."""
        kind: type[Answer] = self.named(self.answer)
        return kind

    @property
    def about(self) -> str:
        """The help text of its command."""
        return inspect.getdoc(self.option_groups[0]) or ""

    @property
    def words(self) -> tuple[type[Options], Field[Any]] | None:
        """The option group and field that take the positional arguments, if any."""
        for group in self.option_groups:
            for option_field, option in options_of(group).values():
                if option.argument and option.hidden:
                    return group, option_field
        return None

    def groups_of(self, values: Sequence[Mapping[str, Any]], words: Sequence[str] = ()) -> list[Options]:
        """Create the option groups from their values, one mapping per group; ``words``: positional arguments.

        Raises UserError for an invalid value or an unexpected argument.
        """
        given = [dict(value) for value in values]
        taker = self.words if words else None
        if taker is not None:
            group, option_field = taker
            several = str(option_field.type).startswith("tuple")
            given[self.option_groups.index(group)][option_field.name] = tuple(words) if several else words[0]
            words = () if several else words[1:]
        if words:
            takes = "no argument" if taker is None else f"one {taker[1].name.replace('what', 'table')}"
            unexpected = repr(words[0]) if taker is None else f": unexpected argument {words[0]!r}"
            raise UserError(f"{self.command} takes {takes}{' ' if taker is None else ''}{unexpected}")
        mistakes, groups = Mistakes(), list[Options]()
        for group, of_group in zip(self.option_groups, given, strict=True):
            with mistakes.noted():
                groups.append(self._group(group, of_group))
        mistakes.raise_any()
        return groups

    def _group(self, group: type[Options], values: Mapping[str, Any]) -> Options:
        for name, (option_field, option) in options_of(group).items():
            if name not in values and option_field.default is MISSING:
                raise UserError(f"{self.command} needs {name.replace('_', ' ')}: {option.sentence}")
        return group(**values)

    def taken(self, keys: dict[str, Any]) -> list[Options]:
        """Remove the options of its groups from ``keys``, and return the groups."""
        former = {former: name for group in self.option_groups for former, name in former_names(group).items()}
        for name in former.keys() & keys.keys():
            keys[former[name]] = keys.pop(name)
        return self.groups_of(
            [{name: keys.pop(name) for name in options_of(group) if name in keys} for group in self.option_groups]
        )

    def answered(self, plan: Plan | None, groups: Sequence[Options], execution: Execution) -> Answer:
        """Compute the answer and record how to repeat it; raise Interrupted on Ctrl-C with the answer so far."""
        plans = (plan,) if self.plan else ()
        try:
            answer: Answer = self.named(self.ask)(*plans, *groups, execution)
        except KeyboardInterrupt as interrupt:
            self._record(getattr(interrupt, "result", None), plan, groups)
            raise
        self._record(answer, plan, groups)
        return answer

    def command_line(self, plan: Plan | None, groups: Sequence[Options]) -> str:
        """Return the shell command that asks this question; empty if there is none, as when a policy is a function."""
        arguments, options = list[str](), list[str]()
        for group in groups:
            for name, (declared, spec) in options_of(group).items():
                value = getattr(group, name)
                if value == declared.default or name in OUTPUTS:
                    continue
                values = value if isinstance(value, tuple) else (value,)
                if not all(isinstance(item, str | int | float | os.PathLike) for item in values):
                    return ""
                texts = [str(item) for item in values]
                if spec.argument:
                    arguments += texts
                elif value is not False:
                    options += option_words(name, spec, str(declared.type), texts)
        if plan is not None:
            renamed = {
                f"--{key.replace('_', '-')}": spec.names[0] for key, spec in self.plan_options.items() if spec.names
            }
            options += [renamed.get(word, word) for word in plan.words(*(set(plan.as_dict()) - set(self.plan)))]
        import shlex  # imported late, like json below: ``wsim --help`` imports this module

        return shlex.join(["wsim", *self.command.split(), *arguments, *options])

    def _record(self, answer: Any, plan: Plan | None, groups: Sequence[Options]) -> None:
        """Store the command in an answer, and also the question if the answer records it (``wsim.questions.asked``)."""
        if answer is not None:
            object.__setattr__(answer, "command", self.command_line(plan, groups))
        if hasattr(answer, "asked"):
            import json

            flat = None if plan is None else plan.as_dict()
            options = [group.record() for group in groups]
            for group, record in zip(groups, options, strict=True):
                for key in record.keys() & set(OUTPUTS):  # the output path of an answer is not part of the question
                    record[key] = options_of(group)[key][0].default
            asked = {"question": self.name, "plan": flat, "groups": options}
            object.__setattr__(answer, "asked", json.loads(json.dumps(asked)))

    def written(self, answer: Answer, groups: Sequence[Options]) -> Any:
        """Write the files that the options request, and return the path or paths, if any."""
        return self.named(self.write)(answer, *groups) if self.write else None

    def code(self, plan: Plan | None, groups: Sequence[Options]) -> list[str]:
        """Return the user code (policies and effects) that computing the answer would run."""
        every = [entry for source in (plan, *groups) for entry in getattr(source, "code", ())]
        return list(dict.fromkeys(map(str, every)))


def questions() -> Iterator[Question]:
    """Yield the installed questions, wsim's own first."""
    for name in QUESTIONS:
        yield find_question(name)


def find_question(name: str) -> Question:
    """Return the question called ``name``; raise UserError for an unknown or broken one."""
    question: Question = load_question(name)
    return question


def question_of_format(name: str) -> Question | None:
    """Return the question whose answers have (or had) this format, if any."""
    return next((question for question in questions() if name in question.formats), None)


def answer_families() -> list[str]:
    """Return the format names of all answers, without ``wsim-`` and version: ``whatif``, ``match``, ..."""
    return [family for question in questions() for family in question.families]
