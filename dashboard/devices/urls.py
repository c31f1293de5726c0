"""Addresses of dashboard.devices."""

from __future__ import annotations

from django.urls import path

from dashboard.devices import views

CLUSTER = "w/<slug:slug>/clusters/<slug:cluster>/devices/"
RUN = "w/<slug:slug>/runs/<int:number>/devices/"

app_name = "devices"
urlpatterns = [
    path(CLUSTER, views.of_cluster, name="page"),
    path(f"{CLUSTER}table.txt", views.table_of_cluster, name="table"),
    path(RUN, views.of_run, name="run"),
    path(f"{RUN}table.txt", views.table_of_run, name="run_table"),
]
