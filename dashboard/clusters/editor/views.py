"""One object as YAML: look, edit, add, duplicate, delete; the usual edits of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.operations import DraftConflict
from dashboard.clusters.drafts.views import refused
from dashboard.clusters.editor import actions as editor
from dashboard.clusters.editor import draft_edits
from dashboard.clusters.editor.actions import EditConflict
from dashboard.clusters.editor.draft_forms import address_seen, in_draft, judged_against, opened, seen_in
from dashboard.clusters.editor.edits import EFFECTS, NODE_CHANGES, Edit, NodeChange, apply_edits, check_text
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import Save
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.diff import diff_manifests
from dashboard.clusters.revisions.object_keys import Key, key_of
from dashboard.clusters.revisions.page_context import NAME_LIMIT, key_in, key_query, page_context_of
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import go
from dashboard.common.http.params import choice_param, int_param, text_param
from dashboard.common.http.undo import tell_with_undo
from dashboard.common.problems import BadQuery, Forbidden, NotFound, Problem
from scheduler_core.manifests import dump_yaml
from scheduler_core.manifests.kinds.registry import POD_MAKERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.editor.edits import Checked
    from dashboard.clusters.models import Draft, Revision
    from dashboard.clusters.revisions.page_context import PageContext

DOING = actions.DOING
STEPS = ("edit", "review", "save")
INT32 = 2**31 - 1


@workspace_view(Role.VIEWER)
def show(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return an object's page: its YAML in the editor, and what the scheduler sees of it."""
    page = page_context_of(access, cluster, request.GET)
    key = key_in(request.GET)
    if key is None:
        raise BadQuery("Name the object: kind, name, and ns for kinds that live in a namespace.")
    raw = page.contents.by_key.get(key)
    if raw is None:
        raise NotFound(f"{key.label} is not in revision {page.revision.number} of {page.cluster.name}.")
    return render(request, "clusters/editor/object.html", _page(page, key, dump_yaml([raw])))


