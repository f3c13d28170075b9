"""Tower of Babel (Reiner Knizia, 2005): catalogue, jitted engine and policies.

The rules are those of the 2005 edition with three to five seats. Questions that the rules leave open are settled by
numbered decisions (A1-A32). Each decision that can change play is a switch in ``[babel.rules]`` of babel.toml.
"""
