"""What the text of the configuration editor would change: the panel beside it, pages of computations and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import redirect, render

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import framed, wants_part
from dashboard.common.http.params import bool_param, choice_param, int_param, text_param
from dashboard.documents.actions import DOING
from dashboard.documents.configurations.checking import read_configuration
from dashboard.documents.configurations.kind import CONFIGURATION
from dashboard.preview import actions
from dashboard.preview.models import PreviewResult
from dashboard.preview.pages import ProgressPage, ResultPage, preview_list_for
from dashboard.preview.panel import ProgressPanel
from dashboard.preview.queries import computation_numbered, find_computation, find_result, result_numbered
from dashboard.preview.result_panel import GROUP_LABELS, ResultPanel
from dashboard.preview.subject import subject_named
from dashboard.runs import chosen
from scheduler_core.manifests import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.documents.models import SchedulerConfig
    from dashboard.preview.models import Computation

LAST_START = 10**7


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def what_changes(request: HttpRequest, access: Access) -> HttpResponse:
    """Return what differs between the two runs, on a cluster's newest revision or a run, or how far they are.

    With `look`, nothing is begun: nothing is said where nobody has asked.
    """
    text = text_in(request)
    on = text_param(request.POST, "preview_on", 60)
    before = text_param(request.POST, "before", 120) or chosen.DEFAULT_NAME
    subject = subject_named(access.workspace, on, before, text)
    if bool_param(request.POST, "look"):
        outcome = find_result(access.workspace, subject) or find_computation(access.workspace, subject)
        if outcome is None:
            return render(request, "preview/_not_asked.html")
        return _part(request, access, outcome, subject.document)
    reading = read_configuration(text, UNKNOWN)
    if reading.configuration is None:
        errors = [finding for finding in reading.findings if finding.severity == "error"]
        return render(request, "preview/_not_asked.html", {"finding": errors[0], "n_errors": len(errors)})
    asked = actions.ask_what_changes(access.member, subject, bool_param(request.POST, "automatic"))
    return _part(request, access, asked, subject.document)


@workspace_view(Role.VIEWER)
def computation(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the page of a computation, or with `panel` the part beside the editor; leads to its result."""
    one = computation_numbered(access.workspace, number)
    if bool_param(request.GET, "panel"):
        result = result_numbered(access.workspace, one.result_id) if one.result_id else None
        return _part(request, access, result or one, one.document)
    if one.result_id:
        return _to_result(request, access, one.result_id)
    page = ProgressPage(ProgressPanel(one), access.member.may(Role.EDITOR))
    context = {"page": page, "panel": page.panel, "of": one, "subject": page.subject}
    return render(request, "preview/computation.html", {**context, **framed(request)})


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def cancel(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Cancel a computation, by anybody's request; leads to its page, or returns the part for the `panel`."""
    one = actions.cancel(access.member, number)
    if bool_param(request.POST, "panel"):
        return _part(request, access, one, one.document)
    return redirect("preview:computation", access.workspace.slug, one.pk)


@workspace_view(Role.VIEWER)
def computed(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of what was and is computed of a configuration, or of new ones."""
    slug = text_param(request.GET, "document", 120)
    document = CONFIGURATION.find(access, slug) if slug else None
    return render(request, "preview/_results.html", _listed(access, document))


@workspace_view(Role.VIEWER)
def result(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the page of a stored result; `group` and `start` say which pods are listed."""
    panel = _panel(result_numbered(access.workspace, number), request.GET)
    context = {
        "page": ResultPage(access.workspace, panel),
        "panel": panel,
        "of": panel.result,
        "subject": panel.subject,
    }
    return render(request, "preview/result.html", context)


def _part(
    request: HttpRequest, access: Access, outcome: PreviewResult | Computation, document: SchedulerConfig | None
) -> HttpResponse:
    listed = _listed(access, document)
    if isinstance(outcome, PreviewResult):
        return render(request, "preview/_answer.html", {"panel": _panel(outcome, request.POST), **listed})
    return render(request, "preview/_progress.html", {"panel": ProgressPanel(outcome), **listed})


def _listed(access: Access, document: SchedulerConfig | None) -> dict[str, object]:
    return {"listed": preview_list_for(access.member, document), "document": document}


def _to_result(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    to = redirect("preview:result", access.workspace.slug, number)
    return HttpResponse(headers={"HX-Redirect": to["Location"]}) if wants_part(request) else to


def _panel(result: PreviewResult, query: Mapping[str, str]) -> ResultPanel:
    group = choice_param(query, "group", ("", *GROUP_LABELS), "")
    return ResultPanel(result, group, int_param(query, "start", 0, high=LAST_START))
