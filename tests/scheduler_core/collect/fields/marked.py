"""Objects with a marker in every field: those of the field guide, unknown ones, and trees in what nobody reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scheduler_core.collect.fields.allowed import ALLOWED, allowed_paths
from scheduler_core.manifests.field_guide.guide import field_guide
from scheduler_core.manifests.field_guide.model import GuideField

NEVER = (
    *("env", "envFrom", "args", "command", "httpHeaders", "lifecycle", "livenessProbe", "securityContext", "data"),
    *("stringData", "finalizers", "selfLink", "providerID", "addresses", "podIP", "podIPs", "machineID", "bootID"),
    *("systemUUID", "imageID", "containerID", "serviceAccountName", "imagePullSecrets", "hostAliases", "parameters"),
    *("mountOptions", "secret", "configMap", "projected", "volumeAttributes", "nodePublishSecretRef", "description"),
    *("clusterIP", "dnsConfig", "fieldsV1", "attachmentMetadata", "unknownOne"),
)
"""Fields that leave no kind, at whatever depth."""
_EVENT = {"metadata": {}, "involvedObject": {}, "message": "", "reason": "Evicted", "source": {}, "note": ""}


def marker(path: str) -> str:
    """A text that says where it stood."""
    return f"MARK<{path}>"


def marked(kind: str, version: str) -> dict[str, Any]:
    """An object of the kind with all fields that are known, and more."""
    guide = field_guide()
    fields = {name: one for name, one in guide.kinds.get(kind, {}).items() if name not in ("apiVersion", "kind")}
    out: dict[str, Any] = {"apiVersion": version, "kind": kind}
    for name in {*fields, *ALLOWED[kind], "data", "stringData", "unknownOne", "spec", "status", "metadata"}:
        out[name] = _value(fields.get(name), name, 0) if name in fields else _tree(name)
    metadata = out["metadata"] if isinstance(out["metadata"], dict) else {}
    out["metadata"] = {**metadata, **_metadata()}
    if kind == "Event":
        out |= {
            "reason": "Evicted",
            "message": "plain words",
            "involvedObject": _tree("involvedObject") | {"kind": "Pod"},
        }
    return out


def _metadata() -> dict[str, Any]:
    return {
        "name": "named",
        "namespace": "default",
        "annotations": {"acme.com/owner": marker("metadata.annotations"), "kubectl.kubernetes.io/x": "MARK<x>"},
        "managedFields": [
            {"manager": "helm", "operation": "Update", "time": "2026-01-01T00:00:00Z", "fieldsV1": _tree("fieldsV1")},
            {"manager": "kubelet", "time": "2026-01-02T00:00:00Z", "fieldsV1": {"f:status": marker("fieldsV1")}},
        ],
        "finalizers": [marker("metadata.finalizers")],
        "selfLink": marker("metadata.selfLink"),
    }  # fmt: skip


def _value(field: GuideField | None, path: str, depth: int) -> Any:
    parts = field_guide().parts
    if field is None or depth > 14:
        return _tree(path)
    if field.part and field.part in parts:
        inner = {
            name: _value(one, f"{path}{'[]' if field.is_list else ''}.{name}", depth + 1)
            for name, one in parts[field.part].items()
        }
        inner["unknownOne"] = _tree(f"{path}.unknownOne")
        return [inner] if field.is_list else {"some/key": inner} if field.is_keyed else inner
    if field.is_list:
        return [marker(f"{path}[]")]
    if field.sort.startswith("mapping"):
        return {"some/key": marker(path)}
    if field.sort == "any value":
        return _tree(path)
    return marker(path)


def _tree(path: str) -> dict[str, Any]:
    """A tree with the names that people would look for."""
    leaves = {name: marker(f"{path}.{name}") for name in ("name", "value", "secretName", "key", "data", "unknownOne")}
    return {
        **leaves,
        "env": [{"name": "A", "value": marker(f"{path}.env[].value")}],
        "args": [marker(f"{path}.args[]")],
    }


def leaves(raw: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(path, value) of each value below, lists as ``[]``."""
    if isinstance(raw, dict):
        for name, value in raw.items():
            yield from leaves(value, f"{path}.{name}" if path else name)
    elif isinstance(raw, list):
        for one in raw:
            yield from leaves(one, f"{path}[]")
    else:
        yield path, raw


def not_allowed(kind: str, raw: Any) -> list[str]:
    """The paths of values that the allow-list of the kind does not have."""
    sorts = dict(allowed_paths(kind))
    open_paths = tuple(
        f"{path}." for path, word in sorts.items() if word in ("labels", "amounts", "times", "annotations")
    )
    own = {"apiVersion", "kind", *sorts, *(f"{path}[].manager" for path, word in sorts.items() if word == "managers")}
    mapped = [re.compile(re.escape(path).replace(r"\{\}", r"\..+?")) for path in sorts if "{}" in path]
    return [
        path
        for path, _ in leaves(raw)
        if path not in own and not path.startswith(open_paths) and not any(one.fullmatch(path) for one in mapped)
    ]


def names_in(path: str) -> set[str]:
    """The names of fields in a path."""
    return set(re.split(r"\[\]\.|\.|\[\]", path))
