"""The policies of Tower of Babel: kernels. Their rows are in ``wsim.babel.registry``.

A policy is a function ``policy(public, own, choice, rules) -> index`` with one compiled signature (``layout.POLICY``).
It receives the public record, its private record, the legal moves and the rules, and returns the index of its move.
``choice.kind`` is the decision, ``choice.moves[: choice.count]`` the legal moves, as ``layout`` encodes and ``moves``
reads them. A single legal move is made without calling the policy. For your own policies, see ``wsim.babel.kit``.
"""
