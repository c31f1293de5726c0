"""On which nodes a pod would fit: of a saved or drafted cluster, and of a text that somebody is typing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec
from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.answers.questions import FitOf
from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.revisions.page_context import NAME_LIMIT, PageContext, key_in, read_page_context
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import render_page, wants_part
from dashboard.common.http.params import choice_param, text_param
from dashboard.fit.asking import ask, asked_draft
from dashboard.fit.panel import SORTS, FitPanel
from dashboard.runs import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.answers.outcomes import Outcome
    from dashboard.runs.chosen import ChosenConfiguration

PAGE = "fit/page.html"


@workspace_view()
def page(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Where the pod ?fit= of the cluster would fit."""
    here = read_page_context(access, cluster, request.GET)
    pod = text_param(request.GET, "fit", NAME_LIMIT)
    panel = None
    if pod:
        configuration = chosen.of_cluster(here.cluster)
        question = FitOf(config=configuration.name, pod=pod, **asked_draft(here))
        outcome, more = ask(here, question, request.GET)
        is_open = not wants_part(request) or "sort" in request.GET
        panel = _panel(
            here, configuration, outcome, request.GET, pod=pod, again=_address(here, request.GET, more), is_open=is_open
        )
    context = {"panel": panel, "fit_pod": pod, "waiting": _waiting(here)}
    return render_page(request, PAGE, here.context("overview", **context))


@workspace_view(Role.VIEWER, WRITE)
def typed(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Where the pod of the editor's text would fit, or ?fit= where the text is another object; nothing is stored."""
    here = read_page_context(access, cluster, request.POST)
    key = key_in(request.POST)
    checked = check_text(text_in(request), here.contents.by_key, key)
    if checked.errors:
        first = checked.errors[0]
        return render(request, "fit/_invalid.html", {"finding": first, "n_errors": len(checked.errors)})
    makes_pods = any(manifest.get("kind") == "Pod" or _has_template(manifest) for manifest in checked.manifests)
    pod = "" if makes_pods else text_param(request.POST, "fit", NAME_LIMIT)
    edits = msgspec.json.encode(checked.manifests).decode()
    configuration = chosen.of_cluster(here.cluster)
    question = FitOf(config=configuration.name, pod=pod, edits=edits, replaces=key or ("", "", ""), **asked_draft(here))
    outcome, more = ask(here, question, request.POST)
    panel = _panel(here, configuration, outcome, request.POST, pod=pod, again=urlencode(more), is_typed=True)
    return render(request, "fit/_answer.html", {"panel": panel})


def _panel(
    here: PageContext, configuration: ChosenConfiguration, outcome: Outcome, query: Mapping[str, str], **more: Any
) -> FitPanel:
    return FitPanel(
        outcome=outcome,
        subject="the draft" if here.draft else f"r{here.revision.number}",
        configuration=configuration.label,
        extenders_not_asked=configuration.extenders_not_asked,
        sort=choice_param(query, "sort", SORTS, SORTS[0]),
        path=_path(here),
        query=dict(query.items()),
        **more,
    )


def _address(here: PageContext, query: Mapping[str, str], more: Mapping[str, str]) -> str:
    parameters = {name: query[name] for name in ("fit", "r", "draft", "sort", "fit_page") if name in query}
    return f"{_path(here)}?{urlencode(parameters | dict(more), safe='/')}"


def _path(here: PageContext) -> str:
    return reverse("fit:page", args=[here.access.workspace.slug, here.cluster.slug])


def _waiting(here: PageContext) -> list[str]:
    rows = here.contents.rows.pods
    return [f"{row.namespace}/{row.name}" for row in rows if row.status in ("pending", "gated")][:100]


def _has_template(manifest: Mapping[str, Any]) -> bool:
    spec = manifest.get("spec")
    return isinstance(spec, dict) and ("template" in spec or "jobTemplate" in spec)
