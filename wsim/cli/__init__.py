"""The command line: ``app.py`` holds names and options, each command has its file, ``console.py`` prints."""
