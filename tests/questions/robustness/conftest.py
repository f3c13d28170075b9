"""The game of luck is known here too."""

from tests.questions.match.conftest import luck  # noqa: F401
