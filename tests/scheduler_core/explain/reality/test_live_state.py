"""The state that is carried forward is the one that the objects of the moment make."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.reality.live_state import LiveState, StateChange
from scheduler_core.explain.reality.typed_changes import ReadProblems, TypedChanges, objects_at_beginning
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.bundle.folding import FoldedObjects
from scheduler_core.manifests.bundle.reading import Bundle, open_files
from scheduler_core.simulate import RunInputs
from tests.live_cluster.history import Plan, files_of, history

PLAN = Plan(seed=6, n_nodes=5, n_pods=40, seconds=60, lifetime=30, share_high=0.25, node_changes=5)


def bundle_of_plan() -> Bundle:
    of = history(PLAN)
    return open_files("b", files_of(of, of.steps))


def carried(bundle: Bundle, until: int) -> LiveState:
    problems = ReadProblems()
    begin = objects_at_beginning(bundle, problems)
    state = LiveState(RunInputs(objects=begin.objects))
    for typed in TypedChanges(bundle, begin.objects, problems):
        if typed.position == until:
            break
        if typed.object is not None:
            state.drop(typed.object) if typed.is_deletion else state.put(typed.object)
    assert problems.count == 0
    return state


def fresh(bundle: Bundle, until: int) -> LiveState:
    folded = FoldedObjects()
    for listed in bundle.objects():
        folded.put(listed)
    for position, change in enumerate(bundle.changes):
        if position == until:
            break
        folded.apply(change)
    return LiveState(RunInputs(objects=load_manifests(list(folded.objects.values()), expand=False).objects))


def summary(state: LiveState) -> dict[str, Any]:
    """By node: its object, its pods, and its lines of the matrix of amounts; and pods with nominations."""
    table, cluster = state.cluster.table, state.cluster
    rows = dict(table.row_of)
    return {
        "nodes": {name: table.nodes[row] for name, row in rows.items()},
        "pods": {name: sorted(cluster.pods_of(name)) for name in rows},
        "amounts": {name: np.array(table.amounts.data)[:8, row].tolist() for name, row in rows.items()},
        "all": {key: msgspec.structs.replace(pod) for key, pod in state.pods.items()},
    }


@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
def test_it_equals_the_state_made_of_the_objects_of_that_moment(share: float) -> None:
    bundle = bundle_of_plan()
    until = round(share * len(bundle.changes))
    assert summary(carried(bundle, until)) == summary(fresh(bundle, until))


def test_changes_that_are_turned_round_leave_the_state_as_it_was() -> None:
    bundle = bundle_of_plan()
    state = carried(bundle, len(bundle.changes) * 2 // 3)
    before = summary(state)
    pods = list(state.pods.values())
    bound, pending = [pod for pod in pods if pod.node_name], [pod for pod in pods if not pod.node_name]
    earlier = [StateChange(msgspec.structs.replace(bound[0], node_name=""), bound[0]), StateChange(None, bound[1])]
    node = next(iter(state.cluster.table.row_of))
    later = [StateChange(bound[2], None)]
    if pending:
        later.append(StateChange(pending[0], msgspec.structs.replace(pending[0], node_name=node)))
    with state.without_and_with(earlier, later):
        assert state.cluster.node_of(bound[0].key) is None
        assert bound[1].key not in state.pods
        assert bound[2].key not in state.pods
    assert summary(state) == before


def test_a_pod_that_ran_to_its_end_is_gone_and_a_new_one_of_its_name_is_another() -> None:
    state = LiveState(RunInputs(objects=ClusterObjects()))
    bundle = bundle_of_plan()
    pod = next(iter(carried(bundle, len(bundle.changes)).pods.values()))
    state.put(pod)
    state.put(msgspec.structs.replace(pod, uid="another", node_name=""))
    assert state.cluster.node_of(pod.key) is None
    state.put(msgspec.structs.replace(pod, uid="another", phase="Succeeded"))
    assert state.pods == {}
