"""What texts about a run refer to, looked up in its rows and its cluster."""

from __future__ import annotations

import pytest

from dashboard.review.writing.references import references_in
from dashboard.runs.models import State
from tests.dashboard.review.conftest import cycle_row, make_run

pytestmark = pytest.mark.django_db
RUN = "/w/team/runs/1/"


def objects(member, run, *texts, cycle=None):
    return {name: one.url for name, one in references_in(texts, member, run, cycle).objects.items()}


def test_nodes_of_the_cluster_and_those_that_came_during_the_run(run, viewer):
    cycle_row(run, 4, node="bought-1")
    nodes = objects(viewer.member, run, "node-0, `bought-1`, node-7", cycle=2)
    assert nodes == {"node-0": f"{RUN}?cycle=2&node=node-0", "bought-1": f"{RUN}?cycle=2&node=bought-1"}


def test_pods_with_and_without_their_namespace(run, viewer):
    cycle_row(run, 4, pod="shop/web-1")
    cycle_row(run, 5, pod="default/web-1")
    assert objects(viewer.member, run, "web-1 shop/web-1 shop/web-2 pod-2") == {
        "web-1": f"{RUN}?select=default%2Fweb-1",
        "shop/web-1": f"{RUN}?select=shop%2Fweb-1",
        "pod-2": f"{RUN}?select=default%2Fpod-2",
    }
    assert objects(viewer.member, run, "web-1", cycle=4) == {"web-1": f"{RUN}?select=shop%2Fweb-1"}


def test_runs_of_the_workspace_alone(run, workspace, viewer, foreign_run):
    make_run(workspace, 2)
    gone = make_run(workspace, 3)
    gone.state = State.DELETING
    gone.save()
    foreign_run.number = 9
    foreign_run.save()
    runs = references_in(["#1 #2 #3 #4 #9"], viewer.member, run).runs
    assert {number: (one.url, one.title) for number, one in runs.items()} == {
        1: ("/w/team/runs/1/", "night 1"),
        2: ("/w/team/runs/2/", "night 2"),
    }


def test_plain_text_costs_one_query(run, viewer, django_assert_num_queries):
    member = viewer.member
    with django_assert_num_queries(1):
        references_in(["nothing that has a name here"], member, run)
