"""The policies of Tower of Babel: the registry, and line-up entries made ready to play.

A policy is a function ``policy(public, own, choice, rules) -> index`` of one compiled signature (``layout.POLICY``).
It gets what everybody knows, what its seat knows, the legal moves and the rules, and returns the index of its move:
``choice.kind`` says which decision it is, ``choice.moves`` holds ``choice.count`` moves, ``layout`` says what they mean
and ``moves`` reads them. It is not asked when there is one move only. A policy of your own is written
as ``wsim.policy`` says, with these records.
"""
