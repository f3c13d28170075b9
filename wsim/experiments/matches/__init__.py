"""Policies against each other: who sits where, the deals played in every seating, what they say, where they are kept.

``design`` seats them, ``tables`` plays a deal in every seating, ``sums`` adds deals up, ``trial`` looks and stops,
``ratings`` and ``costs`` say the rest, ``answer`` holds it all, ``kept`` keeps it on the disk, ``playing`` is the door.
"""
