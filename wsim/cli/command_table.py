"""Every command: what it is called, its short help, who presents it, and the groups of options that this one takes.

A new command is two files and a row here:

1. In its package the question: a dataclass of options (``wsim.options``), its docstring the help of the command.
2. ``wsim/cli/<name>_command.py``: a function that takes one value for each group of the row, by its name, does the work
   and prints through ``console.py``. It raises UserError for a mistake of the user (exit 2), an OSError for a failure
   (exit 1), ``Exit`` with another code. Options that only the command line has are a dataclass in this file; whatever
   takes long to import is imported in its functions, so that the help takes no time.

A new table of a run needs no command: the game lists it (``ANALYSES`` of its module), and ``wsim table`` shows it.
"""

from __future__ import annotations

from collections.abc import Mapping

from wsim.cli.parameters import Fields, Group, Words
from wsim.cli.plan_keys import PlanKeys
from wsim.options import Option


class Row:
    """A command: its line in the list of all, ``module:function`` of ``wsim.cli``, the groups that this takes.

    A group that is a text is a dataclass. The text of the first dataclass is the help.
    """

    def __init__(self, short: str, presenter: str, **groups: Group | str) -> None:
        self.short, self.presenter = short, presenter
        self.groups: Mapping[str, Group] = {
            name: Fields(one) if isinstance(one, str) else one for name, one in groups.items()
        }


PRINTING = Fields("wsim.cli.groups:Printing")
JSON = Fields("wsim.cli.groups:Printing", only=("as_json",))
QUIET = Fields("wsim.cli.groups:Printing", only=("quiet",))
WIDE = Fields("wsim.cli.groups:Wide")
VIEW = Fields("wsim.cli.groups:View")
FILES = Fields("wsim.cli.exports:Files")
WORKERS = Fields("wsim.cli.groups:Workers")
THREADS = Fields("wsim.cli.groups:Workers", only=("threads",))
TRUST = Fields("wsim.cli.groups:Trust")
ANSWER = Fields("wsim.cli.groups:AnswerFile")
BASE_VALUE = Option("A value that all arms have (repeatable).", metavar="PATH=VALUE", names=("--base-set",))
BASE_FILE = Option("A file that all arms have (repeatable).", metavar="FILE", names=("--base-patch",))
TABLE = Fields("wsim.cli.table_command:TableOptions")

