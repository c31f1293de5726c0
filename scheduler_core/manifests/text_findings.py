"""Texts that are no Kubernetes objects (configurations, descriptions, rules): documents, and findings with lines."""

from __future__ import annotations

from typing import Any, NamedTuple

from scheduler_core.manifests.checking.raw_values import Sink
from scheduler_core.manifests.model import Finding, Limits, LoadError, ManifestSource, path_text
from scheduler_core.manifests.parsing.line_positions import ObjectPosition, Positions
from scheduler_core.manifests.parsing.sources import read_documents, read_text


class TextDocuments(NamedTuple):
    """The documents of a text that are not empty, each with its number among all, and where their fields stand."""

    documents: list[tuple[int, Any]]
    positions: Positions


def read_text_documents(source: ManifestSource, limits: Limits) -> TextDocuments:
    """Raises LoadError where the text cannot be read."""
    text = read_text(source, limits)
    documents = [(n, d.value) for n, d in enumerate(read_documents(text, limits)) if d.value is not None]
    return TextDocuments(documents, Positions(text, limits))


def finding_of_error(problem: LoadError, source: str, kind: str) -> Finding:
    """The finding of a text that cannot be read; ``kind`` names what the text holds."""
    return Finding(
        severity="error",
        source=source,
        line=problem.line,
        object=kind,
        field=problem.field,
        message=problem.message,
    )


def findings_of_sink(sink: Sink, source: str, kind: str, positions: Positions, document: int) -> list[Finding]:
    """A finding for each complaint about the document of this number."""
    lines = positions.lines([(ObjectPosition(0, document, (), None), one.path) for one in sink.complaints])
    return [
        Finding(
            severity=one.severity,
            source=source,
            line=line,
            object=kind,
            field=path_text(one.path),
            message=one.message,
            fix=one.fix,
        )
        for one, line in zip(sink.complaints, lines, strict=True)
    ]
