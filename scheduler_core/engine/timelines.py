"""Timelines from their file form: ``entries`` with ``at``, ``action`` and a manifest each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.api import objects as k8s
from scheduler_core.engine.named_objects import named_object
from scheduler_core.engine.reading_context import ReadingContext, object_name
from scheduler_core.manifests import Finding, LoadResult, load_manifests
from scheduler_core.manifests.checking.names import name_problem
from scheduler_core.manifests.kinds.registry import kind_name
from scheduler_core.manifests.model import Path, path_of_text, path_text
from scheduler_core.workloads.timeline import Action, Timeline, TimelineEntry

_UNITS = {"": 1_000_000, "us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000}
_TIME = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)(us|ms|s|m|h)?", re.ASCII)
_ACTIONS: dict[str, Action] = {"add": "put", "update": "put", "put": "put", "delete": "delete"}
MAX_ENTRIES = 200_000
_NUMEROUS = ("Node", "Pod")
_LATEST = 1_000 * 8_766 * _UNITS["h"]
"""A thousand years: what comes after it, and what a run adds to it, still fits in 64 bits."""


class TimelineError(ValueError):
    """A timeline that cannot be read; the message names entry and field, ``path`` leads there from the root."""

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.path = path


def timeline_from_raw(
    raw: Mapping[str, Any], base: Iterable[Mapping[str, Any]] = (), *, follows_run: bool = False
) -> Timeline:
    """The timeline of ``{"entries": [{"at": "10s", "action": "add", "object": {...}}]}``. Raises TimelineError.

    ``at`` is a number of seconds or a text with unit (us, ms, s, m, h). ``base`` are manifests of the cluster that the
    objects are admitted to (namespaces, priority classes). An added pod is new, so its priority has to be that of its
    class; not in the timeline that a run follows already (`follows_run`): earlier versions let it pass. A deletion
    needs no more than kind and metadata.
    """
    entries = raw.get("entries") if isinstance(raw, Mapping) else None
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise _refusal(("entries",), "a list is needed, such as entries: [{at: 10s, action: add, object: {...}}]")
    if len(entries) > MAX_ENTRIES:
        raise _refusal(("entries",), f"{len(entries):,} are more than the {MAX_ENTRIES:,} allowed")
    context = ReadingContext(base)
    priorities = {} if follows_run else context.classes
    read = _read_together(entries, context)
    return Timeline.of(
        [_entry(("entries", i), entry, context, priorities, read.get(i)) for i, entry in enumerate(entries)]
    )


def _read_together(entries: Sequence[Any], context: ReadingContext) -> dict[int, Any]:
    """{index of an entry: its object} of nodes and pods, read at once, which takes a third of the time.

    Empty where one of them is wrong: each is read by itself then, so that the first wrong entry is named. Of entries of
    one object the first is among them.
    """
    firsts: dict[tuple[str, str, str], int] = {}
    for index, entry in enumerate(entries):
        key = _object_key(entry.get("object")) if isinstance(entry, Mapping) else None
        if key is not None and entry.get("action") != "delete":
            firsts.setdefault(key, index)
    raws = [entries[index]["object"] for index in firsts.values()]
    beside = {id(one): one for raw in raws for one in context.of(raw)}
    result = load_manifests([*beside.values(), *raws])
    loaded: dict[tuple[str, str, str], Any] = {("Node", "", one.name): one for one in result.objects.nodes}
    loaded |= {("Pod", one.namespace, one.name): one for one in result.objects.pods}
    if not result.ok or loaded.keys() != firsts.keys():
        return {}
    return {index: loaded[key] for key, index in firsts.items()}


def _object_key(raw: Any) -> tuple[str, str, str] | None:
    """The kind, namespace and name of a node or pod, None for anything else."""
    if not isinstance(raw, Mapping) or raw.get("kind") not in _NUMEROUS or not object_name(raw):
        return None
    if raw["kind"] == "Node":
        return "Node", "", object_name(raw)
    namespace = raw["metadata"].get("namespace") or "default"
    return ("Pod", namespace, object_name(raw)) if isinstance(namespace, str) else None


def entry_time(raw: Any) -> int:
    """When an entry in its file form comes, in microseconds. Raises TimelineError."""
    if not isinstance(raw, Mapping):
        raise _refusal(("entries",), "a mapping with at, action and object is needed")
    return _time(("at",), raw.get("at", 0))


def _refusal(path: Path, message: str, inside: Path = ()) -> TimelineError:
    """The error at a path; the message names what is ``inside`` of it by itself."""
    return TimelineError(f"{path_text(path)}: {message}", (*path, *inside))


def _entry(
    path: Path, entry: Any, context: ReadingContext, priorities: Mapping[Any, Any], read: Any = None
) -> TimelineEntry:
    if not isinstance(entry, Mapping):
        raise _refusal(path, "a mapping with at, action and object is needed")
    unknown = sorted(set(map(str, entry)) - {"at", "action", "object"})
    if unknown:
        raise _refusal((*path, unknown[0]), "unknown field; known are at, action and object")
    action = _ACTIONS.get(str(entry.get("action", "add")))
    if action is None:
        raise _refusal((*path, "action"), "write add, update or delete")
    at = _time((*path, "at"), entry.get("at", 0))
    raw = entry.get("object")
    named = _named(raw) if action == "delete" else read
    made = _object((*path, "object"), raw, context) if named is None else named
    if entry.get("action", "add") == "add" and isinstance(made, k8s.Pod):
        _check_priority((*path, "object"), made, priorities)
    return TimelineEntry(at, action, made)


def _check_priority(path: Path, pod: k8s.Pod, priorities: Mapping[Any, Any]) -> None:
    """Refuse a priority that is not its class's, as the API server refuses such a new pod."""
    name = pod.priority_class_name
    value = priorities.get(name, pod.priority)
    if value != pod.priority:
        message = (
            f"Pod {pod.namespace}/{pod.name}: spec.priority: {pod.priority} is not the {value} of PriorityClass {name}"
            ", and no new pod is admitted so. Remove the priority, or correct one of the two"
        )
        raise _refusal(path, message, ("spec", "priority"))


