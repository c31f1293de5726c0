"""Pods that wait are grouped by the cause that their Why page gives, as far as there is time."""

from __future__ import annotations

from typing import Any

from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.waiting_causes import waiting_causes
from scheduler_core.manifests import LoadResult, load_manifests
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession

SIZE = {"cpu": "2", "memory": "4Gi", "pods": "10"}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": SIZE}}
OURS = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: "
    "1 Preemption is not helpful for scheduling."
)
ALWAYS, NEVER = (lambda: True), (lambda: False)


def pod(name: str, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    names = {"name": name, "namespace": "a"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": names, "spec": {"containers": [container], **spec}}


def record(inputs: RunInputs) -> RecordingReader:
    session = RunSession.start(inputs)
    store, has_ended = MemoryStore(session.initial_keyframe()), False
    while not has_ended:
        has_ended = session.advance(max_cycles=100)
        store.add(session.cut_chunk())
    return RecordingReader(store)


def loaded(*objects: dict[str, Any]) -> LoadResult:
    result = load_manifests(list(objects))
    assert result.errors == []
    return result


def test_pods_of_one_cause_are_a_row_and_the_largest_row_is_first() -> None:
    selecting = pod("s", nodeSelector={"disk": "ssd"})
    answer = waiting_causes(loaded(NODE, selecting, pod("x", "9"), pod("y", "9"), pod("fits")), {}, record, NEVER)
    assert [(row.codes, sorted(row.pods)) for row in answer.causes] == [
        (("TOO_LARGE",), ["a/x", "a/y"]),
        (("SELECTOR_NO_MATCH",), ["a/s"]),
    ]
    assert (answer.n_waiting, answer.n_computed) == (3, 3)


def test_what_the_real_scheduler_said_is_compared() -> None:
    there = loaded(NODE, pod("x", "9"), pod("fits"))
    reports = {"a/x": SchedulerReport(message=OURS, source="event"), "a/fits": SchedulerReport(message=OURS)}
    answer = waiting_causes(there, reports, record, NEVER)
    assert {row.pods[0]: (row.equal, row.differ, row.is_placed) for row in answer.causes} == {
        "a/x": (1, 0, False),
        "a/fits": (0, 1, True),
    }


def test_a_row_has_a_real_message_and_one_that_differs_counts_before_one_that_is_equal() -> None:
    there = loaded(NODE, pod("x", "9"), pod("y", "9"))
    other = "0/1 nodes are available: 1 Insufficient memory."
    reports = {"a/x": SchedulerReport(message=OURS), "a/y": SchedulerReport(message=other)}
    assert [(row.equal, row.differ, row.message) for row in waiting_causes(there, reports, record, NEVER).causes] == [
        (1, 1, other)
    ]
    assert [row.message for row in waiting_causes(there, {"a/y": reports["a/x"]}, record, NEVER).causes] == [OURS]


def test_without_time_the_pods_are_counted_alone() -> None:
    answer = waiting_causes(loaded(NODE, pod("x", "9")), {}, lambda _: None, ALWAYS)
    assert (answer.causes, answer.n_waiting, answer.n_computed) == ([], 1, 0)
    assert waiting_causes(loaded(NODE), {}, record, NEVER).n_waiting == 0
