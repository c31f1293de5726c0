"""What can be chosen for a run, and what is known of each choice."""

from __future__ import annotations

import pytest

from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.runs.models import Run
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of, node, pod
from tests.dashboard.runs.launch.launch_pages import GOOD, URL, errors, post

pytestmark = pytest.mark.django_db


def test_all_pods_are_the_default_when_none_is_pending(editor, save):
    save([node("a"), pod("x", nodeName="a"), pod("y", nodeName="a")])
    response = editor.get(URL + "?cluster=prod")
    assert response.context["preview"].to_schedule == {"pending": 0, "all": 2}
    assert response.context["schedule"] == "all"
    assert errors(post(editor)).keys() == {"schedule"}


def test_pods_of_daemon_sets_are_not_counted_as_if_unbound(editor, save):
    agent = pod("agent", nodeName="a")
    agent["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1", "controller": True}
    ]
    save([node("a"), agent, pod("x", nodeName="a")])
    assert editor.get(URL).context["preview"].to_schedule == {"pending": 0, "all": 1}


def test_an_old_revision_can_be_run_and_is_called_old(editor, prod, save, messages):
    save(cluster_of(2, 5))
    page = editor.get(URL + "?cluster=prod&r=1").content.decode()
    assert "r1 is not" in page
    post(editor)
    assert Run.objects.get().revision == prod
    assert "r2 is not" not in editor.get(URL + "?cluster=prod").content.decode()


def test_earlier_runs_of_the_revision_are_shown(editor, prod, launch):
    launch(revision=prod, seed=3)
    assert [line.run.number for line in editor.get(URL).context["preview"].earlier] == [1]


def test_pods_that_no_profile_serves_are_told_before_the_run(editor, prod):
    save_config(editor.member, None, NewText("two profiles", GOOD))
    assert editor.get(URL).context["unserved"] == []
    response = editor.get(URL + "?config=two-profiles")
    assert response.context["unserved"] == [("default-scheduler", 3)]
    page = response.content.decode()
    assert "<b>default-scheduler</b>: " in page
    assert_strict_csp(page)


def test_words(editor, prod, save):
    save_config(editor.member, None, NewText("two profiles", GOOD))
    page = editor.get(URL + "?config=two-profiles").content.decode()
    assert "3 pods ask for <b>default-scheduler</b>: no profile here has that name" in page
    save([node("a"), pod("x", nodeName="a")])
    assert errors(post(editor, r="2"))["schedule"] == ["No pod of Prod r2 is pending. Choose something else."]
    assert "r1 is not the newest revision; r2 is" in editor.get(URL + "?cluster=prod&r=1").content.decode()
