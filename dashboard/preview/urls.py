"""Addresses of dashboard.preview."""

from __future__ import annotations

from django.urls import path

from dashboard.preview import views

app_name = "preview"
urlpatterns = [
    path("w/<slug:slug>/configurations/what-changes", views.what_changes, name="what_changes"),
    path("w/<slug:slug>/configurations/what-changes/<int:number>/", views.result, name="result"),
]
