"""A typed object written into a manifest, and read again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from scheduler_core.api.kinds import bare_kind
from scheduler_core.api.objects import Affinity, PersistentVolume, Pod
from scheduler_core.manifests.kinds.registry import KINDS, kind_name, served_version
from scheduler_core.manifests.loader import load_manifests
from scheduler_core.manifests.writing import devices, values
from scheduler_core.manifests.writing.fields import FIELDS, OF_A_RUN, FieldPlace

Raw = dict[str, Any]
_SHOWN = 3


class NotWritable(ValueError):
    """No manifest gives the object; the message names its fields."""


class Writing(msgspec.Struct, frozen=True, kw_only=True):
    """What an object is written into: its manifest ``before`` (None: there is none), and what admission looks at.

    ``with_fields_of_a_run`` writes what a run sets of a pod too, such as its node; else ``before`` decides on that.
    """

    before: Mapping[str, Any] | None = None
    context: Iterable[Mapping[str, Any]] = ()
    with_fields_of_a_run: bool = False


def to_manifest(obj: Any, into: Writing) -> Raw:
    """The manifest with this object's fields; reading it gives the object again. Raises NotWritable."""
    kind = type(obj).__name__
    if kind not in FIELDS:
        raise NotWritable(f"a {kind} that the engine changed cannot be written as a manifest")
    context = list(into.context)
    before = _in_served_form(into.before, obj, context) if into.before is not None else None
    raw = copy.deepcopy(dict(before)) if before is not None else _bare(obj, kind)
    old = _read(raw, obj, context) if before is not None else None
    counts = _counting(obj, into)
    _write(raw, _blank(obj) if old is None else old, obj, counts)
    if isinstance(obj, PersistentVolume) and old is None and obj.source:
        _mapping(raw, "spec")[obj.source] = dict(obj.attributes)
    if isinstance(obj, Pod):
        if obj.priority_class_name and old is None:
            _write_at(raw, FIELDS["Pod"]["priority"], 0, obj.priority)
        _write_affinity(raw, old, obj)
        _write_claims(raw, old, obj, counts)
    differing = _differing(_valid(raw, obj, context), obj, counts)
    if differing:
        names = ", ".join(differing[:_SHOWN])
        raise NotWritable(f"{kind} {obj.name}: no manifest says its {names} as the engine has it")
    return raw


def to_body(obj: Any) -> Raw:
    """The object as far as the engine has it, in the form in which it is sent inside of another one: without kind and
    version. Nothing is checked."""
    kind = type(obj).__name__
    raw = _bare(obj, kind)
    _write(raw, _blank(obj), obj, lambda name: True)
    if isinstance(obj, Pod):
        _write_affinity(raw, None, obj)
        spec = _mapping(raw, "spec")
        spec |= {
            "schedulerName": obj.scheduler_name,
            "priority": obj.priority,
            "preemptionPolicy": obj.preemption_policy,
        }
    if isinstance(obj, PersistentVolume) and obj.source:
        _mapping(raw, "spec")[obj.source] = dict(obj.attributes)
    del raw["apiVersion"], raw["kind"]
    return {"metadata": {}, "spec": {}, "status": {}, **raw}


def _valid(raw: Raw, obj: Any, context: list[Mapping[str, Any]]) -> Any:
    """What reading the manifest gives. Raises NotWritable where the API server would refuse it."""
    again = _read(raw, obj, context)
    if again is None:
        errors = load_manifests([*context, raw]).errors
        why = f"{errors[0].field}: {errors[0].message}" if errors else "it stands for no object of its name"
        raise NotWritable(f"{type(obj).__name__} {obj.name}, written as a manifest, would not be valid. {why}")
    return again


def read_object(raw: Mapping[str, Any], context: Iterable[Mapping[str, Any]] = ()) -> Any:
    """The object of a manifest, None where it is not valid or stands for none of its own name."""
    metadata = raw.get("metadata") or {}
    kind = kind_name(str(raw.get("kind")), str(raw.get("apiVersion")))
    return _named(raw, kind, metadata.get("namespace") or "default", metadata.get("name"), context)


def _read(raw: Raw, obj: Any, context: Iterable[Mapping[str, Any]]) -> Any:
    return _named(raw, type(obj).__name__, getattr(obj, "namespace", "default"), obj.name, context)


