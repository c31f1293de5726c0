"""The page of a query as a tab of a run and of the workspace, its CSV, and saved searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.common.http.htmx import framed, wants_part
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import INT32_MAX, bool_param, int_param, optional_int, text_param
from dashboard.common.pages.keys import KeyCommand, as_json, footer_keys
from dashboard.common.problems import BadQuery, NotFound
from dashboard.debugger.keys import BY_NAME, PLACES
from dashboard.debugger.state_views import run_bar
from dashboard.query.saved import change_search, delete_search, find_link, find_search, make_link, save_search
from dashboard.runs.actions import find_run
from dashboard.runs.breakpoints.attachments import attach
from dashboard.runs.breakpoints.definitions import MAX_HIT_COUNT, BreakpointFields, prepare_breakpoint
from dashboard.runs.models import Run
from dashboard.search.query_page.address import PRESET, SearchAddress, address_of_cycles, search_address
from dashboard.search.query_page.export import csv_lines
from dashboard.search.query_page.panel import QueryPage, standing_of
from dashboard.search.query_page.saved_counts import SavedCounts, count_by_chunks

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase
    from django.http import HttpRequest

VARY = ("HX-Request", "HX-Target")
HITS = "Query and hits"
# The table takes those of rows itself.
KEYS = (
    KeyCommand("query", ("/",), "Write a query", HITS, foot="query"),
    KeyCommand("complete", ("Tab",), "Take the completion", HITS, foot="complete", by_pane=True),
    KeyCommand("fields", ("F1",), "All fields", HITS, foot="all fields", by_pane=True),
    KeyCommand("next-hit", ("j", "n"), "Next hit", HITS, foot="next hit", by_pane=True),
    KeyCommand("previous-hit", ("k", "Shift+N"), "Previous hit", HITS, foot="previous hit", by_pane=True),
    KeyCommand("open-hit", ("Enter",), "Open the hit in the debugger", HITS, foot="open", by_pane=True),
    KeyCommand("save", ("Mod+s",), "Save this search", HITS, foot="save"),
    *(key for key in BY_NAME.values() if key.group == PLACES),
)


@workspace_view()
def of_run(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Hits of ?q= in a run; to htmx the results."""
    return _shown(request, access, find_run(access.workspace, number))


@workspace_view()
def of_workspace(request: HttpRequest, access: Access) -> HttpResponse:
    """Hits of ?q= in the ?runs= of the workspace, without these in all of them; to htmx the results."""
    if "at" in request.GET:
        # Pages that were open before the names were at an address of their own.
        return redirect(f"{reverse('search:results', args=[access.workspace.slug])}?{request.GET.urlencode()}")
    return _shown(request, access, None)


