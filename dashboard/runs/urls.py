"""Addresses of dashboard.runs."""

from __future__ import annotations

from django.urls import path

from dashboard.runs.launch import views as launch
from dashboard.runs.list import views as lists
from dashboard.runs.observing import views as observing

RUNS = "w/<slug:slug>/runs/"
RUN = f"{RUNS}<int:number>/"

app_name = "runs"
urlpatterns = [
    path(RUNS, lists.run_list, name="list"),
    path(f"{RUNS}new/", launch.launch, name="launch"),
    path(f"{RUNS}observed/", observing.observed, name="observed"),
    path(f"{RUNS}demo", launch.load_demo, name="load_demo"),
    path(f"{RUN}pause", lists.pause, name="pause"),
    path(f"{RUN}resume", lists.resume, name="resume"),
    path(f"{RUN}anew", launch.start_anew, name="start_anew"),
    path(f"{RUN}cancel", lists.cancel, name="cancel"),
    path(f"{RUN}delete", lists.delete, name="delete"),
    path(f"{RUN}keep", lists.keep, name="keep"),
    path(f"{RUN}rename", lists.rename, name="rename"),
]
