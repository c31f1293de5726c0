"""The page of a synthetic cluster: a description as form and YAML, what it comes to, and the button that makes it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, led_before, once
from dashboard.clusters.generating import actions, form, form_edits
from dashboard.clusters.generating.preview import preview_of
from dashboard.clusters.generating.recipes import FIRST, RECIPES
from dashboard.clusters.importing.progress import reported_progress
from dashboard.clusters.models import NAME_LENGTH, TOKEN_LENGTH, Cluster
from dashboard.clusters.revisions.actions import DOING
from dashboard.clusters.revisions.object_store import store_manifests
from dashboard.clusters.revisions.page_context import cluster_of
from dashboard.clusters.yaml_text import MAX_TEXT, text_in
from dashboard.common.http.htmx import Templates, go, is_htmx, render_page
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.http.undo import tell_with_link
from dashboard.common.problems import NotFound, Problem, TooLarge
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access

PAGE = Templates("clusters/generating/page.html", "clusters/generating/_stage.html")
_MAX_ACTION = 120
_CLUSTERS_OFFERED = 500


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def generate(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the page of a description: one to begin with, or the one sent, with the edits of its form written in."""
    if request.method != "POST":
        recipe = RECIPES[choice_param(request.GET, "recipe", tuple(RECIPES), FIRST)]
        into = text_param(request.GET, "cluster", 50)
        return render_page(request, PAGE, _context(access, recipe.text, into=into, recipe=recipe.name))
    problem = None
    text = text_in(request)
    try:
        text = _edited(request, text)
    except Problem as refused:
        problem = refused
    return render_page(request, PAGE, _context(access, text, problem=problem, **_chosen(request)))


def _edited(request: HttpRequest, text: str) -> str:
    """Return the text with what was changed in the form and what the button says."""
    shown = request.POST.get("shown", "").replace("\r\n", "\n")
    if len(shown) > MAX_TEXT:
        raise TooLarge("The description is too long.")
    fields = {name: value for name, value in request.POST.items() if isinstance(value, str)}
    return form_edits.done(form_edits.edited(text, shown, fields), text_param(request.POST, "do", _MAX_ACTION))


def _chosen(request: HttpRequest) -> dict[str, str]:
    """Return where the result is to go, as the form says."""
    return {"into": text_param(request.POST, "into", 50), "name": text_param(request.POST, "name", NAME_LENGTH)}


def _context(access: Access, text: str, **more: Any) -> dict[str, Any]:
    preview = preview_of(text)
    return {
        "text": text,
        "form": form.form_of(text, preview.findings),
        "preview": preview,
        "recipes": RECIPES.values(),
        "shapes": SHAPES.values(),
        "size_lists": SIZE_LISTS.values(),
        "processes": form.PROCESS_LABELS.items(),
        "clusters": clusters_offered(access),
        "other_seed": secrets.randbelow(10**8),
        "token": secrets.token_hex(TOKEN_LENGTH // 2),
        **more,
    }


def clusters_offered(access: Access) -> QuerySet[Cluster]:
    """Return the clusters that a draft can be made of, by name."""
    clusters = Cluster.objects.filter(workspace=access.workspace, archived_at=None)
    return clusters.order_by("name")[:_CLUSTERS_OFFERED]


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def make(request: HttpRequest, access: Access) -> HttpResponse:
    """Make a new cluster, or a draft of one (`into`), of the description, and a timeline of its arrivals."""
    text = text_in(request)
    chosen = _chosen(request)
    try:
        text = _edited(request, text)
        location = _made(request, access, text, chosen)
    except Problem as problem:
        led_before(request)
        if isinstance(problem, NotFound) or problem.status in (403, 413) or is_htmx(request):
            raise
        return render(request, PAGE.page, _context(access, text, problem=problem, **chosen), status=422)
    return go(request, location)


def _made(request: HttpRequest, access: Access, text: str, chosen: dict[str, str]) -> str:
    cluster = cluster_of(access, chosen["into"]) if chosen["into"] else None
    preview = preview_of(text)
    if preview.plan is None:
        raise Problem(preview.errors[0].text(), title="The description has errors")
    with reported_progress(access.user, text_param(request.POST, "reading", TOKEN_LENGTH)) as report_progress:
        parts = actions.generated_parts(preview.plan, report_progress)
    added = actions.added_objects(cluster, parts) if cluster is not None else None
    return stored(request, access, parts, added, chosen["name"])


def stored(
    request: HttpRequest, access: Access, parts: actions.GeneratedParts, added: actions.AddedObjects | None, name: str
) -> str:
    """Store the parts as a new cluster of that name, or what is added to one as its draft; return its address."""
    with before_once(request):
        # Compressing takes most of the time; what is stored by its address needs no transaction.
        store_manifests(access.workspace.pk, parts.contents.stored)
    with once(request) as claim:
        here = {"slug": access.workspace.slug}
        if added is None:
            made = actions.make_cluster(access.member, name, parts)
            timeline = made.timeline
            location = reverse("clusters:detail", kwargs={**here, "cluster": made.cluster.slug})
        else:
            drafted = actions.make_draft(access.member, added, parts)
            timeline = drafted.timeline
            place = {**here, "cluster": added.base.cluster.slug, "draft_id": drafted.draft.pk}
            location = reverse("clusters:draft", kwargs=place)
        claim.leads_to(location)
    said = f"{parts.title}: {len(parts.made.manifests):,} objects"
    if timeline is None:
        messages.success(request, said)
    else:
        said += f', and {timeline.n_entries:,} entries in the timeline "{timeline.timeline.name}"'
        arrivals = reverse("clusters:timeline", kwargs={**here, "timeline": timeline.timeline.slug})
        tell_with_link(request, said, arrivals, "Edit the arrivals")
    return location
