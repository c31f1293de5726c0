"""Addresses of dashboard.common."""

from __future__ import annotations

from django.urls import path
from django.views.generic import TemplateView

from dashboard.common.http.prefetch import ADDRESS, rules

app_name = "common"
urlpatterns = [
    path("help/", TemplateView.as_view(template_name="common/help.html"), name="help"),
    path(ADDRESS, rules, name="speculation_rules"),
]
