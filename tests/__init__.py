"""The tests. Each of their processes, and what it starts, does its linear algebra on one thread.

There is a process of the tests for each processor. The threads that numpy's library would start besides wait for each
other in a busy loop: fits of small nets took four times the processor time.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
