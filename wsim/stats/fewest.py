"""Minimum sample sizes: with less data the spread carries no information, so there is no interval."""

from __future__ import annotations

ENOUGH = 30
"""Games (or picks, by their effective number) of a kind: with fewer, a mean is not normal enough and its error is too
poorly known. This minimum applies unless a constant below gives a reason for a different one."""
AT_A_LOOK = 20
"""Deals at a look of a sequential test; its tails are Student's, so fewer suffice."""
DIFFERING = 50
"""Deals that must differ, about equally, before a contrast on common deals has an interval: if most deals are equal, a
few carry no information about rare large differences."""
SEEN = 20
"""Rows of a sample in which a name must appear to count as occurring; no interval is based on them."""
