"""The command line of wsim with the toy game, for tests that need a process."""

from tests.games import toy_game
from wsim.cli.app import main

toy_game.register()
main()
