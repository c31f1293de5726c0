"""The objects that a branch changed, each in two versions: for the cluster and for a timeline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import Key, normal_key, object_key
from dashboard.documents import store
from dashboard.runs.inputs import WHOLE
from dashboard.runs.models import Schedule, placed_changes
from dashboard.runs.storage import recordings
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.manifests.merging import carried_over
from scheduler_core.manifests.writing.objects import NotWritable, Writing, to_manifest
from scheduler_core.recording.objects import object_id
from scheduler_core.simulate import WholeObjectChange, merge_patch, timeline_from_raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dashboard.clusters.revisions.contents import Contents
    from dashboard.runs.models import Run
    from scheduler_core.recording.state import RunState

    Raw = dict[str, Any]

OBJECT_ACTIONS = ("put", "patch", "delete")


@dataclass(frozen=True)
class ChangedObject:
    """A change of an object: its manifest for the cluster and for a timeline (None: deleted), or why there is none.

    `seq` is the place of the change; `is_own` is False for changes inherited from the origin.
    """

    key: Key
    seq: int
    is_own: bool
    in_cluster: Raw | None
    not_in_cluster: str
    in_timeline: Raw | None
    not_in_timeline: str

    @property
    def is_deletion(self) -> bool:
        """Return whether the change deletes the object."""
        return self.in_timeline is None and not self.not_in_timeline


def changed_objects(run: Run) -> list[ChangedObject]:
    """Return the run's changes of objects in order, including inherited ones.

    Raises InputError or RecordingError if inputs or recording cannot be read.
    """
    placed = [change for change in placed_changes(run) if change["action"] in OBJECT_ACTIONS]
    if not placed:
        return []
    following = _Following(run, {_changed_key(change) for change in placed})
    begins = run.branch.begins if run.is_branch else 0
    return [following.changed(change, is_own=int(change["at"]) >= begins) for change in placed]


def admission_context(contents: Contents) -> list[Raw]:
    """Return the manifests of a cluster that admission of another object reads."""
    return [contents.by_key[key] for key in contents.by_key if key.kind in CONTEXT_KINDS]


def _changed_key(change: Mapping[str, Any]) -> Key:
    if WHOLE not in change:
        return object_key(change["object"])
    whole = msgspec.convert(change[WHOLE], WholeObjectChange)
    obj = whole.at(0).object
    return normal_key(getattr(obj, "kind", whole.kind), getattr(obj, "namespace", ""), obj.name)


@dataclass
class _Following:
    """The objects after the changes so far: `in_run` with what the run itself did to them, `in_cluster` without."""

    run: Run
    keys: set[Key]
    in_run: dict[Key, Raw | None] = field(default_factory=dict)
    in_cluster: dict[Key, Raw | None] = field(default_factory=dict)
    origins: dict[Key, str] = field(default_factory=dict)
    states: dict[int, RunState] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.contents = read_contents(self.run.revision)
        self.context = admission_context(self.contents)
        self.brought = list(self._brought())

    def _brought(self) -> Iterator[tuple[int, Key, Raw | None]]:
        """(virtual microseconds, key, manifest or None) of the timeline's entries about the objects."""
        if self.run.schedule != Schedule.TIMELINE or self.run.timeline_revision is None:
            return
        for entry in store.read_timeline(self.run.timeline_revision).get("entries") or ():
            key = object_key(entry["object"])
            if key in self.keys:
                read = timeline_from_raw({"entries": [entry]}, self.context, follows_run=True).entries[0]
                yield read.at, key, dict(entry["object"]) if read.action == "put" else None

    def state(self, seq: int) -> RunState:
        if seq not in self.states:
            self.states[seq] = recordings.read(self.run.pk, lambda reader: reader.state_at(seq), self.run.head)
        return self.states[seq]

    def changed(self, change: Mapping[str, Any], *, is_own: bool) -> ChangedObject:
        key, seq = _changed_key(change), int(change["at"])
        before, where = self._before(key, self.state(seq))
        elsewhere = _elsewhere(where)
        if change["action"] == "delete":
            self.in_run[key] = self.in_cluster[key] = None
            return ChangedObject(key, seq, is_own, None, elsewhere, None, "")
        not_in_cluster, not_in_timeline, mine, exact = elsewhere, "", None, None
        try:
            base, mine, exact = self._versions(change, key, before, self.state(seq))
        except NotWritable as problem:
            not_in_cluster, not_in_timeline = elsewhere or f"{problem}.", f"{problem}."
        else:
            theirs = self.in_cluster.get(key, self._stored(key))
            if not elsewhere:
                self.in_cluster[key] = mine if theirs is None else carried_over(base or {}, mine, theirs).value
            self.in_run[key] = exact
        return ChangedObject(key, seq, is_own, self.in_cluster.get(key), not_in_cluster, exact, not_in_timeline)

    def _versions(
        self, change: Mapping[str, Any], key: Key, before: Raw | None, state: RunState
    ) -> tuple[Raw | None, Raw, Raw]:
        """The object before the change, after it, and after it with everything that the run did to it."""
        if WHOLE in change:
            obj = msgspec.convert(change[WHOLE], WholeObjectChange).at(0).object
            into = Writing(before=before, context=self.context)
            exact = to_manifest(obj, msgspec.structs.replace(into, with_fields_of_a_run=True))
            return before, to_manifest(obj, into), exact
        if change["action"] == "patch":
            mine: Raw = merge_patch(before or {}, change["object"])
            return before, mine, mine
        written = dict(change["object"])
        return None if before is None else _as_shown(before, key, state), written, written

    def _stored(self, key: Key) -> Raw | None:
        return self.contents.by_key.get(key)

    def _before(self, key: Key, state: RunState) -> tuple[Raw | None, str]:
        """The object's manifest before a change, None if it has none, and where the object comes from."""
        if key in self.in_run:
            return self.in_run[key], self.origins[key]
        before, self.origins[key] = self._at_first(key, state)
        return before, self.origins[key]

    def _at_first(self, key: Key, state: RunState) -> tuple[Raw | None, str]:
        brought = [raw for at, one, raw in self.brought if one == key and at <= state.at]
        stored = self._stored(key)
        if brought:
            return brought[-1], "timeline" if stored is None else "cluster"
        if stored is not None:
            return stored, "cluster"
        if object_id(key.kind, key.path) in state.made:
            return None, "run"
        return None, self._owner(key)

    def _owner(self, key: Key) -> str:
        """The workload of a pod without a manifest in the cluster; "new" if there is no such pod."""
        if key.kind != "Pod":
            return "new"
        made = (pod for pod in self.contents.loaded.objects.pods if pod.name == key.name)
        pod = next((one for one in made if one.namespace == key.namespace), None)
        if pod is None:
            return "new"
        owner = next((one for one in pod.owner_references if one.controller), None)
        return f"{owner.kind} {owner.name}" if owner else "its workload"


