"""The real scheduler's own message of a pod on the page that says why, beside what the run says."""

from __future__ import annotations

import re

import pytest

from dashboard.runs.models import Cycle
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node, pod

SMALL = "0/1 nodes are available: 1 Insufficient cpu."


def refused(name, cpu, message, at="2026-11-01T10:42:00Z"):
    """Return a pending pod that the real scheduler refused with this message."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": at}
    return pod(name, cpu) | {"status": {"phase": "Pending", "conditions": [condition | {"message": message}]}}


@pytest.fixture
def real_run(execute):
    """A run on two nodes of 4 cpu; the real scheduler saw one node of two pods."""
    objects = [node("a", "4"), node("b", "4"), pod("silent", "9")]
    objects += [refused("wide", "8", "?"), refused("fits", "1", SMALL), refused("other", "7", SMALL)]
    return execute(objects, schedule="pending", once=True)


def verdict(look, run, name):
    html = look(run, name="debugger:why", pod=f"default/{name}").content.decode()
    match = re.search(r'data-verdict="([a-z-]+)"', html)
    return (match[1] if match else None), re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html))


def test_a_pod_that_the_run_places_has_the_real_refusal_beside_it(look, real_run):
    said, text = verdict(look, real_run, "fits")
    assert said == "placed"
    assert "It saw 1 node, this run has 2." in text
    assert SMALL in text
    assert "01 Nov 2026, 10:42 UTC" in text


def test_messages_that_differ_are_said_with_what_differs(look, real_run):
    said, text = verdict(look, real_run, "other")
    assert said == "differs"
    assert "Insufficient cpu: 1 there, 2 here" in text


def test_a_pod_of_which_the_real_scheduler_said_nothing_has_no_such_part(look, real_run):
    assert verdict(look, real_run, "silent")[0] is None


@pytest.mark.parametrize("said", ["equal", "counts-equal"])
def test_equal_texts_are_told_from_equal_counts(look, execute, said):
    nodes = [node("a", "4"), node("b", "4")]
    ours = execute([*nodes, pod("wide", "8")], slug="ours", schedule="pending", once=True)
    cycle = Cycle.objects.get(run_id=ours.pk, pod="default/wide")
    message = page_of(ours, cycle=cycle.number).attempt.cycle.finished.message
    real = message if said == "equal" else message.partition(". ")[0] + "."
    run = execute([*nodes, refused("wide", "8", real)], slug=said, schedule="pending", once=True)
    assert verdict(look, run, "wide")[0] == said
