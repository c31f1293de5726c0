"""Who may use which address of branches and changes: the table role x endpoint."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.debugger.branches import views
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

pytestmark = pytest.mark.django_db
CORDON = {
    "action": "patch",
    "object": {"kind": "Node", "metadata": {"name": "full-a"}, "spec": {"unschedulable": True}},
}
# name, method, smallest role that may, form data, what it answers whoever may
ENDPOINTS = [
    ("branch", "get", "editor", {}, 200),
    ("branch", "post", "editor", {"gone": "Node full-b"}, 302),
    ("branch_point", "get", "viewer", {}, 302),
    ("change", "get", "editor", {}, 409),
    ("changes", "get", "viewer", {}, 200),
    ("keep", "get", "viewer", {}, 200),
    ("keep", "post", "editor", {"do": "draft"}, 302),
    ("keep", "post", "editor", {"do": "revision"}, 302),
    ("keep", "post", "editor", {"do": "new_configuration", "name": "x"}, 302),
    ("keep", "post", "editor", {"do": "new_timeline", "name": "x"}, 302),
    ("why_run_on", "post", "editor", {"cycle": "1"}, 404),
    ("weights_run_on", "post", "editor", {"cycle": "1"}, 400),
    ("change_run_on", "post", "editor", {}, 404),
]


@pytest.fixture
def branched(run, editor, cycle_of, monkeypatch):
    """A finished branch with a change of an object and of weights."""
    monkeypatch.setattr(views, "PATIENCE_SECONDS", 0.0)
    how = Branching(cycle_of("never-0").first_seq, (CORDON,), weights={"ImageLocality": 7}, profile="default-scheduler")
    made = branch_run(editor.member, run, how)
    while execution.work():
        pass
    return find_run(made.workspace, made.number)


@pytest.mark.parametrize(
    ("name", "method", "needed", "data", "status"),
    ENDPOINTS,
    ids=[f"{e[1]} {e[0]} {e[3].get('do', '')}" for e in ENDPOINTS],
)
def test_each_endpoint_lets_in_who_may(people, branched, name, method, needed, data, status):
    url = reverse(f"debugger:{name}", args=["team", branched.number])
    assert_each_role_gets_its_answer(people, needed, status, lambda person, _: getattr(person, method)(url, data))
