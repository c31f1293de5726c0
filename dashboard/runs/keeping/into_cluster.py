"""A run's changes of objects as changes of its cluster: read and checked, then put into a draft or saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.drafts.contents import overlaid, revision_addresses
from dashboard.clusters.drafts.operations import Edit, bump, locked, push, put_in
from dashboard.clusters.models import DraftObject
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.actions import BadObjects, checked
from dashboard.clusters.revisions.index_pages import ObjectEntry
from dashboard.common.problems import Problem
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.drafts.contents import Address
    from dashboard.clusters.models import Draft, Revision
    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.runs.keeping.plan import KeepPlan, NewerVersion
    from dashboard.runs.models import Run


class ChangesToKeep(NamedTuple):
    """What of a run's changes is kept in its cluster.

    `taken` are the addresses in `newest` of objects that a later revision changed in other fields; `merged` are all
    objects as they come to be, None for one that goes. `seen` are the objects of the run's revision, with those taken.
    """

    run: Run
    newest: Revision
    seen: Mapping[Key, bytes]
    taken: Mapping[Key, Address]
    merged: Mapping[Key, dict[str, Any] | None]


def changes_to_keep(plan: KeepPlan, newer: Sequence[NewerVersion]) -> ChangesToKeep:
    """Return the changes of a plan, checked as objects of the cluster; raises Problem where there are none,
    BadObjects. It takes time: call it outside of transactions."""
    run = plan.run
    if not plan.in_cluster:
        raise Problem(f"Nothing of what run {run.number} changes can be kept in its cluster.")
    taken = {one.key: one for one in newer if not one.has_to_be_settled}
    addresses = {key: one.address for key, one in taken.items()}
    seen = overlaid(revision_addresses(run.revision), addresses)
    merged = plan.in_cluster | {key: one.manifest for key, one in taken.items()}
    # A later revision may already be without the object.
    merged = {key: manifest for key, manifest in merged.items() if manifest is not None or key in seen}
    _check(run, seen, merged)
    return ChangesToKeep(run, plan.newest, seen, addresses, merged)


def _check(run: Run, seen: Mapping[Key, bytes], merged: Mapping[Key, dict[str, Any] | None]) -> None:
    """Check the objects as those of a cluster with the namespaces and priority classes of `seen`."""
    context = [address for key, address in seen.items() if key.kind in CONTEXT_KINDS and key not in merged]
    texts = object_store.read_addresses(run.workspace_id, context)
    given = [manifest for manifest in merged.values() if manifest is not None]
    loaded = load_manifests([*map(object_store.as_content, texts.values()), *given], source=f"Run {run.number}")
    if not loaded.ok:
        raise BadObjects(loaded.errors)


def put_into(member: Member, draft: Draft, changes: ChangesToKeep, name: str) -> None:
    """Put the changes into a new draft of the run's revision, as an operation of this name; a transaction is open."""
    if changes.taken:
        held = locked(draft)
        push(None, held, f"Take over {len(changes.taken)} objects of revision {changes.newest.number}", changes.taken)
        bump(held)
    edits = [Edit.over(changes.seen.get(key), key, manifest) for key, manifest in changes.merged.items()]
    put_in(member.user, draft, name, edits)
    for key, address in changes.taken.items():
        rows = DraftObject.objects.filter(draft=draft, kind=key.kind, namespace=key.namespace, name=key.name)
        rows.update(base=address)
    draft.refresh_from_db()


def entries_on(newest: Revision, changes: ChangesToKeep) -> list[ObjectEntry]:
    """Return the objects of the newest revision with the changes, whose contents are stored now; raises Problem where
    nothing differs, BadObjects. It takes time: call it outside of transactions."""
    cluster, index = newest.cluster, revision_addresses(newest)
    if cluster.archived_at:
        raise Problem("This cluster is archived; unarchive it to edit it.")
    given = {key: manifest for key, manifest in changes.merged.items() if manifest is not None}
    stored = dict(zip(given, object_store.store_manifests(cluster.workspace_id, list(given.values())), strict=True))
    changed = {key: stored.get(key) for key in changes.merged if stored.get(key) != index.get(key)}
    if not changed:
        raise Problem("Nothing differs from the newest revision, so there is nothing to save.")
    entries = overlaid(index, changed)
    base = revision_addresses(changes.run.revision)
    reaching = {key for key in base.keys() | index.keys() if base.get(key) != index.get(key)} | changed.keys()
    if any(key.kind in CONTEXT_KINDS for key in reaching):
        texts = object_store.read_addresses(cluster.workspace_id, entries.values())
        checked([object_store.as_content(texts[address]) for address in entries.values()], cluster.name)
    return [ObjectEntry(*key, address) for key, address in entries.items()]
