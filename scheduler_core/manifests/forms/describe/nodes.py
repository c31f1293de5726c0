"""A described node as an object, with the pods that its table lists."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from scheduler_core.api.quantity import QuantityError, parse_quantity
from scheduler_core.manifests.forms.describe.blocks import DescribedBlock, parts
from scheduler_core.manifests.forms.describe.pods import pairs
from scheduler_core.manifests.model import Raw

_TAINT = re.compile(r"(?P<key>[^=: ]+)(?:=(?P<value>[^: ]*))?:(?P<effect>\w+)")
_DATE = r"(?:\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}|<unknown>)"
_CONDITION = re.compile(
    rf"\s*(?P<type>\S+)\s+(?P<status>True|False|Unknown)\s+{_DATE}\s+{_DATE}\s+(?P<reason>\w*)\s*(?P<message>.*)"
)
_ROW = re.compile(
    r"\s*(?P<namespace>\S+)\s+(?P<name>\S+)\s+(?P<cpu>\S+) \(-?\d+%\)\s+\S+ \(-?\d+%\)\s+(?P<memory>\S+) \(-?\d+%\).*"
)
_TOTAL = re.compile(r"\s*(?P<resource>\S+)\s+(?P<requests>\S+)(?: \(-?\d+%\))?\s+\S+(?: \(-?\d+%\))?\s*")
_COUNT = re.compile(r"\((\d+) in total\)")
_IN_TABLE = ("cpu", "memory")


class CountedPod(NamedTuple):
    """A pod of a node's table: namespace, name and its requests."""

    namespace: str
    name: str
    requests: dict[str, str]


class DescribedNode(NamedTuple):
    """A node as an object; the pods of its table, how many the table says there are, and what all of them request of
    resources that the table does not list by pod."""

    raw: Raw
    pods: list[CountedPod]
    n_pods: int
    totals: dict[str, str]

    @property
    def name(self) -> str:
        """The node's name."""
        return str(self.raw["metadata"]["name"])


def is_node(block: DescribedBlock) -> bool:
    """Whether the block describes a node."""
    return "Namespace" not in block.fields and ("Allocatable" in block.fields or "Taints" in block.fields)


def described_node(block: DescribedBlock) -> DescribedNode:
    """The node that a block describes."""
    allocatable = _amounts(block, "Allocatable") or _amounts(block, "Capacity")
    system = parts(block.lines("System Info"))
    info = {
        key: system[name].value
        for key, name in (("kubeletVersion", "Kubelet Version"), ("architecture", "Architecture"))
        if name in system and system[name].value
    }
    spec: Raw = {
        **({"unschedulable": True} if block.value("Unschedulable") == "true" else {}),
        **({"taints": taints} if (taints := [_taint(one) for one in block.values("Taints")]) else {}),
    }
    status: Raw = {
        "capacity": _amounts(block, "Capacity") or allocatable,
        "allocatable": allocatable,
        **({"nodeInfo": info} if info else {}),
        **({"conditions": conditions} if (conditions := _conditions(block)) else {}),
    }
    metadata: Raw = {"name": block.value("Name"), "labels": pairs(block.values("Labels"))}
    table = block.fields.get("Non-terminated Pods")
    count = _COUNT.search(table.value) if table is not None else None
    rows = [_ROW.fullmatch(line) for line in (table.lines if table is not None else ())]
    pods = [
        CountedPod(row["namespace"], row["name"], {key: row[key] for key in _IN_TABLE if row[key] != "0"})
        for row in rows
        if row is not None
    ]
    raw = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}
    return DescribedNode(raw, pods, int(count[1]) if count is not None else len(pods), _totals(block))


def amount(text: str) -> Decimal:
    """A quantity as a number; 0 for what is none."""
    try:
        return parse_quantity(text)
    except QuantityError:
        return Decimal(0)


def _amounts(block: DescribedBlock, name: str) -> dict[str, str]:
    return {key: one.value for key, one in parts(block.lines(name)).items() if one.value}


def _taint(text: str) -> Raw:
    match = _TAINT.fullmatch(text)
    if match is None:
        return {"key": text, "effect": ""}
    return {"key": match["key"], **({"value": match["value"]} if match["value"] else {}), "effect": match["effect"]}


def _conditions(block: DescribedBlock) -> list[Raw]:
    """The conditions; reason and message say why a node is not ready."""
    matches = [_CONDITION.fullmatch(line) for line in block.lines("Conditions")]
    return [
        {name: one[name].strip() for name in ("type", "status", "reason", "message") if one[name].strip()}
        for one in matches
        if one is not None
    ]


def _totals(block: DescribedBlock) -> dict[str, str]:
    matches = [_TOTAL.fullmatch(line) for line in block.lines("Allocated resources")]
    rows = {one["resource"]: one["requests"] for one in matches if one is not None}
    return {name: said for name, said in rows.items() if name not in _IN_TABLE and amount(said) > 0}
