"""What was found out about mutants, in a file: a second start goes on with those that are left."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Verdict(NamedTuple):
    """What the tests said about a change; ``text`` is the digest of the whole module with it."""

    room: str
    path: str
    line: int
    function: str
    change: str
    text: str
    noticed: bool
    by: str
    """The test that failed; of a survivor, how many passed."""
    seconds: float


class Verdicts:
    """The file, one line of JSON each; the last one about a mutant counts."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._all: dict[tuple[str, str, str], Verdict] = {}
        if file.exists():
            for line in file.read_text().splitlines():
                self._keep(Verdict(**json.loads(line)))

    def of(self, path: str, change: str, text: str) -> Verdict | None:
        """Return what is known of the change that makes this text."""
        return self._all.get((path, change, digest(text)))

    def add(self, verdict: Verdict) -> None:
        """Write down one more."""
        self._keep(verdict)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as file:
            file.write(json.dumps(verdict._asdict()) + "\n")

    def _keep(self, verdict: Verdict) -> None:
        self._all[verdict.path, verdict.change, verdict.text] = verdict


def digest(text: str) -> str:
    """Return what stands for the text of a module."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
