"""The command line: ``app.py`` builds the program from the rows in ``command_table.py``; ``console.py`` prints."""

import gc

gc.set_threshold(100_000)  # before the imports, because a command creates about this many objects and frees none
