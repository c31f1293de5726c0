"""Edits of a draft's objects: checked in its context, named after what they do, applied as one operation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.contents import named_keys
from dashboard.clusters.drafts.node_changes import change_node
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.drafts.progress import ChangeProgress, ReportProgress, unreported
from dashboard.clusters.revisions.actions import DOING, BadObjects
from dashboard.clusters.revisions.object_keys import Key, canonical, normal_key, object_key
from dashboard.common.problems import NotFound, Problem
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS, POD_MAKERS
from scheduler_core.manifests.writing.json_edits import REMOVE, EditProblem, edited, new_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.drafts.node_changes import NodeChange
    from dashboard.clusters.drafts.opened import OpenedDraft, StoredObject
    from dashboard.clusters.models import DraftOperation
    from dashboard.clusters.revisions.object_keys import Raw
    from scheduler_core.manifests.writing.json_edits import JsonEdit

# Namespaces and priority classes decide how these are read, and how each other is.
READ_IN_CONTEXT = frozenset(("Pod", *POD_MAKERS, *CONTEXT_KINDS))


def put_edits(
    member: Member, draft: OpenedDraft, edits: Sequence[Edit], name: str = "", report: ReportProgress = unreported
) -> DraftOperation:
    """Apply these edits as one operation and return it.

    Raises Problem for objects that are missing or exist already, BadObjects, DraftConflict.
    """
    require(member, Role.EDITOR, DOING)
    _require_possible(draft, edits)
    _check(draft, [edit.manifest for edit in edits if edit.manifest is not None])
    report(ChangeProgress("checked", len(edits), len(edits)))
    return put_in(member.user, draft.draft, name or words_for(draft, edits), edits, report)


def put_nodes(member: Member, draft: OpenedDraft, names: Sequence[str], change: NodeChange) -> DraftOperation:
    """Return the operation that cordons, taints or labels these nodes."""
    keys = [Key("Node", "", name) for name in dict.fromkeys(names)]
    stored = stored_objects(draft, keys)
    edits = [Edit(key, change_node(one.manifest, change), one.address) for key, one in stored.items()]
    return put_edits(member, draft, edits, f"{change.text} {named_keys(keys)}")


def put_deletions(member: Member, draft: OpenedDraft, keys: Sequence[Key], seen: bytes | None = None) -> DraftOperation:
    """Return the operation that deletes these objects; `seen` is the address of the first as its author saw it, if
    known."""
    stored = stored_objects(draft, keys)
    edits = [Edit(key, None, one.address) for key, one in stored.items()]
    if seen is not None:
        edits[0] = Edit(keys[0], None, seen)
    return put_edits(member, draft, edits, f"Delete {keys[0].kind} {named_keys(keys)}")


def put_json_edits(member: Member, draft: OpenedDraft, edits: Sequence[JsonEdit], name: str) -> DraftOperation:
    """Return the operation that makes these edits, as remedies have them, one after the other.

    Raises Problem for a place that an object does not have, NotFound for an object that is not in the draft.
    """
    named = [normal_key(*edit.named) for edit in edits]
    changed = [key for key, edit in zip(named, edits, strict=True) if edit.path or edit.op == REMOVE]
    stored = stored_objects(draft, list(dict.fromkeys(changed))) if changed else {}
    after: dict[Key, Raw | None] = {key: one.manifest for key, one in stored.items()}
    for key, edit in zip(named, edits, strict=True):
        try:
            after[key] = _after(edit, after.get(key))
        except EditProblem as problem:
            raise Problem(f"{key.label} in this draft cannot be edited so. {problem}") from problem
    made = [Edit.over(stored[key].address if key in stored else None, key, manifest) for key, manifest in after.items()]
    return put_edits(member, draft, made, name)


def _after(edit: JsonEdit, before: Raw | None) -> Raw | None:
    if not edit.path:
        return None if edit.op == REMOVE else new_object(edit)
    if before is None:
        raise EditProblem("object", "it is deleted before it is edited")
    return edited(before, edit)


def stored_objects(draft: OpenedDraft, keys: Sequence[Key]) -> dict[Key, StoredObject]:
    """Return the objects; raises NotFound for one that is not there, Problem for a pod that a workload makes."""
    if not keys:
        raise Problem("Choose at least one object.")
    stored = draft.objects(keys)
    missing = next((key for key in keys if key not in stored), None)
    if missing is None:
        return stored
    made_by = _maker(draft, missing)
    if made_by is not None:
        raise Problem(f"{missing.label} is made by {made_by.label}, and no object itself. Change that one.")
    raise NotFound(f"{missing.label} is not in this draft (any more).")


def _maker(draft: OpenedDraft, key: Key) -> Key | None:
    if key.kind != "Pod":
        return None
    rows = draft.contents.rows.pods
    return next((row.source for row in rows if (row.namespace, row.name) == (key.namespace, key.name)), None)


# ---------------------------------------------------------------- names of operations


def words_for(draft: OpenedDraft, edits: Sequence[Edit]) -> str:
    """Return a description of the edits: "Add Node n-1", "Scale Deployment shop/web to 5", "Change Pod a
    and 2 more".
    """
    key, new = edits[0].key, edits[0].new_key
    more = f" and {len(edits) - 1} more" if len(edits) > 1 else ""
    if key is None:
        return f"Add {new.label if new else ''}{more}"
    if new != key:
        return f"Rename {key.label} to {new.path}{more}" if new else f"Delete {key.label}{more}"
    replicas = _replicas(edits[0].manifest)
    if replicas is not None and not more:
        before = draft.objects([key]).get(key)
        if before and _without_replicas(before.manifest) == _without_replicas(edits[0].manifest):
            return f"Scale {key.label} to {replicas}"
    return f"Change {key.label}{more}"


def _replicas(raw: Raw | None) -> object:
    spec = (raw or {}).get("spec")
    return spec.get("replicas") if isinstance(spec, dict) else None


def _without_replicas(raw: Raw | None) -> bytes:
    spec = (raw or {}).get("spec")
    rest = {k: v for k, v in spec.items() if k != "replicas"} if isinstance(spec, dict) else spec
    return canonical({**(raw or {}), "spec": rest})


# ---------------------------------------------------------------- checks


def _require_possible(draft: OpenedDraft, edits: Sequence[Edit]) -> None:
    """Raise Problem for an object that is missing, exists already, or is made twice."""
    made = Counter(new for edit in edits if (new := edit.new_key) is not None)
    stored = draft.objects(dict.fromkeys([*(edit.key for edit in edits if edit.key), *made]))
    for edit in edits:
        new = edit.new_key
        if edit.key is not None and edit.key not in stored and edit.seen is None:
            raise Problem(f"{edit.key.label} is not in this draft (any more).")
        if new is not None and new != edit.key and new in stored:
            raise Problem(f"{new.label} exists already. Give this one another name, or edit the other.")
        if new is not None and made[new] > 1:
            raise Problem(f"{new.label} is given twice. Rename or remove one of them.")


def _check(draft: OpenedDraft, manifests: Sequence[Raw]) -> None:
    """Raise BadObjects for objects that the API server would refuse beside those of the draft."""
    names = {object_key(raw) for raw in manifests}
    context = draft.admission if any(key.kind in READ_IN_CONTEXT for key in names) else {}
    loaded = load_manifests(
        [*(raw for key, raw in context.items() if key not in names), *manifests], source=draft.draft.name
    )
    if not loaded.ok:
        raise BadObjects(loaded.errors)
