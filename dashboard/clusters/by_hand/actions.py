"""Actions on selected objects of a draft, each one operation with a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.by_hand.changes import HandValues, make_edits, operation_name, require_kinds
from dashboard.clusters.by_hand.drain import drain_plan
from dashboard.clusters.by_hand.manifests import on_node
from dashboard.clusters.drafts.edits import put_edits, stored_objects
from dashboard.clusters.drafts.operations import Edit
from dashboard.clusters.drafts.progress import ReportProgress, unreported
from dashboard.clusters.revisions.actions import DOING
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import NotFound, Problem
from scheduler_core.manifests.writing.objects import NotWritable, Writing, to_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.drafts.opened import OpenedDraft
    from dashboard.clusters.models import DraftOperation
    from dashboard.clusters.revisions.object_keys import Raw


def act(
    member: Member,
    draft: OpenedDraft,
    what: str,
    keys: Sequence[Key],
    values: HandValues,
    report: ReportProgress = unreported,
) -> DraftOperation:
    """Carry out an action on these objects as one operation, and return it.

    Raises Problem for what cannot be done, NotFound, BadObjects for values that the API server would refuse.
    """
    require(member, Role.EDITOR, DOING)
    keys = list(dict.fromkeys(keys))
    require_kinds(what, keys)
    name = operation_name(what, keys, values)
    if what == "drain":
        return _drain(member, draft, keys, name, report)
    if what == "bind":
        return _bind(member, draft, keys, values)
    taken = draft.addresses if what == "duplicate" else ()
    return put_edits(member, draft, make_edits(what, stored_objects(draft, keys), values, taken), name, report)


def _drain(
    member: Member, draft: OpenedDraft, nodes: Sequence[Key], name: str, report: ReportProgress
) -> DraftOperation:
    """Cordon the nodes, and take the pods that leave them back to pending."""
    plan = drain_plan(draft.contents, [key.name for key in nodes])
    pods = [Key("Pod", row.namespace, row.name) for row in plan.leaving]
    stored = stored_objects(draft, [*nodes, *pods])
    values = HandValues()
    cordoned = make_edits("cordon", {key: stored[key] for key in nodes}, values)
    taken_off = make_edits("unbind", {key: stored[key] for key in pods}, values) if pods else []
    return put_edits(member, draft, [*cordoned, *taken_off], name, report)


def _bind(member: Member, draft: OpenedDraft, keys: Sequence[Key], values: HandValues) -> DraftOperation:
    """Bind pods to a node; a pod that a workload makes becomes an object of its own, which that workload counts."""
    if Key("Node", "", values.place) not in draft.addresses:
        raise NotFound(f"There is no node {values.place} in this draft (any more).")
    stored = draft.objects(keys)
    bound = make_edits("bind", stored, values) if stored else []
    made = [on_node(_written(draft, key), values.place) for key in keys if key not in stored]
    edits = [*bound, *(Edit(None, manifest) for manifest in made)]
    return put_edits(member, draft, edits, operation_name("bind", keys, values))


def _written(draft: OpenedDraft, key: Key) -> Raw:
    """Return the manifest of a pod that a workload makes."""
    pod = draft.contents.pods.get((key.namespace, key.name))
    if pod is None:
        raise NotFound(f"{key.label} is not in this draft (any more).")
    try:
        return to_manifest(msgspec.structs.replace(pod, uid=""), Writing(context=list(draft.admission.values())))
    except NotWritable as problem:
        raise Problem(f"{key.label} cannot be written as an object of its own: {problem}.") from None
