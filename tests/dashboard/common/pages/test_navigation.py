"""The main menu shows what exists and where one is."""

from __future__ import annotations

import pytest
from django.test import override_settings
from django.urls import include, path

from dashboard.common.pages.navigation import menu


def view(request, slug):
    raise AssertionError("never called")


home = ([path("w/<slug:slug>/", view, name="home")], "home")
runs = ([path("w/<slug:slug>/runs/", view, name="list")], "runs")
clusters = (
    [
        path("w/<slug:slug>/clusters/", view, name="list"),
        path("w/<slug:slug>/configurations/", view, name="configurations"),
        path("w/<slug:slug>/timelines/", view, name="timelines"),
    ],
    "clusters",
)
urlpatterns = [path("", include(home)), path("", include(runs)), path("", include(clusters))]


@pytest.fixture(autouse=True)
def _urls():
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.mark.parametrize(
    ("path", "here"),
    [
        ("/w/a/", ["Home"]),
        ("/w/a/clusters/", ["Clusters"]),
        ("/w/a/runs/214/", ["Runs"]),
        ("/w/a/configurations/", ["Configurations"]),
        ("/w/a/timelines/rush/", ["Timelines"]),
        ("/w/a/members/", []),
    ],
)
def test_place(path, here):
    links = menu("a", path)
    assert [link.label for link in links] == ["Home", "Clusters", "Runs", "Configurations", "Timelines"]
    assert [link.label for link in links if link.is_here] == here
