"""Addresses of dashboard.compare."""

from __future__ import annotations

from django.urls import path

from dashboard.compare import views

COMPARE = "w/<slug:slug>/compare"

app_name = "compare"
urlpatterns = [
    path(f"{COMPARE}/", views.compare, name="page"),
    path(f"{COMPARE}/<int:a>/<int:b>/", views.short, name="short"),
    path(f"{COMPARE}/<int:a>/<int:b>/c/<int:a_cycle>/<int:b_cycle>/", views.short, name="short_at"),
    path(f"{COMPARE}/note.<slug:form>", views.note, name="note"),
    path(f"{COMPARE}/answers/<slug:name>/", views.answer, name="answer"),
    path(f"{COMPARE}/comparison.<slug:form>", views.export, name="export"),
]
