"""Asking for a review of something other than a run: the form, from wherever one looks at it, and what it sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import render

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.clusters.models import Cluster
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import go
from dashboard.common.problems import Problem
from dashboard.review import links
from dashboard.review.deciding.asking import ask_about
from dashboard.review.deciding.rules import MOST_APPROVALS, ROLES
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.models import TITLE_LENGTH, SubjectKind
from dashboard.review.request_form import RequestFields, request_in
from dashboard.review.writing.text import TEXT_LIMIT
from dashboard.runs.models import Run, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from dashboard.review.deciding.subjects import NewSubject

CLUSTERS_LISTED, RUNS_LISTED = 200, 50
DOING = "ask for reviews"


@workspace_view(Role.REVIEWER, doing=DOING)
def new(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for a review of what the address names: ?a=&b=, ?cluster=&draft=, ?timeline=&draft=,
    ?cluster=&revision=&base=, ?configuration=&revision=&before=."""
    return _form(request, access, subject_in(access.member, request.GET), {})


@workspace_view(Role.REVIEWER, WRITE, doing=DOING)
def new_of_text(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for a review of a configuration's text that is not saved, as its editor sends it."""
    named = {"configuration": request.POST.get("thing", ""), "text": text_in(request)}
    return _form(request, access, subject_in(access.member, named), {})


@workspace_view(Role.REVIEWER, WRITE, doing=DOING)
def ask_new(request: HttpRequest, access: Access) -> HttpResponse:
    """Ask for the review and lead to it; where that is refused, return the form as it was sent, with the reason."""
    subject = subject_in(access.member, request.POST.dict())
    try:
        with once(request) as claim:
            review = ask_about(access.member, subject, request_in(request.POST))
            to = claim.leads_to(links.review_url(access.workspace.slug, review))
    except Problem as problem:
        refused = {"problem": problem, "fields": RequestFields.sent(request.POST.dict())}
        return _form(request, access, subject, refused, problem.status)
    return go(request, to)


def _form(
    request: HttpRequest, access: Access, subject: NewSubject, more: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    context = {
        "subject": subject,
        "is_configuration": subject.kind == SubjectKind.CONFIGURATION,
        "is_draft": "draft" in subject.named_by,
        "clusters": Cluster.objects.filter(workspace=access.workspace, archived_at=None)[:CLUSTERS_LISTED],
        "on_run": subject.columns.get("proposal", {}).get("run", (None,))[0],
        "fields": RequestFields(),
        "effect_runs": _effect_runs(access) if subject.kind == SubjectKind.CONFIGURATION else (),
        "rule_roles": ROLES,
        "most_approvals": MOST_APPROVALS,
        "title_length": TITLE_LENGTH,
        "text_limit": TEXT_LIMIT,
        **more,
    }
    return render(request, "review/new.html", context, status=status)


def _effect_runs(access: Access) -> QuerySet[Run]:
    runs = Run.objects.filter(workspace=access.workspace, state=State.FINISHED)
    return runs.order_by("-number")[:RUNS_LISTED]
