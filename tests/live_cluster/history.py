"""A history of a cluster as an API server saw it: our own engine, under a seed of its own, is the real scheduler.

From the run's recording follows what each object was and when: pods created, bound, started and deleted, conditions,
nominations, victims, changes of nodes, and the events that a scheduler sends. ``delivered`` is how a collector received
it: each kind in its order, late, in batches, kinds interleaved by receipt.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.engine.policies import Policies
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.bundle.model import BundleGap, BundleMeta, CollectedKind
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.workloads.timeline import Timeline, TimelineEntry

Raw = dict[str, Any]
BEGAN = 1_790_000_000.0
KINDS = (
    ("v1", "Node", "nodes"),
    ("v1", "Pod", "pods"),
    ("v1", "Namespace", "namespaces"),
    ("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses"),
    ("v1", "Event", "events"),
)
ZONE = "topology.kubernetes.io/zone"
PRIORITIES = {"low": 0, "high": 1_000}


class Step(NamedTuple):
    """What the API server saw at ``t`` (seconds since 1970), with the resourceVersion that it gave."""

    t: float
    rv: int
    type: str
    object: Raw

    @property
    def is_event(self) -> bool:
        return self.object["kind"] == "Event"


class Truth(NamedTuple):
    """The objects at the beginning, all that happened after that, and where each pod was bound in order."""

    objects: list[Raw]
    steps: list[Step]
    bindings: list[tuple[str, str]]
    configuration: str = ""


class Plan(NamedTuple):
    """How large the history is, and what is in it."""

    seed: int = 1
    n_nodes: int = 8
    n_pods: int = 60
    seconds: int = 120
    lifetime: int = 60
    node_changes: int = 4
    share_high: float = 0.15
    zones: int = 3
    spread: bool = True
    configuration: SchedulerConfiguration = SchedulerConfiguration()
    configuration_text: str = ""
    cached: bool = False
    sampled: bool = False


def stamp(t: float) -> str:
    """The moment as the API server writes it."""
    return datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def node(index: int, plan: Plan, draw: Random) -> Raw:
    """A node of one of three sizes, some of them tainted."""
    cpu = draw.choice((4, 8, 16))
    taints = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}] if draw.random() < 0.1 else []
    amounts = {"cpu": str(cpu), "memory": f"{cpu * 4}Gi", "pods": "60"}
    labels = {"kubernetes.io/hostname": f"node-{index}", ZONE: f"zone-{index % plan.zones}", "size": f"s{cpu}"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"node-{index}", "uid": f"uid-node-{index}", "labels": labels},
        "spec": {"taints": taints},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


def pod(index: int, plan: Plan, draw: Random, t: float) -> Raw:
    """A pod of one of a few workloads."""
    app = draw.randrange(6)
    spec: Raw = {
        "schedulerName": "default-scheduler",
        "containers": [
            {
                "name": "main",
                "image": f"app-{app}:1",
                "resources": {"requests": {"cpu": f"{(app + 1) * 350}m", "memory": f"{(app % 3 + 1) * 700}Mi"}},
            }
        ],
        "terminationGracePeriodSeconds": 1,
    }
    if plan.spread and app == 1:
        selector = {"matchLabels": {"app": "app-1"}}
        spec["topologySpreadConstraints"] = [
            {"maxSkew": 2, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
        ]
    if app == 2:
        spec["nodeSelector"] = {"size": "s16"}
    if draw.random() < plan.share_high:
        spec |= {"priorityClassName": "high", "priority": PRIORITIES["high"]}
    metadata = {
        "name": f"app-{app}-{index}",
        "namespace": "shop",
        "uid": f"uid-pod-{index}",
        "labels": {"app": f"app-{app}"},
        "creationTimestamp": stamp(t)[:19] + "Z",
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Pending"}}


def _beginning(plan: Plan, draw: Random) -> list[Raw]:
    names = ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("default", "shop"))
    classes = (
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in PRIORITIES.items()
    )
    return [*names, *classes, *(node(index, plan, draw) for index in range(plan.n_nodes))]


def _entries(plan: Plan, draw: Random, nodes: list[Raw]) -> list[tuple[int, str, Raw]]:
    """(microseconds, put or delete, object) of what comes from outside, in order."""
    entries: list[tuple[int, str, Raw]] = []
    for index in range(plan.n_pods):
        at = draw.randrange(1_000_000, plan.seconds * 1_000_000)
        made = pod(index, plan, draw, BEGAN + at / 1e6)
        entries.append((at, "put", made))
        gone = at + round(draw.expovariate(1 / plan.lifetime) * 1e6) + 500_000
        if gone < plan.seconds * 1_000_000:
            entries.append((gone, "delete", made))
    for _ in range(plan.node_changes):
        at, changed = draw.randrange(plan.seconds * 1_000_000), copy.deepcopy(draw.choice(nodes))
        changed["spec"]["unschedulable"] = True
        entries.append((at, "put", changed))
        back = copy.deepcopy(changed)
        del back["spec"]["unschedulable"]
        entries.append((at + 5_000_000, "put", back))
    return sorted(entries, key=lambda one: one[0])


def history(plan: Plan) -> Truth:
    """The history of a plan; the same for the same plan."""
    draw = Random(plan.seed)
    objects = _beginning(plan, draw)
    entries = _entries(plan, draw, [one for one in objects if one["kind"] == "Node"])
    loaded = load_manifests(objects, expand=False)
    assert loaded.ok, loaded.errors
    read = load_manifests([*objects, *(raw for _, do, raw in entries if do == "put" and raw["kind"] == "Pod")])
    assert read.ok, read.errors
    typed: dict[str, Any] = {one.key: one for one in read.objects.pods}
    nodes = {id(raw): load_manifests([raw]).objects.nodes[0] for _, _, raw in entries if raw["kind"] == "Node"}
    timeline = Timeline(
        tuple(
            TimelineEntry(at, do, nodes[id(raw)] if raw["kind"] == "Node" else typed[_key(raw)])  # type: ignore[arg-type]
            for at, do, raw in entries
        )
    )
    inputs = RunInputs(
        objects=loaded.objects,
        configuration=plan.configuration,
        schedule="timeline",
        timeline=timeline,
        seed=1_000 + plan.seed,
        policies=Policies(
            owners="ignore",
            job_running_us=None,
            node_loss="pods_stay",
            binding_us=0,
            node_search="configured" if plan.sampled else "all",
        ),
    )
    session = RunSession.start(inputs, cached=plan.cached)
    server = _Server(objects, [raw for _, _, raw in entries])
    session.observe(lambda _seq, event: server.note(event))
    end = (plan.seconds + 30) * 1_000_000
    while session.now_us < end and not session.advance(max_cycles=200):
        session.cut_chunk(keyframe=False)
    return Truth(objects, server.steps, server.bindings, plan.configuration_text)


def _key(raw: Raw) -> str:
    metadata = raw["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if "namespace" in metadata else metadata["name"]


class _Server:
    """Writes down what the API server would have seen of a run's events."""

    def __init__(self, objects: Iterable[Raw], entries: list[Raw]) -> None:
        self.steps: list[Step] = []
        self.bindings: list[tuple[str, str]] = []
        self._entries = entries
        self._now: dict[tuple[str, str], Raw] = {(raw["kind"], _key(raw)): raw for raw in objects}
        self._version = 100
        self._events: dict[tuple[str, str, str], Raw] = {}
        self._written: dict[str, Raw] = {}
        self._on: dict[type, Callable[[Any], None]] = {
            ev.ObjectChanged: self._changed,
            ev.PreemptionDecided: self._preempted,
            ev.Nominated: self._nominated,
            ev.CycleFinished: self._finished,
            ev.Bound: self._bound,
        }

    def note(self, event: ev.AnyEvent) -> None:
        """Take in the next event of the run."""
        handler = self._on.get(type(event))
        if handler is not None:
            handler(event)

    def _write(self, at: int, kind: str, raw: Raw) -> None:
        self._version += 1
        raw = copy.deepcopy(raw)
        raw["metadata"]["resourceVersion"] = str(self._version)
        if raw["kind"] == "Pod":
            self._written[_key(raw)] = raw
        self.steps.append(Step(BEGAN + at / 1e6, self._version, kind, raw))

    def _put(self, at: int, raw: Raw) -> None:
        key = raw["kind"], _key(raw)
        kind = "MODIFIED" if key in self._now else "ADDED"
        self._now[key] = raw
        self._write(at, kind, raw)

    def _edit(self, at: int, key: str, edit: Callable[[Raw], None]) -> None:
        raw = copy.deepcopy(self._now["Pod", key])
        edit(raw)
        self._put(at, raw)

    def _changed(self, event: ev.ObjectChanged) -> None:
        key = event.kind, event.key
        if event.action == "deleted":
            gone = self._now.pop(key, None)
            if gone is not None:
                self._write(event.at, "DELETED", gone)
        elif event.entry is not None:
            self._put(event.at, copy.deepcopy(self._entries[event.entry]))
        elif event.kind == "Pod" and event.cause.startswith("preempted by "):
            self._edit(event.at, event.key, lambda raw: _mark_victim(raw, BEGAN + event.at / 1e6))

    def _preempted(self, event: ev.PreemptionDecided) -> None:
        chosen = event.chosen
        if chosen is None:
            return
        uid = self._now["Pod", event.pod]["metadata"]["uid"]
        for victim in chosen.victims:
            self._send(event.at, victim, "Preempted", f"Preempted by pod {uid} on node {chosen.node}")

    def _nominated(self, event: ev.Nominated) -> None:
        def edit(raw: Raw) -> None:
            raw["status"]["nominatedNodeName"] = event.node

        if ("Pod", event.pod) in self._now:
            raw = copy.deepcopy(self._now["Pod", event.pod])
            edit(raw)
            self._now["Pod", event.pod] = raw  # written with the condition, in one patch
            if not event.node:
                self._write(event.at, "MODIFIED", raw)

    def _finished(self, event: ev.CycleFinished) -> None:
        if event.outcome != "unschedulable" or ("Pod", event.pod) not in self._now:
            return
        before = self._now["Pod", event.pod]
        raw = copy.deepcopy(before)
        _set_condition(raw, "PodScheduled", "False", "Unschedulable", event.message, BEGAN + event.at / 1e6)
        if raw["status"] != self._written[event.pod]["status"]:
            self._put(event.at, raw)
        self._send(event.at, event.pod, "FailedScheduling", event.message)

    def _bound(self, event: ev.Bound) -> None:
        def bind(raw: Raw) -> None:
            raw["spec"]["nodeName"] = event.node
            raw["status"].pop("nominatedNodeName", None)
            _set_condition(raw, "PodScheduled", "True", "", "", BEGAN + event.at / 1e6)

        def start(raw: Raw) -> None:
            raw["status"] |= {"phase": "Running", "startTime": stamp(BEGAN + event.at / 1e6)}

        self._edit(event.at, event.pod, bind)
        self.bindings.append((event.pod, event.node))
        self._send(event.at, event.pod, "Scheduled", f"Successfully assigned {event.pod} to {event.node}")
        self._edit(event.at, event.pod, start)

    def _send(self, at: int, key: str, reason: str, message: str) -> None:
        raw = self._now.get(("Pod", key))
        uid = raw["metadata"]["uid"] if raw is not None else ""
        namespace, name = key.split("/")
        former = self._events.get((uid, reason, message))
        moment = stamp(BEGAN + at / 1e6)
        if former is not None:
            former = copy.deepcopy(former)
            count = former.get("series", {}).get("count", 1) + 1
            former["series"] = {"count": count, "lastObservedTime": moment}
            self._events[uid, reason, message] = former
            self._write(at, "MODIFIED", former)
            return
        event = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": f"{name}.{len(self._events):x}", "namespace": namespace},
            "regarding": {"kind": "Pod", "namespace": namespace, "name": name, "uid": uid},
            "reason": reason,
            "note": message[:1_024],
            "eventTime": moment,
            "reportingController": "default-scheduler",
        }
        self._events[uid, reason, message] = event
        self._write(at, "ADDED", event)


