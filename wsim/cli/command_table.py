"""The table of commands, with the name, short help, presenter function and option groups of each command.

A new command needs two files and a row in this table:

1. A dataclass of options (``wsim.options``) in the package that the command belongs to; its docstring is the help of
   the command.
2. ``wsim/cli/<name>_command.py``: a function that takes one keyword per group of the row and prints its results with
   ``console.py``. It raises UserError for wrong input (exit 2), OSError for a failure (exit 1), or ``Exit`` with
   a different code. Options that exist only on the command line are a dataclass in this file. Slow imports go inside
   functions, so that the help stays fast.

A question (``wsim.questions.registry``) needs neither, because its command is derived from its registration.
A new table of a run needs no command: once it is listed in ``ANALYSES`` of its game, ``wsim table`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wsim.cli.parameters import ExtraArguments, Fields, Group
from wsim.cli.plan_keys import PlanKeys
from wsim.questions.registry import Question, questions


class Row:
    """A row of the command table.

    Attributes
    ----------
    short: the line in ``wsim --help``, which states what the command does for the user.
    presenter: the function that runs the command, as ``module:function`` in ``wsim.cli``.
    panel: the heading under which ``wsim --help`` lists the command; empty: the command works but is not listed.
    groups: the option groups that the presenter takes, by keyword; a string names a dataclass. The docstring of the
        first dataclass is the help of the command.
    """

    question: Question | None = None

    def __init__(self, short: str, presenter: str, panel: str = "", **groups: Group | str) -> None:
        self.short, self.presenter, self.panel = short, presenter, panel
        self.groups: Mapping[str, Group] = {
            name: Fields(group) if isinstance(group, str) else group for name, group in groups.items()
        }


PRINTING = Fields("wsim.cli.groups:Printing")
JSON = Fields("wsim.cli.groups:Printing", only=("as_json",))
QUIET = Fields("wsim.cli.groups:Printing", only=("quiet",))
WIDE = Fields("wsim.lab.table_options:Wide")
VIEW = Fields("wsim.cli.groups:View")
FILES = Fields("wsim.cli.exports:Files")
WORKERS = Fields("wsim.cli.groups:Workers")
THREADS = Fields("wsim.cli.groups:Workers", only=("threads",))
TRUST = Fields("wsim.cli.groups:Trust")
TABLE = Fields("wsim.lab.table_options:TableOptions")

START = "Start"
ANALYSE = "Analyse a run"
EXPERIMENTS = "Experiments"
DESIGN = "Design and balance"
PLAYERS = "Players"
SINGLE = "Single games"
MANAGE = "Manage runs"
PANELS = (START, ANALYSE, EXPERIMENTS, DESIGN, PLAYERS, SINGLE, MANAGE)
"""The headings in ``wsim --help``, in display order."""

_COMMANDS: Mapping[str, Row] = {
    "run": Row(
        "Play games and show how strong wonders and cards are.", "run_command:run_command", START,
        plan=PlanKeys(), options="wsim.cli.run_command:RunOptions", workers=WORKERS, trust=TRUST, table=WIDE,
        printing=PRINTING,
    ),
    "import": Row(
        "Import games that people played, from spreadsheets and exports.", "import_command:import_command", ANALYSE,
        plan=PlanKeys(only=("game", "ruleset", "cards", "patch", "set"), usage="FILE..."),
        options="wsim.people.question:ImportOptions", printing=PRINTING,
    ),
    "publish": Row(
        "Write the studies in a folder as a website.", "publish_command:publish_command",
        options="wsim.cli.publish_command:PublishOptions", printing=QUIET,
    ),
    "runs merge": Row(
        "Join the parts of a run into one.", "merge_command:merge_command",
        options="wsim.cli.merge_command:MergeOptions", printing=PRINTING,
    ),
    "runs copy": Row(
        "Copy a run to an object store, or back.", "copy_command:copy_command",
        options="wsim.cli.copy_command:CopyOptions", printing=QUIET,
    ),
    **{
        name: Row(
            short, "table_command:short_table", panel,
            own=f"wsim.cli.table_command:{name.capitalize()}", table=TABLE, view=VIEW, files=FILES,
            printing=JSON,
        )
        for name, (short, panel) in {
            "cards": ("Cards of a run: what each is worth, and how often it is built.", ANALYSE),
            "wonders": ("Wonders of a run: win share and score of each side.", ""),
            "calibrate": ("Compare a run with published results of human players.", ""),
            "matchups": ("Policies against each other in the games of a run.", ""),
            "strengths": ("Plackett-Luce strengths of policies.", ""),
            "synergies": ("Pairs of cards that are worth more together than separately.", ""),
            "variance": ("Sources of the variance of the score.", ""),
        }.items()
    },
    "table": Row(
        "Any table of a run (wonders, policies, ...), or the list of its tables.", "table_command:any_table", ANALYSE,
        own=ExtraArguments(), table=TABLE, view=VIEW, files=FILES, printing=JSON,
    ),
    "runs rerun": Row(
        "Repeat a run or an answer, and compare the results.", "rerun_command:rerun_command",
        plan=PlanKeys(only=("policies",), usage="RUN|ANSWER"), options="wsim.cli.rerun_command:RerunOptions",
        workers=THREADS, trust=TRUST,
        printing=PRINTING,
    ),
    "runs verify": Row(
        "Check that the files of a run are intact.", "verify_command:verify_command",
        options="wsim.cli.verify_command:VerifyOptions", printing=JSON,
    ),
    "doctor": Row(
        "Check the installation, for a first test or a bug report.", "doctor_command:doctor_command",
        options="wsim.cli.doctor_command:DoctorOptions", printing=JSON,
    ),
    "report": Row(
        "Write an HTML report about a run, as one file to share.", "report_command:report_command", ANALYSE,
        options="wsim.cli.report_command:ReportOptions", printing=QUIET,
    ),
    "open": Row(
        "Browse results, ask questions and play, in a browser.", "open_command:open_command", START,
        options="wsim.cli.open_command:OpenOptions", printing=QUIET,
    ),
    "policies": Row(
        "List the built-in policies, or test your own.", "policies_command:policies_command", PLAYERS,
        options="wsim.cli.policies_command:PoliciesOptions", table=WIDE, printing=JSON,
    ),
    "catalog": Row(
        "Look up, compare and check cards and rules.", "catalog_command:catalog_command", DESIGN,
        options="wsim.cli.catalog_command:CatalogOptions", table=WIDE, printing=JSON,
    ),
    "trace": Row(
        "Print games decision by decision, and explain why a seat lost.", "trace_command:trace_command", SINGLE,
        plan=PlanKeys(left_out=("picks", "keep"), games="1", usage="[RUN [GAME] | POSITION]"),
        options="wsim.cli.trace_command:TraceOptions",
        trust=TRUST, printing=QUIET,
    ),
    "advise": Row(
        "Rank the legal moves in a position.", "advise_command:advise_command", SINGLE,
        options="wsim.cli.advise_command:AdviseOptions", trust=TRUST, printing=PRINTING,
    ),
    "play": Row(
        "Play a game yourself, in the terminal.", "play_command:play_command", SINGLE,
        plan=PlanKeys(left_out=("picks", "keep", "games", "rotate")), options="wsim.cli.play_command:PlayOptions",
        trust=TRUST,
    ),
}  # fmt: skip


class QuestionRow(Row):
    """The row of a question's command, which is built from the question's registration when it is called."""

    def __init__(self, question: Question) -> None:
        panel = question.panel if question.panel in ("", *PANELS) else EXPERIMENTS
        super().__init__(question.short, "", panel)
        self.question = question


def _with_questions() -> Iterator[tuple[str, Row]]:
    """Yield the rows of all commands by name; questions follow the command ``QUESTIONS_AFTER``."""
    own = {question.command: QuestionRow(question) for question in questions() if question.command not in _COMMANDS}
    for name, row in _COMMANDS.items():
        yield name, row
        if name == QUESTIONS_AFTER:
            yield from own.items()


QUESTIONS_AFTER = "table"
"""The command after which ``wsim --help`` lists the questions."""
COMMANDS: Mapping[str, Row] = dict(_with_questions())
"""The commands by name, in display order; in a two-word name, the first word is the group."""

GROUPS: Mapping[str, tuple[str, str]] = {
    "experiment": ("Worth of cards, effects of picks, character, exploitability.", EXPERIMENTS),
    "people": ("Combine people's games with simulated games, or plan further games.", ANALYSE),
    "runs": ("Merge, copy, verify or repeat runs.", MANAGE),
}
"""The help and panel of each group of commands."""

ALIASES: Mapping[str, str] = {
    **{name: f"runs {name}" for name in ("merge", "copy", "rerun", "verify")},
    **{alias: row.question.command for row in COMMANDS.values() if row.question for alias in row.question.aliases},
}
"""Short forms and former names of commands; they work but are not listed."""
