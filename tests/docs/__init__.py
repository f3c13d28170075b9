"""The documentation is correct: its pages are executed, and its links and rule numbers exist."""
