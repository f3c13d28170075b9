"""Transfer: the effect of a patch with players and at tables that it was not made for."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="transfer",
    title="Transfer",
    asks="Does a patch also work with other players?",
    topic="Balance",
    short="Measure a patch with players and styles it was not made for.",
    package=__name__,
    groups=("question:TransferQuestion", "question:TransferOptions"),
    ask="ask:ask",
    answer="answer:TransferAnswer",
    formats=("wsim-transfer/1", "wsim-carry/1"),
    only_command=("retrain",),
    first=("goal", "patch", "players"),
)