def _as_shown(before: Raw, key: Key, state: RunState) -> Raw:
    """The manifest as the editor showed it: with the pod's node and nomination at that moment."""
    metadata = {name: value for name, value in (before.get("metadata") or {}).items() if name != "managedFields"}
    raw = {**before, "metadata": metadata}
    if key.kind != "Pod":
        return raw
    placement = state.placements.get(key.path)
    spec = {name: value for name, value in (before.get("spec") or {}).items() if name != "nodeName"}
    status = {name: value for name, value in (before.get("status") or {}).items() if name != "nominatedNodeName"}
    if placement is not None and placement.bound:
        spec["nodeName"] = placement.node
    if nominated := state.nominations.get(key.path):
        status["nominatedNodeName"] = nominated
    raw["spec"] = spec
    raw.pop("status", None)
    return raw | ({"status": status} if status else {})


def _elsewhere(where: str) -> str:
    """Why an object from this source cannot be saved in the cluster, "" if it can."""
    if where in ("cluster", "new"):
        return ""
    if where == "timeline":
        return "It arrived by the timeline, so the cluster does not have it. Keep the change in a timeline."
    if where == "run":
        return "The run itself made it, so the cluster does not have it. Keep the change in a timeline."
    return (
        f"It has no manifest of its own, as {where} makes it. Change the template there, or keep the change in a"
        " timeline."
    )
