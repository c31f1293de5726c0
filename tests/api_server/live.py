"""An API server that changes: lists in pages and watches with bookmarks, and everything that goes wrong, by switches.

A test plays a history through it: ``server.apply(type, object)`` gives the object the next resourceVersion and sends it
to the watches. Each fault of Faults is switched on by its share of the requests that it could happen to.
"""

from __future__ import annotations

import base64
import json
import random
import threading
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from tests.api_server import RESOURCES, Object

Key = tuple[str, str, str]
"""Resource, namespace and name."""
INITIAL_END = "k8s.io/initial-events-end"


@dataclass
class Faults:
    """The share of requests to which each fault happens, from 0 to 1."""

    seed: int = 0
    page_gone: float = 0
    """A token of the next page has expired: 410."""
    watch_gone: float = 0
    """A watch is answered with 410."""
    error_event: float = 0
    """A watch is answered with 200, and ends with an ERROR event 410."""
    too_many: float = 0
    """429 with Retry-After: 1."""
    failing: float = 0
    """500."""
    reset: float = 0
    """A watch ends inside of an event, and the connection is reset."""
    silent_end: float = 0
    """A watch ends after some events as if all were well."""
    slow: float = 0
    """A watch's bytes come in small pieces."""
    no_initial_events: bool = False
    """``sendInitialEvents`` is answered with 500."""
    no_bookmarks: bool = False
    retry_after: str = "1"


class _Log:
    """The events of a resource since it was compacted, each with its version, and as a line."""

    def __init__(self) -> None:
        self.versions: list[int] = []
        self.lines: list[tuple[str, bytes]] = []


@dataclass
class LiveServer:
    """What is served, and how. ``denied``: (resource, verb) that are answered with 403, in one namespace ("shop/pods",
    verb); ``missing``: resources that the server does not know; ``broken``: those that it answers with 500; ``token``:
    what a request has to bring, "" for nothing; ``events_at_most``: how many events a watch sends before a silent end
    or a reset."""

    faults: Faults = field(default_factory=Faults)
    version: str = "v1.34.1"
    denied: set[tuple[str, str]] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    token: str = ""
    bookmark_seconds: float = 0.2
    events_at_most: int = 20
    longest_watch: float = 600.0

    def __post_init__(self) -> None:
        self.address = ""
        self.changed = threading.Condition()
        self.is_over = False
        self.resource_version = 1000
        self.compacted = 0
        self.n_requests = 0
        self.asked: list[str] = []
        self.objects: dict[Key, Object] = {}
        self.bodies: dict[Key, bytes] = {}
        self.snapshots: dict[str, tuple[int, list[bytes]]] = {}
        self.newest: dict[str, int] = {}
        """The version of the last change of each resource."""
        self._logs: dict[str, _Log] = {name: _Log() for name in RESOURCES}
        self.reseed()
        self._of_kind = {one.kind: name for name, one in RESOURCES.items()}

    def reseed(self) -> None:
        """Begin the chances of faults again from their seed."""
        self._chance = random.Random(self.faults.seed)

    # ------------------------------------------------------------ what a test does

    def apply(self, change: str, one: Object) -> Object:
        """Carry out a change (ADDED, MODIFIED, DELETED) under the next resourceVersion; the object as it is served."""
        resource = self._of_kind[one["kind"]]
        metadata = one["metadata"]
        is_namespaced = RESOURCES[resource].is_namespaced
        key = (resource, metadata.get("namespace", "default") if is_namespaced else "", metadata["name"])
        with self.changed:
            self.resource_version += 1
            before = self.objects.get(key)
            uid = metadata.get("uid") or (before or {}).get("metadata", {}).get("uid") or f"uid-{self.resource_version}"
            own = {**metadata, "uid": uid, "resourceVersion": str(self.resource_version)}
            if is_namespaced:
                own["namespace"] = key[1]
            served = {**one, "metadata": own}
            body = json.dumps(served).encode()
            if change == "DELETED":
                self.objects.pop(key, None)
                self.bodies.pop(key, None)
            else:
                self.objects[key], self.bodies[key] = served, body
            self.newest[resource] = self.resource_version
            log = self._logs[resource]
            log.versions.append(self.resource_version)
            log.lines.append((key[1], b'{"type":"%s","object":%s}\n' % (change.encode(), body)))
            self.changed.notify_all()
        return served

    def compact(self) -> None:
        """Forget all changes: watches from an older version are answered with 410."""
        with self.changed:
            self.compacted = self.resource_version
            for log in self._logs.values():
                log.versions, log.lines = [], []

    def of_kind(self, kind: str) -> list[Object]:
        """The objects of a kind as they are now."""
        with self.changed:
            return [one for key, one in self.objects.items() if key[0] == self._of_kind[kind]]

    # ------------------------------------------------------------ what requests ask

    def happens(self, share: float) -> bool:
        """Whether a fault of this share happens now."""
        return bool(share) and self._chance.random() < share

    def drawn(self, most: int) -> int:
        """A number from 1 on, by chance."""
        return self._chance.randint(1, most)

    def page(self, resource: str, namespace: str, limit: int, token: str) -> tuple[int, bytes]:
        """A page of the list: status and body. Later pages are of the state of the first one."""
        with self.changed:
            if token:
                name, _, offset = base64.b64decode(token).decode().partition(":")
                if name not in self.snapshots or self.happens(self.faults.page_gone):
                    return 410, status_body(410, "Expired", "The provided continue parameter is too old")
                version, bodies = self.snapshots[name]
                start = int(offset)
            else:
                version, start = self.resource_version, 0
                bodies = [body for key, body in self.bodies.items() if key[0] == resource and namespace in ("", key[1])]
                name = f"{len(self.snapshots)}"
                if limit and len(bodies) > limit:
                    self.snapshots[name] = version, bodies
            end = start + limit if limit else len(bodies)
            metadata: dict[str, Any] = {"resourceVersion": str(version)}
            if end < len(bodies):
                metadata["continue"] = base64.b64encode(f"{name}:{end}".encode()).decode()
        kind = RESOURCES[resource]
        head = json.dumps({"kind": f"{kind.kind}List", "apiVersion": kind.version, "metadata": metadata}).encode()
        return 200, head[:-1] + b',"items":[' + b",".join(bodies[start:end]) + b"]}"

    def since(self, resource: str, namespace: str, version: int, most: int) -> tuple[int, list[bytes]]:
        """The version up to which events are given, and the lines of the events after ``version``, at most ``most``."""
        log = self._logs[resource]
        start = bisect_right(log.versions, version)
        lines = log.lines[start : start + most]
        if not lines:
            return version, []
        return log.versions[start + len(lines) - 1], [line for where, line in lines if namespace in ("", where)]


def status_body(code: int, reason: str, message: str) -> bytes:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "metadata": {}}
    return json.dumps({**status, "reason": reason, "message": message, "code": code}).encode()
