"""Changes of a run in their file form: ``changes`` with ``at``, ``action`` and what changes.

    changes:
      - {at: 812, action: patch, object: {kind: Node, metadata: {name: n-1}, spec: {unschedulable: true}}}
      - {at: 812, action: edit, edit: {op: set, object: v1/Node//n-1, path: /spec/unschedulable, value: false}}
      - {at: 812, action: put, object: {apiVersion: v1, kind: Pod, metadata: {name: web-9}, spec: {...}}}
      - {at: 812, action: delete, object: {kind: PodDisruptionBudget, metadata: {name: web}}}
      - {at: 812, action: configure, configuration: {kind: KubeSchedulerConfiguration, ...}}
      - {at: 812, action: set_policies, policies: {draw: smallest}}
      - {at: 812, action: switch_off, entry: 3}

``at`` is the number of events after which the change comes, by default where the branch begins. A patch is a JSON merge
patch (RFC 7386) of a manifest of the cluster, or of one that a change before it in the list gave; an edit is one as a
remedy has it (json_edits.py), of such a manifest too. An entry is the index in the timeline, from 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.engine.inputs import ChangeAction, InputChange
from scheduler_core.engine.named_objects import named_object
from scheduler_core.engine.policies import OF_THE_START, Policies
from scheduler_core.engine.reading_context import class_names, default_class
from scheduler_core.engine.timelines import loaded_objects, written_workload
from scheduler_core.manifests import KNOWN_PLUGINS, NOTHING, LeaveOut, config_from_raw, load_manifests
from scheduler_core.manifests.model import Path, path_of_text, path_text, quoted
from scheduler_core.manifests.writing.json_edits import REMOVE, EditProblem, edit_from_raw, edited, new_object
from scheduler_core.versions.gates import GateError
from scheduler_core.versions.trains import VersionError
from scheduler_core.workloads.timeline import Timeline

MAX_CHANGES = 1_000
LATEST = 1 << 53
"""Seqs beyond it are none: JSON would not keep them."""
_FIELDS = {
    "put": "object",
    "patch": "object",
    "delete": "object",
    "edit": "edit",
    "configure": "configuration",
    "set_policies": "policies",
    "switch_off": "entry",
}
_OBJECT_ACTIONS: dict[str, ChangeAction] = {"put": "put", "patch": "put", "delete": "delete"}
Raw = Mapping[str, Any]
Address = tuple[str, str, str]
"""Kind, namespace ("" also for "default") and name."""


class ChangesError(ValueError):
    """Changes that cannot be read; the message names change and field, ``path`` leads there from the root."""

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.path = path


class Changed(msgspec.Struct, kw_only=True):
    """What a list of changes refers to: the run's manifests, timeline and policies.

    Also the plugin names that a configuration may use, whether something answers for its extenders, and the seq for a
    change that gives none."""

    manifests: Iterable[Raw] = ()
    timeline: Timeline = Timeline()
    policies: Policies = Policies()
    known_plugins: Collection[str] = KNOWN_PLUGINS
    leave_out: LeaveOut = NOTHING
    extenders_answered: bool = False
    at: int = 0


def changes_from_raw(raw: Any, of: Changed) -> list[InputChange]:
    """The changes in their order. Raises ChangesError."""
    entries = raw.get("changes") if isinstance(raw, Mapping) else None
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise _refusal(("changes",), "a list is needed, such as changes: [{at: 40, action: put, object: {...}}]")
    if len(entries) > MAX_CHANGES:
        raise _refusal(("changes",), f"{len(entries):,} are more than the {MAX_CHANGES:,} allowed")
    reading = _Reading(of)
    return [reading.change(("changes", i), entry) for i, entry in enumerate(entries)]


def _refusal(path: Path, message: str, inside: Path = ()) -> ChangesError:
    """The error at a path. ``inside`` is the path below that one, as far as the message itself names it."""
    return ChangesError(f"{path_text(path)}: {message}", (*path, *inside))


class _Reading:
    """Reads a list of changes in order: each one applies to the objects as the changes before it left them."""

    def __init__(self, of: Changed) -> None:
        self._of = of
        self._policies = of.policies
        self._manifests = {address: m for m in of.manifests if (address := _address(m)) is not None}
        self._default: Address | None = None
        self._note_classes()
        self._in_timeline = {_object_address(entry.object) for entry in of.timeline.entries}

    def change(self, path: Path, entry: Any) -> InputChange:
        if not isinstance(entry, Mapping):
            raise _refusal(path, "a mapping with at, action and what changes is needed")
        action = entry.get("action", "put")
        if not isinstance(action, str) or action not in _FIELDS:
            raise _refusal((*path, "action"), f"{quoted(action)} is no action; write one of {', '.join(_FIELDS)}")
        field = _FIELDS[action]
        unknown = sorted(set(map(str, entry)) - {"at", "action", field})
        if unknown:
            raise _refusal((*path, unknown[0]), f"unknown field; a change to {action} has at, action and {field}")
        at = self._at((*path, "at"), entry.get("at", self._of.at))
        place, value = (*path, field), entry.get(field)
        if action in _OBJECT_ACTIONS:
            return InputChange(seq=at, action=_OBJECT_ACTIONS[action], object=self._object(place, action, value))
        if action == "edit":
            return self._edit(at, place, value)
        if action == "configure":
            return InputChange(seq=at, action="configure", object=self._configuration(place, value))
        if action == "set_policies":
            return InputChange(seq=at, action="set_policies", object=self._set_policies(place, value))
        return InputChange(seq=at, action="switch_off", object=self._entry(place, value))

    def _at(self, path: Path, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LATEST:
            raise _refusal(path, f"{quoted(value)} is no number of events. Write a whole number from 0 on")
        if value < self._of.at:
            raise _refusal(path, f"event {value} lies before the branch, which begins at event {self._of.at}")
        return value

    # --- objects ---------------------------------------------------------------------------------------------------
    def _object(self, path: Path, action: str, raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            raise _refusal(path, "a Kubernetes object is needed")
        address = _address(raw)
        if address is None:
            raise _refusal(path, "kind and metadata.name are needed")
        if action == "delete":
            return self._named(path, address)
        return self._put(path, address, self._patched(path, address, raw) if action == "patch" else dict(raw))

    def _put(self, path: Path, address: Address, manifest: dict[str, Any]) -> Any:
        loaded = self._load(path, address, manifest)
        self._manifests[address] = manifest
        if address[0] == "PriorityClass":
            self._note_classes()
        return loaded

    def _edit(self, at: int, path: Path, raw: Any) -> InputChange:
        """An edit of one value, or of a whole object: added, or deleted."""
        try:
            edit = edit_from_raw(raw)
            kind, namespace, name = edit.named
            address = kind, "" if namespace == "default" else namespace, name
            if not edit.path and edit.op == REMOVE:
                return InputChange(seq=at, action="delete", object=self._named(path, address))
            manifest = new_object(edit) if not edit.path else edited(dict(self._before(path, address)), edit)
        except EditProblem as problem:
            raise _refusal(path, str(problem), (problem.field,)) from problem
        return InputChange(seq=at, action="put", object=self._put(path, address, manifest))

    def _before(self, path: Path, address: Address) -> Raw:
        """The manifest that a patch or an edit changes."""
        before, name = self._manifests.get(address), _address_text(address)
        if before is None:
            raise _refusal(path, f"there is no manifest of {name} to change. Put it whole")
        if address in self._in_timeline:
            raise _refusal(path, f"the timeline changes {name}, so it is not known what would be changed. Put it whole")
        return before

    def _patched(self, path: Path, address: Address, patch: Raw) -> dict[str, Any]:
        try:
            patched: dict[str, Any] = merged(self._before(path, address), patch)
        except RecursionError as problem:
            raise _refusal(path, "is nested too deeply") from problem
        return patched

    def _load(self, path: Path, address: Address, manifest: Raw) -> Any:
        others = self._beside(address, manifest)
        result = load_manifests([*others, manifest])
        if result.errors:
            first = result.errors[0]
            raise _refusal(path, f"{first.object}: {first.field}: {first.message}", path_of_text(first.field))
        contexts = set(map(_address, others))
        # the namespace "default" always exists, so that it is among what was loaded
        objects = [
            obj
            for obj in loaded_objects(result)
            if (own := _object_address(obj)) == address or (own not in contexts and own[0] != "Namespace")
        ]
        if (workload := written_workload(result, objects)) is not None:
            return workload
        if len(objects) != 1:
            raise _refusal(
                path, f"{address[0]} stands for {len(objects)} objects; give one Node, Pod or other object each"
            )
        return objects[0]

    def _beside(self, of: Address, manifest: Raw) -> list[Raw]:
        """The manifests that admission of an object reads: its namespace, and for a pod its class and the default."""
        keys: dict[Address, None] = {("Namespace", "", of[1] or "default"): None}
        if of[0] == "Pod":
            keys |= dict.fromkeys(("PriorityClass", "", name) for name in class_names(manifest))
            if self._default is not None:
                keys[self._default] = None
        return [self._manifests[key] for key in keys if key != of and key in self._manifests]

    def _note_classes(self) -> None:
        """Note which priority class is that of pods that name none, as the changes so far left it."""
        chosen = default_class(one for key, one in self._manifests.items() if key[0] == "PriorityClass")
        self._default = None if chosen is None else _address(chosen)

    def _named(self, path: Path, address: Address) -> Any:
        """An object that has only a kind and a key, since a deletion needs no more."""
        if self._manifests.pop(address, None) is not None and address[0] == "PriorityClass":
            self._note_classes()
        obj = named_object(*address)
        if obj is None:
            raise _refusal((*path, "kind"), f"{quoted(address[0])} is no kind of object that a run reads")
        return obj

    # --- the rest --------------------------------------------------------------------------------------------------
    def _configuration(self, path: Path, raw: Any) -> Any:
        of = self._of
        configuration, findings = config_from_raw(
            raw, of.known_plugins, leave_out=of.leave_out, answered=of.extenders_answered
        )
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors or configuration is None:
            first = errors[0]
            where = f"{first.field}: " if first.field else ""
            raise _refusal(path, f"{where}{first.message}", path_of_text(first.field))
        return configuration

    def _set_policies(self, path: Path, raw: Any) -> Policies:
        if not isinstance(raw, Mapping) or not raw:
            raise _refusal(path, "a mapping of policies is needed, such as {draw: smallest}")
        values = msgspec.to_builtins(self._policies)
        for name in raw:
            if name not in values:
                allowed = ", ".join(sorted(set(values) - set(OF_THE_START)))
                raise _refusal((*path, str(name)), f"there is no such policy; known are {allowed}")
            if name in OF_THE_START:
                raise _refusal((*path, name), "says with what a run begins, and cannot change later")
        try:
            self._policies = msgspec.convert({**values, **raw}, Policies)
            self._policies.behaviours  # noqa: B018 - raises
        except (msgspec.ValidationError, VersionError, GateError) as problem:
            raise _refusal(path, str(problem)) from problem
        return self._policies

    def _entry(self, path: Path, value: Any) -> int:
        n_entries = len(self._of.timeline.entries)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < n_entries:
            raise _refusal(path, f"{quoted(value)} is no entry of the timeline, which has {n_entries:,}")
        return value


def merged(before: Any, patch: Any) -> Any:
    """The value with a JSON merge patch applied (RFC 7386): null removes, mappings are merged, all else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(before) if isinstance(before, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def _address(raw: Any) -> Address | None:
    """The kind, namespace and name of a manifest; None if it is not the manifest of a named object."""
    metadata = raw.get("metadata") if isinstance(raw, Mapping) else None
    if not isinstance(metadata, Mapping):
        return None
    kind, name, namespace = raw.get("kind"), metadata.get("name"), metadata.get("namespace") or ""
    if not (isinstance(kind, str) and kind and isinstance(name, str) and name and isinstance(namespace, str)):
        return None
    return kind, "" if namespace == "default" else namespace, name


def _object_address(obj: Any) -> Address:
    kind = obj.kind if isinstance(obj, k8s.WorkloadSelector | k8s.Workload) else type(obj).__name__
    namespace = getattr(obj, "namespace", "")
    return kind, "" if namespace == "default" else namespace, obj.name


def _address_text(address: Address) -> str:
    kind, namespace, name = address
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
