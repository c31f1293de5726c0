"""Addresses of dashboard.capacity."""

from __future__ import annotations

from django.urls import path

from dashboard.capacity import views

HERE = "w/<slug:slug>/clusters/<slug:cluster>/capacity/"

app_name = "capacity"
urlpatterns = [
    path(HERE, views.page, name="page"),
    path(f"{HERE}tile/", views.tile, name="tile"),
    path(f"{HERE}table.txt", views.table, name="table"),
]
