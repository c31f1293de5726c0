"""Entries of timelines for the tests of arrivals."""

from __future__ import annotations

from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import store_timeline
from dashboard.documents.timelines.arrivals.choice import ArrivalChoice
from dashboard.documents.timelines.arrivals.edits import ArrivalTarget
from dashboard.documents.timelines.arrivals.rows import arrival_rows


def pod(name, namespace="default", app="", **spec):
    """Return a pod's manifest."""
    labels = {"labels": {"app": app}} if app else {}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **labels},
        "spec": {"containers": [container], **spec},
    }


def entry(at, name, action="add", **more):
    """Return an entry about a pod; a deletion has kind and metadata alone."""
    raw = pod(name, **more)
    if action == "delete":
        raw = {field: raw[field] for field in ("apiVersion", "kind", "metadata")}
    return {"at": at, "action": action, "object": raw}


def rush():
    """Return three pods of web and one of job; web-1 is deleted at 10s, the others stay."""
    return [
        entry("1s", "web-1", app="web"),
        entry("2s", "web-2", app="web"),
        entry("2s", "job-1", app="job", namespace="batch", priority=10),
        entry("4s", "web-3", app="web"),
        entry("10s", "web-1", "delete"),
    ]


def target(entries, with_ends=False, **choice):
    """Return what an edit is made on; `choice` as of ArrivalChoice."""
    return ArrivalTarget(entries, arrival_rows(entries), ArrivalChoice(**choice), with_ends)


def stored(member, entries, name="day"):
    """Return the first revision of a new timeline with these entries."""
    return store_timeline(member, None, NewText(name, ""), {"entries": entries})
