"""Write the page of a run: one self-contained HTML file with charts, tables and conclusions in words.

The modules in reading order: ``material`` collects the content (tables of the run's game, outcomes, answers),
``conclusions`` states in words what the intervals support, ``charts`` draws charts, ``grids`` builds tables,
``sections`` arranges them, and ``page`` writes the file. Nothing here depends on the game: tables and answers are
rendered from their column declarations, and titles and colours come from the game (``wsim.game.Game``).

The package needs the extra ``report`` (Altair and vl-convert for charts, Jinja2 for the page).
"""

from wsim.report.page import check_extra, write_report

__all__ = ["check_extra", "write_report"]