@workspace_view(Role.EDITOR, doing=DOING)
def add(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the editor for a new object: the template of a kind, or a copy of the object that the query names."""
    page = page_context_of(access, cluster, in_draft(request.GET))
    copied = key_in(request.GET)
    if copied is None:
        kind = choice_param(request.GET, "kind", OBJECT_TEMPLATES, "Pod")
        return render(
            request, "clusters/editor/object.html", _page(page, None, OBJECT_TEMPLATES[kind].text, starter_kind=kind)
        )
    raw = page.contents.by_key.get(copied)
    if raw is None:
        raise NotFound(f"{copied.label} is not in {page.cluster.name}.")
    return render(
        request, "clusters/editor/object.html", _page(page, None, dump_yaml([_copy(raw, page)]), copied=copied)
    )


def _copy(raw: Mapping[str, Any], page: PageContext) -> dict[str, Any]:
    """Return the manifest under a name that is free, without what only the original can have."""
    metadata = {k: v for k, v in raw["metadata"].items() if k not in ("uid", "resourceVersion", "creationTimestamp")}
    base = str(metadata.get("name", ""))[:240]
    for number in range(2, 10_000):
        metadata["name"] = f"{base}-{number}"
        copy = {**raw, "metadata": metadata}
        if key_of(copy) not in page.contents.by_key:
            break
    labels = metadata.get("labels")
    if copy.get("kind") == "Node" and isinstance(labels, dict) and "kubernetes.io/hostname" in labels:
        metadata["labels"] = {**labels, "kubernetes.io/hostname": metadata["name"]}
    return copy


def _page(page: PageContext, key: Key | None, text: str, checked: Checked | None = None, **more: Any) -> dict[str, Any]:
    contents = page.contents
    checked = checked or check_text(text, contents, key)
    node = contents.nodes.get(key.name) if key and key.kind == "Node" else None
    pod = contents.pods.get((key.namespace, key.name)) if key and key.kind == "Pod" else None
    rows = contents.rows
    context: dict[str, Any] = {
        "key": key,
        "text": text,
        "findings": checked.findings,
        "starters": OBJECT_TEMPLATES,
        "node": node,
        "node_row": next((row for row in rows.nodes if row.name == node.name), None) if node else None,
        "pod": pod,
        "pod_row": next((row for row in rows.pods if row.source == key), None) if pod else None,
        "made": [row for row in rows.pods if row.source == key][:50] if key and not pod and not node else [],
        "effects": EFFECTS,
        "duplicate_url": page.url("add_object", **key_query(key)) if key else "",
        "has_pods": key is None or key.kind in ("Pod", *POD_MAKERS),
        "base": page.revision.number,
        "seen": address_seen(page, key),
        "export_url": page.url("export_object", **key_query(key)) if key else "",
        "object_validate_url": page.url("validate_object"),
        **more,
    }
    return page.context(tab_of(key), **context)


def tab_of(key: Key | None) -> str:
    """Return the table in which an object of this kind stands."""
    return {"Node": "nodes", "Pod": "pods"}.get(key.kind, "objects") if key else "objects"


def _undo_url(page: PageContext, revision: Revision, tab: str) -> str:
    place = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug, "number": revision.number}
    return f"{reverse('clusters:undo', kwargs=place)}?tab={tab}"


@workspace_view(Role.VIEWER, WRITE)
def validate(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the findings of the editor's text as a fragment; it stores nothing, so everybody may ask."""
    page = page_context_of(access, cluster, in_draft(request.POST))
    checked = check_text(text_in(request), judged_against(page), key_in(request.POST))
    return render(request, "clusters/editor/_findings.html", {"findings": checked.findings})


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Take the editor's form: step "review" shows the difference, "save" makes a revision, "edit" goes back."""
    page = page_context_of(access, cluster, in_draft(request.POST))
    if page.draft:
        return _put(request, page, opened(page))
    step = choice_param(request.POST, "step", STEPS, "review")
    key, text, checked = _posted(request, page)
    save_as = Save(_base(request), text_param(request.POST, "message", 500))
    form = {"message": save_as.message, "base": save_as.base}
    if checked.errors or step == "edit":
        status = 422 if checked.errors and step != "edit" else 200
        return render(request, "clusters/editor/object.html", _page(page, key, text, checked, **form), status=status)
    edits = [Edit(key if n == 0 else None, manifest) for n, manifest in enumerate(checked.manifests)]
    try:
        if step == "review":
            return _review(request, page, edits, {"text": text, "findings": checked.findings, **form})
        revision = editor.save_edits(access.member, page.cluster, edits, save_as)
    except EditConflict as conflict:
        return _conflict(request, page, edits, conflict, {"text": text, **form})
    except (NotFound, Forbidden):
        raise
    except Problem as problem:
        # Whatever is wrong, the text that somebody typed comes back with the words about it.
        context = _page(page, key, text, checked, problem=problem, **form)
        return render(request, "clusters/editor/object.html", context, status=422)
    tell_with_undo(request, f"Saved as revision {revision.number}", _undo_url(page, revision, tab_of(edits[0].key)))
    return redirect(_after(page, edits))


def _put(request: HttpRequest, page: PageContext, draft: Draft) -> HttpResponse:
    """Put the editor's text into the draft; whatever is wrong, the text comes back with the words about it."""
    key, text = key_in(request.POST), text_in(request)
    checked = check_text(text, judged_against(page), key)
    if checked.errors:
        return render(request, "clusters/editor/object.html", _page(page, key, text, checked), status=422)
    edits = [Edit(key if n == 0 else None, manifest) for n, manifest in enumerate(checked.manifests)]
    seen = seen_in(request, [key] if key else [])
    try:
        draft_edits.put_edits(page.access.member, draft, edits, seen=seen)
    except DraftConflict as conflict:
        now = next((one.now for one in conflict.clashes if one.key == key), None)
        more = {"text": text, "key": key, "now": now.hex() if now else ""}
        return refused(request, page.access, draft, conflict, doing="edit", **more)
    except (NotFound, Forbidden):
        raise
    except Problem as problem:
        return render(
            request, "clusters/editor/object.html", _page(page, key, text, checked, problem=problem), status=422
        )
    manifest = next((edit.manifest for edit in edits if edit.manifest is not None), None)
    return go(request, page.url("object", **key_query(key_of(manifest or {}))))


def _posted(request: HttpRequest, page: PageContext) -> tuple[Key | None, str, Checked]:
    key, text = key_in(request.POST), text_in(request)
    return key, text, check_text(text, page.contents, key)


def _base(request: HttpRequest) -> int:
    return int_param(request.POST, "base", 0, low=1, high=INT32)


def _after(page: PageContext, edits: list[Edit]) -> str:
    manifest = next((edit.manifest for edit in edits if edit.manifest is not None), None)
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug}
    if manifest is None:
        return reverse("clusters:objects", kwargs=kwargs)
    return f"{reverse('clusters:object', kwargs=kwargs)}?{urlencode(key_query(key_of(manifest)))}"


