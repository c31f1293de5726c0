"""Which of a run's changes can be saved where, and what others saved of the same objects meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.drafts.contents import revision_addresses
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.actions import newest_revision
from dashboard.common.problems import Conflict, NotFound
from dashboard.runs.keeping.changed_objects import ChangedObject, changed_objects
from dashboard.runs.keeping.configuration import ChangedConfiguration, changed_configuration
from dashboard.runs.keeping.entries import ChangedEntry, changed_entries, switched_off
from dashboard.runs.models import Run, Schedule, placed_changes
from scheduler_core.manifests.merging import FieldConflict, carried_over

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.object_keys import Key

    Raw = dict[str, Any]


@dataclass(frozen=True)
class NewerVersion:
    """An object that a later revision has in another version than the run's revision.

    `address` links to that version, None if it is deleted there; `manifest` is that version with the change applied. If
    `conflicts` names fields, or `is_deleted_there`, the user has to choose.
    """

    key: Key
    address: bytes | None
    manifest: Raw | None
    conflicts: tuple[FieldConflict, ...]

    @property
    def is_deleted_there(self) -> bool:
        """Return whether the later revision lacks the object."""
        return self.address is None

    @property
    def has_to_be_settled(self) -> bool:
        """Return whether both changed the same fields."""
        return bool(self.conflicts) or self.address is None or self.manifest is None

    @property
    def text(self) -> str:
        """Return the fields that differ, in words: "Node n-1: spec.taints"."""
        if self.address is None:
            return f"{self.key.label} is deleted there"
        if self.manifest is None:
            return f"{self.key.label} is deleted here and changed there"
        return f"{self.key.label}: {', '.join(one.path for one in self.conflicts)}"


@dataclass(frozen=True)
class KeepPlan:
    """A run's changes by where they can be saved. `policies` cannot be saved: they are chosen whenever a run is
    started.
    """

    run: Run
    objects: list[ChangedObject]
    entries: list[ChangedEntry]
    configuration: ChangedConfiguration | None
    policies: dict[str, Any]
    off: list[int]
    newest: Revision

    @property
    def in_cluster(self) -> dict[Key, Raw | None]:
        """Return {key: manifest after the changes, None for a deleted object} for the cluster."""
        return {one.key: one.in_cluster for one in self.objects if not one.not_in_cluster}

    @property
    def not_in_cluster(self) -> list[ChangedObject]:
        """Return the changes of objects that cannot be saved in the cluster."""
        return [one for one in self.objects if one.not_in_cluster]

    @property
    def fit_for_timeline(self) -> list[ChangedEntry]:
        """Return the changes that are entries of a timeline."""
        return [one for one in self.entries if not one.problem]

    @property
    def not_in_timeline(self) -> list[ChangedEntry]:
        """Return the changes of objects that a timeline cannot express."""
        return [one for one in self.entries if one.problem]

    @property
    def has_timeline(self) -> bool:
        """Return whether any change can be saved in a timeline."""
        return bool(self.fit_for_timeline or self.off)

    @property
    def follows_timeline(self) -> bool:
        """Return whether the run follows a saved timeline."""
        return self.run.schedule == Schedule.TIMELINE and self.run.timeline_revision is not None

    @property
    def is_unbinding(self) -> bool:
        """Return whether the run began with all pods unbound, which no run of a timeline does."""
        return self.run.schedule == Schedule.ALL

    def newer(self) -> list[NewerVersion]:
        """Return the changed objects of which a later revision has another version."""
        return newer_versions(self.run.revision, self.newest, self.in_cluster)


def plan_keeping(run: Run) -> KeepPlan:
    """Return which of the run's changes can be saved where.

    Raises NotFound for a run without changes, Conflict if it has not reached them yet, InputError and RecordingError if
    it cannot be read.
    """
    placed = placed_changes(run)
    if not placed:
        raise NotFound(f"Nothing was changed in run {run.number}, so there is nothing to keep.")
    if (run.is_branch and run.branch.seq is None) or run.head.seq <= int(placed[-1]["at"]):
        raise Conflict(
            f"Run {run.number} has not come to its changes yet. Keep them once it has.", title="Not there yet"
        )
    objects, policies = changed_objects(run), dict[str, Any]()
    for change in placed:
        if change["action"] == "set_policies":
            policies |= change["policies"]
    return KeepPlan(
        run,
        objects,
        changed_entries(run, objects),
        changed_configuration(run),
        policies,
        switched_off(run),
        newest_revision(run.revision.cluster),
    )


def newer_versions(base: Revision, newest: Revision, changed: Mapping[Key, Raw | None]) -> list[NewerVersion]:
    """Return the changed objects of which a revision after `base` has another version, with the change
    applied to it.
    """
    if newest.pk == base.pk:
        return []
    old, new = revision_addresses(base), revision_addresses(newest)
    differing = [key for key in changed if old.get(key) != new.get(key)]
    addresses = [address for key in differing for address in (old.get(key), new.get(key)) if address is not None]
    texts = object_store.read_addresses(base.cluster.workspace_id, addresses)

    def manifest(address: bytes | None) -> Any:
        return None if address is None else msgspec.json.decode(texts[address])

    versions = []
    for key in differing:
        theirs, mine = manifest(new.get(key)), changed[key]
        if theirs == mine:
            continue
        if theirs is None or mine is None:
            versions.append(NewerVersion(key, new.get(key), None, ()))
            continue
        merged = carried_over(manifest(old.get(key)) or {}, mine, theirs)
        versions.append(NewerVersion(key, new[key], merged.value, merged.conflicts))
    return versions
