"""Registers the luck game here as well."""

from tests.questions.match.conftest import luck  # noqa: F401