def _review(request: HttpRequest, page: PageContext, edits: list[Edit], form: dict[str, Any]) -> HttpResponse:
    by_key = contents_of(actions.revision_of(page.cluster, form["base"])).by_key
    apply_edits(by_key.stored, edits)
    shown = [
        (edit.key or key_of(new), diff_manifests(by_key.get(edit.key) if edit.key else None, new))
        for edit in edits
        if (new := edit.manifest)
    ]
    changed = [(key, diff) for key, diff in shown if diff.lines]
    context = page.context("objects", shown=changed, key=edits[0].key, default=editor.default_message(edits), **form)
    return render(request, "clusters/editor/review.html", context)


def _conflict(
    request: HttpRequest, page: PageContext, edits: list[Edit], conflict: EditConflict, form: dict[str, Any]
) -> HttpResponse:
    before = contents_of(actions.revision_of(page.cluster, form["base"])).by_key
    theirs = contents_of(conflict.newest).by_key
    mine = {edit.key: edit.manifest for edit in edits}
    shown = [
        (key, diff_manifests(before.get(key), theirs.get(key)), diff_manifests(before.get(key), mine.get(key)))
        for key in conflict.keys
    ]
    context = page.context(
        "objects",
        conflict=conflict,
        theirs=conflict.newest,
        shown=shown,
        key=edits[0].key,
        their_text=dump_yaml([raw for key in conflict.keys if (raw := theirs.get(key))]),
        **form,
    )
    return render(request, "clusters/editor/conflict.html", context, status=409)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def delete(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Delete the objects that the form names (key fields, or names of nodes)."""
    page = page_context_of(access, cluster, in_draft(request.POST))
    key = key_in(request.POST)
    keys = [key] if key else [Key("Node", "", name) for name in _names(request)]
    if page.draft:
        try:
            draft_edits.put_deletions(access.member, opened(page), keys, seen_in(request, keys))
        except DraftConflict as conflict:
            return refused(request, access, opened(page), conflict, doing="delete")
        return go(request, page.url(tab_of(keys[0] if keys else None)))
    save_as = Save(_base(request), text_param(request.POST, "message", 500))
    revision = editor.delete_objects(access.member, page.cluster, keys, save_as)
    tab = tab_of(keys[0])
    subject = f"{len(keys)} {keys[0].kind.lower()}s" if len(keys) > 1 else keys[0].label
    tell_with_undo(request, f"{subject} deleted, r{revision.number}", _undo_url(page, revision, tab))
    return go(request, f"clusters:{tab}", slug=access.workspace.slug, cluster=page.cluster.slug)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def change_nodes(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Cordon, uncordon, taint, untaint, label or unlabel the nodes that the form names, or delete them."""
    if request.POST.get("what") == "delete":
        return delete(request, slug=access.workspace.slug, cluster=cluster)
    page = page_context_of(access, cluster, in_draft(request.POST))
    if page.draft:
        draft_edits.put_nodes(access.member, opened(page), _names(request), _change(request.POST))
    else:
        revision = editor.change_nodes(
            access.member, page.cluster, _names(request), _change(request.POST), Save(_base(request))
        )
        tell_with_undo(request, f"{revision.message}, r{revision.number}", _undo_url(page, revision, "nodes"))
    back = text_param(request.POST, "back", 2_000)
    if back.startswith(f"/w/{access.workspace.slug}/clusters/{page.cluster.slug}/"):
        return go(request, back)
    return go(request, page.url("nodes"))


def _names(request: HttpRequest) -> list[str]:
    return [name for name in request.POST.getlist("node") if len(name) <= NAME_LIMIT]


def _change(form: Mapping[str, str]) -> NodeChange:
    what = choice_param(form, "what", NODE_CHANGES, "cordon")
    prefix = "label" if "label" in what else "taint"
    effects = (*EFFECTS, "any")
    effect = choice_param(form, "taint_effect", effects, EFFECTS[0])
    change = NodeChange(
        what,
        text_param(form, f"{prefix}_key", NAME_LIMIT),
        text_param(form, f"{prefix}_value", NAME_LIMIT),
        "" if effect == "any" else effect,
    )
    if what not in ("cordon", "uncordon") and not change.key:
        raise BadQuery(f"Write the key of the {prefix}.")
    return change
