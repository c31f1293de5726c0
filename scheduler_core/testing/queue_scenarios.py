"""Runs queue scenarios of the conformance data: a list of operations on the real queue with the real plugins.

The state after each operation is given in the format of the conformance data, so that it can be compared as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects, Namespace, Node, Pod
from scheduler_core.columns.cluster import Cluster, object_key
from scheduler_core.engine.summaries import queue_move
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.manifests import config_from_raw, load_manifests
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.queue.cluster_events import ASSIGNED_POD_DELETE, event_label
from scheduler_core.queue.event_handlers import EventHandlers
from scheduler_core.queue.profiles import queue_profile
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    GATED,
    SECOND,
    UNSCHEDULABLE,
    Cause,
    QueuedPod,
    QueueSettings,
)
from scheduler_core.recording.events import QueueMove
from scheduler_core.testing.scheduling_scenarios import behaviours_of_scenario
from scheduler_core.versions.behaviours import Behaviours

_STEP_US = 1_000
_NOT_IN_FLIGHT = "not in flight"
_WOULD_BLOCK = "would block: nothing to pop"
_GONE = "pod is gone or bound: only Done"


class QueueScenarioError(ValueError):
    """A scenario that cannot be run; the message names the operation."""


def run_queue_scenario(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry per operation as in the scenario's ``expected``. Raises ScenarioError."""
    run = QueueScenario(scenario.get("config"), behaviours_of_scenario(scenario))
    run.begin(scenario.get("objects", ()))
    return [run.step(index, op) for index, op in enumerate(scenario["ops"])]


