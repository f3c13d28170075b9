"""The policies of Tower of Babel: kernels. Their rows are in ``wsim.babel.registry``.

A policy is a function ``policy(public, own, choice, rules) -> index`` of one compiled signature (``layout.POLICY``).
It gets what everybody knows, what its seat knows, the legal moves and the rules, and returns the index of its move:
``choice.kind`` says which decision it is, ``choice.moves`` holds ``choice.count`` moves, ``layout`` says what they mean
and ``moves`` reads them. It is not asked when there is one move only. What a policy of your own needs
is in ``wsim.babel.kit``.
"""
