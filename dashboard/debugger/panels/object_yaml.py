"""A Kubernetes object at a cursor as YAML: its manifest with the run's changes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import normal_key, object_key
from dashboard.documents import store
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import Schedule, placed_changes
from dashboard.runs.storage import recordings
from scheduler_core.api.quantity import format_quantity
from scheduler_core.manifests import dump_yaml
from scheduler_core.recording.objects import decode_object, object_id
from scheduler_core.simulate import timeline_from_raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.debugger.inputs.facts import Facts
    from dashboard.runs.models import Run
    from scheduler_core.recording.state import RunState

    Raw = dict[str, Any]

READ = "these are the fields that scheduling reads"
# Fields whose values are amounts by resource.
_AMOUNTS = ("requests", "limits", "allocatable", "capacity", "overhead", "pod_requests")
_WORD = re.compile(r"_(\w)")


@dataclass(frozen=True)
class YamlFold:
    """A folded part: `name` of the field, its YAML and its number of lines."""

    name: str
    text: str
    lines: int


@dataclass(frozen=True)
class ObjectYaml:
    """An object at a cursor. `origin` says where it comes from, `notes` what no field of it says; `text` is "" where it
    is not there. `is_partial`: it has no manifest, and the text only what scheduling reads."""

    kind: str
    key: str
    origin: str
    notes: list[str]
    text: str
    folds: list[YamlFold]

    @property
    def is_partial(self) -> bool:
        """Return whether the text is no manifest."""
        return self.origin.endswith(READ)


def object_yaml(run: Run, facts: Facts | None, state: RunState, kind: str, name: str) -> ObjectYaml | None:
    """Return the object of that kind and name (namespace/name for kinds that live in one) at the state.

    Values that were masked when the files came in stay masked. None for an object that neither the inputs nor the run
    have. Raises InputError where the inputs cannot be read.
    """
    namespace, _, bare = name.rpartition("/")
    key = normal_key(kind, namespace, bare)
    source = _changed(run, state, key) or _made(state, key) or _written(run, state, key) or _expanded(facts, state, key)
    if source is None:
        return None
    raw, origin = source
    notes = _absence(state, key)
    if raw is None or notes:
        return ObjectYaml(kind, key.path, origin, notes or ["It was deleted by then."], "", [])
    if kind == "Pod":
        notes = _as_placed(raw, state, key.path)
    return _shown(raw, key, origin, notes)


def _absence(state: RunState, key: Key) -> list[str]:
    """Why the object does not exist at the state; [] if it does."""
    if key.kind == "Node" and key.name not in state.nodes:
        return ["The cluster does not have this node at the cursor."]
    if key.kind == "Pod" and key.path in state.gone and object_id("Pod", key.path) not in state.made:
        return [f"The pod is gone at the cursor: {state.gone[key.path] or 'deleted'}."]
    return []


# ---------------------------------------------------------------- where it comes from


def _made(state: RunState, key: Key) -> tuple[Raw, str] | None:
    """An object that the run made, as far as the recording holds it."""
    encoded = state.made.get(object_id(key.kind, key.path))
    if encoded is None:
        return None
    return _typed(decode_object(key.kind, encoded), key), f"made during the run; {READ}"


def _written(run: Run, state: RunState, key: Key) -> tuple[Raw | None, str] | None:
    """The newest version from the timeline by then (None: deleted), else that of the cluster."""
    versions = [version for version in _versions(run, key) if version[0] <= state.at]
    if versions:
        _, raw = max(versions, key=lambda version: version[0])
        return raw, "as the timeline brought it"
    raw = read_contents(run.revision).by_key.get(key)
    return None if raw is None else (dict(raw), f"as in {run.revision}")


def _changed(run: Run, state: RunState, key: Key) -> tuple[Raw | None, str] | None:
    """The version of the newest change of the run by then (None: deleted), unless an entry of the timeline
    came later.
    """
    placed = placed_changes(run)
    if not placed:
        return None
    newest = None
    for stored, change in zip(placed, load_inputs(run).changes, strict=True):
        if change.action in ("put", "delete") and change.seq < state.seq and _key_of(change.object) == key:
            newest = stored, change
    if newest is None:
        return None
    stored, change = newest
    at = recordings.read(run.pk, lambda reader: reader.state_at(change.seq).at)
    if any(at < moment <= state.at for moment, _ in _versions(run, key)):
        return None
    if change.action == "delete":
        # a claim that pods still use is not gone yet
        return None if object_id(key.kind, key.path) in state.made else (None, "deleted by a change")
    if stored["action"] == "put" and "object" in stored:
        return dict(stored["object"]), "as a change put it"
    return _typed(change.object, key), f"as a change put it; {READ}"


def _key_of(obj: object) -> Key:
    kind = getattr(obj, "kind", None) or type(obj).__name__
    return normal_key(str(kind), getattr(obj, "namespace", ""), str(getattr(obj, "name", "")))


def _versions(run: Run, key: Key) -> Iterator[tuple[int, Raw | None]]:
    """(virtual microseconds, manifest or None for a deletion) of the timeline's entries about the object."""
    if run.schedule != Schedule.TIMELINE or run.timeline_revision is None:
        return
    base = read_contents(run.revision).manifests
    for entry in store.read_timeline(run.timeline_revision).get("entries") or ():
        raw = entry.get("object")
        if isinstance(raw, dict) and object_key(raw) == key:
            read = timeline_from_raw({"entries": [entry]}, base, follows_run=True).entries[0]
            yield read.at, dict(raw) if read.action == "put" else None


