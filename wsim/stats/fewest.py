"""Minimum sample sizes: with less data the spread carries no information, so there is no interval."""

from __future__ import annotations

ENOUGH = 30
"""Minimum number of games (or effective number of picks) for an interval: with fewer, a mean is not close enough to
normal and its error is known too poorly. This minimum applies unless a constant below gives a reason for a different
one.
"""
AT_A_LOOK = 20
"""Minimum number of deals at a look of a sequential test; it uses Student's tails, so fewer suffice."""
DIFFERING = 50
"""Minimum effective number of deals that differ before a contrast on common deals has an interval: if most deals are
equal, a few differing ones carry no information about rare large differences.
"""
SEEN = 20
"""Minimum number of rows of a sample in which a name must appear to count as occurring; no interval is based on
them.
"""
