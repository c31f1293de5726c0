"""Agreement of a cluster's dump with the real scheduler: the page, logs, a report to take along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import HttpResponse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.agreement import computing, decided_runs, export
from dashboard.agreement.computing import Asked
from dashboard.agreement.decided_runs import YOUNGER
from dashboard.agreement.export import csv_lines
from dashboard.agreement.models import AgreementResult, CollectedBundle
from dashboard.agreement.page import AgreementPage, address, choices
from dashboard.agreement.stored_rows import bound_rows, pending_rows
from dashboard.agreement.why_views import following
from dashboard.clusters.revisions.page_context import NAME_LIMIT, PageContext, read_page_context
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import go, render_page
from dashboard.common.http.params import INT32_MAX, choice_param, optional_int, text_param
from dashboard.common.problems import NotFound
from dashboard.documents.configurations import presets
from dashboard.runs import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.runs.chosen import ChosenConfiguration
    from scheduler_core.explain.agreement import AgreementFigures

PAGE = "agreement/page.html"
DOING = "compare clusters here"
MARKDOWN = "text/markdown; charset=utf-8"


@workspace_view()
def page(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the page of agreement: about the revision under ?config=, or about the scores of the log ?log=."""
    here, configuration = _subject(access, cluster, request.GET)
    log = _log(here, request.GET)
    asked = Asked(log) if log else computing.ask_in_a_moment(here.revision, configuration, request.GET)
    result = asked.result
    report = computing.read_report(result)
    more: dict[str, Any] = {
        "result": result,
        "asked": asked,
        "report": report,
        "configuration": configuration,
        "configurations": choices(here, configuration, presets.available()),
        "again": _again(request, asked),
        "page_url": address(here),
        "is_log": bool(result.log_sha256),
        "has_bundle": CollectedBundle.objects.filter(cluster=here.cluster).exists(),
        "config_given": text_param(request.GET, "config", 80),
    }
    if report is not None and report.pods is not None:
        more["shown"] = AgreementPage(here, configuration, result, report.pods, request.GET.dict())
    return render_page(request, PAGE, here.context("agreement", **more))


@workspace_view()
def download(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """The comparison as Markdown; raises NotFound while it is not there."""
    here, configuration = _subject(access, cluster, request.GET)
    result, figures = _made(here, configuration)
    text = export.markdown_report(here.revision, configuration, figures, result)
    return _file(here, "md", HttpResponse(text, content_type=MARKDOWN))


@workspace_view()
def download_csv(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Every pod of the comparison, a line each; raises NotFound while it is not there."""
    here, configuration = _subject(access, cluster, request.GET)
    result, figures = _made(here, configuration)
    pods = bound_rows(result, figures.standings), pending_rows(result, figures.messages)
    return _file(here, "csv", HttpResponse(csv_lines(*pods), content_type="text/csv; charset=utf-8"))


def _made(here: PageContext, configuration: ChosenConfiguration) -> tuple[AgreementResult, AgreementFigures]:
    result = computing.ask(here.revision, configuration)
    report = computing.read_report(result)
    if report is None or report.pods is None:
        raise NotFound("This comparison is not there yet. Open its page, and it is made.")
    return result, report.pods


def _file(here: PageContext, suffix: str, response: HttpResponse) -> HttpResponse:
    name = f"{here.cluster.slug}-r{here.revision.number}-agreement.{suffix}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def decide(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Find or start the run that decides ?pod= again, ?without=younger without the pods made after it, and lead to its
    matrix."""
    here, configuration = _subject(access, cluster, request.POST)
    pod = text_param(request.POST, "pod", NAME_LIMIT)
    without = YOUNGER if choice_param(request.POST, "without", ("", YOUNGER), "") else ""
    statuses = {f"{row.namespace}/{row.name}": row.status for row in here.contents.rows.pods}
    if statuses.get(pod) != "bound":
        raise NotFound(f"This revision has no bound pod {pod}.")
    run = decided_runs.find_or_start_run(access.member, here.revision, configuration, pod, without)
    return go(request, decided_runs.cycle_address(run, pod) or following(run, pod))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def again(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Decide everything again, and lead to the page."""
    here, configuration = _subject(access, cluster, request.POST)
    computing.ask_again(here.revision, configuration)
    return go(request, _address(here, request.POST))


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def compare_log(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Take a log's text or file, and lead to the comparison of its scores."""
    here, configuration = _subject(access, cluster, request.POST)
    file = request.FILES.get("log")
    given = file.read(computing.MAX_LOG_BYTES + 1) if file else text_in(request).encode()
    result = computing.ask_of_log(here.revision, configuration, given)
    return go(request, _address(here, request.POST, log=str(result.pk)))


def _subject(access: Access, cluster: str, query: Mapping[str, str]) -> tuple[PageContext, ChosenConfiguration]:
    """The revision, and the configuration that the query names; without one, that of the cluster."""
    here = read_page_context(access, cluster, query)
    name = text_param(query, "config", 80)
    return here, chosen.named(access.workspace, name) if name else chosen.of_cluster(here.cluster)


def _again(request: HttpRequest, asked: Asked) -> str:
    """The page's address, with the deadline where an answer worker is asked."""
    query = {name: value for name, value in request.GET.items() if name != "until"}
    if asked.waits:
        query["until"] = str(asked.until)
    return f"{request.path}?{urlencode(query)}" if query else request.path


def _log(here: PageContext, query: Mapping[str, str]) -> AgreementResult | None:
    key = optional_int(query, "log", low=1, high=INT32_MAX)
    if key is None:
        return None
    result = AgreementResult.objects.filter(pk=key, revision__cluster=here.cluster).exclude(log_sha256="").first()
    if result is None:
        raise NotFound("This log is not kept any more. Send it again.")
    return computing.go_on(result)


def _address(here: PageContext, query: Mapping[str, str], **more: str) -> str:
    named = {"config": text_param(query, "config", 80), "r": "" if here.is_newest else here.revision.number, **more}
    parameters = urlencode({name: value for name, value in named.items() if value})
    return f"{address(here)}?{parameters}" if parameters else address(here)
