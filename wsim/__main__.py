"""``python -m wsim`` is the command ``wsim``."""

from wsim.cli.app import main

if __name__ == "__main__":
    main()
