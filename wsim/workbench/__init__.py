"""The workbench (``wsim open``): runs, answers, questions and games in a browser, over the functions of the commands.

``server`` is the application and says how a page is added, ``guard`` what it refuses, ``folder`` what lies in the
opened folder, ``rendering`` how a page is made. Looking: ``table_view`` (what an address says), ``run_page``,
``thing_page``, ``answer_page``. Asking: ``questions`` (forms of the options' dataclasses), ``queue_of_questions``,
``worker`` (one question in its own process), ``ask_page``. ``change_page``: the catalogue. Needs the extra ``web``.
"""
