"""An import in a draft of a cluster: each imported object is added or replaces the one of its name; the others stay,
or are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.drafts import actions as drafts
from dashboard.clusters.drafts.contents import revision_addresses
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.models import NAME_LENGTH, OPERATION_LENGTH
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import written_key
from dashboard.clusters.texts import store as texts
from dashboard.common.problems import Problem
from scheduler_core.manifests import load_manifests, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.accounts.models import Member
    from dashboard.clusters.importing.saving import ImportedContents
    from dashboard.clusters.models import Cluster, Draft, ImportDraft, Revision
    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.clusters.texts.store import WrittenText

MAX_MERGED = 20_000
"""A draft has a row for each object that it changes."""


class MergedObjects(NamedTuple):
    """Imported objects as changes of a revision; `is_whole` says that they are all that is left of it."""

    base: Revision
    edits: list[Edit]
    texts: Mapping[Key, WrittenText] = {}
    is_whole: bool = False


def merged_objects(cluster: Cluster, imported: ImportedContents, *, is_whole: bool = False) -> MergedObjects:
    """Return the imported objects as changes of the cluster's newest revision; raises Problem, BadObjects.

    Where `is_whole`, all objects that are not imported are removed. It takes time where there are many, so it belongs
    outside of transactions.
    """
    stored = imported.contents.stored
    base = actions.newest_revision(cluster)
    index = revision_addresses(base)
    edits = [Edit.over(index.get(key := written_key(one)), key, plain(one)) for one in stored]
    imported_keys = {written_key(one) for one in stored}
    if is_whole:
        edits += [Edit(key, None, address) for key, address in index.items() if key not in imported_keys]
    if len(edits) > MAX_MERGED:
        raise Problem(f"A draft takes {MAX_MERGED:,} objects at most. Import them as a revision, or in parts.")
    others = [] if is_whole else [one for one in read_contents(base).stored if written_key(one) not in imported_keys]
    loaded = load_manifests([*others, *stored], source=cluster.name)
    if not loaded.ok:
        raise actions.BadObjects(loaded.errors)
    return MergedObjects(base, edits, imported.texts, is_whole)


@transaction.atomic
def merge(member: Member, files: ImportDraft, merged: MergedObjects) -> Draft:
    """Return a new draft with the changes, and forget the import; raises Problem where nothing differs."""
    require(member, Role.EDITOR, actions.DOING)
    names = list(files.files.values_list("name", flat=True))
    source = names[0] if len(names) == 1 else f"{len(names)} files"
    name = f"Replace all by {source}" if merged.is_whole else f"Import of {source}"
    draft = drafts.new_draft(member, merged.base.cluster, name[:NAME_LENGTH], merged.base)
    put_in(member.user, draft, name[:OPERATION_LENGTH], merged.edits)
    texts.keep(merged.base.cluster, merged.texts)
    files.delete()
    return draft
