"""Questions as forms: the fields of the same dataclasses as the commands' options, read from texts in the same way.

What a form has, its help and its checks come from the dataclasses (``wsim.options``) and from the keys of a plan; here
stands only which of them make a question, and what plays it.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import Mistakes, UserError, nearest
from wsim.lab.plan import Plan
from wsim.options import READERS, Option, names, options_of
from wsim.policies.effect_files import named_file
from wsim.policies.lineup import parse_entry

if TYPE_CHECKING:
    from wsim.lab.answer import Answer
    from wsim.lab.progress import Progress

Texts = Mapping[str, Sequence[str]]
"""What stands in a form: by field, its lines; none: the default."""
POLICIES = "policies"
LEFT_OUT = ("out", "folder", "resume")
"""Fields that say where a command writes: here it is the opened folder."""
TRUST = "trust"
FILES = ("goal", "patch")
"""Fields that name files, which lie in the opened folder."""


@dataclass(frozen=True)
class Kind:
    """A question that can be asked.

    Attributes
    ----------
    name: the answer's, as its files begin. command: words of the command. title: of the form.
    groups: its dataclasses, ``module:Class``. keys: of the plan that it takes, but for those of the groups.
    play: plays it, of the plan's keys, what the groups say, and what is told of the progress.
    arguments: the field whose words are arguments of the command. spelled: options that are called otherwise there.
    suffixes: of the file that it writes, the usual one first. left_out: fields that only the command has.
    code: entries of line-ups that are code, in the files that a form names.
    """

    name: str
    command: str
    title: str
    groups: tuple[str, ...]
    play: Callable[[dict[str, Any], Sequence[Any], Progress], Answer]
    keys: tuple[str, ...] = ("game", "ruleset", "players", POLICIES, "seed", "set", "patch")
    arguments: str = ""
    spelled: Mapping[str, str] = field(default_factory=dict)
    suffixes: tuple[str, ...] = (".json", ".parquet")
    left_out: tuple[str, ...] = LEFT_OUT
    code: Callable[[Texts], Sequence[str]] = lambda _: ()

    @property
    def about(self) -> str:
        """What it is, in the words of the command's help."""
        return inspect.getdoc(self._kinds()[0]) or ""

    def _kinds(self) -> list[type[Any]]:
        found = []
        for name in self.groups:
            module, _, kind = name.partition(":")
            found.append(getattr(import_module(module), kind))
        return found

    def answer(self, out: Path) -> Path:
        """Return where the answer lies: the file that is written, or the record beside a patch."""
        return out.with_suffix(".json") if out.suffix == ".toml" else out

    def fields(self) -> Iterator[tuple[str, type[Any], str, Any, Option]]:
        """Yield each field: its name, the dataclass, its type, its default and what it says of itself."""
        taken = set()
        for kind in self._kinds():
            for name, (one, said) in options_of(kind).items():
                if name not in self.left_out:
                    taken.add(name)
                    yield name, kind, str(one.type), one.default, said
        for name, (one, said) in options_of(Plan).items():
            if name in self.keys and name not in taken:
                yield name, Plan, str(one.type), MISSING, said

    def read(self, texts: Texts) -> tuple[dict[str, Any], list[Any]]:
        """Return the keys of the plan and what the groups say; raise UserError with all mistakes of the form."""
        mistakes, values, lacking = Mistakes(), dict[type[Any], dict[str, Any]](), set[type[Any]]()
        known = {name for name, *_ in self.fields()}
        for name in texts:
            if name not in known:
                mistakes.add(f"{self.command} has no field {name!r}{nearest(name, known)}")
        for name, kind, typed, default, said in self.fields():
            lines = [one.strip() for one in texts.get(name, ()) if one.strip()]
            if lines:
                with mistakes.noted():
                    values.setdefault(kind, {})[name] = _value(name, typed, said, lines, name == self.arguments)
            elif said.argument and default is MISSING:
                mistakes.add(f"{self.command} needs {name.replace('_', ' ')}: {said.sentence}")
                lacking.add(kind)
        groups = []
        for kind in self._kinds():
            if kind in lacking:
                continue
            with mistakes.noted():
                groups.append(kind(**values.get(kind, {})))
        keys = values.get(Plan, {})
        with mistakes.noted():
            Plan.make(**{name: value for name, value in keys.items() if name != self.arguments})
        mistakes.raise_any()
        return keys, groups

    def words(self, texts: Texts, out: str) -> str:
        """Return the command that asks the same and writes the same file."""
        words = ["wsim", *self.command.split()]
        options = []
        for name, kind, typed, _, said in self.fields():
            lines = [one.strip() for one in texts.get(name, ()) if one.strip()]
            if not lines:
                continue
            if name == self.arguments or said.hidden or said.argument:
                words += [word for line in lines for word in (names(line) if name == POLICIES else [line])]
                continue
            spelled = self.spelled.get(name) if kind is Plan else None
            spelled = spelled or (said.names[0] if said.names else f"--{name.replace('_', '-')}")
            repeated = typed.startswith("tuple") and said.read is None
            for text in lines if repeated else [",".join(lines)]:
                options += [spelled.partition("/")[0]] if typed == "bool" else [spelled, text]
        where = ["--json", "-q"] if self.name == "picks" else ["-o", out]
        written = f" > {shlex.quote(out)}" if self.name == "picks" else ""
        return shlex.join([*words, *options, *where]) + written


