"""One object as YAML: look, edit, add, duplicate, delete; the usual edits of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import render

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.drafts import edits as draft_edits
from dashboard.clusters.drafts.node_changes import EFFECTS, NODE_CHANGES, NodeChange
from dashboard.clusters.drafts.operations import DraftConflict, Edit
from dashboard.clusters.drafts.views import refused
from dashboard.clusters.editor.draft_forms import (
    ADDRESS_LENGTH,
    address_seen,
    base_in,
    draft_url,
    edited_draft,
    editor_place,
    in_draft,
    judged_against,
    seen_in,
    tell,
)
from dashboard.clusters.editor.object_text import check_text, keep_text, written_text
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import known_fields
from dashboard.clusters.revisions.object_keys import Key, object_key
from dashboard.clusters.revisions.page_context import NAME_LIMIT, key_in, key_query, named_key, read_page_context
from dashboard.clusters.revisions.reported_pods import departure_on
from dashboard.clusters.revisions.short_views import object_path
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import go
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.http.redirects import own_address
from dashboard.common.problems import BadQuery, Forbidden, NotFound, Problem
from scheduler_core.manifests import dump_yaml
from scheduler_core.manifests.kinds.registry import POD_MAKERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.editor.object_text import Checked
    from dashboard.clusters.revisions.page_context import PageContext

DOING = actions.DOING


@workspace_view(Role.VIEWER)
def show(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return an object's page: its YAML in the editor, and what the scheduler sees of it."""
    page = read_page_context(access, cluster, request.GET)
    key = named_key(request.GET)
    raw = page.contents.by_key.get(key)
    if raw is None:
        raise NotFound(f"{key.label} is not in revision {page.revision.number} of {page.cluster.name}.")
    return render(request, "clusters/editor/object.html", _page(page, key, written_text(page, key, raw).text))


