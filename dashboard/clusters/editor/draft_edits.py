"""Edits of objects as operations of a draft, checked in the draft's context and named after what they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.contents import admission_context, contents_of_draft, named_keys, read_objects
from dashboard.clusters.drafts.operations import Put, put_in
from dashboard.clusters.drafts.progress import ChangeProgress, ReportProgress, unreported
from dashboard.clusters.editor.edits import Edit, change_node
from dashboard.clusters.revisions.actions import DOING, BadObjects
from dashboard.clusters.revisions.object_keys import Key, ManifestsByKey, canonical, key_of, normal_key
from dashboard.common.problems import NotFound, Problem
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.writing.json_edits import REMOVE, EditProblem, edited, new_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.drafts.contents import Address
    from dashboard.clusters.editor.edits import NodeChange
    from dashboard.clusters.models import Draft, DraftOperation
    from dashboard.clusters.revisions.object_keys import Raw
    from scheduler_core.manifests.writing.json_edits import JsonEdit


@dataclass(frozen=True)
class Context:
    """The objects of a draft against which a text is checked: those that admission reads."""

    by_key: Mapping[Key, dict[str, object]]


def context_of(draft: Draft) -> Context:
    """Return the draft's priority classes and namespaces."""
    return Context(ManifestsByKey(admission_context(draft)))


def put_edits(
    member: Member,
    draft: Draft,
    edits: Sequence[Edit],
    name: str = "",
    seen: Mapping[Key, Address] | None = None,
    report: ReportProgress = unreported,
) -> DraftOperation:
    """Apply these edits as one operation and return it; `seen` are the contents from which they started, if known.

    Raises Problem for objects that are missing or exist already, BadObjects, DraftConflict.
    """
    require(member, Role.EDITOR, DOING)
    puts = _puts(draft, edits, seen or {})
    _check(draft, [put.manifest for put in puts if put.manifest is not None], report)
    return put_in(member.user, draft, name or words_for(draft, edits), puts, report)


def put_nodes(member: Member, draft: Draft, names: Sequence[str], change: NodeChange) -> DraftOperation:
    """Return the operation that cordons, taints or labels these nodes."""
    keys = [Key("Node", "", name) for name in dict.fromkeys(names)]
    held = stored_objects(draft, keys)
    edits = [Edit(key, change_node(held[key][1], change)) for key in keys]
    return put_edits(member, draft, edits, f"{change.text} {named_keys(keys)}", {key: held[key][0] for key in keys})


def put_deletions(
    member: Member, draft: Draft, keys: Sequence[Key], seen: Mapping[Key, Address] | None = None
) -> DraftOperation:
    """Return the operation that deletes these objects."""
    held = stored_objects(draft, keys)
    opened = {key: held[key][0] for key in keys} | dict(seen or {})
    kind = keys[0].kind
    return put_edits(member, draft, [Edit(key, None) for key in keys], f"Delete {kind} {named_keys(keys)}", opened)


def words_for(draft: Draft, edits: Sequence[Edit]) -> str:
    """Return a description of the edits: "Add Node n-1", "Scale Deployment shop/web to 5", "Change Pod a
    and 2 more".
    """
    first = edits[0]
    key = first.key or key_of(first.manifest or {})
    more = f" and {len(edits) - 1} more" if len(edits) > 1 else ""
    if first.key is None:
        return f"Add {key.label}{more}"
    new = key_of(first.manifest or {})
    if new != key:
        return f"Rename {key.label} to {new.path}{more}"
    replicas = _replicas(first.manifest)
    if replicas is not None and not more:
        before = read_objects(draft, [key])
        if key in before and _without_replicas(before[key][1]) == _without_replicas(first.manifest):
            return f"Scale {key.label} to {replicas}"
    return f"Change {key.label}{more}"


def _replicas(raw: dict[str, object] | None) -> object:
    spec = (raw or {}).get("spec")
    return spec.get("replicas") if isinstance(spec, dict) else None


