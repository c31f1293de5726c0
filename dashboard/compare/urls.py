"""Addresses of dashboard.compare."""

from __future__ import annotations

from django.urls import path

from dashboard.compare import views

COMPARE = "w/<slug:slug>/compare"

app_name = "compare"
urlpatterns = [
    path(f"{COMPARE}/", views.compare, name="page"),
    path(f"{COMPARE}/answers/<slug:name>/", views.answer, name="answer"),
    path(f"{COMPARE}/comparison.<slug:form>", views.export, name="export"),
]
