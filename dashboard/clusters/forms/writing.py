"""What a form asks for, carried out: edits written into the text, and the text put into the draft where it is valid."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NamedTuple

from dashboard.clusters.drafts.edits import put_edits, put_nodes
from dashboard.clusters.drafts.node_changes import NodeChange
from dashboard.clusters.drafts.operations import Edit
from dashboard.clusters.editor.object_text import check_text, keep_text
from dashboard.clusters.forms.edits import SET, FormEdit, field_at, written
from dashboard.clusters.forms.kinds import form_for, forms
from dashboard.clusters.forms.mends import LABEL, action_in
from dashboard.clusters.forms.values import below
from dashboard.clusters.revisions.object_keys import canonical, object_key
from dashboard.clusters.texts import store
from dashboard.clusters.texts.changes import read_document, rewritten
from dashboard.common.problems import Problem
from scheduler_core.manifests.model import LoadError

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.drafts.opened import OpenedDraft
    from dashboard.clusters.forms.model import KindForm
    from dashboard.clusters.revisions.object_keys import Key, Raw


class FormRequest(NamedTuple):
    """What a form asks for: the object (None: a new one), its text, edits of it, a proposal to carry out, and
    whether a new object is to come into the draft."""

    key: Key | None
    kind: str
    text: str
    edits: list[FormEdit]
    mend: str = ""
    adds: bool = False


class Done(NamedTuple):
    """The object as it is in the draft now (None: it is not put there) and its text; the operation in words."""

    key: Key | None
    text: str
    operation: str = ""
    has_errors: bool = False


def carried_out(member: Member, draft: OpenedDraft, asked: FormRequest, seen: bytes | None) -> Done:
    """Carry out what a form asks for; `seen` is the address of the content from which it started, if known.

    Raises Problem (the text cannot be read, or is no single object), BadQuery, DraftConflict.
    """
    if asked.mend:
        verb, values = action_in(asked.mend)
        if verb == LABEL:
            return Done(asked.key, asked.text, _label_added(member, draft, values[0], values[1]))
    text = edited_text(asked)
    checked = check_text(text, draft.admission, asked.key)
    if checked.errors or (asked.key is None and not asked.adds):
        return Done(None, text, has_errors=bool(checked.errors))
    if len(checked.manifests) != 1:
        raise Problem("The form is of one object; there are several in the YAML.")
    manifest = checked.manifests[0]
    return Done(object_key(manifest), text, _put(member, draft, asked, manifest, text, seen))


def edited_text(asked: FormRequest) -> str:
    """Return the text with the edits, or with the toleration that the form proposed."""
    form = form_for(asked.kind, is_new=asked.key is None)
    if asked.mend:
        return _tolerating(asked, action_in(asked.mend)[1])
    return written(asked.text, form, asked.edits).text if form is not None and asked.edits else asked.text


def _put(member: Member, draft: OpenedDraft, asked: FormRequest, manifest: Raw, text: str, seen: bytes | None) -> str:
    """Put the object into the draft, with its text where that says more than what is kept; return what was done."""
    key, cluster = object_key(manifest), draft.draft.cluster
    is_same_content = asked.key == key and seen == store.content_address(canonical(manifest))
    name = "" if is_same_content else _words(asked, manifest)
    if not is_same_content:
        edit = Edit(asked.key, manifest, seen if asked.key else None)
        name = put_edits(member, draft, [edit], name).name
    if store.shown(cluster, key, store.content_address(canonical(manifest)), manifest).text != text:
        keep_text(cluster, [manifest], text)
        name = name or "Comments and layout"
    return name


def _words(asked: FormRequest, manifest: Raw) -> str:
    """Return the name of the operation, "" for the usual one."""
    form = forms().get(asked.kind)
    if form is None or asked.key is None or asked.mend or not asked.edits:
        return ""
    first = asked.edits[0]
    place = field_at(form.fields, first.path)
    if place is None or place.field.path == ("spec", "replicas"):
        return ""
    if first.verb == SET and not place.is_entry and len(asked.edits) == 1 and len(first.path) <= 2:
        return f"Set {place.field.label.lower()} of {asked.key.label} to {first.value.strip() or 'nothing'}"
    return f"Change {_top(form, first).lower()} of {asked.key.label}"


def _top(form: KindForm, edit: FormEdit) -> str:
    """Return the label of the form's own field in which an edit is."""
    return next(one.label for one in form.fields if edit.path[: len(one.path)] == one.path)


# ---------------------------------------------------------------- proposals


def _label_added(member: Member, draft: OpenedDraft, key: str, value: str) -> str:
    """Label the nodes that the draft adds and that have no such label."""
    added, nodes = draft.added_nodes, draft.contents.loaded.objects.nodes
    names = [node.name for node in nodes if node.name in added and key not in node.labels]
    if not names:
        raise Problem("Every node that you added has this label by now.")
    return put_nodes(member, draft, names, NodeChange("label", key, value)).name


def _tolerating(asked: FormRequest, values: list[str]) -> str:
    """Return the text with a toleration of this taint."""
    key, value, effect = values
    form = forms().get(asked.kind)
    if form is None or form.pod_path is None:
        raise Problem("This object has no pod that could tolerate a taint.")
    try:
        raw = copy.deepcopy(read_document(asked.text))
    except LoadError as problem:
        raise Problem(f"Correct the YAML first: {problem.message}.") from None
    spec = below(raw, (*form.pod_path, "spec"))
    if not isinstance(spec, dict):
        raise Problem("There is no pod in the YAML.")
    matching = {"operator": "Equal", "value": value} if value else {"operator": "Exists"}
    present = spec.get("tolerations")
    rows = present if isinstance(present, list) else []
    spec["tolerations"] = [*rows, {"key": key, **matching, "effect": effect}]
    return rewritten(asked.text, raw).text
