"""Addresses of dashboard.live."""

from __future__ import annotations

from django.urls import path

from dashboard.live import views

app_name = "live"
urlpatterns = [
    path("w/<slug:slug>/runs/<int:number>/events.json", views.events, name="events"),
    path("w/<slug:slug>/meet/<int:member_id>/<path:place>", views.meeting, name="meeting"),
]
