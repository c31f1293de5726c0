"""What nodes lack for a pod's requests, over all rows at once, pods promised to a node counted in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import PODS, pod_requests
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.shortfalls import counts_against

Int64 = NDArray[np.int64]


class Shortages:
    """``resources`` that the pod asks for, ``pods`` last; ``needs`` by resource; ``free`` and ``allocatable``
    int64[resources, rows of the node table]: what is left there for the pod, and what the node has in all."""

    def __init__(self, trials: Trials, pod: Pod) -> None:
        cluster = trials.simulation.context.cluster
        requests = {name: value for name, value in pod_requests(pod).items() if value > 0}
        self.resources = [*requests, PODS]
        self.needs: Int64 = np.array([*requests.values(), 1], dtype=np.int64)
        table = cluster.table
        self.allocatable = np.array(
            [_line(table, name, table.allowed_pods, table.allocatable) for name in self.resources]
        )
        used = [_line(table, name, table.pod_count, table.requested) for name in self.resources]
        self.free = self.allocatable - np.array(used)
        for row, promised in promised_to(trials, pod).items():
            for info in promised:
                self.free[:, row] -= [1 if name == PODS else info.cls.requests.get(name, 0) for name in self.resources]

    def missing(self, rows: Int64) -> Int64:
        """int64[resources, len(rows)]: how much more the rows would need to have free, 0 where there is enough."""
        missing: Int64 = np.maximum(0, self.needs[:, None] - self.free[:, rows])
        return missing

    def shares(self, missing: Int64, rows: Int64) -> NDArray[np.float64]:
        """The largest of the missing amounts, each as a share of what the row's node can allocate, or infinity."""
        whole = self.allocatable[:, rows].astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(missing > 0, missing / whole, 0.0)
        largest: NDArray[np.float64] = shares.max(axis=0)
        return largest

    def shares_of_largest(self, missing: Int64, rows: Int64) -> NDArray[np.float64]:
        """The largest of the missing amounts, each as a share of what the largest node of the rows can allocate, so
        that of two requests of one resource the higher one is always the smaller change."""
        whole = self.allocatable[:, rows].max(axis=1, initial=1).astype(np.float64)
        largest: NDArray[np.float64] = (missing / np.maximum(whole, 1)[:, None]).max(axis=0)
        return largest


def promised_to(trials: Trials, pod: Pod) -> dict[int, list[PodInfo]]:
    """By row the pods nominated there that count against the pod."""
    context, nominated_by_row = trials.simulation.context, dict[int, list[PodInfo]]()
    for name in context.nominated_nodes():
        row = context.cluster.table.row_of.get(name)
        counted = [info for info in context.nominated_pods(name) if counts_against(pod, info.pod)]
        if row is not None and counted:
            nominated_by_row[row] = counted
    return nominated_by_row


def _line(table: NodeTable, resource: str, pods: Int64, amounts: Int64) -> Int64:
    """Of a resource what the rows of the table have: ``pods`` counts them, ``amounts`` has the resources."""
    if resource == PODS:
        return pods[: table.n_rows]
    index = table.resource_index.get(resource)
    return np.zeros(table.n_rows, dtype=np.int64) if index is None else amounts[index][: table.n_rows]
