"""Workloads of a run as a description that the generator reads."""

from __future__ import annotations

import pytest

from dashboard.runs.observing import description
from dashboard.runs.observing.description import arriving_workloads, description_text
from scheduler_core.manifests import ManifestSource
from scheduler_core.workloads.generator.plan import make_plan
from scheduler_core.workloads.generator.reading import read_description
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, pod, rush


def read(text):
    """Return the description in a text without errors."""
    described, findings = read_description(ManifestSource("observed", text.encode()))
    assert [one for one in findings if one.severity == "error"] == []
    return described


def test_pods_come_at_the_times_that_the_run_recorded():
    described = read(description_text(rush(), {}))
    assert [(one.name, one.pods, one.namespace) for one in described.workloads] == [
        ("web", 3, "default"),
        ("job", 1, "batch"),
    ]
    assert described.workloads[0].arrivals.times == (1_000_000, 2_000_000, 4_000_000)
    assert described.workloads[1].priority.value == 10
    assert sorted(one.at for one in make_plan(described).pods) == [1_000_000, 2_000_000, 2_000_000, 4_000_000]


def test_requests_are_written_as_they_are_or_as_shares():
    small, large = pod("a", app="x"), pod("b", app="x")
    large["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "2", "memory": "1Gi"}
    entries = [{"at": "1s", "object": small}, {"at": "1s", "object": large}, {"at": "1s", "object": pod("c", app="x")}]
    text = description_text(entries, {})
    [one] = read(text).workloads
    assert "at: 1s\n      pods: 3" in text
    sizes = {row.requests["cpu"] for row in make_plan(read(text)).pods}
    assert sizes <= {100, 2000}
    assert set(one.sizes) == {"cpu", "memory"}


def test_classes_and_constraints_are_taken_over():
    raw = pod("a", app="x", priorityClassName="high", nodeSelector={"pool": "gpu"})
    [one] = read(description_text([{"at": "1s", "object": raw}], {"high": 1000})).workloads
    assert (one.priority.name, one.priority.value) == ("high", 1000)
    assert one.constraints == {"nodeSelector": {"pool": "gpu"}}


@pytest.mark.parametrize(
    ("apps", "names"),
    [(("x", "x"), ["x", "x-2"]), (("", "A.B c"), ["c", "pods"]), (("a" * 60, "y"), ["a" * 40, "y"])],
)
def test_names_are_free_and_valid(apps, names):
    entries = [entry("1s", f"p{i}", app=app, namespace=f"n{i}") for i, app in enumerate(apps)]
    assert sorted(arriving_workloads(entries)) == sorted(names)


def test_only_pods_that_arrive_count(monkeypatch):
    assert description_text([entry("1s", "a", "delete")], {}) == ""
    monkeypatch.setattr(description, "MOST_WORKLOADS", 1)
    assert list(arriving_workloads(rush())) == ["web"]
