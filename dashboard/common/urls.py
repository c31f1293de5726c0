"""Addresses of dashboard.common."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "common"
urlpatterns: list[URLPattern] = []