def _without_replicas(raw: dict[str, object] | None) -> bytes:
    spec = (raw or {}).get("spec")
    rest = {k: v for k, v in spec.items() if k != "replicas"} if isinstance(spec, dict) else spec
    return canonical({**(raw or {}), "spec": rest})


def put_json_edits(member: Member, draft: Draft, edits: Sequence[JsonEdit], name: str) -> DraftOperation:
    """Return the operation that makes these edits, as remedies have them, one after the other.

    Raises Problem for a place that an object does not have, NotFound for an object that is not in the draft.
    """
    named = [_named(edit) for edit in edits]
    changed = [key for key, edit in zip(named, edits, strict=True) if edit.path or edit.op == REMOVE]
    stored = stored_objects(draft, list(dict.fromkeys(changed))) if changed else {}
    after: dict[Key, Raw | None] = {key: raw for key, (_, raw) in stored.items()}
    for key, edit in zip(named, edits, strict=True):
        try:
            after[key] = _after(edit, after.get(key))
        except EditProblem as problem:
            raise Problem(f"{key.label} in this draft cannot be edited so. {problem}") from problem
    made = [Edit(key if key in stored else None, raw) for key, raw in after.items()]
    return put_edits(member, draft, made, name, {key: address for key, (address, _) in stored.items()})


def _named(edit: JsonEdit) -> Key:
    return normal_key(*edit.named)


def _after(edit: JsonEdit, before: Raw | None) -> Raw | None:
    if not edit.path:
        return None if edit.op == REMOVE else new_object(edit)
    if before is None:
        raise EditProblem("object", "it is deleted before it is edited")
    return edited(before, edit)


def stored_objects(draft: Draft, keys: Sequence[Key]) -> dict[Key, tuple[bytes, Raw]]:
    """Return {key: (address, manifest)}; raises NotFound for an object that is not there, Problem for a pod that a
    workload makes.
    """
    if not keys:
        raise Problem("Choose at least one object.")
    stored = read_objects(draft, keys)
    missing = next((key for key in keys if key not in stored), None)
    if missing is None:
        return {key: stored[key] for key in keys}
    made_by = _maker(draft, missing)
    if made_by is not None:
        raise Problem(f"{missing.label} is made by {made_by.label}, and no object itself. Change that one.")
    raise NotFound(f"{missing.label} is not in this draft (any more).")


def _maker(draft: Draft, key: Key) -> Key | None:
    if key.kind != "Pod":
        return None
    rows = contents_of_draft(draft).rows.pods
    return next((row.source for row in rows if (row.namespace, row.name) == (key.namespace, key.name)), None)


def _puts(draft: Draft, edits: Sequence[Edit], seen: Mapping[Key, Address]) -> list[Put]:
    touched = [key for edit in edits for key in (edit.key, key_of(edit.manifest) if edit.manifest else None) if key]
    now = {key: address for key, (address, _) in read_objects(draft, touched).items()}
    puts = []
    for edit in edits:
        new = key_of(edit.manifest) if edit.manifest is not None else None
        if edit.key is not None and edit.key not in now and edit.key not in seen:
            raise Problem(f"{edit.key.label} is not in this draft (any more).")
        if new is not None and new != edit.key and new in now:
            raise Problem(f"{new.label} exists already. Give this one another name, or edit the other.")
        if edit.key is not None and edit.key != new:
            puts.append(Put(edit.key, seen.get(edit.key, now.get(edit.key)), None))
        if new is not None:
            puts.append(Put(new, seen.get(new, now.get(new)) if new == edit.key else None, edit.manifest))
    keys = [put.key for put in puts]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Problem(f"{twice.label} is given twice. Rename or remove one of them.")
    return puts


def _check(draft: Draft, manifests: Sequence[dict[str, object]], report: ReportProgress) -> None:
    names = {key_of(raw) for raw in manifests}
    context = [raw for raw in admission_context(draft) if key_of(raw) not in names]
    loaded = load_manifests([*context, *manifests], source=draft.name)
    if not loaded.ok:
        raise BadObjects(loaded.errors)
    report(ChangeProgress("checked", len(manifests), len(manifests)))
