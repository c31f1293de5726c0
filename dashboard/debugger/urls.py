"""Addresses of dashboard.debugger."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "debugger"
urlpatterns: list[URLPattern] = []
