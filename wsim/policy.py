"""Not a real module, because ``wsim.policy`` is a decorator: importing it raises an error with advice."""

raise ImportError(
    "wsim.policy is the decorator @wsim.policy, not a module: import the names that a policy needs from the kit of "
    "its game, as in `from wsim.wonders.kit import BUILD, action_of` or `from wsim.babel.kit import TURN, cards_of`",
    name="wsim.policy",
)
