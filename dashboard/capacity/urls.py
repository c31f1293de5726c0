"""Addresses of dashboard.capacity."""

from __future__ import annotations

from django.urls import path

from dashboard.common.later import LaterView

HERE = "w/<slug:slug>/clusters/<slug:cluster>/capacity/"
VIEWS = "dashboard.capacity.views"

app_name = "capacity"
urlpatterns = [
    path(HERE, LaterView(VIEWS, "page"), name="page"),
    path(f"{HERE}tile/", LaterView(VIEWS, "tile"), name="tile"),
    path(f"{HERE}table.txt", LaterView(VIEWS, "table"), name="table"),
]
