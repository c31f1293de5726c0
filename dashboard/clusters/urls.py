"""Addresses of dashboard.clusters."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "clusters"
urlpatterns: list[URLPattern] = []
