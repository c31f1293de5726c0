"""The tables of the trace "openb" (Alibaba cluster-trace-gpu-v2023): nodes, and pods with requests, GPU models and
classes of service; times stay as annotations."""

from __future__ import annotations

import csv
import io

from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw, quoted
from scheduler_core.manifests.parsing.sources import read_text

_NODES, _PODS = "sn,cpu_milli,memory_mib,gpu,model", "name,cpu_milli,memory_mib,num_gpu,gpu_milli"
_TRACE = "alibabacloud.com"
_PRIORITIES = {"LS": 1000, "Guaranteed": 900, "Burstable": 500, "BE": 100}
_TIMES = ("creation_time", "deletion_time", "scheduled_time", "pod_phase")


def _is_table(head: FileHead) -> bool:
    return head.text.startswith((_NODES, _PODS))


def _read(source: ManifestSource, limits: Limits) -> FormReading:
    return FormReading(_of_trace(read_text(source, limits), limits))


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


TABLES = InputForm("tables of the trace openb", _is_table, _read)
