"""The tests. Each test process and its children use one thread for linear algebra.

There is one test process per processor. The additional threads of numpy's library would wait for each other in a busy
loop: fits of small nets took four times the processor time.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
