"""Tower of Babel (Reiner Knizia, 2005): catalogue, jitted engine and policies.

The rules are those of the 2005 edition with three to five seats; open questions are decided by numbered decisions
(A1-A32), each a switch in ``[babel.rules]`` of babel.toml where it can change play.
"""
