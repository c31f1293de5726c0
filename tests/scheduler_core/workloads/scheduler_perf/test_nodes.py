"""Nodes are labelled and given room as their strategy says."""

from __future__ import annotations

from tests.scheduler_core.workloads.scheduler_perf.texts import made


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
