"""The workbench (``wsim open``): runs, answers, questions and games in a browser.

``server`` is the application and explains how to add a page; ``guard`` checks requests, ``folder`` lists the opened
folder, ``rendering`` renders pages. Browsing: ``table_view``, ``run_page``, ``item_page``, ``answer_page``. Asking:
``questions`` (forms), ``queue_of_questions``, ``worker`` (one process per question), ``ask_page``. ``change_page``
edits the catalogue. Requires the extra ``web``.
"""
