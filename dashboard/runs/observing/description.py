"""The workloads of a run as a description for the generator: their pods, requests, priorities and arrival times.

Requests are shares: a resource that all pods of a workload ask for alike is written as it is, another one as its
amounts with how many pods ask for each. Constraints are those of a workload's first pod.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.documents.timelines.arrivals.rows import arrival_rows
from scheduler_core.api.quantity import format_quantity
from scheduler_core.api.resources import pod_requests
from scheduler_core.manifests import dump_yaml
from scheduler_core.simulate import time_text, timeline_from_raw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.documents.timelines.arrivals.rows import ArrivalRow

CONSTRAINTS = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
ASKING = ("containers", "initContainers", "overhead", "resources")
MOST_WORKLOADS, LONGEST_NAME = 200, 40
OTHERS = "pods"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


@dataclass
class ObservedWorkload:
    """A workload: its first pod, when its pods arrive, what they ask for, and with which priority."""

    namespace: str
    first: Mapping[str, Any]
    times: list[int] = field(default_factory=list)
    amounts: dict[str, Counter[int]] = field(default_factory=dict)
    priorities: Counter[str] = field(default_factory=Counter)


def arriving_workloads(entries: Sequence[Mapping[str, Any]]) -> dict[str, ObservedWorkload]:
    """Return the workloads of the pods that arrive, by free names; those beyond the 200 largest are left out."""
    by_owner: dict[tuple[str, str], ObservedWorkload] = {}
    requests: dict[bytes, dict[str, int]] = {}
    for row in arrival_rows(entries):
        if row.key.kind != "Pod" or row.action != "add":
            continue
        raw = entries[row.place]["object"]
        one = by_owner.setdefault((row.key.namespace, row.owner), ObservedWorkload(row.key.namespace, raw))
        _take(one, row, _pod_requests(raw, requests))
    largest = sorted(by_owner.items(), key=lambda item: -len(item[1].times))[:MOST_WORKLOADS]
    named: dict[str, ObservedWorkload] = {}
    for (_, owner), one in largest:
        named[_free_name(owner, named)] = one
    return named


def description_text(entries: Sequence[Mapping[str, Any]], values: Mapping[str, int]) -> str:
    """Return the description as YAML, "" where no pod arrives; `values` are those of priority classes by name."""
    workloads = [_written(name, one, values) for name, one in arriving_workloads(entries).items()]
    return dump_yaml([{"seed": 1, "pools": [], "workloads": workloads}]) if workloads else ""


def _take(one: ObservedWorkload, row: ArrivalRow, requests: Mapping[str, int]) -> None:
    one.times.append(row.at)
    one.priorities[row.priority] += 1
    for name, amount in requests.items():
        one.amounts.setdefault(name, Counter())[amount] += 1


def _pod_requests(raw: Mapping[str, Any], cache: dict[bytes, dict[str, int]]) -> dict[str, int]:
    """Return what a pod asks for; pods of one spec are read once."""
    spec = raw.get("spec") or {}
    key = msgspec.json.encode({name: spec.get(name) for name in ASKING})
    if key not in cache:
        [entry] = timeline_from_raw({"entries": [{"object": raw}]}).entries
        cache[key] = {name: amount for name, amount in pod_requests(entry.object).items() if amount}
    return cache[key]


def _free_name(owner: str, taken: Mapping[str, Any]) -> str:
    plain = _NOT_IN_NAMES.sub("-", owner.rpartition("=")[2].rpartition(" ")[2].lower()).strip("-") or OTHERS
    name, number = plain[:LONGEST_NAME].strip("-"), 1
    while name in taken:
        number += 1
        name = f"{plain[: LONGEST_NAME - 4].strip('-')}-{number}"
    return name


def _written(name: str, one: ObservedWorkload, values: Mapping[str, int]) -> dict[str, Any]:
    n_pods = len(one.times)
    spec = one.first.get("spec") or {}
    written: dict[str, Any] = {"name": name, "pods": n_pods, "namespace": one.namespace}
    written["sizes"] = {resource: _amount(resource, counts, n_pods) for resource, counts in one.amounts.items()}
    priority = one.priorities.most_common(1)[0][0]
    if priority in values:
        written["priority"] = {"name": priority, "value": values[priority]}
    elif priority.lstrip("-").isdigit() and int(priority):
        written["priority"] = int(priority)
    written |= {constraint: spec[constraint] for constraint in CONSTRAINTS if spec.get(constraint)}
    written["arrivals"] = {"process": "list", "times": _times(one.times)}
    return written


def _amount(resource: str, counts: Counter[int], n_pods: int) -> Any:
    without = n_pods - counts.total()
    if len(counts) == 1 and not without:
        return format_quantity(resource, next(iter(counts)))
    choices = {format_quantity(resource, amount): n for amount, n in sorted(counts.items())}
    return {"choices": ({"0": without} if without else {}) | choices}


def _times(times: Sequence[int]) -> list[Any]:
    """Return the times, those at which several pods arrive with their number."""
    return [time_text(at) if n == 1 else {"at": time_text(at), "pods": n} for at, n in sorted(Counter(times).items())]
