"""What the page of a comparison says of differences, messages and runs."""

from __future__ import annotations

import pytest

from dashboard.agreement import computing
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from tests.dashboard.agreement.conftest import HERE
from tests.dashboard.helpers import assert_strict_csp

PAGE = f"{HERE}agreement/"


@pytest.fixture
def woken(monkeypatch):
    """The names of the tasks that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "wake_task", sent.append)
    return sent


@pytest.fixture
def computed(editor, dumped, woken):
    """The page's comparison, made."""
    editor.get(PAGE)
    assert computing.work()


def text(response):
    assert response.status_code == 200
    assert_strict_csp(response.content)
    return response.content.decode()


def test_differences_are_told_with_what_refuses_and_the_likely_cause(editor, computed):
    page = text(editor.get(PAGE))
    assert "NodeUnschedulable" in page
    assert "The node may have been cordoned after the binding" in page
    assert 'title="default/early"' in page
    assert 'title="default/only"' not in page
    everything = text(editor.get(f"{PAGE}?show=all"))
    assert "default/only" in everything
    assert "other scheduler" in text(editor.get(f"{PAGE}?show=apart"))
    assert "No pod of this class" in text(editor.get(f"{PAGE}?show=tied"))


def test_messages_stand_beside_each_other_with_equal_and_other_parts_marked(editor, computed):
    page = text(editor.get(PAGE))
    assert '<mark class="ne">2 Insufficient cpu</mark>' in page
    assert '<mark class="ne">1 Insufficient cpu</mark>' in page
    assert '<mark class="ne">fits node-a</mark>' in page
    assert 'aria-label="Why? default/wide"' in page


def test_pods_are_linked_to_their_attempts_where_a_run_decided_them(editor, computed, dumped, messages):
    assert "Matrix" not in text(editor.get(PAGE))
    actions.create_run(editor.member, Launch(dumped, schedule="all"))
    execution.work()
    assert "/w/team/runs/1/?cycle=" in text(editor.get(PAGE))