COMMANDS: Mapping[str, Row] = {
    "run": Row(
        "Play games, write a run folder, show its tables.", "run_command:run_command",
        plan=PlanKeys(), options="wsim.cli.run_command:RunOptions", workers=WORKERS, trust=TRUST, table=WIDE,
        printing=PRINTING,
    ),
    "merge": Row(
        "Join the parts of a run.", "merge_command:merge_command",
        options="wsim.cli.merge_command:MergeOptions", printing=PRINTING,
    ),
    "copy": Row(
        "Copy a run into an object store, or back.", "copy_command:copy_command",
        options="wsim.cli.copy_command:CopyOptions", printing=QUIET,
    ),
    "compare": Row(
        "Compare two runs.", "compare_command:compare_command",
        options="wsim.cli.compare_command:CompareOptions", view=VIEW, files=FILES, printing=PRINTING,
    ),
    "rerun": Row(
        "Play again what made something, and compare.", "rerun_command:rerun_command",
        plan=PlanKeys(only=("policies",)), options="wsim.cli.rerun_command:RerunOptions", workers=THREADS, trust=TRUST,
        printing=PRINTING,
    ),
    "verify": Row(
        "Check that a run is what was written.", "verify_command:verify_command",
        options="wsim.cli.verify_command:VerifyOptions", printing=JSON,
    ),
    "report": Row(
        "Write the page of a run.", "report_command:report_command",
        options="wsim.cli.report_command:ReportOptions", printing=QUIET,
    ),
    "open": Row(
        "Look, ask and play in a browser.", "open_command:open_command",
        options="wsim.cli.open_command:OpenOptions", printing=QUIET,
    ),
    "policies": Row(
        "List the policies of a game.", "policies_command:policies_command",
        options="wsim.cli.policies_command:PoliciesOptions", table=WIDE, printing=JSON,
    ),
    "catalog": Row(
        "Show, compare and check cards and rules.", "catalog_command:catalog_command",
        options="wsim.cli.catalog_command:CatalogOptions", table=WIDE, printing=JSON,
    ),
    "whatif": Row(
        "Compare a changed card or rule on common deals.", "whatif_command:whatif_command",
        plan=PlanKeys(left_out=("games", "picks", "keep"), others={"set": BASE_VALUE, "patch": BASE_FILE}),
        change="wsim.experiments.question:Change", question="wsim.experiments.question:Question",
        details="wsim.cli.whatif_command:Details", answer=ANSWER, files=FILES, workers=WORKERS, table=WIDE,
        printing=PRINTING,
    ),
    "table": Row(
        "Show any table of a run; list those that there are.", "table_command:any_table",
        own=Words(), table=TABLE, view=VIEW, files=FILES, printing=JSON,
    ),
    **{
        name: Row(
            short, "table_command:short_table",
            own=f"wsim.cli.table_command:{name.capitalize()}", table=TABLE, view=VIEW, files=FILES,
            printing=JSON,
        )
        for name, short in {
            "cards": "What cards went with: win share, score.",
            "wonders": "How strong boards were: win share, score.",
            "calibrate": "Hold a run against results of human players.",
            "matchups": "How policies do against each other.",
            "strengths": "Plackett-Luce strengths.",
            "synergies": "Pairs of cards worth more together than apart.",
            "variance": "Where the variance of the score comes from.",
        }.items()
    },
    "trace": Row(
        "Tell whole games, every decision of them, and why.", "trace_command:trace_command",
        plan=PlanKeys(left_out=("picks", "keep"), games="1"), options="wsim.cli.trace_command:TraceOptions",
        trust=TRUST, printing=QUIET,
    ),
    "advise": Row(
        "Rank what a seat can do in a position.", "advise_command:advise_command",
        options="wsim.cli.advise_command:AdviseOptions", trust=TRUST, printing=PRINTING,
    ),
    "play": Row(
        "Take a seat in the terminal.", "play_command:play_command",
        plan=PlanKeys(left_out=("picks", "keep", "games", "rotate")), options="wsim.cli.play_command:PlayOptions",
        trust=TRUST,
    ),
    "sensitivity": Row(
        "What each step of the values in a goal file does.", "balance_command:sensitivity_command",
        question="wsim.balance.balance_question:SensitivityQuestion",
        search=Fields("wsim.balance.goal:SearchSettings", only=("games", "replays"), raw=True), view=VIEW, files=FILES,
        workers=THREADS, printing=PRINTING,
    ),
    "balance": Row(
        "The smallest patch that meets the targets of a goal file.", "balance_command:balance_command",
        question="wsim.balance.balance_question:BalanceQuestion", files="wsim.balance.balance_question:BalanceFiles",
        search=Fields("wsim.balance.goal:SearchSettings", only=("games", "replays", "proof_games"), raw=True),
        table=WIDE, workers=THREADS, printing=PRINTING,
    ),
    "learn": Row(
        "Learn a net from self-play, or fit one to changed cards.", "learn_command:learn_command",
        question="wsim.learn.learn_question:LearnQuestion", workers=WORKERS, printing=PRINTING,
    ),
    "match": Row(
        "Policies against each other, every seating of a deal.", "match_command:match_command",
        plan=PlanKeys(left_out=("games", "picks", "keep", "policies", "rotate", "players", "ruleset")),
        question="wsim.experiments.match_question:MatchQuestion", at="wsim.experiments.match_question:MatchTables",
        output="wsim.experiments.match_question:MatchOutput", workers=WORKERS, table=WIDE, files=FILES,
        printing=PRINTING,
    ),
    "skill": Row(
        "What cards or wonders are worth by who plays.", "skill_command:skill_command",
        plan=PlanKeys(left_out=("picks", "keep", "policies", "rotate"), games="20,000 at each rung"),
        question="wsim.experiments.skill_question:SkillQuestion", view=VIEW, files=FILES, answer=ANSWER,
        workers=WORKERS, printing=PRINTING,
    ),
    "rest": Row(
        "How far figures move between players.", "rest_command:rest_command",
        plan=PlanKeys(left_out=("picks", "keep", "policies", "rotate"), games="20,000 of each policy"),
        question="wsim.experiments.rest_question:RestQuestion", view=VIEW, files=FILES, answer=ANSWER,
        workers=WORKERS, printing=PRINTING,
    ),
    "tune": Row(
        "Tune the numbers of a policy.", "tune_command:tune_command",
        plan=PlanKeys(left_out=("games", "picks", "keep", "policies", "rotate", "ruleset", "players")),
        question=Fields("wsim.tuning.tune_question:TuneQuestion", raw=True),
        output="wsim.tuning.tune_question:TuneOutput", trust=TRUST, files=FILES, workers=THREADS, table=WIDE,
        printing=PRINTING,
    ),
    "experiment picks": Row(
        "What doing something with a card causes.", "picks_command:picks_command",
        plan=PlanKeys(left_out=("picks", "keep"), games="20,000"),
        how="wsim.experiments.picks_question:PickPlay", question="wsim.experiments.picks_question:PickQuestion",
        view=VIEW, files=FILES, workers=WORKERS, printing=PRINTING,
    ),
}  # fmt: skip
"""The commands in the order of the list of all; the first word of two names a group of commands."""

GROUPS: Mapping[str, str] = {"experiment": "Play experiments whose answers are causal."}
"""The groups of commands, with their help."""
