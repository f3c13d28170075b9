"""The rules of 7 Wonders, chapter by chapter, against the engine: a test is named after the rule that it enforces."""