def _named(raw: Mapping[str, Any], kind: str, namespace: str, name: Any, context: Iterable[Mapping[str, Any]]) -> Any:
    loaded = load_manifests([*context, raw])
    field = KINDS[kind].field if kind in KINDS else ""
    if not loaded.ok or not field:
        return None
    there = (one for one in getattr(loaded.objects, field) if one.name == name)
    return next((one for one in there if getattr(one, "namespace", namespace) == namespace), None)


def _bare(obj: Any, kind: str) -> Raw:
    metadata = {"name": obj.name} | ({"namespace": obj.namespace} if KINDS[kind].namespaced else {})
    return {"apiVersion": served_version(kind), "kind": bare_kind(kind), "metadata": metadata}


def _blank(obj: Any) -> Any:
    names = {name: getattr(obj, name) for name in ("name", "namespace") if hasattr(obj, name)}
    return type(obj)(**names)


def _counting(obj: Any, into: Writing) -> Callable[[str], bool]:
    """Which fields have to be as the object has them."""
    if into.with_fields_of_a_run or not isinstance(obj, Pod):
        return lambda name: True
    return lambda name: name not in OF_A_RUN


def _write(raw: Raw, old: Any, new: Any, counts: Callable[[str], bool]) -> None:
    for name, place in FIELDS[type(new).__name__].items():
        before, now = getattr(old, name, None), getattr(new, name, None)
        if hasattr(new, name) and counts(name) and before != now:
            _write_at(raw, place, before, now)


def _write_affinity(raw: Raw, old: Pod | None, new: Pod) -> None:
    before = old.affinity if old is not None else None
    if new.affinity == before:
        return
    if new.affinity is None:
        raw.get("spec", {}).pop("affinity", None)
        return
    _mapping(_mapping(raw, "spec"), "affinity")
    _write(raw, before or Affinity(), new.affinity, lambda name: True)


def _write_claims(raw: Raw, old: Pod | None, new: Pod, counts: Callable[[str], bool]) -> None:
    """What a pod's status says of its claims; containers keep those that the pod still has."""
    before = old.resource_claims if old is not None else ()
    if new.resource_claims != before:
        devices.without_claims_of_containers(_mapping(raw, "spec"), {one.name: one for one in new.resource_claims})
        statuses = devices.pod_claim_statuses(new.resource_claims)
        _write_at(raw, FieldPlace(("status", "resourceClaimStatuses"), values.plain), None, tuple(statuses))
    now = new.extended_claim, new.extended_requests
    if counts("extended_claim") and now != (
        (old.extended_claim, old.extended_requests) if old is not None else ("", ())
    ):
        place = FieldPlace(("status", "extendedResourceClaimStatus"), lambda raw, old, new: new)
        _write_at(raw, place, None, devices.extended_claim(*now))


def _in_served_form(before: Mapping[str, Any], obj: Any, context: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The manifest, or where it is of a beta of devices and another object than ``obj``, no more of it than metadata:
    all else is written in the served version, whose form is another one."""
    kind = type(obj).__name__
    if KINDS[kind].group != "resource.k8s.io" or before.get("apiVersion") == served_version(kind):
        return before
    if _read(dict(before), obj, context) == obj:
        return before
    return {"apiVersion": served_version(kind), "kind": kind, "metadata": before.get("metadata")}


def _write_at(raw: Raw, place: FieldPlace, old: Any, new: Any) -> None:
    parent = raw
    for name in place.path[:-1]:
        parent = _mapping(parent, name)
    last = place.path[-1]
    value = place.write(parent.get(last), old, new)
    if value is None:
        parent.pop(last, None)
        _drop_empty(raw, place.path[:-1])
    else:
        parent[last] = value


def _drop_empty(raw: Raw, path: tuple[str, ...]) -> None:
    """Take away mappings that hold nothing any more, but for the parts of an affinity."""
    for n in range(len(path), 0, -1):
        parent = raw
        for name in path[: n - 1]:
            parent = parent[name]
        if parent[path[n - 1]] or path[n - 1] in ("metadata", "affinity"):
            return
        del parent[path[n - 1]]


def _mapping(parent: Raw, name: str) -> Raw:
    if not isinstance(parent.get(name), dict):
        parent[name] = {}
    made: Raw = parent[name]
    return made


def _differing(one: Any, other: Any, counts: Callable[[str], bool]) -> list[str]:
    fields = type(other).__struct_fields__
    return [name.replace("_", " ") for name in fields if counts(name) and getattr(one, name) != getattr(other, name)]
