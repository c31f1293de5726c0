"""Rows of the page docs/documents.md: what a document describes, where it is in the product, and which tests prove it.

``python -m tests.docs.documents.page`` writes the page from the tables beside this module.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["works", "not yet", "no meaning"]


@dataclass(frozen=True)
class Row:
    """One system, rule or example of a document.

    ``where`` is a path below scheduler_core, or one from the root. ``tests`` are "path:name", the path below tests/ or
    tests/scheduler_core/ and without ".py", the name without "test_". ``note`` says what differs, or why there is none.
    """

    says: str
    where: str = ""
    tests: tuple[str, ...] = ()
    verdict: Verdict = "works"
    note: str = ""


@dataclass(frozen=True)
class Document:
    """A document and its rows by section."""

    title: str
    about: str
    sections: dict[str, list[Row]] = field(default_factory=dict)


def works(says: str, where: str, *tests: str, note: str = "") -> Row:
    """Return a row of what works."""
    return Row(says, where, tests, "works", note)


def missing(says: str, note: str) -> Row:
    """Return a row of what is not there yet."""
    return Row(says, verdict="not yet", note=note)


def meaningless(says: str, note: str) -> Row:
    """Return a row of what has no meaning in a simulator, or in Kubernetes."""
    return Row(says, verdict="no meaning", note=note)
