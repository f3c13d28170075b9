"""Tuning: optimise the numbers of a policy on common deals, and evaluate the result on different deals."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="tune",
    title="Tune a policy",
    asks="How much better does a policy get by tuning its numbers?",
    topic="Players",
    short="Optimise the parameters of a policy.",
    package=__name__,
    groups=("question:TuneQuestion", "question:TuneOutput"),
    ask="answer:ask",
    answer="answer:TuneAnswer",
    formats=("wsim-tuned/1",),
    plan=("game", "seed", "cards", "patch", "set"),
    only_command=("trust",),
    write="answer:written",
    first=("policy", "against", "players"),
)
