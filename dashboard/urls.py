"""The addresses of the dashboard, app by app."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path

from dashboard.common.monitoring.views import healthz, metrics


def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Return the way to the icon; browsers ask for this address on pages without a head, such as /healthz."""
    return HttpResponseRedirect(static("common/favicon.svg"))


# One namespace for what runs are made from.
inputs = [
    path("", include("dashboard.clusters.urls")),
    path("", include("dashboard.documents.urls")),
    path("", include("dashboard.generating.urls")),
]
urlpatterns = [
    path("favicon.ico", favicon),
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("", include("dashboard.common.urls")),
    path("", include("dashboard.accounts.urls")),
    path("", include("dashboard.preview.urls")),
    path("", include((inputs, "clusters"))),
    path("", include("dashboard.agreement.urls")),
    path("", include("dashboard.fit.urls")),
    path("", include("dashboard.runs.urls")),
    path("", include("dashboard.query.urls")),
    path("", include("dashboard.debugger.urls")),
    path("", include("dashboard.compare.urls")),
    path("", include("dashboard.devices.urls")),
    path("", include("dashboard.capacity.urls")),
    path("", include("dashboard.upgrade.urls")),
    path("", include("dashboard.following.urls")),
    path("", include("dashboard.review.urls")),
    path("", include("dashboard.live.urls")),
    path("", include("dashboard.search.urls")),
    path("", include("dashboard.home.urls")),
]

handler400 = "dashboard.common.http.problem_pages.page_400"
handler403 = "dashboard.common.http.problem_pages.page_403"
handler404 = "dashboard.common.http.problem_pages.page_404"
handler500 = "dashboard.common.http.problem_pages.page_500"
