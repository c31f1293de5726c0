"""What generated tests of plugins across nodes share: verdicts of both forms, and states that follow the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.framework.contracts.status import Code

if TYPE_CHECKING:
    from scheduler_core.columns.node_view import NodeView
    from scheduler_core.columns.pods import PodInfo

Verdicts = dict[str, tuple[Code, tuple[str, ...]]]


def verdicts(plugin: Any, state: Any, pod: PodInfo) -> Verdicts:
    """(code, reasons) by node name, from both forms, which must agree."""
    cluster = plugin.handle.cluster
    rows = cluster.table.order
    whole = plugin.filter(state, pod, rows)
    status_of = {}
    for i, row in enumerate(rows.tolist()):
        status = plugin.filter_node(state, pod, cluster.view(row))
        code, reasons = (0, 0) if whole is None else (int(whole.codes[i]), int(whole.reasons[i]))
        assert (Code(code), plugin.handle.run.reasons.entries[reasons]) == (status.code, status.reasons)
        status_of[cluster.name_of(row)] = (status.code, status.reasons)
    return status_of


def exchanged(
    plugin: Any, original: Any, pod: PodInfo, view: NodeView, leaving: list[PodInfo], arriving: list[PodInfo]
) -> tuple[Any, Verdicts]:
    """Exchange pods on a clone of the state, then in the cluster; the clone, and its verdicts before the latter."""
    cluster = plugin.handle.cluster
    before, state = verdicts(plugin, original, pod), plugin.clone(original)
    for info in leaving:
        view.remove_pod(info)
        plugin.remove_pod(state, pod, info, view)
    for info in arriving:
        view.add_pod(info)
        plugin.add_pod(state, pod, info, view)
    assert verdicts(plugin, original, pod) == before, "the original state is untouched"
    original_verdicts = verdicts(plugin, state, pod)
    for info in leaving:
        cluster.drop_pod(info.key)
    for info in arriving:
        cluster.put_pod(info, view.name)
    assert verdicts(plugin, original, pod) == original_verdicts, "the original state follows the cluster"
    assert verdicts(plugin, state, pod) == original_verdicts, "what was cloned does not"
    return state, original_verdicts
