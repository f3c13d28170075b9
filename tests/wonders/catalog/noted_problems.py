"""Problems that also note the path of each mistake."""

from __future__ import annotations

from wsim.spec.fields import Path, Problems


class NotedProblems(Problems):
    """Mistakes in a card file, with the paths at which they were reported."""

    def __init__(self) -> None:
        super().__init__("cards.toml")
        self.paths: list[Path] = []

    def at(self, path: Path, sentence: str) -> None:
        self.paths.append(path)
        super().at(path, sentence)

    def where(self, leading: int = 0) -> list[str]:
        """Return the paths without the given number of leading components."""
        return [".".join(path[leading:]) for path in self.paths]
