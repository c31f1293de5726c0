"""Addresses of dashboard.home."""

from __future__ import annotations

from django.urls import path

from dashboard.home import views
from dashboard.home.tour import views as tour

app_name = "home"
urlpatterns = [
    path("w/<slug:slug>/", views.home, name="home"),
    path("w/<slug:slug>/waiting", views.waiting, name="waiting"),
    path("w/<slug:slug>/tour/step", tour.step, name="tour_step"),
    path("w/<slug:slug>/tour/leave", tour.leave, name="tour_leave"),
    path("w/<slug:slug>/tour/end", tour.end, name="tour_end"),
    path("w/<slug:slug>/tour/finish", tour.finish, name="tour_finish"),
]
