"""The findings of one load: complaints are noted while objects are read; their lines are looked up at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from scheduler_core.manifests.checking.raw_values import Complaint
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.model import Finding, Limits, LoadError, ManifestSource, Path, Severity, path_text
from scheduler_core.manifests.parsing.json_lists import JsonList
from scheduler_core.manifests.parsing.line_positions import ListPositions, ObjectPosition, Positions
from scheduler_core.manifests.parsing.sources import read_text

_SHOWN_ALIKE = 3
_MAX_DIFFERENT = 10_000


class _LocatedComplaint(NamedTuple):
    """A complaint with the item it is about; the line is looked up at the end, for all problems of a source at once."""

    item: Item | None
    complaint: Complaint
    origin: ObjectPosition


class FindingLog:
    """Collects complaints with the sources that they are about.

    ``names`` are those of the sources, in order; ``lists`` the sources that are read entry by entry, by index.
    """

    def __init__(self, limits: Limits) -> None:
        self.names: list[str] = []
        self.lists: dict[int, JsonList] = {}
        self._limits = limits
        self._sources: list[ManifestSource | None] = []
        self._complaints: list[_LocatedComplaint] = []
        self._failures: list[Finding] = []
        self._repeated: dict[tuple[int, Path, str], int] = {}
        self._n_left_out = self._n_errors_left_out = 0

    @property
    def has_left_out_errors(self) -> bool:
        """Whether errors were left out, so that reading further is in vain."""
        return self._n_errors_left_out > 0

    def add_source(self, name: str, source: ManifestSource | None = None) -> None:
        """Note the next source; one without a text has no lines."""
        self.names.append(name)
        self._sources.append(source)

    def add(self, item: Item | None, complaint: Complaint, origin: ObjectPosition) -> None:
        """Note a complaint; of alike warnings and of findings beyond the limit only the number is kept."""
        if complaint.severity == "warning":
            alike = (origin.source, complaint.path, complaint.message)
            self._repeated[alike] = self._repeated.get(alike, 0) + 1
            if self._repeated[alike] > _SHOWN_ALIKE:
                return
            if len(self._repeated) > _MAX_DIFFERENT:
                del self._repeated[alike]
        if len(self._complaints) >= self._limits.max_findings:
            self._n_errors_left_out += complaint.severity == "error"
            self._n_left_out += 1
            return
        self._complaints.append(_LocatedComplaint(item, complaint, origin))

    def add_failure(self, index: int, problem: LoadError) -> None:
        """Note that a source cannot be read further."""
        finding = Finding(
            severity="error",
            source=self.names[index],
            line=problem.line,
            field=problem.field,
            message=problem.message,
        )
        self._failures.append(finding)

    def name_positions(self, items: list[Item]) -> list[str]:
        """Where each item's name stands; one look into each source for all of them."""
        lines: dict[int, int | None] = {}
        for source in {item.origin.source for item in items}:
            here = [item for item in items if item.origin.source == source]
            path: Path = ("metadata", "name")
            lines_here = self._positions(source).lines([(item.origin, path) for item in here])
            lines.update({id(item): line for item, line in zip(here, lines_here, strict=True)})
        return [
            f"in {self.names[item.origin.source]}" + (f", line {lines[id(item)]}" if lines[id(item)] else "")
            for item in items
        ]

    def findings(self) -> list[Finding]:
        """All findings with their lines: by source, then failures, then what was left out."""
        by_source: dict[int, list[_LocatedComplaint]] = {}
        for complaint in self._complaints:
            by_source.setdefault(complaint.origin.source, []).append(complaint)
        findings: list[Finding] = []
        for source, complaints in sorted(by_source.items()):
            positions = self._positions(source)
            fields: list[tuple[ObjectPosition, Path]] = [(p.origin, p.complaint.path) for p in complaints]
            lines = positions.lines(fields)
            findings.extend(
                Finding(
                    severity=p.complaint.severity,
                    source=self.names[source],
                    line=line,
                    object=p.item.label if p.item else p.origin.label,
                    field=path_text(p.complaint.path),
                    message=p.complaint.message,
                    fix=p.complaint.fix,
                )
                for p, line in zip(complaints, lines, strict=True)
            )
        return [*findings, *self._failures, *self._summaries()]

    def _summaries(self) -> Iterator[Finding]:
        for (source, path, message), count in self._repeated.items():
            if count > _SHOWN_ALIKE:
                text = f"{message} (and {count - _SHOWN_ALIKE} more objects like the ones named)"
                yield Finding(severity="warning", source=self.names[source], field=path_text(path), message=text)
        if self._n_left_out:
            text = f"{self._n_left_out} more findings are not shown" + (
                ", and what comes after them was not read" if self._n_errors_left_out else ""
            )
            severity: Severity = "error" if self._n_errors_left_out else "warning"
            yield Finding(severity=severity, source=self.names[0], message=text)

    def _positions(self, source: int) -> Positions | ListPositions:
        """Reads the source again: few loads need lines, and holding all texts would double the memory."""
        if self._sources[source] is None:
            return Positions(None, self._limits)
        if source in self.lists:
            return ListPositions(self.lists[source], lambda: self._whole_positions(source))
        return self._whole_positions(source)

    def _whole_positions(self, source: int) -> Positions:
        text_of = self._sources[source]
        try:
            return Positions(None if text_of is None else read_text(text_of, self._limits), self._limits)
        except LoadError:
            return Positions(None, self._limits)
