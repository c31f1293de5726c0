"""Differences between two states of a cluster or two texts: by object, then line by line."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Key, normal_key
from dashboard.clusters.yaml_folds import find_folds
from scheduler_core.manifests import dump_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.models import Revision

CONTEXT_LINES = 3
# difflib takes quadratic time on texts that share little; longer ones are shown as replaced.
MAX_LINES = 3_000
SHOWN_LINES = 400


class DiffLine(NamedTuple):
    """A line of a unified diff: mark is " ", "+", "-" or "@" (lines left out); numbers of the old and new text."""

    mark: str
    old: int | None
    new: int | None
    text: str

    @property
    def cls(self) -> str:
        """Return the design system's class of the line."""
        return {"+": "add", "-": "del", "@": "gap"}.get(self.mark, "")


class DiffPart(NamedTuple):
    """Lines of a diff that are shown, or (`is_folded`) shown on demand."""

    is_folded: bool
    lines: list[DiffLine]


@dataclass(frozen=True)
class TextDiff:
    """A unified diff with the numbers of lines added and removed; `left_out` lines are not shown.

    `folded` has the numbers of lines of the old and of the new text that are shown on demand.
    """

    lines: list[DiffLine]
    added: int
    removed: int
    left_out: int = 0
    folded: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())

    @property
    def parts(self) -> list[DiffPart]:
        """Return the lines in order, folded ones and others apart."""
        parts: list[DiffPart] = []
        for line in self.lines:
            number, numbers = (line.old, self.folded[0]) if line.mark == "-" else (line.new, self.folded[1])
            is_folded = number in numbers
            if not parts or parts[-1].is_folded != is_folded:
                parts.append(DiffPart(is_folded, []))
            parts[-1].lines.append(line)
        return parts


@dataclass(frozen=True)
class ObjectChange:
    """An object that differs: added (no old address), removed (no new one) or changed."""

    key: Key
    old: bytes | None
    new: bytes | None

    @property
    def what(self) -> str:
        """Return "added", "removed" or "changed"."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "changed"

    @property
    def anchor(self) -> str:
        """Return a name of the object that an id in the page may have."""
        return hashlib.sha256("\0".join(self.key).encode()).hexdigest()[:16]


def diff_texts(old: str, new: str) -> TextDiff:
    """Return the unified diff of two texts with three lines around each change."""
    a, b = old.splitlines(), new.splitlines()
    lines: list[DiffLine] = []
    for group in _groups(a, b):
        if group[0][1] > 0:
            lines.append(DiffLine("@", None, None, f"line {group[0][3] + 1}"))
        for tag, a1, a2, b1, b2 in group:
            lines.extend(_lines(tag, a[a1:a2], b[b1:b2], a1, b1))
    added, removed = (sum(line.mark == mark for line in lines) for mark in "+-")
    return TextDiff(lines[:SHOWN_LINES], added, removed, max(0, len(lines) - SHOWN_LINES))


def _groups(a: list[str], b: list[str]) -> list[list[tuple[str, int, int, int, int]]]:
    if len(a) > MAX_LINES or len(b) > MAX_LINES:
        return [[("replace", 0, len(a), 0, len(b))]]
    return [
        list(group) for group in difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT_LINES)
    ]


def _lines(tag: str, old: list[str], new: list[str], at_old: int, at_new: int) -> list[DiffLine]:
    if tag == "equal":
        return [DiffLine(" ", at_old + n + 1, at_new + n + 1, text) for n, text in enumerate(old)]
    gone = [DiffLine("-", at_old + n + 1, None, text) for n, text in enumerate(old)]
    return gone + [DiffLine("+", None, at_new + n + 1, text) for n, text in enumerate(new)]


def diff_manifests(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> TextDiff:
    """Return the diff of two manifests as YAML; None stands for no object. Fields that do not affect scheduling are
    folded.
    """
    texts = [dump_yaml([raw]) if raw else "" for raw in (old, new)]
    before, after = (_folded(text) for text in texts)
    return replace(diff_texts(*texts), folded=(before, after))


def _folded(text: str) -> frozenset[int]:
    return frozenset(number for fold in find_folds(text) for number in range(fold.first + 1, fold.last + 1))


def diff_revisions(old: Revision | None, new: Revision) -> list[ObjectChange]:
    """Return the objects that differ, by kind, namespace and name; reads only the indexes."""
    before = _addresses(old) if old else {}
    after = _addresses(new)
    keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    return [ObjectChange(key, before.get(key), after.get(key)) for key in keys]


def _addresses(revision: Revision) -> dict[Key, bytes]:
    return {normal_key(*entry.key): entry.sha256 for entry in object_store.read_index(revision)}
