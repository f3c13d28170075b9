"""The command line: ``app.py`` makes the program of the rows of ``command_table.py``, ``console.py`` prints."""

import gc

gc.set_threshold(100_000)  # before the imports: a command loads as many objects, and all of them stay