@workspace_view(Role.EDITOR, doing=DOING)
def add(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the editor for a new object: the template of a kind, or a copy of the object that the query names."""
    page = read_page_context(access, cluster, in_draft(request.GET))
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
        if object_key(copy) not in page.contents.by_key:
            break
    labels = metadata.get("labels")
    if copy.get("kind") == "Node" and isinstance(labels, dict) and "kubernetes.io/hostname" in labels:
        metadata["labels"] = {**labels, "kubernetes.io/hostname": metadata["name"]}
    return copy


def _page(page: PageContext, key: Key | None, text: str, checked: Checked | None = None, **more: Any) -> dict[str, Any]:
    return page.context(table_tab(key), **(object_context(page, key, text, checked) | more))


def object_context(page: PageContext, key: Key | None, text: str, checked: Checked | None = None) -> dict[str, Any]:
    """Return what the templates of an object's editor show: a text for the object, or for a new one (None)."""
    contents = page.contents
    checked = checked or check_text(text, contents.by_key, key, fields=known_fields(page.revision))
    node = contents.nodes.get(key.name) if key and key.kind == "Node" else None
    pod = contents.pods.get((key.namespace, key.name)) if key and key.kind == "Pod" else None
    rows = contents.rows
    return {
        "key": key,
        "text": text,
        "findings": checked.findings,
        "object_templates": OBJECT_TEMPLATES,
        "node": node,
        "node_row": next((row for row in rows.nodes if row.name == node.name), None) if node else None,
        "pod": pod,
        "pod_row": next((row for row in rows.pods if row.source == key), None) if pod else None,
        "departure": departure_on(page.revision, contents, key) if key and key.kind == "Pod" else None,
        "made": [row for row in rows.pods if row.source == key][:50] if key and not pod and not node else [],
        "effects": EFFECTS,
        "duplicate_url": page.url("add_object", **key_query(key)) if key else "",
        "has_pods": key is None or key.kind in ("Pod", *POD_MAKERS),
        "base": page.revision.number,
        "seen": address_seen(page, key),
        "export_url": page.url("export_object", **key_query(key)) if key else "",
        "short_path": object_path(page, key) if key and not page.draft else "",
        "object_validate_url": page.url("validate_object"),
    }


def table_tab(key: Key | None) -> str:
    """Return the table in which an object of this kind stands."""
    return {"Node": "nodes", "Pod": "pods"}.get(key.kind, "objects") if key else "objects"


@workspace_view(Role.VIEWER, WRITE)
def validate(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the findings of the editor's text as a fragment; it stores nothing, so everybody may ask."""
    page = read_page_context(access, cluster, in_draft(request.POST))
    text = text_in(request)
    checked = check_text(text, judged_against(page), key_in(request.POST), fields=known_fields(page.revision))
    return render(request, "clusters/editor/_findings.html", {"findings": checked.findings, "text": text})


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Put the editor's text into the draft; whatever is wrong, the text comes back with the words about it."""
    page = read_page_context(access, cluster, in_draft(request.POST))
    key, text = key_in(request.POST), text_in(request)
    checked = check_text(text, judged_against(page), key, fields=known_fields(page.revision))
    if checked.errors:
        return _text_again(request, page, checked)
    first, *others = checked.manifests
    edits = [Edit(key, first, seen_in(request) if key else None), *(Edit(None, manifest) for manifest in others)]
    try:
        with edited_draft(request, page) as draft:
            operation = draft_edits.put_edits(access.member, draft, edits)
            keep_text(page.cluster, checked.manifests, text)
    except DraftConflict as conflict:
        now = next((one.now for one in conflict.clashes if one.key == key), None)
        more = {"text": text, "key": key, "now": now.hex() if now else ""}
        return refused(request, access, draft.draft, conflict, doing="edit", **more)
    except (NotFound, Forbidden):
        raise
    except Problem as problem:
        return _text_again(request, page, checked, problem)
    new = object_key(first)
    place = editor_place(request, page)
    before = page.url("object", **key_query(key)) if key else page.url(table_tab(new))
    tell(request, page, operation, place(key) if place else before)
    return go(request, place(new) if place else draft_url(page.url("object", **key_query(new)), draft.draft))


def _text_again(
    request: HttpRequest, page: PageContext, checked: Checked, problem: Problem | None = None
) -> HttpResponse:
    """Return the editor with the text that somebody sent, and what is wrong with it."""
    sent = {"base": base_in(request), "seen": text_param(request.POST, "seen", ADDRESS_LENGTH), "problem": problem}
    context = _page(page, key_in(request.POST), text_in(request), checked, **sent)
    return render(request, "clusters/editor/object.html", context, status=422)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def delete(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Delete the objects that the form names (key fields, or names of nodes) in the draft."""
    page = read_page_context(access, cluster, in_draft(request.POST))
    key = key_in(request.POST)
    keys = [key] if key else [Key("Node", "", name) for name in _names(request)]
    try:
        with edited_draft(request, page) as draft:
            operation = draft_edits.put_deletions(access.member, draft, keys, seen_in(request))
    except DraftConflict as conflict:
        return refused(request, access, draft.draft, conflict, doing="delete")
    place = editor_place(request, page)
    to = place(None) if place else _back(request, page) if not key else page.url(table_tab(key))
    tell(request, page, operation, place(key) if place else to)
    return go(request, draft_url(to, draft.draft))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def change_nodes(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Cordon, uncordon, taint, untaint, label or unlabel the nodes that the form names, or delete them."""
    if request.POST.get("what") == "delete":
        return delete(request, slug=access.workspace.slug, cluster=cluster)
    page = read_page_context(access, cluster, in_draft(request.POST))
    change = _change(request.POST)
    with edited_draft(request, page) as draft:
        operation = draft_edits.put_nodes(access.member, draft, _names(request), change)
    to = _back(request, page)
    tell(request, page, operation, to)
    return go(request, draft_url(to, draft.draft))


def _back(request: HttpRequest, page: PageContext) -> str:
    """Return the page of the cluster that the form came from, the table of nodes otherwise."""
    back = text_param(request.POST, "back", 2_000)
    here = f"/w/{page.access.workspace.slug}/clusters/{page.cluster.slug}/"
    return own_address(request, back, page.url("nodes"), below=here)


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
