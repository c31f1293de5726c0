"""Files of kube-scheduler-simulator.

- what its export gives: {"pods": [...], "nodes": [...], "pvs": [...], ...}, objects mostly without kind and version
- what its recorder writes: a JSON object a line with time, event (Add, Update or Delete) and resource; the cluster is
  what is there at the end

Nothing is lost silently: what the List leaves out is a scheduler configuration, which is no object of a cluster.
"""

from __future__ import annotations

import re
from typing import Any

from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
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
_EXPORT = re.compile(r'\s*\{\s*"(?:' + "|".join([*_SECTIONS, _CONFIGURATION]) + r')"\s*:\s*[\[{n]')
_RECORD = re.compile(r'\s*\{\s*"(?:time|event)"\s*:\s*"')


def _is_export(head: FileHead) -> bool:
    return _EXPORT.match(head.text) is not None


def _read_export(source: ManifestSource, limits: Limits) -> FormReading | None:
    items = _of_export(read_text(source, limits), limits)
    return None if items is None else FormReading(items)


def _is_recording(head: FileHead) -> bool:
    return _RECORD.match(head.text) is not None


def _read_recording(source: ManifestSource, limits: Limits) -> FormReading | None:
    items = _of_record(read_text(source, limits), limits)
    return None if items is None else FormReading(items)


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


EXPORT = InputForm("export of kube-scheduler-simulator", _is_export, _read_export)
RECORDING = InputForm("recording of kube-scheduler-simulator", _is_recording, _read_recording)