@workspace_view()
def cycles(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Lead addresses of the list of cycles to the search for them."""
    run = find_run(access.workspace, number)
    return redirect(address_of_cycles(access.workspace.slug, run, request.GET).url())


@workspace_view()
def short(request: HttpRequest, access: Access, key: int, number: int | None = None) -> HttpResponse:
    """Lead the short address of a saved search to its hits, in a run or in the workspace."""
    run = None if number is None else find_run(access.workspace, number)
    query = find_search(access.member, key).query
    return redirect(SearchAddress(access.workspace.slug, run.number if run else None, q=query).url())


@workspace_view(Role.VIEWER, WRITE)
def make_short_link(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the short address of the search in the query, that of ?run= or of the workspace, as text."""
    number = optional_int(request.GET, "run", 1, INT32_MAX)
    run = None if number is None else find_run(access.workspace, number).number
    link = make_link(access.member, run, search_address(access.workspace.slug, run, request.GET).first().query)
    path = reverse("search:link", args=[access.workspace.slug, link.code])
    return HttpResponse(f"{site_address(request)}{path}", content_type="text/plain; charset=utf-8")


@workspace_view()
def short_link(request: HttpRequest, access: Access, code: str) -> HttpResponse:
    """Lead a short address to the search that it was made of."""
    link = find_link(access.workspace, code)
    return redirect(f"{SearchAddress(access.workspace.slug, link.run).path}?{link.query}")


def _page(request: HttpRequest, access: Access, run: Run | None) -> QueryPage:
    address = search_address(access.workspace.slug, run.number if run else None, request.GET)
    return QueryPage(access, address, run, recent_queries=remembered(request.session, access))


def _shown(request: HttpRequest, access: Access, run: Run | None) -> HttpResponse:
    standing = text_param(request.GET, "known", 60) if run and wants_part(request) else ""
    if run and standing == standing_of(run):
        return HttpResponse(status=204)
    page = _page(request, access, run)
    context = {
        "page": page,
        "run": run,
        "tab": "search",
        "declared_keys": as_json(KEYS),
        "footer_keys": footer_keys(KEYS),
        **(run_bar(run) if run else {}),
        **framed(request),
    }
    status = 200
    if page.error is None:
        remember(request.session, access, page.address.q)
        page.recent_queries = remembered(request.session, access)
    elif wants_part(request):
        # htmx paints an answer with this status as any other.
        status = 422
    response = render(request, "search/query_page/page.html", context, status=status)
    if standing:
        response["HX-Trigger"] = "search:grew"
    if run is not None and not Run.objects.filter(pk=run.pk).exists():
        raise NotFound(f"Run {run.number} was deleted a moment ago.")
    patch_vary_headers(response, VARY)
    return response


@workspace_view()
def run_csv(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The hits in a run as CSV."""
    return _csv(_page(request, access, find_run(access.workspace, number)), f"run-{number}-hits.csv")


@workspace_view()
def workspace_csv(request: HttpRequest, access: Access) -> HttpResponse:
    """The hits in runs of the workspace as CSV."""
    return _csv(_page(request, access, None), "hits.csv")


def _csv(page: QueryPage, name: str) -> HttpResponse:
    if page.error is not None:
        raise BadQuery(page.error.text())
    response = StreamingHttpResponse(csv_lines(page), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return cast("HttpResponse", response)


# ---------------------------------------------------------------- saved searches


@workspace_view()
def saved_counts(request: HttpRequest, access: Access) -> HttpResponse:
    """The lists of searches with counts of hits in ?run= or ?runs=; with ?turn= that of ?q= alone, read by a worker."""
    number = optional_int(request.GET, "run", 1, INT32_MAX)
    page = _page(request, access, None if number is None else find_run(access.workspace, number))
    if "turn" not in request.GET:
        page.side.counts = SavedCounts(page.runs)
        return render(request, "search/query_page/_lists.html", {"side": page.side})
    if page.query is None:
        raise BadQuery(page.error.text() if page.error else "There is no query.")
    count = count_by_chunks(access, page.runs, page.query, page.address.turn)
    url = page.side.count_url(page.address.q, count.next_turn or 0)
    return render(request, "search/query_page/_saved_count.html", {"count": count, "count_url": url})


@workspace_view(Role.EDITOR, WRITE, doing="work with breakpoints here")
def as_breakpoint(request: HttpRequest, access: Access) -> HttpResponse:
    """Make a breakpoint of the query of the form; with `on` it is attached to the form's run."""
    number = optional_int(request.POST, "run", 1, INT32_MAX)
    fields = BreakpointFields(
        request.POST.get("name", ""),
        request.POST.get("q", ""),
        int_param(request.POST, "hit_count", default=1, low=1, high=MAX_HIT_COUNT),
    )
    with before_once(request):
        make = prepare_breakpoint(access.member, fields)
    with once(request) as claim:
        run = None if number is None else find_run(access.workspace, number)
        made = make()
        if run is not None and bool_param(request.POST, "on"):
            attach(access.member, run, made)
        to = claim.leads_to(_back(request, access, made.query))
    return redirect(to)


@workspace_view(Role.VIEWER, WRITE)
def save(request: HttpRequest, access: Access) -> HttpResponse:
    """Keep the query of the form under a name."""
    made = save_search(
        access.member, request.POST.get("name", ""), request.POST.get("q", ""), bool_param(request.POST, "shared")
    )
    return redirect(_back(request, access, made.query))


@workspace_view(Role.VIEWER, WRITE)
def change(request: HttpRequest, access: Access, key: int) -> HttpResponse:
    """Rename a saved search, share it or not."""
    search = find_search(access.member, key)
    changed = change_search(access.member, search, request.POST.get("name", ""), bool_param(request.POST, "shared"))
    return redirect(_back(request, access, changed.query))


@workspace_view(Role.VIEWER, WRITE)
def delete(request: HttpRequest, access: Access, key: int) -> HttpResponse:
    """Delete a saved search."""
    search = find_search(access.member, key)
    query = search.query
    delete_search(access.member, search)
    return redirect(_back(request, access, query))


def _back(request: HttpRequest, access: Access, query: str) -> str:
    """Where the form came from: the run's page or the workspace's, with the query."""
    number = optional_int(request.POST, "run", 1, INT32_MAX)
    if number is not None and not Run.objects.filter(workspace=access.workspace, number=number).exists():
        number = None
    return SearchAddress(access.workspace.slug, number, q=query).url()


# ---------------------------------------------------------------- queries of late

# How many are kept in the session, of at most how many characters.
KEPT, LONGEST = 6, 300
_IN_SESSION = "queries_asked"


def remembered(session: SessionBase, access: Access) -> list[str]:
    """Return what the member asked in this workspace, the last one first."""
    queries: list[str] = session.get(_IN_SESSION, {}).get(str(access.workspace.pk), [])
    return queries


def remember(session: SessionBase, access: Access, query: str) -> None:
    """Put a query in front; one that everybody begins with, or a very long one, is not kept."""
    before = remembered(session, access)
    if query == PRESET or len(query) > LONGEST or before[:1] == [query]:
        return
    latest = [query, *(one for one in before if one != query)][:KEPT]
    session[_IN_SESSION] = session.get(_IN_SESSION, {}) | {str(access.workspace.pk): latest}
