"""Addresses of dashboard.generating; their names are in the namespace of clusters."""

from __future__ import annotations

from django.urls import path

from dashboard.generating import scheduler_perf_views as scheduler_perf
from dashboard.generating import views as generating

HERE = "w/<slug:slug>/generate/"

urlpatterns = [
    path(HERE, generating.generate, name="generate"),
    path(f"{HERE}fields", generating.description_guide, name="description_guide"),
    path(f"{HERE}make", generating.make, name="make_generated"),
    path(f"{HERE}scheduler-perf/", scheduler_perf.choose, name="scheduler_perf"),
    path(f"{HERE}scheduler-perf/make", scheduler_perf.make_case, name="make_scheduler_perf"),
]
