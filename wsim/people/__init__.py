"""Games that people played: import them into runs, compare and combine them with simulated games, plan further games.

``reader`` parses files into rows of strings, ``headings`` interprets columns and names, ``checks`` lists all invalid
values, and ``importing`` writes run folders. The packages ``combine``, ``planning`` and ``likeness`` are questions
about such runs. ``wsim.lab.people_runs`` opens the runs that fit a study.
"""
