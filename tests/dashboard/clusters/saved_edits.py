"""Revisions made by edits, for tests that are about revisions: each through a draft of its own, which is gone then."""

from __future__ import annotations

from dashboard.clusters.drafts import saving
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.edits import put_deletions, put_edits, put_nodes
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.revisions.actions import find_revision


def save_edits(member, cluster, edits, save):
    """Return the revision with these edits of the revision `save.base`."""
    return _saved(member, cluster, save, lambda draft: put_edits(member, draft, edits))


def delete_objects(member, cluster, keys, save):
    """Return the revision without these objects."""
    return _saved(member, cluster, save, lambda draft: put_deletions(member, draft, keys))


def change_nodes(member, cluster, names, change, save):
    """Return the revision in which these nodes are cordoned, tainted or labelled."""
    return _saved(member, cluster, save, lambda draft: put_nodes(member, draft, names, change))


def _saved(member, cluster, save, put):
    draft = new_draft(member, cluster, base=find_revision(cluster, save.base))
    try:
        put(OpenedDraft(draft))
        return saving.save(member, draft, save.message)
    finally:
        draft.delete()
