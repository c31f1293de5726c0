"""Addresses of dashboard.agreement."""

from __future__ import annotations

from django.urls import path

from dashboard.agreement import views, why_views
from dashboard.agreement.reality import views as reality_views

CLUSTER = "w/<slug:slug>/clusters/<slug:cluster>/"

app_name = "agreement"
urlpatterns = [
    path(f"{CLUSTER}agreement/", views.page, name="page"),
    path(f"{CLUSTER}agreement/agreement.md", views.download, name="download"),
    path(f"{CLUSTER}agreement/agreement.csv", views.download_csv, name="csv"),
    path(f"{CLUSTER}agreement/decide", views.decide, name="decide"),
    path(f"{CLUSTER}agreement/again", views.again, name="again"),
    path(f"{CLUSTER}agreement/log", views.compare_log, name="log"),
    path(f"{CLUSTER}agreement/reality", reality_views.page, name="reality"),
    path(f"{CLUSTER}agreement/reality/run", reality_views.run, name="reality_run"),
    path(f"{CLUSTER}agreement/reality/again", reality_views.again, name="reality_again"),
    path(f"{CLUSTER}why/", why_views.ask, name="why"),
    path("w/<slug:slug>/import/<int:draft_id>/why", why_views.ask_of_import, name="why_import"),
    path(f"{CLUSTER}why/<int:number>/", why_views.follow, name="follow"),
]
