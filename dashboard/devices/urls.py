"""Addresses of dashboard.devices."""

from __future__ import annotations

from django.urls import path

from dashboard.common.later import LaterView

CLUSTER = "w/<slug:slug>/clusters/<slug:cluster>/devices/"
RUN = "w/<slug:slug>/runs/<int:number>/devices/"
VIEWS = "dashboard.devices.views"

app_name = "devices"
urlpatterns = [
    path(CLUSTER, LaterView(VIEWS, "of_cluster"), name="page"),
    path(f"{CLUSTER}table.txt", LaterView(VIEWS, "table_of_cluster"), name="table"),
    path(RUN, LaterView(VIEWS, "of_run"), name="run"),
    path(f"{RUN}table.txt", LaterView(VIEWS, "table_of_run"), name="run_table"),
]
