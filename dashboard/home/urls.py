"""Addresses of dashboard.home."""

from __future__ import annotations

from django.urls import path

from dashboard.home import views

app_name = "home"
urlpatterns = [
    path("w/<slug:slug>/", views.home, name="home"),
    path("w/<slug:slug>/waiting", views.waiting, name="waiting"),
]
