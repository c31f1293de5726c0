"""Files of other programs that hold a cluster in a form of their own, converted to a List of Kubernetes objects.

- what the export of kube-scheduler-simulator gives: {"pods": [...], "nodes": [...], "pvs": [...], ...}, objects mostly
  without kind and version
- what its recorder writes: a JSON object a line with time, event (Add, Update or Delete) and resource; the cluster is
  what is there at the end
- the tables of the trace "openb" (Alibaba cluster-trace-gpu-v2023) as CSV: nodes, and pods with requests, GPU models,
  classes of service; times stay as annotations

A file is recognised by its beginning, so that a dump costs no second reading. Nothing is lost silently: what the List
leaves out is a scheduler configuration, which is no object of a cluster.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable
from typing import Any

import msgspec

from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw, quoted
from scheduler_core.manifests.parsing.json_values import read_json
from scheduler_core.manifests.parsing.sources import read_text

_SECTIONS = {
    "pods": ("v1", "Pod"),
    "nodes": ("v1", "Node"),
    "pvs": ("v1", "PersistentVolume"),
    "pvcs": ("v1", "PersistentVolumeClaim"),
    "storageClasses": ("storage.k8s.io/v1", "StorageClass"),
    "priorityClasses": ("scheduling.k8s.io/v1", "PriorityClass"),
    "namespaces": ("v1", "Namespace"),
}
_CONFIGURATION = "schedulerConfig"
_HEAD = 200
_PACKED_HEAD = 1 << 16
_EXPORT = re.compile(r'\s*\{\s*"(?:' + "|".join([*_SECTIONS, _CONFIGURATION]) + r')"\s*:\s*[\[{n]')
_RECORD = re.compile(r'\s*\{\s*"(?:time|event)"\s*:\s*"')
_NODES, _PODS = "sn,cpu_milli,memory_mib,gpu,model", "name,cpu_milli,memory_mib,num_gpu,gpu_milli"
_TRACE = "alibabacloud.com"
_PRIORITIES = {"LS": 1000, "Guaranteed": 900, "Burstable": 500, "BE": 100}
_TIMES = ("creation_time", "deletion_time", "scheduled_time", "pod_phase")


def rewritten(source: ManifestSource, limits: Limits | None = None) -> ManifestSource:
    """The file as a List where it has one of these forms, else itself. Raises LoadError for a wrong one."""
    head = _head(source.data)
    if _EXPORT.match(head):
        read: Callable[[str, Limits], list[Raw] | None] = _of_export
    elif _RECORD.match(head):
        read = _of_record
    elif head.startswith((_NODES, _PODS)):
        read = _of_trace
    else:
        return source
    limits = limits or Limits()
    items = read(read_text(source, limits), limits)
    if items is None:
        return source
    whole = {"apiVersion": "v1", "kind": "List", "items": items}
    return ManifestSource(source.name, msgspec.json.format(msgspec.json.encode(whole), indent=1))


def _head(data: bytes) -> str:
    """The beginning of the text, of gzipped data too; "" where it cannot be inflated."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(wbits=31).decompress(data[:_PACKED_HEAD], _HEAD)
        except zlib.error:
            return ""
    return data[:_HEAD].removeprefix(BOM_UTF8).decode("utf-8", "replace")


def _documents(text: str, limits: Limits) -> list[Any]:
    try:
        return [document.value for document in read_json(text, limits)]
    except ValueError:
        return []  # reading it says what is wrong


def _of_export(text: str, limits: Limits) -> list[Raw] | None:
    """The objects of an export, with the kind and version of their section; None where it is something else."""
    documents = _documents(text, limits)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        return None
    whole = documents[0]
    if not whole.keys() <= {*_SECTIONS, _CONFIGURATION}:
        return None
    items: list[Any] = []
    for section, (version, kind) in _SECTIONS.items():
        entries = whole.get(section) or []
        if not isinstance(entries, list):
            raise LoadError(f"{quoted(entries)} is no list of objects", field=section)
        items += [{"apiVersion": version, "kind": kind, **one} if isinstance(one, dict) else one for one in entries]
    return items


