"""Policies of any game: line-ups, registries, weight sets, users' own policies and how an engine calls them all.

lineup: the grammar of line-ups.
registry: what a game registers, and line-ups made ready. weights: files of weight sets.
interface: how an engine calls a policy.
sources: what a policy of a user is made of.
declare: the decorator ``wsim.policy``. plug: users' policies, found and checked. helpers: kernels that they may call.
"""
