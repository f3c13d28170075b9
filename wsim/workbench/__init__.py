"""The workbench (``wsim open``): runs, answers, questions and games in a browser, over the functions of the commands.

``server`` is the application and says how a page is added, ``guard`` what it refuses, ``folder`` what lies in the
opened folder, ``rendering`` how a page is made. Needs the extra ``web``.
"""
