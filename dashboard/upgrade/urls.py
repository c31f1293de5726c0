"""Addresses of dashboard.upgrade."""

from __future__ import annotations

from django.urls import path

from dashboard.common.later import LaterView

HERE = "w/<slug:slug>/clusters/<slug:cluster>/upgrade/"
VIEWS = "dashboard.upgrade.views"

app_name = "upgrade"
urlpatterns = [
    path(HERE, LaterView(VIEWS, "page"), name="page"),
    path(f"{HERE}start", LaterView(VIEWS, "start"), name="start"),
    path(f"{HERE}<int:number>/", LaterView(VIEWS, "report"), name="report"),
    path(f"{HERE}<int:number>/cancel", LaterView(VIEWS, "cancel"), name="cancel"),
    path(f"{HERE}<int:number>/upgrade.json", LaterView(VIEWS, "download"), name="download"),
]
