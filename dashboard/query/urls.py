"""Addresses of dashboard.query."""

from __future__ import annotations

from django.urls import path

from dashboard.query import field_views

HERE = "w/<slug:slug>/query/"

app_name = "query"
urlpatterns = [
    path(f"{HERE}completions/", field_views.completions, name="completions"),
    path(f"{HERE}fields/", field_views.fields, name="fields"),
]
