"""Addresses of dashboard.agreement."""

from __future__ import annotations

from django.urls import path

from dashboard.agreement import why_views

CLUSTER = "w/<slug:slug>/clusters/<slug:cluster>/"

app_name = "agreement"
urlpatterns = [
    path(f"{CLUSTER}why/", why_views.ask, name="why"),
    path(f"{CLUSTER}why/<int:number>/", why_views.follow, name="follow"),
]