class QueueScenario:
    """A queue with its clock, cluster and handlers, driven operation by operation.

    ``moves`` are all moves so far, as they would be recorded.
    """

    def __init__(self, config: dict[str, Any] | None, behaviours: Behaviours | None = None) -> None:
        configuration = _configuration(config)
        behaviours = behaviours or Behaviours()
        self._counts_failures = not behaviours.backoff_by_attempts
        self.clock = 0
        self.moves: list[QueueMove] = []
        self._cluster = Cluster()
        self._cluster.listers.put(Namespace("default", {"kubernetes.io/metadata.name": "default"}))
        context = RunContext(self._cluster)
        context.behaviours = behaviours
        frameworks = build_frameworks(configuration, context)
        self._pods: dict[str, Pod] = {}
        self._objects: dict[tuple[str, str], Any] = {}
        self._ended: set[str] = set()
        self._uids = 0
        settings = QueueSettings(
            initial_backoff_us=configuration.pod_initial_backoff_seconds * SECOND,
            max_backoff_us=configuration.pod_max_backoff_seconds * SECOND,
            behaviours=behaviours,
        )
        profiles = {name: queue_profile(framework) for name, framework in frameworks.items()}
        self.queue = SchedulingQueue(lambda: self.clock, profiles, settings, self._moved, self._pods.get)
        self._handlers = EventHandlers(self.queue, profiles)
        self._ops: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "create": self._create,
            "update": self._update,
            "delete": self._delete,
            "pop": self._pop,
            "fail": self._fail,
            "bind": self._bind,
            "bindFail": self._bind_fail,
            "done": self._done,
            "activate": self._activate,
            "advance": self._advance,
            "flushBackoff": self._flush_backoff,
            "flushUnschedulable": self._flush_unschedulable,
        }

    def begin(self, objects: Sequence[dict[str, Any]]) -> None:
        """Take over the objects that are there before the first operation."""
        for raw in objects:
            obj = self._read(raw)
            self._objects[type(obj).__name__, object_key(obj)] = obj
            if isinstance(obj, Node):
                self._cluster.put_node(obj)
            else:
                self._cluster.listers.put(obj)

    def step(self, index: int, op: dict[str, Any]) -> dict[str, Any]:
        """Do one operation, 1 ms later than the last; its expected entry."""
        self.clock += _STEP_US
        do = self._ops.get(op["op"])
        if do is None:
            raise QueueScenarioError(f"operation {index}: unknown op {op['op']!r}")
        return {"op": index, **do(op), "state": self.state()}

    def _moved(self, queued: QueuedPod, source: str, cause: Cause) -> None:
        self.moves.append(queue_move(self.clock, queued, source, cause))

    # ---- objects

    def _create(self, op: dict[str, Any]) -> dict[str, Any]:
        obj = self._read(op["object"])
        if isinstance(obj, Pod):
            self._uids += 1
            obj = msgspec.structs.replace(obj, uid=obj.uid or f"uid-{self._uids}")
        self._change(None, obj)
        return {}

    def _update(self, op: dict[str, Any]) -> dict[str, Any]:
        new = self._read(op["object"])
        if isinstance(new, Pod) and new.key in self._ended:
            return {}
        old = self._known(type(new).__name__, object_key(new))
        if isinstance(new, Pod):
            new = msgspec.structs.replace(new, uid=old.uid)
            if new.is_terminal:
                self._ended.add(new.key)
        self._change(old, new)
        return {}

    def _delete(self, op: dict[str, Any]) -> dict[str, Any]:
        if op["kind"] != "Pod" or op["name"] not in self._ended:
            self._change(self._known(op["kind"], self._key(op)), None)
        self._ended.discard(op["name"])
        return {}

    def _key(self, op: dict[str, Any]) -> str:
        """The key of the object that an operation names; recordings before devices give it as the name."""
        name, kind = str(op["name"]), op["kind"]
        with_namespace = f"{op.get('namespace') or 'default'}/{name}"
        return name if "/" in name or (kind, name) in self._objects else with_namespace

    def _read(self, raw: dict[str, Any]) -> Any:
        result = load_manifests([raw], as_posted=False)
        if result.errors:
            raise QueueScenarioError(f"object {raw.get('kind')}: {result.errors[0]}")
        return _only_object(result.objects, raw["kind"])

    def _known(self, kind: str, key: str) -> Any:
        obj = self._pods.get(key) if kind == "Pod" else self._objects.get((kind, key))
        if obj is None:
            raise QueueScenarioError(f"no {kind} {key}")
        return obj

    def _change(self, old: Any, new: Any) -> None:
        """The cluster learns of the change, then the queue. A pod that has ended is gone for the scheduler, which
        watches others only."""
        if isinstance(new, Pod) and new.is_terminal:
            new = None
        if old is None and new is None:
            return
        some = old if new is None else new
        if isinstance(some, Pod):
            self._change_pod(old, new)
        elif isinstance(some, Node):
            self._objects["Node", some.name] = new
            if new is not None:
                self._cluster.put_node(new)
        else:
            self._objects[type(some).__name__, object_key(some)] = new
            put = self._cluster.listers.drop if new is None else self._cluster.listers.put
            put(some)
        self._handlers.changed(old, new)
        if new is None and isinstance(some, Node):
            self._cluster.drop_node(some.name)

    def _change_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            assert old is not None
            del self._pods[old.key]
        else:
            self._pods[new.key] = new
        if old is not None and old.node_name and (new is None or not new.node_name):
            self._cluster.drop_pod(old.key)
        elif new is not None and new.node_name:
            info = self._cluster.info(new)
            if new.key in self._cluster.pods:
                self._cluster.update_pod(info)
            else:
                self._cluster.put_pod(info, new.node_name)

    # ---- attempts

    def _pop(self, op: dict[str, Any]) -> dict[str, Any]:
        queued = self.queue.pop()
        return {"note": _WOULD_BLOCK} if queued is None else {"popped": queued.key}

    def _in_flight(self, op: dict[str, Any]) -> QueuedPod | None:
        return next((queued for queued in self.queue.in_flight() if queued.key == op["pod"]), None)

    def _fail(self, op: dict[str, Any]) -> dict[str, Any]:
        queued = self._in_flight(op)
        if queued is None:
            return {"note": _NOT_IN_FLIGHT}
        return self._come_back(queued, op.get("plugins", ()), op.get("pending", ()), op.get("nominate"))

    def _come_back(self, queued: QueuedPod, plugins: Any, pending: Any, nominate: str | None) -> dict[str, Any]:
        """What the reference does after a failed cycle: back to the queue, nomination, then the status' update."""
        pod = self._pods.get(queued.key)
        note = {}
        if pod is None or pod.node_name:
            self.queue.done(queued)
            note = {"note": _GONE}
        elif self.queue.waits(queued.key):
            pass  # Another pod of the name waits: upstream refuses this one, and never forgets that it was in flight.
        else:
            self.queue.add_unschedulable_if_not_present(queued, plugins, pending, pod)
        self.queue.add_nominated(queued.pod if pod is None else pod, nominate)
        if pod is not None and not pod.node_name and nominate is not None and nominate != pod.nominated_node_name:
            self._change(pod, msgspec.structs.replace(pod, nominated_node_name=nominate))
        return note

    def _bind(self, op: dict[str, Any]) -> dict[str, Any]:
        queued = self._in_flight(op)
        if queued is None:
            return {"note": _NOT_IN_FLIGHT}
        self.queue.delete_nominated(queued.pod)
        self.queue.done(queued)
        pod = self._pods.get(queued.key)
        if pod is not None and not pod.node_name:
            self._change(pod, msgspec.structs.replace(pod, node_name=op["node"], phase="Running"))
        return {}

    def _bind_fail(self, op: dict[str, Any]) -> dict[str, Any]:
        queued = self._in_flight(op)
        if queued is None:
            return {"note": _NOT_IN_FLIGHT}
        assumed = msgspec.structs.replace(queued.pod, node_name=op["node"])
        self.queue.delete_nominated(assumed)
        self.queue.move_all(ASSIGNED_POD_DELETE, assumed, None)
        return self._come_back(queued, (), (), None)

    def _done(self, op: dict[str, Any]) -> dict[str, Any]:
        queued = self._in_flight(op)
        if queued is None:
            return {"note": _NOT_IN_FLIGHT}
        self.queue.done(queued)
        return {}

    def _activate(self, op: dict[str, Any]) -> dict[str, Any]:
        self.queue.activate(self._pods[key] for key in op["pods"] if key in self._pods)
        return {}

    # ---- time

    def _advance(self, op: dict[str, Any]) -> dict[str, Any]:
        self.clock += int(op["seconds"] * SECOND)
        return {}

    def _flush_backoff(self, op: dict[str, Any]) -> dict[str, Any]:
        self.queue.flush_backoff_completed()
        return {}

    def _flush_unschedulable(self, op: dict[str, Any]) -> dict[str, Any]:
        self.queue.flush_unschedulable_leftover()
        return {}

    # ---- state

    def state(self) -> dict[str, Any]:
        """The queue as the conformance data shows it."""
        queue = self.queue
        unschedulable = sorted(queue.entries(UNSCHEDULABLE) + queue.entries(GATED), key=lambda queued: queued.key)
        # The reference leaves the order of equal expiries open there; the data has them by name.
        errors = sorted(queue.entries(ERROR_BACKOFF), key=lambda queued: (queued.backoff_until or 0, queued.key))
        state: dict[str, Any] = {
            "t": _seconds(self.clock),
            "cycle": queue.scheduling_cycle,
            "active": [self._entry(queued) for queued in queue.entries(ACTIVE)],
            "backoff": [self._entry(queued, with_expiry=True) for queued in queue.entries(BACKOFF)],
            "errorBackoff": [self._entry(queued, with_expiry=True) for queued in errors],
            "unschedulable": [self._entry(queued) for queued in unschedulable],
            "inFlight": [
                f"pod:{entry.key}" if isinstance(entry, QueuedPod) else f"event:{event_label(entry.event)}"
                for entry in queue.in_flight_log()
            ],
            "nominated": {node: [pod.key for pod in pods] for node, pods in queue.nominator},
        }
        return {key: value for key, value in state.items() if value or key not in ("errorBackoff", "nominated")}

    def _entry(self, queued: QueuedPod, with_expiry: bool = False) -> dict[str, Any]:
        """A pod in the queue; up to 1.33 the reference counts no failures and does not say which plugin gates."""
        entry: dict[str, Any] = {
            "pod": queued.key,
            "attempts": queued.attempts,
            "ts": _seconds(queued.timestamp),
        }
        if self._counts_failures:
            entry |= {"unschedulableCount": queued.unschedulable_count, "errorCount": queued.error_count}
        else:
            entry["gated"] = bool(queued.gated_by)
        if queued.unschedulable_plugins:
            entry["plugins"] = list(queued.unschedulable_plugins)
        if queued.pending_plugins:
            entry["pending"] = list(queued.pending_plugins)
        if queued.gated_by and self._counts_failures:
            entry["gatedBy"] = queued.gated_by
        if with_expiry and queued.backoff_until is not None:
            entry["expires"] = _seconds(queued.backoff_until)
        return entry


def _seconds(microseconds: int) -> float:
    return microseconds / SECOND


def _configuration(raw: dict[str, Any] | None) -> SchedulerConfiguration:
    if raw is None:
        return SchedulerConfiguration()
    configuration, findings = config_from_raw(raw)
    if configuration is None:
        raise QueueScenarioError(f"config: {findings[0] if findings else 'unreadable'}")
    return configuration


def _only_object(objects: ClusterObjects, kind: str) -> Any:
    candidates = [
        obj for name in objects.__struct_fields__ for obj in getattr(objects, name) if type(obj).__name__ == kind
    ]
    if len(candidates) != 1:
        raise QueueScenarioError(f"{len(candidates)} objects of kind {kind} where one was given")
    return candidates[0]