def _value(name: str, typed: str, said: Option, lines: Sequence[str], argument: bool) -> Any:
    """Return the value of a field, as the command line would have it."""
    base = typed.removesuffix(" | None").partition(" | ")[0]
    if base == "bool":
        return True
    if argument or name == POLICIES:
        return ",".join(lines) if not argument else [word for line in lines for word in names(line)]
    if base.startswith("tuple"):
        read = said.read or READERS["int" if base.startswith("tuple[int") else "str"]
        return read(",".join(lines)) if said.read else tuple(map(read, lines))
    if len(lines) > 1:
        raise UserError(f"{name} is said once, not {len(lines)} times: {', '.join(lines)}")
    return (said.read or READERS.get(base, str))(lines[0])


# --- what plays them --------------------------------------------------------------------------------------------------


def _whatif(keys: dict[str, Any], groups: Sequence[Any], progress: Progress) -> Answer:
    from wsim.experiments.whatif import compare

    change, question = groups
    return compare(Plan.make(**keys), change, question, progress=progress)


def _match(keys: dict[str, Any], groups: Sequence[Any], progress: Progress) -> Answer:
    from wsim.experiments.match import named_policies, play_match, tables_of

    question, at = groups
    policies = keys.pop(POLICIES, [])
    plan = Plan.make(**keys)
    tables = tables_of(plan, named_policies(plan, policies), at.ruleset, at.players, question)
    return play_match(tables, question, progress=progress)


def _skill(keys: dict[str, Any], groups: Sequence[Any], progress: Progress) -> Answer:
    from wsim.experiments.skill import play_skill
    from wsim.experiments.skill_question import GAMES

    return play_skill(Plan.make(**{"games": GAMES, **keys}), groups[0], progress=progress)


def _rest(keys: dict[str, Any], groups: Sequence[Any], progress: Progress) -> Answer:
    from wsim.experiments.rest import play_rest
    from wsim.experiments.rest_question import GAMES

    policies = keys.pop(POLICIES, [])
    return play_rest(Plan.make(**{"games": GAMES, **keys}), policies, groups[0], progress=progress)


def _picks(keys: dict[str, Any], groups: Sequence[Any], progress: Progress) -> Answer:
    from wsim.experiments.picks import play_experiment, randomised
    from wsim.experiments.picks_question import GAMES

    how, question = groups
    plan = randomised(Plan.make(**{"games": GAMES, **keys}), how.randomise)
    return play_experiment(plan, question, progress=progress)


def _balance(_: dict[str, Any], groups: Sequence[Any], progress: Progress) -> Answer:
    from wsim.balance.balance import Execution, balance
    from wsim.balance.goal import read_goal
    from wsim.balance.transfer import Elsewhere

    files, question = groups
    where = Elsewhere(question.players, question.styles, question.elsewhere_games)
    return balance(read_goal(files.goal), elsewhere=where, execution=Execution(question.seed, progress=progress))


def _code_of_goal(texts: Texts) -> list[str]:
    from wsim.balance.goal import read_goal

    return [entry for name in texts.get("goal", ()) for one in read_goal(name).settings for entry in one.plan.code]


_TABLE = ("game", "seed", "set", "patch")
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "whatif", "whatif", "What if",
            ("wsim.experiments.question:Change", "wsim.experiments.question:Question"), _whatif,
            spelled={"set": "--base-set", "patch": "--base-patch"},
        ),
        Kind(
            "match", "match", "Match",
            ("wsim.experiments.match_question:MatchQuestion", "wsim.experiments.match_question:MatchTables"), _match,
            keys=(*_TABLE, POLICIES), arguments=POLICIES,
        ),
        Kind(
            "skill", "skill", "Skill", ("wsim.experiments.skill_question:SkillQuestion",), _skill,
            keys=(*_TABLE, "ruleset", "players", "games"),
        ),
        Kind(
            "rest", "rest", "Rest", ("wsim.experiments.rest_question:RestQuestion",), _rest,
            keys=(*_TABLE, "ruleset", "players", "games", POLICIES), arguments=POLICIES,
        ),
        Kind(
            "picks", "experiment picks", "Pick experiment",
            ("wsim.experiments.picks_question:PickPlay", "wsim.experiments.picks_question:PickQuestion"), _picks,
            keys=(*_TABLE, "ruleset", "players", "games", POLICIES),
        ),
        Kind(
            "balance", "balance", "Balance",
            ("wsim.balance.balance_question:BalanceFiles", "wsim.balance.balance_question:BalanceQuestion"), _balance,
            keys=(), suffixes=(".toml",), left_out=(*LEFT_OUT, "relearn", "carry"), code=_code_of_goal,
        ),
    )
}  # fmt: skip
"""By name."""


def kind_of(name: str) -> Kind:
    """Return a kind of question; raise UserError for one that there is none of."""
    if name not in KINDS:
        raise UserError(f"there is no question {name!r}: there are {', '.join(KINDS)}{nearest(name, KINDS)}")
    return KINDS[name]


def code_in(kind: Kind, texts: Texts) -> list[str]:
    """Return the entries of line-ups and the files of effects that are code, which asking would run."""
    fields = (POLICIES, "ladder", "between", "players", "styles")
    entries = [one for name in fields for line in texts.get(name, ()) for one in names(line)]
    effects = (named_file(name) for field in ("patch", "change_files") for name in texts.get(field, ()))
    found = (*(one for one in entries if ".py" in one or _is_code(one)), *(str(one) for one in effects if one))
    return [*found, *kind.code(texts)]


def _is_code(entry: str) -> bool:
    try:
        read = parse_entry(entry)
    except UserError:
        return False  # refused where it is read
    return bool(read.file or read.module)
