"""The command line: ``app.py`` holds names and options, every command has a file of its own, ``console.py`` the output."""