def _of_record(text: str, limits: Limits) -> list[Raw] | None:
    """The objects that are there when the record ends, in the order in which they came."""
    there: dict[tuple[Any, Any, Any], Raw] = {}
    for number, one in enumerate(_documents(text, limits), start=1):
        if not isinstance(one, dict) or not {"event", "resource"} <= one.keys():
            return None
        resource, event = one["resource"], one["event"]
        metadata = resource.get("metadata") if isinstance(resource, dict) else None
        if not isinstance(metadata, dict):
            raise LoadError("an object with metadata is needed", number, "resource")
        key = str(resource.get("kind")), str(metadata.get("namespace") or ""), str(metadata.get("name"))
        if event == "Delete":
            there.pop(key, None)
        elif event in ("Add", "Update"):
            there[key] = resource
        else:
            raise LoadError(f"{quoted(event)} is no event. Write Add, Update or Delete", number, "event")
    return list(there.values()) or None


# ---------------------------------------------------------------- the trace


def _of_trace(text: str, limits: Limits) -> list[Raw]:
    rows = csv.DictReader(io.StringIO(text), strict=True)
    items: list[Raw] = []
    make = _node if text.startswith(_NODES) else _pod
    try:
        for row in rows:
            items.append(make({key: value or "" for key, value in row.items() if key is not None}, rows.line_num))
            if len(items) > limits.max_objects:
                raise LoadError(f"more than {limits.max_objects} objects. Split the import")
    except csv.Error as problem:
        raise LoadError(f"this is no CSV table: {problem}", rows.line_num) from None
    if make is _pod:
        used = dict.fromkeys(item["spec"].get("priorityClassName") for item in items)
        classes = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"} for name in used if name]
        for one, name in zip(classes, filter(None, used), strict=True):
            one |= {"metadata": {"name": name}, "value": _PRIORITIES[_service(name)]}  # type: ignore[dict-item]
        items = [*classes, *items]
    return items


def _service(name: str) -> str:
    """The class of service that a priority class stands for."""
    return next(service for service in _PRIORITIES if _class_name(service) == name)


def _class_name(service: str) -> str:
    return f"openb-{service.lower()}"


def _count(row: dict[str, str], field: str, line: int) -> int:
    value = row.get(field, "").strip() or "0"
    if not value.isdecimal() or len(value) > 15:
        raise LoadError(f"{quoted(value)} is no whole number", line, field)
    return int(value)


def _node(row: dict[str, str], line: int) -> Raw:
    name, gpus = row["sn"], _count(row, "gpu", line)
    amounts = {"cpu": f"{_count(row, 'cpu_milli', line)}m", "memory": f"{_count(row, 'memory_mib', line)}Mi"}
    amounts["pods"] = "110"
    labels = {"kubernetes.io/hostname": name}
    if gpus:
        amounts |= {f"{_TRACE}/gpu-count": str(gpus), f"{_TRACE}/gpu-milli": str(1000 * gpus)}
    if row.get("model"):
        labels[f"{_TRACE}/gpu-card-model"] = row["model"]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def _pod(row: dict[str, str], line: int) -> Raw:
    gpus, milli = _count(row, "num_gpu", line), _count(row, "gpu_milli", line)
    requests = {"cpu": f"{_count(row, 'cpu_milli', line)}m", "memory": f"{_count(row, 'memory_mib', line)}Mi"}
    extended = {}
    if gpus:
        extended[f"{_TRACE}/gpu-milli"] = str(gpus * milli)
        if milli >= 1000:
            extended[f"{_TRACE}/gpu-count"] = str(gpus)
    resources: Raw = {"requests": requests | extended, **({"limits": extended} if extended else {})}
    spec: Raw = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": resources}]}
    models = [model for model in row.get("gpu_spec", "").split("|") if model]
    if models:
        match = {"key": f"{_TRACE}/gpu-card-model", "operator": "In", "values": models}
        required = {"nodeSelectorTerms": [{"matchExpressions": [match]}]}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    service = row.get("qos", "")
    if service:
        if service not in _PRIORITIES:
            raise LoadError(f"{quoted(service)} is not one of {', '.join(_PRIORITIES)}", line, "qos")
        spec["priorityClassName"] = _class_name(service)
    times = {f"openb/{field.replace('_', '-')}": row[field] for field in _TIMES if row.get(field)}
    metadata: Raw = {"name": row["name"], "namespace": "default", **({"annotations": times} if times else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
