"""No module: the decorator ``wsim.policy`` hides what would lie here. Importing it names the place of every name."""

raise ImportError(
    "wsim.policy is the decorator @wsim.policy, not a module: import what a policy needs inside from the kit of its "
    "game, as in `from wsim.wonders.kit import BUILD, action_of` or `from wsim.babel.kit import TURN, cards_of`",
    name="wsim.policy",
)
