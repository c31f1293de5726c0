"""The Live page of a followed cluster, and what its buttons do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpResponse

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.agreement.why_views import answer_or_progress
from dashboard.clusters.models import Following
from dashboard.clusters.models.following import VERSION_LENGTH
from dashboard.clusters.revisions.page_context import NAME_LIMIT, read_page_context
from dashboard.common.http.htmx import go, render_page, wants_part
from dashboard.common.http.params import text_param
from dashboard.common.pages.keys import as_json, footer_keys
from dashboard.common.problems import NotFound
from dashboard.following.comparing import actions as comparing
from dashboard.following.live_page import actions
from dashboard.following.live_page.keys import KEYS
from dashboard.following.live_page.page import LivePage
from dashboard.following.moments import versions

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access

PAGE = "following/live.html"


@workspace_view()
def live(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Return the page, or its part; 204 where what the page has ?seen= is as it is now."""
    page = LivePage(_find(access, cluster), request.GET)
    if wants_part(request) and text_param(request.GET, "seen", 40) == page.seen:
        return HttpResponse(status=204)
    here = read_page_context(access, cluster, {})
    keys = {"declared_keys": as_json(KEYS), "footer_keys": footer_keys(KEYS)}
    return render_page(request, PAGE, here.context("live", **page.context(), **keys))


@workspace_view(Role.EDITOR, WRITE, doing="start runs here")
def why(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Keep the state as of now, find or start the run that answers why ?pod= waits, and lead to its answer."""
    pod = text_param(request.POST, "pod", NAME_LIMIT)
    return go(request, answer_or_progress(actions.why_now(access.member, _find(access, cluster), pod), pod))


@workspace_view(Role.EDITOR, WRITE, doing="follow another version")
def follow_version(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Have comparisons follow the version that the control plane has now."""
    version = text_param(request.POST, "version", VERSION_LENGTH)
    versions.follow_version(access.member, _find(access, cluster), version)
    messages.success(request, f"Comparisons follow {version} from where it began")
    return go(request, "following:live", slug=access.workspace.slug, cluster=cluster)


@workspace_view(Role.EDITOR, WRITE, doing=comparing.DOING)
def compare(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Have the last day compared with the engine, and by the hour from then on."""
    comparing.compare(access.member, _find(access, cluster))
    messages.success(request, "A worker compares the last day, and does so again each hour")
    return go(request, "following:live", slug=access.workspace.slug, cluster=cluster)


@workspace_view(Role.EDITOR, WRITE, doing=comparing.DOING)
def stop_comparing(request: HttpRequest, access: Access, cluster: str) -> HttpResponse:
    """Compare no more."""
    comparing.stop(access.member, _find(access, cluster))
    messages.success(request, "The cluster is compared no more; what was compared stays")
    return go(request, "following:live", slug=access.workspace.slug, cluster=cluster)


def _find(access: Access, slug: str) -> Following:
    rows = Following.objects.select_related("cluster__workspace")
    following = rows.filter(cluster__workspace=access.workspace, cluster__slug=slug).first()
    if following is None:
        raise NotFound("No collector follows a cluster of this name here.")
    return following
