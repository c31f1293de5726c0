"""What the text of the configuration editor would change: the panel beside it, and the page of a stored result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.configurations.checking import reading_of
from dashboard.clusters.documents.actions import DOING
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.params import bool_param, choice_param, int_param, text_param
from dashboard.preview.actions import Turn, ask_what_changes
from dashboard.preview.models import PreviewResult
from dashboard.preview.panel import ProgressPanel
from dashboard.preview.queries import result_numbered, results_for
from dashboard.preview.result_page import ResultPage
from dashboard.preview.result_panel import GROUP_LABELS, ResultPanel
from dashboard.preview.subject import subject_named
from dashboard.runs import chosen
from scheduler_core.manifests import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

LAST_START, LAST_TURN = 10**7, 100_000


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def what_changes(request: HttpRequest, access: Access) -> HttpResponse:
    """Return how far the two runs are, or what differs between them, on a cluster's newest revision or a run."""
    text = text_in(request)
    on = text_param(request.POST, "preview_on", 60)
    before = text_param(request.POST, "before", 120) or chosen.DEFAULT_NAME
    subject = subject_named(access.workspace, on, before, text)
    reading = reading_of(text, UNKNOWN)
    if reading.configuration is None:
        errors = [finding for finding in reading.findings if finding.severity == "error"]
        return render(request, "preview/_invalid.html", {"finding": errors[0], "n_errors": len(errors)})
    turn = Turn(
        number=int_param(request.POST, "turn", 0, high=LAST_TURN),
        asker=text_param(request.POST, "asker", 40),
        is_automatic=bool_param(request.POST, "automatic"),
    )
    asked = ask_what_changes(access.member, subject, turn)
    if isinstance(asked, PreviewResult):
        results = results_for(access.member, subject.document) if subject.document is not None else []
        context = {"panel": _panel(asked, request.POST), "results": results, "document": subject.document}
        return render(request, "preview/_answer.html", context)
    return render(request, "preview/_progress.html", {"panel": ProgressPanel(asked, subject.before_label, turn.number)})


@workspace_view(Role.VIEWER)
def result(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the page of a stored result; `group` and `start` say which pods are listed."""
    panel = _panel(result_numbered(access.workspace, number), request.GET)
    return render(request, "preview/result.html", {"page": ResultPage(access.workspace, panel), "panel": panel})


def _panel(result: PreviewResult, query: Mapping[str, str]) -> ResultPanel:
    group = choice_param(query, "group", ("", *GROUP_LABELS), "")
    return ResultPanel(result, group, int_param(query, "start", 0, high=LAST_START))
