"""Saving edits of objects: on top of what others saved since, or refused where they touched the same objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.editor.edits import Edit, NodeChange, apply_edits, change_node
from dashboard.clusters.revisions.actions import (
    DOING,
    SHOWN_FINDINGS,
    Save,
    checked,
    newest_revision,
    revision_of,
    store,
)
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.object_keys import Key, are_equal, key_of
from dashboard.common.problems import Conflict, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, Revision


class EditConflict(Conflict):
    """Somebody changed the same objects since; `newest` is the revision with their version."""

    def __init__(self, newest: Revision, keys: Sequence[Key]):
        self.newest, self.keys = newest, list(keys)
        named = ", ".join(key.label for key in self.keys[:SHOWN_FINDINGS])
        super().__init__(f"Revision {newest.number} changed {named} since you opened it. Nothing of yours is lost.")


def save_edits(member: Member, cluster: Cluster, edits: Sequence[Edit], save: Save) -> Revision:
    """Return the new revision with the edits made on the newest one.

    Edits of objects that nobody touched since `save.base` go on top of what others saved; for objects that somebody
    did touch it raises EditConflict. Raises Problem where nothing changes, BadObjects where the result is not valid.
    """
    require(member, Role.EDITOR, DOING)
    newest = newest_revision(cluster)
    contents = contents_of(newest)
    if save.base != newest.number:
        _check_untouched(cluster, newest, [edit.key for edit in edits if edit.key], save.base)
    manifests = apply_edits(contents.by_key.stored, edits)
    if are_equal(manifests, contents.stored):
        raise Problem("Nothing differs from the saved revision, so there is nothing to save.")
    message = save.message.strip() or default_message(edits)
    result = checked(manifests, cluster.name)
    with transaction.atomic():
        revision = store(cluster, member.user, result, Save(newest.number, message, save.source))
        audit.record(
            member.workspace, member.user, "cluster.saved", f"{cluster.name} r{revision.number}", message=message
        )
    return revision


def _check_untouched(cluster: Cluster, newest: Revision, keys: Sequence[Key], base: int) -> None:
    seen = revision_of(cluster, base)
    before, now = contents_of(seen).by_key, contents_of(newest).by_key
    touched = [key for key in keys if before.get(key) != now.get(key)]
    if touched:
        raise EditConflict(newest, touched)


def default_message(edits: Sequence[Edit]) -> str:
    """Return words for a revision that nobody described: what was added, changed or deleted."""
    if not edits:
        return ""
    first = edits[0]
    verb = "Add" if first.key is None else "Delete" if first.manifest is None else "Change"
    key = first.key or key_of(first.manifest or {})
    more = len(edits) - 1
    return f"{verb} {key.label}{f' and {more} more' if more else ''}"


def change_nodes(member: Member, cluster: Cluster, names: Sequence[str], change: NodeChange, save: Save) -> Revision:
    """Return the new revision in which these nodes are cordoned, tainted or labelled; raises as `save_edits` does."""
    require(member, Role.EDITOR, DOING)
    by_key = contents_of(newest_revision(cluster)).by_key
    keys = [Key("Node", "", name) for name in dict.fromkeys(names)]
    missing = next((key for key in keys if key not in by_key), None)
    if missing or not keys:
        raise Problem(f"{missing.label} is not in this cluster (any more)." if missing else "Choose at least one node.")
    edits = [Edit(key, change_node(by_key[key], change)) for key in keys]
    message = save.message or f"{change.words} {_named([key.name for key in keys])}"
    return save_edits(member, cluster, edits, Save(save.base, message, save.source))


def delete_objects(member: Member, cluster: Cluster, keys: Sequence[Key], save: Save) -> Revision:
    """Return the new revision without these objects; raises as `save_edits` does."""
    if not keys:
        raise Problem("Choose at least one object.")
    message = save.message or f"Delete {keys[0].kind} {_named([key.path for key in keys])}"
    return save_edits(member, cluster, [Edit(key, None) for key in keys], Save(save.base, message, save.source))


def _named(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
