"""What each page knows of its reader: workspaces to switch to, colours of members."""

from __future__ import annotations

import re

import pytest
from django.test import override_settings
from django.urls import include, path

from dashboard.accounts import actions
from dashboard.accounts.context import menu


def test_switcher_lists_only_my_workspaces(viewer, stranger):
    actions.create_workspace(viewer.user, "Second")
    page = viewer.get("/w/team/members/").content.decode()
    assert "/w/second/" in page
    assert "/w/elsewhere/" not in page


def test_people_of_a_small_team_have_avatars_of_their_own_colour(owner, editor, reviewer, viewer):
    page = owner.get("/w/team/members/").content.decode()
    colours = {
        name: re.search(rf'<span class="avatar (avatar-\w)[^"]*" title="{name}"', page)[1]
        for name in ("Asha", "Edda", "Ravi", "Vera")
    }
    assert len(set(colours.values())) == 4


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


@pytest.fixture
def _three_rooms():
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.mark.usefixtures("_three_rooms")
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
