"""Policies of any game: line-ups, registries, weight sets, user policies, and how an engine calls them.

lineup: the grammar of line-ups.
registry: the policies that a game registers, and line-ups ready to play. weights: files of weight sets.
interface: how an engine calls a policy.
sources: the source files of a user policy.
declare: the decorator ``wsim.policy``. user_policies: loading and checking user policies. helpers: kernels that they
may call.
"""