def _set_condition(raw: Raw, kind: str, status: str, reason: str, message: str, t: float) -> None:
    conditions = [one for one in raw["status"].get("conditions", []) if one["type"] != kind]
    before = next((one for one in raw["status"].get("conditions", []) if one["type"] == kind), None)
    since = before["lastTransitionTime"] if before is not None and before["status"] == status else stamp(t)[:19] + "Z"
    condition = {"type": kind, "status": status, "lastTransitionTime": since}
    if reason:
        condition |= {"reason": reason, "message": message}
    raw["status"]["conditions"] = [*conditions, condition]


def _mark_victim(raw: Raw, t: float) -> None:
    text = "default-scheduler: preempting to accommodate a higher priority pod"
    _set_condition(raw, "DisruptionTarget", "True", "PreemptionByScheduler", text, t)
    raw["metadata"]["deletionTimestamp"] = stamp(t + 1)[:19] + "Z"


# ---------------------------------------------------------------- as it was received


def delivered(steps: Iterable[Step], seed: int = 0, *, mean_delay: float = 0.02, batches: float = 0.02) -> list[Step]:
    """The steps with the times of their receipt, in that order: each kind keeps its own order, as of one watch; now and
    then a kind is held up for half a second and comes at once after that."""
    draw, last, held = Random(seed), dict[str, float](), dict[str, float]()
    received = []
    for step in steps:
        kind = step.object["kind"]
        slow = 10 if step.is_event else 1
        t = max(step.t + draw.expovariate(1 / (mean_delay * slow)), last.get(kind, 0.0), held.get(kind, 0.0))
        if draw.random() < batches:
            held[kind] = t + 0.5
        last[kind] = t
        received.append(step._replace(t=t))
    return sorted(received, key=lambda step: step.t)


