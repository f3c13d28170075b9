"""How few is too few: where so little was seen that its spread says nothing, there is no interval."""

from __future__ import annotations

ENOUGH = 30
"""Games (or picks, by their effective number) of a kind: with fewer a mean is not normal enough, and its error is too
poorly known. The one number wherever nothing below gives a reason for another one."""
AT_A_LOOK = 20
"""Deals at a look of a sequential test, whose tails are Student's, so that fewer do."""
DIFFERING = 50
"""Deals that must differ, about equally, before a contrast on common deals has an interval: where most are alike, a few
say nothing of the rare large ones."""
SEEN = 20
"""Rows of a sample in which a name must stand to be said to occur: no interval is made of them."""
