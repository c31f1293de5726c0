"""The page of a synthetic cluster: a description as form and YAML, what it comes to, and the button that makes it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import led_before
from dashboard.clusters.background.asking import JobRequest, answered
from dashboard.clusters.editor.guide_views import guide_response
from dashboard.clusters.models import NAME_LENGTH, Cluster
from dashboard.clusters.revisions.actions import DOING, free_name
from dashboard.clusters.yaml_text import MAX_TEXT, text_in
from dashboard.common.http.htmx import is_htmx, render_page
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.problems import NotFound, Problem, TooLarge
from dashboard.generating import form, form_edits, jobs
from dashboard.generating.form_edits import EditedText
from dashboard.generating.preview import build_preview
from dashboard.generating.recipes import FIRST, RECIPES
from scheduler_core.workloads.generator.description_guide import description_guide_json
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.generating.preview import DescriptionPreview

PAGE = "clusters/generating/page.html"
_MAX_ACTION = 2_000
_CLUSTERS_OFFERED = 500
SMALL_OBJECTS = 2_000
"""Nodes and pods that are made within a request; a worker makes more."""


@workspace_view(Role.EDITOR)
def description_guide(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the fields of descriptions of synthetic clusters."""
    return guide_response(request, description_guide_json)


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def generate(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the page of a description: one to begin with, or the one sent, with the edits of its form written in."""
    if request.method != "POST":
        recipe = RECIPES[choice_param(request.GET, "recipe", tuple(RECIPES), FIRST)]
        into = text_param(request.GET, "cluster", 50)
        return render_page(request, PAGE, _context(access, recipe.text, into=into, recipe=recipe.name))
    text = text_in(request)
    try:
        edited = _edited(request, text)
    except Problem as refused:
        edited = EditedText(text, refused)
    return render_page(request, PAGE, _context(access, edited.text, problem=edited.refused, **_chosen(request)))


def _edited(request: HttpRequest, text: str) -> EditedText:
    """Return the text with what was changed in the form and what the button says."""
    shown = request.POST.get("shown", "").replace("\r\n", "\n")
    if len(shown) > MAX_TEXT:
        raise TooLarge("The description is too long.")
    fields = {name: value for name, value in request.POST.items() if isinstance(value, str)}
    edited = form_edits.edited(text, shown, fields)
    action = text_param(request.POST, "do", _MAX_ACTION)
    return edited._replace(text=form_edits.done(edited.text, action))


def _chosen(request: HttpRequest) -> dict[str, str]:
    """Return where the result is to go, as the form says."""
    return {"into": text_param(request.POST, "into", 50), "name": text_param(request.POST, "name", NAME_LENGTH)}


def _context(access: Access, text: str, **more: Any) -> dict[str, Any]:
    preview = build_preview(text)
    return {
        "text": text,
        "form": form.description_form(text, preview.findings),
        "preview": preview,
        "recipes": RECIPES.values(),
        "shapes": SHAPES.values(),
        "size_lists": SIZE_LISTS.values(),
        "processes": form.PROCESS_LABELS.items(),
        "clusters": clusters_offered(access),
        "other_seed": secrets.randbelow(10**8),
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
        text, refused = _edited(request, text)
        if refused:
            raise refused
        if not chosen["into"]:
            free_name(access.workspace, chosen["name"])
        arguments = {"text": text, **chosen}
        asked = JobRequest(jobs.GENERATE, "Generate a cluster", arguments, is_small=_is_small(build_preview(text)))
        return answered(request, access, asked, reverse("clusters:generate", args=[access.workspace.slug]))
    except Problem as problem:
        led_before(request)
        if isinstance(problem, NotFound) or problem.status in (403, 413) or is_htmx(request):
            raise
        return render(request, PAGE, _context(access, text, problem=problem, **chosen), status=422)


def _is_small(preview: DescriptionPreview) -> bool:
    """Return whether the objects are made within a request; a description with errors is refused there."""
    plan = preview.plan
    return plan is None or plan.description.n_nodes + len(plan.pods) <= SMALL_OBJECTS
