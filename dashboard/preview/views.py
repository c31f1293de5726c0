"""What the text of the configuration editor would change; nothing of it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.answers.questions import WhatChangesOf
from dashboard.clusters.configurations.checking import reading_of
from dashboard.clusters.documents.actions import DOING
from dashboard.clusters.revisions.actions import newest_of
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.params import choice_param, int_param, text_param
from dashboard.common.problems import NotFound
from dashboard.preview.actions import ask_what_changes
from dashboard.preview.panel import GROUP_LABELS, ROWS, PreviewPanel
from dashboard.runs import chosen
from dashboard.runs.actions import find_run
from scheduler_core.manifests import UNKNOWN

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.runs.models import Run

LAST_START, LAST_TURN = 10**7, 100_000


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def what_changes(request: HttpRequest, access: Access) -> HttpResponse:
    """Return how far the two runs are, or what differs between them, on a cluster's newest revision or a run."""
    on = text_param(request.POST, "preview_on", 60)
    run = _run(access, on.removeprefix("run:")) if on.startswith("run:") else None
    revision = run.revision if run is not None else newest_of(access.workspace, on.removeprefix("cluster:"))
    before = chosen.named(access.workspace, text_param(request.POST, "before", 120) or chosen.DEFAULT_NAME)
    text = text_in(request)
    reading = reading_of(text, UNKNOWN)
    if reading.configuration is None:
        errors = [finding for finding in reading.findings if finding.severity == "error"]
        return render(request, "preview/_invalid.html", {"finding": errors[0], "n_errors": len(errors)})
    question = WhatChangesOf(
        before=before.name,
        after=text,
        run=run.pk if run is not None else 0,
        run_made=run.created_at.isoformat() if run is not None else "",
        group=choice_param(request.POST, "group", ("", *GROUP_LABELS), ""),
        start=int_param(request.POST, "start", 0, high=LAST_START),
        size=ROWS,
        turn=int_param(request.POST, "turn", 0, high=LAST_TURN),
    )
    panel = PreviewPanel(
        outcome=ask_what_changes(access.member, revision, question, text_param(request.POST, "asker", 40)),
        subject=str(revision),
        before=before.label if run is None else f"the configuration of run {run.number}",
        group=question.group,
        start=question.start,
        turn=question.turn,
    )
    return render(request, "preview/_answer.html", {"panel": panel})


def _run(access: Access, number: str) -> Run:
    if not number.isdecimal() or len(number) > 9:
        raise NotFound("There is no such run.")
    return find_run(access.workspace, int(number))
