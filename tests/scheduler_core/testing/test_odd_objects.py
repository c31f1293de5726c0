"""Odd objects are legal: a run with all of them comes to its end, and no plugin raises."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.recording.events import PluginFailed
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.odd_objects import odd_cluster, odd_pods
from tests.scheduler_core.crowded import FIELDS, recorded


def test_a_run_with_all_odd_objects_ends_without_an_exception_of_a_plugin():
    cluster, others = odd_cluster(), {}
    for kind in cluster.listers._by_type.values():
        for obj in kind.values():
            others.setdefault(FIELDS[type(obj)], []).append(obj)
    placed = [msgspec.structs.replace(info.pod, node_name=cluster.node_of(key)) for key, info in cluster.pods.items()]
    nodes = [node for node in cluster.table.nodes if node is not None]
    reader = recorded(RunInputs(objects=ClusterObjects(nodes=nodes, pods=[*placed, *odd_pods()], **others)))
    events = [event for _, event in reader.events(0, reader.head_seq())]
    assert not [event for event in events if isinstance(event, PluginFailed)]
    assert reader.last_cycle() >= len(odd_pods()) - 3  # the gated, those with claims that are not there
