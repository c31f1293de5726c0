"""Workloads to pods."""
from __future__ import annotations
from typing import NamedTuple
from scheduler_core.api.objects import Node, Pod, WorkloadSelector
from scheduler_core.manifests.check import At, Complaint
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.pods import AdmissionContext


class Workload(NamedTuple):
    item: Item


class Expansion(NamedTuple):
    pods: list[Pod]
    selectors: list[WorkloadSelector]
    complaints: list[tuple[Item, Complaint]]


def read_workload(at: At, item: Item, context: AdmissionContext) -> Workload:
    return Workload(item)


def expand(workloads: list[Workload], nodes: list[Node], pods: list[Pod], context: AdmissionContext, room: int) -> Expansion:
    return Expansion([], [], [])
