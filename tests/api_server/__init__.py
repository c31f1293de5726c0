"""A small API server that only reads: objects by list and by name, for kubectl in tests.

It serves the kinds of RESOURCES, knows the field selectors that kubectl sends, and answers each list whole.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

Object = dict[str, Any]


class Resource(NamedTuple):
    """A resource as discovery names it."""

    version: str
    kind: str
    is_namespaced: bool = True


RESOURCES: dict[str, Resource] = {
    "nodes": Resource("v1", "Node", False),
    "pods": Resource("v1", "Pod"),
    "namespaces": Resource("v1", "Namespace", False),
    "events": Resource("v1", "Event"),
    "persistentvolumes": Resource("v1", "PersistentVolume", False),
    "persistentvolumeclaims": Resource("v1", "PersistentVolumeClaim"),
    "services": Resource("v1", "Service"),
    "configmaps": Resource("v1", "ConfigMap"),
    "replicationcontrollers": Resource("v1", "ReplicationController"),
    "resourcequotas": Resource("v1", "ResourceQuota"),
    "limitranges": Resource("v1", "LimitRange"),
    "deployments": Resource("apps/v1", "Deployment"),
    "replicasets": Resource("apps/v1", "ReplicaSet"),
    "statefulsets": Resource("apps/v1", "StatefulSet"),
    "daemonsets": Resource("apps/v1", "DaemonSet"),
    "jobs": Resource("batch/v1", "Job"),
    "horizontalpodautoscalers": Resource("autoscaling/v2", "HorizontalPodAutoscaler"),
    "poddisruptionbudgets": Resource("policy/v1", "PodDisruptionBudget"),
    "priorityclasses": Resource("scheduling.k8s.io/v1", "PriorityClass", False),
    "storageclasses": Resource("storage.k8s.io/v1", "StorageClass", False),
    "csinodes": Resource("storage.k8s.io/v1", "CSINode", False),
    "csidrivers": Resource("storage.k8s.io/v1", "CSIDriver", False),
    "csistoragecapacities": Resource("storage.k8s.io/v1", "CSIStorageCapacity"),
    "volumeattachments": Resource("storage.k8s.io/v1", "VolumeAttachment", False),
    "resourceslices": Resource("resource.k8s.io/v1", "ResourceSlice", False),
    "deviceclasses": Resource("resource.k8s.io/v1", "DeviceClass", False),
    "resourceclaims": Resource("resource.k8s.io/v1", "ResourceClaim"),
    "resourceclaimtemplates": Resource("resource.k8s.io/v1", "ResourceClaimTemplate"),
    "leases": Resource("coordination.k8s.io/v1", "Lease"),
}


@contextmanager
def serving_objects(objects: Sequence[Object]) -> Iterator[str]:
    """Serve the objects; gives the server's address."""
    handler = type("Handler", (_Handler,), {"objects": list(objects)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    objects: list[Object]
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """Answer discovery, a list or an object."""
        asked = urlsplit(self.path)
        status, body = _answer(asked.path.strip("/").split("/"), parse_qs(asked.query), self.objects)
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _answer(path: list[str], query: Mapping[str, list[str]], objects: list[Object]) -> tuple[int, Object]:
    listed = discovery(path)
    if listed is not None:
        return 200, listed
    version, rest = (path[1], path[2:]) if path[0] == "api" else ("/".join(path[1:3]), path[3:])
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        namespace, rest = rest[1], rest[2:]
    resource = RESOURCES.get(rest[0])
    if resource is None or resource.version != version:
        return _missing(rest)
    there = [one for one in objects if one["kind"] == resource.kind and _is_in(one, namespace, resource)]
    if len(rest) == 1:
        items = [one for one in there if _is_selected(one, query)]
        return 200, {"kind": f"{resource.kind}List", "apiVersion": version, "metadata": {}, "items": items}
    named = next((one for one in there if one["metadata"]["name"] == rest[1]), None)
    return _missing(rest) if named is None else (200, named)


def discovery(path: list[str], missing: Collection[str] = (), verbs: Sequence[str] = ("get", "list")) -> Object | None:
    """The answer to a request of discovery, without the ``missing`` resources; None where it is another request."""
    served = {name: one for name, one in RESOURCES.items() if name not in missing}
    groups = sorted({one.version for one in served.values() if "/" in one.version})
    if path == ["api"]:
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == ["apis"]:
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(version) for version in groups]}
    version, rest = (path[1], path[2:]) if path[0] == "api" else ("/".join(path[1:3]), path[3:])
    return None if rest else _resource_list(version, served, verbs)


def _group(version: str) -> Object:
    entry = {"groupVersion": version, "version": version.partition("/")[2]}
    return {"name": version.partition("/")[0], "versions": [entry], "preferredVersion": entry}


def _resource_list(version: str, served: Mapping[str, Resource], verbs: Sequence[str]) -> Object:
    resources = [
        {"name": name, "singularName": one.kind.lower(), "namespaced": one.is_namespaced, "kind": one.kind,
         "verbs": [*verbs]}
        for name, one in served.items()
        if one.version == version
    ]  # fmt: skip
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": resources}


def _missing(rest: list[str]) -> tuple[int, Object]:
    message = f'{rest[0]} "{rest[-1]}" not found'
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
    return 404, {**status, "message": message}


def _is_in(one: Object, namespace: str, resource: Resource) -> bool:
    return not namespace or not resource.is_namespaced or one["metadata"].get("namespace", "default") == namespace


def _is_selected(one: Object, query: Mapping[str, list[str]]) -> bool:
    """Whether the field selector takes it: terms FIELD=VALUE and FIELD!=VALUE, all of which hold."""
    for term in filter(None, query.get("fieldSelector", [""])[0].split(",")):
        field, operator, value = term.partition("!=") if "!=" in term else term.partition("=")
        held: Any = one
        for name in field.split("."):
            held = held.get(name, "") if isinstance(held, dict) else ""
        if (str(held) == value.lstrip("=")) == (operator == "!="):
            return False
    return True
