"""Texts of failure messages that one version does not have: what monitoring that matches them would miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from scheduler_core.compare.upgrade.model import TextChange
from scheduler_core.explain.messages.parsing import split_message
from scheduler_core.explain.messages.table import TEXTS
from scheduler_core.explain.messages.texts import MessageText, split_placeholders
from scheduler_core.versions.trains import Train, version_numbers

_OPEN = 1_000


def text_changes(a: Iterable[str], b: Iterable[str], trains: tuple[Train, Train]) -> tuple[TextChange, ...]:
    """The texts that one side says and the other version does not have, the commonest first, with counts of messages.

    Messages that differ in the values of placeholders alone have one text.
    """
    counts = _counted(a), _counted(b)
    said = {row.text for row in counts[1]}
    changes = []
    for row in counts[0].keys() | counts[1].keys():
        n_a, n_b = counts[0][row], counts[1][row]
        if (n_a and not has_text(row, trains[1])) or (n_b and not has_text(row, trains[0])):
            now = row.now if n_a and row.now in said else ""
            lost = lost_part(row.text, trains[1]) if n_a else ""
            changes.append(TextChange(text=row.text, now=now, plugin=row.plugin, a=n_a, b=n_b, lost=lost))
    return tuple(sorted(changes, key=lambda one: (-max(one.a, one.b), one.text)))


def lost_part(text: str, train: Train) -> str:
    """The longest part of a text between its placeholders that no text of the train has, "" where it has all."""
    said = [row.text for row in TEXTS.rows if has_text(row, train)]
    parts = sorted((part.strip() for part in split_placeholders(text)), key=len, reverse=True)
    return next((part for part in parts if part and not any(part in one for one in said)), "")


def has_text(row: MessageText, train: Train) -> bool:
    """Whether the train says the text, by the versions that the table gives it."""
    first, last = _patch(train.first, 0), _patch(train.last or train.name, _OPEN)
    return (not row.since or _patch(row.since, 0) <= last) and (not row.until or _patch(row.until, _OPEN) >= first)


def _patch(version: str, missing: int) -> tuple[int, int, int]:
    """The version as numbers; `missing` is the patch of one that names none."""
    major, minor, patch = version_numbers(version)
    return major, minor, missing if patch is None else patch


def _counted(messages: Iterable[str]) -> Counter[MessageText]:
    counts: Counter[MessageText] = Counter()
    for message, n in Counter(messages).items():
        matches = (piece.match for piece in split_message(message).pieces)
        for row in {match.row for match in matches if match is not None}:
            counts[row] += n
    return counts
