"""Addresses of dashboard.upgrade."""

from __future__ import annotations

from django.urls import path

from dashboard.upgrade import views

HERE = "w/<slug:slug>/clusters/<slug:cluster>/upgrade/"

app_name = "upgrade"
urlpatterns = [
    path(HERE, views.page, name="page"),
    path(f"{HERE}start", views.start, name="start"),
    path(f"{HERE}<int:number>/", views.report, name="report"),
    path(f"{HERE}<int:number>/cancel", views.cancel, name="cancel"),
    path(f"{HERE}<int:number>/upgrade.json", views.download, name="download"),
]
