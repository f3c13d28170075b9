"""The page of a run: one self-contained HTML file with charts, tables and the conclusions in words.

The order of reading: ``material`` collects what there is to show (tables of the run's game, outcomes, answers),
``conclusions`` says in words what the intervals allow, ``charts`` draws, ``grids`` tables, ``sections`` puts all in
order, ``page`` writes the file. Nothing here knows which game was played: a table or an answer is shown by its columns
(``shapes``), points by their names; titles and colours come from the game (``wsim.game.Game``).

Needs the extra ``report`` (Altair and vl-convert for the charts, Jinja2 for the page).
"""

from wsim.report.page import check_extra, write_report

__all__ = ["check_extra", "write_report"]
