"""A described pod as an object: what the text shows of it, and what of it needs the rest of the input."""

from __future__ import annotations

import re
from typing import NamedTuple

from scheduler_core.manifests.forms.describe.blocks import DescribedBlock, DescribedField, parts
from scheduler_core.manifests.forms.describe.events import DescribedEvent, events_of
from scheduler_core.manifests.forms.model import READ_FROM, SHOWN
from scheduler_core.manifests.model import Raw

UNKNOWN_TIME = "1970-01-01T00:00:00Z"
"""Of a pod that ends: the text says how long ago, not when."""
_SYSTEM_CLASSES = ("system-node-critical", "system-cluster-critical")
_OWNERS = {
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "ReplicationController": "v1",
    "Node": "v1",
}
_PHASES = ("Pending", "Running", "Succeeded", "Failed")
_PORT = re.compile(r"(\d+)/([A-Z]*)")
_TOLERATION = re.compile(
    # One without a key and an effect begins with its operator.
    r"(?:(?!op=\w+(?: for |$))(?P<key>[^:= ]*)(?:=(?P<value>[^: ]*))?(?::(?P<effect>\w+))?)?(?: ?op=(?P<operator>\w+))?"
    r"(?: for (?P<seconds>-?\d{1,9})s)?"
)
_SPREAD = re.compile(
    r"(?P<key>\S+?):(?P<when>\w+) when max skew (?P<skew>\d{1,9}) is exceeded(?: for selector (?P<selector>.*))?"
)
_SELECTED = re.compile(
    r"(?P<no>!?)(?P<key>[^=!, ()]+)"
    r"(?: (?P<operator>in|notin) \((?P<values>[^)]*)\)|(?P<equals>=)(?P<value>[^,]*))?"
)


class DescribedPod(NamedTuple):
    """A pod as an object, the claims that it names, whether it has a hard spread constraint, and its events; the last
    one is the newest. ``waits``: it has no node and has not ended."""

    raw: Raw
    claims: tuple[str, ...]
    spreads: bool
    events: list[DescribedEvent]
    waits: bool

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.raw["metadata"]["namespace"], self.raw["metadata"]["name"]

    @property
    def said(self) -> str:
        """The last message of a scheduler about it, "" for none."""
        return next((one.message for one in reversed(self.events) if one.reason == "FailedScheduling"), "")


def is_pod(block: DescribedBlock) -> bool:
    """Whether the block describes a pod."""
    return "Containers" in block.fields or ("Namespace" in block.fields and "Node" in block.fields)


def described_pod(block: DescribedBlock) -> DescribedPod:
    """The pod that a block describes."""
    node = block.value("Node").partition("/")[0]
    status = block.value("Status")
    events = events_of(block.lines("Events"))
    volumes, claims = _volumes(block)
    said = next((one.message for one in reversed(events) if one.reason == "FailedScheduling"), "")
    spec: Raw = {
        **({"nodeName": node} if node else {}),
        **_scheduler(events),
        **_priority(block),
        **({"initContainers": init} if (init := _containers(block.lines("Init Containers"))) else {}),
        "containers": _containers(block.lines("Containers")),
        **({"resources": of_pod} if (of_pod := _resources(parts(block.lines("Resources")))) else {}),
        **({"nodeSelector": selector} if (selector := pairs(block.values("Node-Selectors"))) else {}),
        **({"tolerations": some} if (some := [_toleration(one) for one in block.values("Tolerations")]) else {}),
        **({"topologySpreadConstraints": spread} if (spread := _spread(block)) else {}),
        # A claim that the scheduler did not find is not there; of the others the text shows no volume.
        **({"volumes": volumes} if any(_not_found(claim) in said for claim in claims) else {}),
    }
    metadata: Raw = {
        "name": block.value("Name"),
        "namespace": block.value("Namespace") or "default",
        "annotations": {READ_FROM: SHOWN},
        **({"labels": labels} if (labels := pairs(block.values("Labels"))) else {}),
        **_owner(block.value("Controlled By")),
        **({"deletionTimestamp": UNKNOWN_TIME} if status.startswith("Terminating") else {}),
    }
    raw = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": _status(block, status)}
    hard = any(one["whenUnsatisfiable"] == "DoNotSchedule" for one in spread)
    waits = not node and status not in ("Succeeded", "Failed")
    return DescribedPod(raw, claims if "volumes" not in spec else (), hard, events, waits)


def pairs(values: list[str]) -> dict[str, str]:
    """Labels and selectors, KEY=VALUE each."""
    return {key.strip(): value.strip() for key, equals, value in (one.partition("=") for one in values) if equals}


def _not_found(claim: str) -> str:
    return f'persistentvolumeclaim "{claim}" not found'


def _scheduler(events: list[DescribedEvent]) -> Raw:
    """The scheduler that speaks of the pod; the field itself is not printed."""
    said = next((one.source for one in reversed(events) if one.reason == "FailedScheduling"), "")
    return {"schedulerName": said} if said and said != "default-scheduler" else {}


