"""Addresses of dashboard.fit."""

from __future__ import annotations

from django.urls import path

from dashboard.fit import views

CLUSTER = "w/<slug:slug>/clusters/<slug:cluster>/"

app_name = "fit"
urlpatterns = [
    path(f"{CLUSTER}fit/", views.page, name="page"),
    path(f"{CLUSTER}fit/typed", views.typed, name="typed"),
]
