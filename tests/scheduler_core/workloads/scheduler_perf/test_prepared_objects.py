"""Nodes are labelled and given room as their strategy says; volumes are bound to the claims that pods mount."""

from __future__ import annotations

import textwrap
from typing import Any

from scheduler_core.manifests import load_manifests
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, timeline_from_raw
from tests.scheduler_core.workloads.scheduler_perf.texts import made

NODES = "- {opcode: createNodes, count: 3}\n"
VOLUME = """
kind: PersistentVolume
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}}
"""
CLAIM = """
kind: PersistentVolumeClaim
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""


def test_nodes_are_labelled_and_given_room_as_their_strategy_says() -> None:
    done = made("""
        - {opcode: createNodes, count: 3, labelNodePrepareStrategy: {labelKey: zone, labelValues: [a, b]}}
        - {opcode: createNodes, count: 2, uniqueNodeLabelStrategy: {labelKey: rack}}
        - opcode: createNodes
          count: 1
          nodeAllocatableStrategy: {nodeAllocatable: {cpu: 2}, csiNodeAllocatable: {ebs: {count: 39}}}
        """)
    nodes = [one for one in done.made.manifests if one["kind"] == "Node"]
    assert [node["metadata"]["labels"]["zone"] for node in nodes[:3]] == ["a", "b", "a"]
    assert len({node["metadata"]["labels"]["rack"] for node in nodes[3:5]}) == 2
    assert nodes[5]["status"]["allocatable"] == {"pods": "110", "cpu": 2, "memory": "32Gi"}
    assert done.made.manifests[-1]["spec"]["drivers"] == [
        {"name": "ebs", "nodeID": "scheduler-perf-5", "allocatable": {"count": 39}}
    ]


def test_volumes_are_bound_to_the_claims_that_pods_mount() -> None:
    pods = """
        - opcode: createPods
          count: 2
          persistentVolumeTemplatePath: pv.yaml
          persistentVolumeClaimTemplatePath: pvc.yaml
        """
    done = made(textwrap.dedent(pods) + NODES, templates={"pv.yaml": VOLUME, "pvc.yaml": CLAIM})
    assert bound(done.made.manifests, done.made.entries) == 2


def bound(manifests: list[Any], entries: list[Any]) -> int:
    """How many pods a run of the cluster and timeline binds."""
    timeline = timeline_from_raw({"entries": entries}, manifests)
    inputs = RunInputs(objects=load_manifests(manifests).objects, timeline=timeline, schedule="timeline")
    session = RunSession.start(inputs)
    pods: set[str] = set()
    session.observe(lambda _, event: pods.add(event.pod) if isinstance(event, ev.Bound) else None)
    session.advance()
    return len(pods)
