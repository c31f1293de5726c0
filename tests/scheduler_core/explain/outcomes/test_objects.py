"""Objects of a run as they were at its end: owners, namesakes."""

from __future__ import annotations

from scheduler_core.api.objects import OwnerReference
from scheduler_core.simulate import Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import case
from tests.scheduler_core.explain.outcomes.runs import summed_up
from tests.scheduler_core.explain.outcomes.summed_runs import inputs_of


def test_a_deleted_pod_is_counted_once_and_its_namesake_on_its_own():
    entries = [
        TimelineEntry(1_000_000, "delete", make_pod("web-0")),
        TimelineEntry(2_000_000, "put", make_pod("web-0", uid="second")),
    ]
    inputs = inputs_of([make_node("a")], [make_pod("web-0")], schedule="timeline", timeline=Timeline.of(entries))
    outcomes = summed_up(inputs)
    assert [(pod.pod, outcomes.groups[pod.group].title) for pod in outcomes.pods] == [
        ("default/web-0", "Bound"),
        ("default/web-0", "Deleted"),
    ]


def test_owners_are_workloads_by_their_title_and_stems_of_names():
    reference = (OwnerReference("Widget", "press", controller=True),)
    pods = [make_pod("train-00017"), make_pod("train-3"), make_pod("solo"), make_pod("w-1", owner_references=reference)]
    outcomes = summed_up(inputs_of([make_node("a")], pods))
    owners = {pod.pod.partition("/")[2]: outcomes.owners[pod.owner] for pod in outcomes.pods}
    assert owners["train-00017"] is owners["train-3"]
    assert [(owners[name].title, owners[name].is_owner) for name in ("train-3", "solo", "w-1")] == [
        ("train-*", False),
        ("solo", False),
        ("Widget press", True),
    ]
    replicas = summed_up(case("deployment", "deployment-timeline"))
    assert any(owner.title.startswith("Deployment ") for owner in replicas.owners)
