"""Addresses of dashboard.common."""

from __future__ import annotations

from django.urls import path
from django.views.generic import TemplateView

from dashboard.common.http.prefetch import rules

app_name = "common"
urlpatterns = [
    path("help/", TemplateView.as_view(template_name="common/help.html"), name="help"),
    path("speculation-rules.json", rules, name="speculation_rules"),
]
