"""Addresses of dashboard.following."""

from __future__ import annotations

from django.urls import path

from dashboard.following.live_page import views
from dashboard.following.receiving import views as receive_views

app_name = "following"
CLUSTER = "w/<slug:slug>/clusters/<slug:cluster>/live/"

urlpatterns = [
    path("w/<slug:slug>/collect/<slug:cluster>/", receive_views.collect, name="collect"),
    path(CLUSTER, views.live, name="live"),
    path(f"{CLUSTER}why", views.why, name="why"),
    path(f"{CLUSTER}version", views.follow_version, name="version"),
    path(f"{CLUSTER}compare", views.compare, name="compare"),
    path(f"{CLUSTER}compare/stop", views.stop_comparing, name="stop_comparing"),
]
