"""The documentation tells the truth: its pages are executed, its links and numbers lead somewhere."""
