"""Draw faults at random, plant them one at a time, and report which ones no test notices: ``python -m tests.mutants``.

``faults`` draws them, ``notes`` knows which tests execute which lines, ``serving`` is a process of pytest that has
collected the tests once and runs chosen ones in copies of itself, each with one fault.
"""