def _named(raw: Any) -> Any:
    """The object that a deletion names by kind and metadata alone; None if it says more, or is not valid."""
    if not isinstance(raw, Mapping) or not {"kind", "metadata"} <= raw.keys() <= {"apiVersion", "kind", "metadata"}:
        return None
    kind, metadata = kind_name(str(raw["kind"]), str(raw.get("apiVersion", ""))), raw["metadata"]
    if not kind or not isinstance(metadata, Mapping):
        return None
    name, namespace = metadata.get("name"), metadata.get("namespace") or ""
    if not isinstance(name, str) or not isinstance(namespace, str) or name_problem(name):
        return None
    return named_object(kind, namespace, name)


def _time(path: Path, value: Any) -> int:
    match = _TIME.fullmatch(str(value)) if not isinstance(value, bool) else None
    text = str(value)[:40]
    if match is None:
        raise _refusal(path, f'"{text}" is no time. Write seconds, or a number with us, ms, s, m or h')
    at = round(float(match[1]) * _UNITS[match[2] or ""])
    if at > _LATEST:
        raise _refusal(path, f'"{text}" is too late. Write at most {_LATEST // _UNITS["h"]}h')
    return at


def _object(path: Path, raw: Any, whole: ReadingContext) -> Any:
    if not isinstance(raw, Mapping):
        raise _refusal(path, "a Kubernetes object is needed")
    context = whole.of(raw)
    result = load_manifests([*context, raw])
    errors: list[Finding] = result.errors
    if errors:
        first = errors[0]
        raise _refusal(path, f"{first.object}: {first.field}: {first.message}", path_of_text(first.field))
    objects = [obj for obj in loaded_objects(result) if not _is_context(obj, context)]
    if (workload := written_workload(result, objects)) is not None:
        return workload
    if len(objects) != 1:
        raise _refusal(path, _not_one(raw.get("kind", "no kind"), len(objects)))
    return objects[0]


def _not_one(kind: Any, n: int) -> str:
    """Why an entry cannot have this object, and what to do."""
    return f"{kind} stands for {n} objects; give one Node, Pod or other object each"


def loaded_objects(result: LoadResult) -> list[Any]:
    """The objects that were read, without workloads, whose pods are among them."""
    objects = result.objects
    fields = [field for field in objects.__struct_fields__ if field not in ("workloads", "deployments")]
    return [obj for field in fields for obj in getattr(objects, field)]


def written_workload(result: LoadResult, objects: Sequence[Any]) -> k8s.Workload | None:
    """The workload that was read, without pods, as its controller makes them; None where none was read. A set without
    replicas is read as its selector alone (in ``objects``), as it was before workloads changed in runs."""
    if len(objects) == 1 and isinstance(objects[0], k8s.WorkloadSelector):
        return None
    return next(iter((*result.objects.deployments, *result.objects.workloads)), None)


def _is_context(obj: Any, context: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the object came from the context (or is the namespace that always exists)."""
    if not isinstance(obj, k8s.Namespace | k8s.PriorityClass):
        return False
    names = {(one.get("kind"), object_name(one)) for one in context}
    return (type(obj).__name__, obj.name) in names or (isinstance(obj, k8s.Namespace) and obj.name == "default")
