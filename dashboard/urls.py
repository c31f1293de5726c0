"""The addresses of the dashboard, app by app."""

from __future__ import annotations

from django.urls import include, path

from dashboard.common.observability import healthz, metrics

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("", include("dashboard.common.urls")),
    path("", include("dashboard.accounts.urls")),
    path("", include("dashboard.clusters.urls")),
    path("", include("dashboard.runs.urls")),
    path("", include("dashboard.debugger.urls")),
    path("", include("dashboard.review.urls")),
    path("", include("dashboard.live.urls")),
]

handler400 = "dashboard.common.problems.page_400"
handler403 = "dashboard.common.problems.page_403"
handler404 = "dashboard.common.problems.page_404"
handler500 = "dashboard.common.problems.page_500"
