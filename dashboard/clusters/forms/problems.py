"""Findings at the fields that they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.manifests.model import path_of_text, path_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dashboard.clusters.forms.values import FormValue, PairValue, RowValue, SectionValue
    from scheduler_core.manifests import Finding


def placed(sections: Sequence[SectionValue], findings: Sequence[Finding]) -> list[Finding]:
    """Put each finding's message at the nearest part of the form; return those that have no place in it."""
    parts = {_key(part.path): part for part in _parts([one for section in sections for one in section.fields])}
    left: list[Finding] = []
    for one in findings:
        path = path_of_text(one.field)
        nearest = next((parts[key] for size in range(len(path), 1, -1) if (key := _key(path[:size])) in parts), None)
        if nearest is None:
            left.append(one)
        else:
            nearest.problems.append(one.message)
    return left


def _key(path: Sequence[str | int]) -> str:
    # Findings cut long keys, and write the others in their own way.
    return path_text(tuple(path))


def _parts(values: Sequence[FormValue]) -> Iterator[FormValue | RowValue | PairValue]:
    for value in values:
        yield value
        yield from value.pairs
        for row in value.rows:
            yield row
            yield from _parts(row.fields)
