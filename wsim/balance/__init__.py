"""Balance: the smallest patch that meets the targets of a goal, and its proof."""

from wsim.questions.registry import Question

QUESTION = Question(
    name="balance",
    title="Balance",
    asks="What is the smallest change that balances the game?",
    topic="Balance",
    short="Find and prove the smallest patch that meets your targets.",
    panel="Design and balance",
    function="smallest_patch",
    package=__name__,
    groups=("question:BalanceQuestion", "transfer.question:TransferOptions", "question:BalanceFiles"),
    ask="ask:ask",
    answer="answer:BalanceAnswer",
    formats=("wsim-balance/1",),
    write="ask:written",
    only_command=("retrain", "transfer"),
    section="Balance",
    goal_field="goal",
    first=("goal", "games", "proof_games"),
)
