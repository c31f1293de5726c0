"""Addresses of dashboard.search."""

from __future__ import annotations

from django.urls import path

from dashboard.search import views

HERE = "w/<slug:slug>/search/"

app_name = "search"
urlpatterns = [
    path(HERE, views.results, name="results"),
    path(f"{HERE}opened", views.opened, name="opened"),
]
