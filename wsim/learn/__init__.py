"""Learning: train nets on self-play decisions, and measure their strength."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="learn",
    title="Train a net",
    asks="Can a net learn to play better?",
    topic="Players",
    short="Train a net by self-play, or adapt one to changed cards.",
    panel="Players",
    function="train",
    package=__name__,
    groups=("question:LearnQuestion",),
    ask="answer:ask",
    answer="answer:LearnAnswer",
    formats=("wsim-learned/1",),
    write="answer:written",
    first=("game", "decisions", "change"),
)
