"""The command line: ``app.py`` builds the program from the rows of ``command_table.py``; ``console.py`` prints."""

import gc

gc.set_threshold(100_000)  # before the imports: a command loads that many objects, and none of them is freed