def _priority(block: DescribedBlock) -> Raw:
    """The priority; its class only where every cluster has it, since the input need not hold another one."""
    value, name = block.value("Priority"), block.value("Priority Class Name")
    if name in _SYSTEM_CLASSES:
        return {"priorityClassName": name}
    return {"priority": int(value)} if re.fullmatch(r"-?\d{1,10}", value) else {}


def _status(block: DescribedBlock, status: str) -> Raw:
    out: Raw = {"phase": status if status in _PHASES else "Running" if block.value("Node") else "Pending"}
    if nominated := block.value("NominatedNodeName"):
        out["nominatedNodeName"] = nominated
    conditions = [line.split() for line in block.lines("Conditions")]
    named = [one for one in conditions if len(one) == 2 and one[1] in ("True", "False", "Unknown")]
    if named:
        out["conditions"] = [{"type": kind, "status": is_so} for kind, is_so in named]
    return out


def _owner(controlled_by: str) -> Raw:
    kind, _, name = controlled_by.partition("/")
    if kind not in _OWNERS or not name:
        return {}
    owner = {"apiVersion": _OWNERS[kind], "kind": kind, "name": name, "uid": "", "controller": True}
    return {"ownerReferences": [owner]}


def _containers(lines: list[str]) -> list[Raw]:
    out = []
    for name, field in parts(lines).items():
        inner = parts(field.lines)
        container: Raw = {"name": name, **({"image": inner["Image"].value} if "Image" in inner else {})}
        if resources := _resources(inner):
            container["resources"] = resources
        if ports := _ports(inner):
            container["ports"] = ports
        out.append(container)
    return out


def _resources(fields: dict[str, DescribedField]) -> Raw:
    out: Raw = {}
    for field, name in (("Limits", "limits"), ("Requests", "requests")):
        lines = fields[field].lines if field in fields else []
        amounts = {key: one.value for key, one in parts(lines).items() if one.value}
        if amounts:
            out[name] = amounts
    return out


def _ports(fields: dict[str, DescribedField]) -> list[Raw]:
    """The ports of the container that are held on the host."""
    of_container, of_host = (
        _PORT.findall(next((fields[name].value for name in names if name in fields), ""))
        for names in (("Ports", "Port"), ("Host Ports", "Host Port"))
    )
    return [
        {"containerPort": int(port), "hostPort": int(held), "protocol": protocol or "TCP"}
        for (port, _), (held, protocol) in zip(of_container, of_host, strict=False)
        if int(held)
    ]


def _toleration(text: str) -> Raw:
    match = _TOLERATION.fullmatch(text)
    if match is None:
        return {"key": text}
    out: Raw = {}
    if match["key"]:
        out["key"] = match["key"]
    if match["operator"] or not match["key"]:
        out["operator"] = match["operator"] or "Exists"
    if match["value"]:
        out["value"] = match["value"]
    if match["effect"]:
        out["effect"] = match["effect"]
    if match["seconds"]:
        out["tolerationSeconds"] = int(match["seconds"])
    return out


def _spread(block: DescribedBlock) -> list[Raw]:
    out = []
    for text in block.values("Topology Spread Constraints"):
        match = _SPREAD.fullmatch(text)
        if match is None:
            continue
        selector = {"labelSelector": _selector(match["selector"])} if match["selector"] else {}
        skew = int(match["skew"])
        out.append({"topologyKey": match["key"], "whenUnsatisfiable": match["when"], "maxSkew": skew, **selector})
    return out


def _selector(text: str) -> Raw:
    """A label selector as kubectl writes it: a=b,c in (d,e),f,!g."""
    expressions: list[Raw] = []
    for match in _SELECTED.finditer("" if text == "<none>" else text):
        operator = {"in": "In", "notin": "NotIn"}.get(match["operator"] or "", "")
        if operator:
            values = [one.strip() for one in match["values"].split(",")]
        elif match["equals"]:
            operator, values = "In", [match["value"]]
        else:
            operator, values = ("DoesNotExist" if match["no"] else "Exists"), []
        expressions.append({"key": match["key"], "operator": operator, **({"values": values} if values else {})})
    return {"matchExpressions": expressions} if expressions else {}


def _volumes(block: DescribedBlock) -> tuple[list[Raw], tuple[str, ...]]:
    """The volumes with claims, and the names of the claims."""
    volumes: list[Raw] = []
    claims = []
    for name, field in parts(block.lines("Volumes")).items():
        inner = parts(field.lines)
        kind = inner["Type"].value.split(" ", 1)[0] if "Type" in inner else ""
        if kind == "PersistentVolumeClaim" and "ClaimName" in inner:
            claims.append(inner["ClaimName"].value)
            volumes.append({"name": name, "persistentVolumeClaim": {"claimName": claims[-1]}})
        elif kind == "EphemeralVolume":
            claims.append(f"{block.value('Name')}-{name}")
    return volumes, tuple(claims)