def _expanded(facts: Facts | None, state: RunState, key: Key) -> tuple[Raw, str] | None:
    """A pod that was made from a workload of the inputs."""
    pod = facts.pods.get(key.path, state.at) if facts is not None and key.kind == "Pod" else None
    if pod is None:
        return None
    return _typed(pod.object, key), f"as {pod.owner or 'its workload'} makes it; {READ}"


def _typed(struct: msgspec.Struct, key: Key) -> Raw:
    """A typed object with the names of Kubernetes, without fields at their default."""
    values = _plain(struct)
    metadata = {
        name: values.pop(name)
        for name in ("name", "namespace", "uid", "labels", "annotations", "ownerReferences")
        if name in values
    }
    return {"kind": key.kind, "metadata": metadata, "spec": values}


def _plain(value: Any, field: str = "") -> Any:
    if isinstance(value, msgspec.Struct):
        defaults = {one.name: one for one in msgspec.structs.fields(type(value))}
        named = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return {_camel(name): _plain(part, name) for name, part in named if not _is_default(defaults[name], part)}
    if isinstance(value, dict):
        if field in _AMOUNTS:
            return {name: format_quantity(name, amount) for name, amount in value.items()}
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_plain(part) for part in value]
    return value


def _is_default(field: Any, value: Any) -> bool:
    if field.default is not msgspec.NODEFAULT:
        return bool(value == field.default)
    return field.default_factory is not msgspec.NODEFAULT and bool(value == field.default_factory())


def _camel(name: str) -> str:
    return _WORD.sub(lambda match: match[1].upper(), name)


# ---------------------------------------------------------------- what the run changed


def _as_placed(raw: Raw, state: RunState, pod: str) -> list[str]:
    """Set the pod's node at the state in the manifest; return notes on what the manifest cannot express."""
    raw["spec"] = dict(raw.get("spec") or {})
    raw["spec"].pop("nodeName", None)
    placement, notes = state.placements.get(pod), []
    if placement is not None and placement.bound:
        raw["spec"]["nodeName"] = placement.node
    elif placement is not None:
        notes.append(f"Assumed on {placement.node}; the binding is not done, so nodeName is not set yet.")
    nominated = state.nominations.get(pod)
    status = {name: value for name, value in (raw.get("status") or {}).items() if name != "nominatedNodeName"}
    if nominated:
        status["nominatedNodeName"] = nominated
        notes.append(f"Nominated to {nominated} by preemption.")
    if status:
        raw["status"] = status
    if pod in state.terminating:
        notes.append(f"Terminating: {state.terminating[pod]}.")
    return notes


def _shown(raw: Mapping[str, Any], key: Key, origin: str, notes: list[str]) -> ObjectYaml:
    metadata = dict(raw.get("metadata") or {})
    managed, status = metadata.pop("managedFields", None), raw.get("status")
    shown = {name: value for name, value in raw.items() if name != "status"} | {"metadata": metadata}
    folded = (("status", status), ("managedFields", managed))
    folds = [_fold(name, value) for name, value in folded if value]
    return ObjectYaml(key.kind, key.path, origin, notes, dump_yaml([shown]), folds)


def _fold(name: str, value: Any) -> YamlFold:
    text = dump_yaml([{name: value}])
    return YamlFold(name, text, text.count("\n"))
