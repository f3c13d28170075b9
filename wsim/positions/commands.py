"""What the machine of a game is told to do with a position (``kernels/machine.py`` of the game)."""

from __future__ import annotations

BEGIN, STEP, LOOK, PLAY_OUT, REDRAW, OBSERVE, FOLLOW, ASK, LAY, COUNT, COMPARE = range(11)
"""Set up game ``number``; make move ``number``; list the moves; play to the end as often as there are outcomes, from
``number`` on; draw anew what a seat cannot know; write what a seat may know; make the move that the plan's own policy
makes; say what a line-up would do; lay out a part of a position, where the game has that; count the points of every
seat as if it ended here, where they are not kept in the state; play to the end after each of the moves in ``seen``, for
each redrawing."""
EVERYTHING = -1
"""In place of a seat: nothing is drawn anew."""
