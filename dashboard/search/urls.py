"""Addresses of dashboard.search."""

from __future__ import annotations

from django.urls import path

from dashboard.search import views
from dashboard.search.query_page import views as query_page

HERE = "w/<slug:slug>/search/"
RUN = "w/<slug:slug>/runs/<int:number>/"

app_name = "search"
urlpatterns = [
    path(HERE, query_page.of_workspace, name="workspace"),
    path(f"{HERE}hits.csv", query_page.workspace_csv, name="workspace_csv"),
    path(f"{HERE}s/<int:key>/", query_page.short, name="short"),
    path(f"{HERE}l/new", query_page.make_short_link, name="make_link"),
    path(f"{HERE}l/<slug:code>/", query_page.short_link, name="link"),
    path(f"{HERE}names/", views.results, name="results"),
    path(f"{HERE}opened", views.opened, name="opened"),
    path(f"{HERE}saved/", query_page.save, name="save"),
    path(f"{HERE}saved/counts/", query_page.saved_counts, name="saved_counts"),
    path(f"{HERE}saved/breakpoint/", query_page.as_breakpoint, name="as_breakpoint"),
    path(f"{HERE}saved/<int:key>/", query_page.change, name="change"),
    path(f"{HERE}saved/<int:key>/delete", query_page.delete, name="delete"),
    path(f"{RUN}search/", query_page.of_run, name="run"),
    path(f"{RUN}search/s/<int:key>/", query_page.short, name="run_short"),
    path(f"{RUN}search/hits.csv", query_page.run_csv, name="run_csv"),
    path(f"{RUN}cycles/", query_page.cycles, name="cycles"),
]
