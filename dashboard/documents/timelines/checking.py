"""Checks timelines: the text, and its objects as objects of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.yaml_text import EDITOR, MAX_TEXT
from scheduler_core.manifests import Finding, Limits, ManifestSource
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.line_positions import ObjectPosition, Positions
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.simulate import TimelineError, timeline_from_raw

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.models import Revision


@dataclass(frozen=True)
class CheckedTimeline:
    """The result of checking a timeline's text: the form to store (None if it has an error), and the findings."""

    raw: dict[str, Any] | None
    findings: list[Finding]


def check_timeline(text: str, revision: Revision | None = None) -> CheckedTimeline:
    """Return the timeline in a text, with its objects checked against the cluster `revision`."""
    return check_timeline_beside(text, read_contents(revision).manifests if revision else ())


def check_timeline_beside(text: str, base: Iterable[Any]) -> CheckedTimeline:
    """Return the timeline in a text, with its objects checked against a cluster's manifests."""
    most = 400_000
    limits = Limits(max_bytes=MAX_TEXT, max_json_values=most, max_yaml_nodes=most, max_object_values=most)
    source = ManifestSource(EDITOR, text.encode())
    try:
        body = read_text(source, limits)
        documents = [document.value for document in read_documents(body, limits) if document.value is not None]
    except LoadError as problem:
        return _refused(problem.message, problem.line, problem.field)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        return _refused("one mapping with entries is needed. Write entries: and under it a dash per entry")
    raw = {"entries": documents[0].get("entries")}
    extra = sorted(set(documents[0]) - {"entries"})
    if extra:
        return _refused("unknown field; a timeline has entries only", field=str(extra[0]))
    try:
        timeline_from_raw(raw, base)
    except TimelineError as problem:
        return _located(problem, Positions(body, limits))
    return CheckedTimeline(raw, [])


def _refused(message: str, line: int | None = None, field: str = "") -> CheckedTimeline:
    finding = Finding(severity="error", source=EDITOR, line=line, object="Timeline", field=field, message=message)
    return CheckedTimeline(None, [finding])


def _located(problem: TimelineError, positions: Positions) -> CheckedTimeline:
    field, _, message = str(problem).partition(": ")
    return _refused(message, positions.line(ObjectPosition(0, 0, (), None), problem.path), field)
