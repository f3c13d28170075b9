"""Games that people played: import them into runs, compare and combine them with simulated games, plan the next ones.

``reader`` turns files into rows of text, ``headings`` and ``matching`` give them meaning, ``checks`` lists everything
that cannot be right, ``importing`` writes run folders. The packages ``combine``, ``planning`` and ``likeness`` are
questions about such runs. ``wsim.lab.people_runs`` opens those that fit a study.
"""
