"""What came from outside: enough for a run under the real scheduler's seed to decide all of it again."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import ClusterObjects, Pod
from scheduler_core.explain.reality.divergence import FreeRun, first_divergence
from scheduler_core.explain.reality.reading_record import real_record
from scheduler_core.explain.reality.timeline import OutsideChanges
from scheduler_core.explain.reality.typed_changes import ReadProblems, objects_at_beginning
from scheduler_core.manifests.bundle.reading import open_files
from scheduler_core.simulate import Policies, RunInputs, timeline_from_raw
from tests.live_cluster.history import BEGAN, Plan, Truth, files_of, history

CROWDED = Plan(seed=3, n_nodes=5, n_pods=50, seconds=60, lifetime=40, share_high=0.25)


def outside(of: Truth) -> tuple[OutsideChanges, list]:
    bundle = open_files("b", files_of(of, of.steps))
    record = real_record(bundle)
    begin = objects_at_beginning(bundle, ReadProblems())
    return OutsideChanges(bundle, begin, record, {"default-scheduler"}), list(record.decisions)


@pytest.mark.slow
def test_a_run_under_the_same_seed_decides_the_whole_history_again() -> None:
    of = history(CROWDED)
    changes, decisions = outside(of)
    given = RunInputs(objects=ClusterObjects(), seed=1_000 + CROWDED.seed, policies=Policies(binding_us=0))
    run = FreeRun(BEGAN, decisions, {id(one): number for number, one in enumerate(decisions)})
    assert first_divergence(changes.inputs(given), run) is None
    assert run.n_same == len(of.bindings)


def test_what_the_scheduler_did_is_left_out() -> None:
    of = history(CROWDED)
    entries = list(outside(of)[0])
    pods = [one for one in entries if isinstance(one.object, Pod)]
    assert all(not one.object.node_name and not one.object.nominated_node_name for one in pods)
    assert all("conditions" not in one.raw.get("status", {}) for one in pods)
    preempted = {f"shop/{step.object['regarding']['name']}" for step in of.steps if _is_preemption(step.object)}
    assert preempted
    assert not preempted & {one.object.key for one in pods if one.action == "delete"}
    assert [one.at for one in entries] == sorted(one.at for one in entries)


def test_the_file_form_gives_the_same_timeline() -> None:
    changes, _ = outside(history(CROWDED._replace(n_pods=20)))
    raw = {"entries": [{"at": f"{one.at}us", "action": one.action, "object": one.raw} for one in changes]}
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1_000}
    ]
    assert timeline_from_raw(raw, classes) == changes.timeline()


def test_a_pod_that_came_with_its_node_keeps_it() -> None:
    of = history(CROWDED._replace(n_pods=12))
    first = next(step for step in of.steps if step.object["kind"] == "Pod" and step.object["spec"].get("nodeName"))
    name = first.object["metadata"]["name"]
    steps = [one for one in of.steps if one.object["metadata"]["name"] != name or one.object["spec"].get("nodeName")]
    put = [one.object for one in outside(of._replace(steps=steps))[0] if getattr(one.object, "name", "") == name]
    assert put[0].node_name == first.object["spec"]["nodeName"]


def _is_preemption(raw: dict) -> bool:
    return raw["kind"] == "Event" and raw["reason"] == "Preempted"
