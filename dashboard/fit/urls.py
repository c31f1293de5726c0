"""Addresses of dashboard.fit."""

from __future__ import annotations

from django.urls import path

from dashboard.fit import placing_views, views

CLUSTER = "w/<slug:slug>/clusters/<slug:cluster>/"
DRAFT = f"{CLUSTER}drafts/<int:draft_id>/"

app_name = "fit"
urlpatterns = [
    path(f"{CLUSTER}fit/", views.page, name="page"),
    path(f"{CLUSTER}fit/typed", views.typed, name="typed"),
    path(f"{DRAFT}places", placing_views.places, name="places"),
    path(f"{DRAFT}fits", placing_views.fits, name="fits"),
    path(f"{DRAFT}place", placing_views.place, name="place"),
    path(f"{DRAFT}drained", placing_views.drained, name="drained"),
]