def meta_of(truth: Truth, **fields: Any) -> BundleMeta:
    """The meta of a bundle of this history; ``fields`` in place of its own."""
    kinds = tuple(
        CollectedKind(
            api_version=version,
            kind=kind,
            resource=resource,
            listed=sum(one["kind"] == kind for one in truth.objects),
        )
        for version, kind, resource in KINDS
    )
    ended = max((step.t for step in truth.steps), default=BEGAN) + 2
    former = {"began": BEGAN, "ended": ended, "server_version": "v1.34.1", "kinds": kinds}
    return BundleMeta(**{**former, "configuration": truth.configuration, "collector": "test", **fields})


def files_of(truth: Truth, received: Iterable[Step], meta: BundleMeta | None = None) -> dict[str, bytes]:
    """The bundle's files by name."""
    lines: dict[str, list[bytes]] = {"objects.jsonl": [], "events.jsonl": [], "changes.jsonl": []}
    for raw in truth.objects:
        lines["objects.jsonl"].append(_line({"t": BEGAN, "object": raw}))
    for step in received:
        line = {"t": step.t, "rv": str(step.rv), "type": step.type, "object": step.object}
        lines["events.jsonl" if step.is_event else "changes.jsonl"].append(_line(line))
    said = msgspec.json.encode(meta if meta is not None else meta_of(truth))
    return {"meta.json": said, **{name: b"".join(of) for name, of in lines.items()}}


def gap(code: str, text: str = "a gap", **fields: Any) -> BundleGap:
    """A gap of a bundle, from its beginning on."""
    return BundleGap(code=code, text=text, **{"since": BEGAN, **fields})  # type: ignore[arg-type]


def _line(value: Raw) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
