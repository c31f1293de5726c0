"""Nodes from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import ContainerImage, Node, NodeCondition, Resources
from scheduler_core.api.taints import Taint
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import label_key_problem, label_value_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.pods.affinity import EFFECTS
from scheduler_core.manifests.kinds.resource_lists import read_resources

_HEALTHY = {"Ready": "True"}
_MOST_CONDITIONS, _MOST_CHARACTERS = 32, 1_024
_NODE_FIELDS = frozenset(("apiVersion", "kind", "metadata", "spec", "status"))


def read_node(at: At, memo: Memo) -> Node:
    """The node at ``at``: allocatable from capacity where absent."""
    at.mapping(_NODE_FIELDS)
    meta = read_metadata(at, memo, namespaced=False)
    spec, status = at.get("spec"), at.get("status")
    spec.mapping()
    status.mapping()
    capacity = memo.read("resources", status.get("capacity"), read_resources)
    allocatable = memo.read("resources", status.get("allocatable"), read_resources)
    if not status.get("allocatable").present:
        allocatable = capacity
    _check_allocatable(status, allocatable, capacity)
    return Node(
        name=meta.name,
        uid=meta.uid,
        labels=meta.labels,
        annotations=meta.annotations,
        taints=memo.read("taints", spec.get("taints"), read_taints),
        unschedulable=spec.get("unschedulable").boolean(),
        allocatable=allocatable,
        capacity=capacity,
        images=tuple([memo.read("image", item, _image) for item in status.get("images").items()]),
        declared_features=status.get("declaredFeatures").texts(),
        conditions=_troubles(status.get("conditions")),
        creation_timestamp=meta.created,
    )


def _troubles(at: At) -> tuple[NodeCondition, ...]:
    """The conditions that say that something is wrong. What is no condition is passed over: none decides anything."""
    raws = [raw for raw in (at.raw if at.raw.__class__ is list else ()) if raw.__class__ is dict]
    texts = [[_short(raw.get(field)) for field in ("type", "status", "reason", "message")] for raw in raws]
    troubles = [NodeCondition(*four) for four in texts if four[0] and four[1] != _HEALTHY.get(four[0], "False")]
    return tuple(troubles[:_MOST_CONDITIONS])


def _short(raw: object) -> str:
    return raw[:_MOST_CHARACTERS] if isinstance(raw, str) else ""


def _check_allocatable(status: At, allocatable: Resources, capacity: Resources) -> None:
    if not allocatable and not status.get("allocatable").raw and not status.get("capacity").raw:
        status.get("allocatable").warn("the node offers nothing, so no pod fits on it. Write cpu, memory and pods")
        return
    for name, amount in allocatable.items():
        if name in capacity and amount > capacity[name]:
            status.get("allocatable").warn("is more than the capacity. Lower it, or raise the capacity", name)


def read_taints(at: At) -> tuple[Taint, ...]:
    """The taints in the list at ``at``, each key and effect once."""
    out: list[Taint] = []
    seen: set[tuple[str, str]] = set()
    for item in at.items():
        taint = _taint(item)
        if (taint.key, taint.effect) in seen:
            item.error(f"there is another taint {taint.key} with {taint.effect}. Keep one of them")
        seen.add((taint.key, taint.effect))
        out.append(taint)
    return tuple(out)


def _taint(at: At) -> Taint:
    at.mapping(("key", "value", "effect", "timeAdded"))
    key = at.get("key").text(required=True)
    value = at.get("value").text()
    if key and label_key_problem(key):
        at.get("key").error(label_key_problem(key))
    if label_value_problem(value):
        at.get("value").error(label_value_problem(value))
    return Taint(key, value, at.get("effect").text("NoSchedule", EFFECTS, required=True))


def _image(at: At) -> ContainerImage:
    return ContainerImage(at.get("names").texts(), at.get("sizeBytes").integer(0, 0, (1 << 63) - 1))
