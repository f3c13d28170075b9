"""The page of a run: one self-contained HTML file with charts, tables and the conclusions in words.

Read in this order: ``material`` collects the content (tables of the run's game, outcomes, answers), ``conclusions``
states in words what the intervals allow, ``charts`` draws charts, ``grids`` makes tables, ``sections`` orders them,
``page`` writes the file. Nothing here depends on the game: tables and answers are rendered from the declarations of
their columns; titles and colours come from the game (``wsim.game.Game``).

Needs the extra ``report`` (Altair and vl-convert for the charts, Jinja2 for the page).
"""

from wsim.report.page import check_extra, write_report

__all__ = ["check_extra", "write_report"]
