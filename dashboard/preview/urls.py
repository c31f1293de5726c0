"""Addresses of dashboard.preview."""

from __future__ import annotations

from django.urls import path

from dashboard.preview import views

app_name = "preview"
urlpatterns = [
    path("w/<slug:slug>/configurations/what-changes", views.what_changes, name="what_changes"),
    path("w/<slug:slug>/configurations/what-changes/computed", views.computed, name="computed"),
    path("w/<slug:slug>/configurations/what-changes/<int:number>/", views.result, name="result"),
    path("w/<slug:slug>/configurations/what-changes/computing/<int:number>/", views.computation, name="computation"),
    path("w/<slug:slug>/configurations/what-changes/computing/<int:number>/cancel", views.cancel, name="cancel"),
]
