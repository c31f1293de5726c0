"""The demo of elastic quotas on the pages: why a quota refuses a pod, in numbers, and whose pod is taken back."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.runs import actions, demo, execution
from tests.dashboard.debugger.page_text import text
from tests.dashboard.row_snapshots import snapshot_of

BORROWED, TRAP, TAKEN_BACK = 5, 6, 7


@pytest.fixture
def run(editor):
    """The run of the scene, finished."""

    def make():
        started = demo.load_scene(editor.member, demo.QUOTAS)
        while execution.work():
            pass
        return started.number

    return actions.find_run(editor.member.workspace, snapshot_of("run of the scene of quotas", make))


@pytest.fixture
def part(run, viewer):
    """A function that returns the text of a part of a cycle's page."""

    def part(name, cycle):
        address = reverse("debugger:answer", args=["team", run.number, name])
        return text(viewer.get(address, {"cycle": cycle, "tab": "why"}))

    return part


def test_the_facts_of_a_quota_that_is_used_up_are_shown(part):
    facts = part("facts", BORROWED)
    assert "CapacityScheduling refused the pod in PreFilter, whatever the node" in facts
    assert ("requests 1 of nvidia.com/gpu, namespace research uses 6; max of ElasticQuota research/quota is 6") in facts


def test_a_max_that_names_only_cpu_is_explained_where_it_bites(part):
    assert (
        "requests 1Gi of memory, namespace notebooks uses 0; max of ElasticQuota notebooks/quota does not name memory, "
        "and what a max leaves out counts as 0"
    ) in part("facts", TRAP)


def test_events_that_wake_the_pod_are_those_of_quotas_as_a_whole(part):
    wakes = part("wakes", TRAP)
    assert "ElasticQuotaUpdate" in wakes
    assert "ElasticQuotaUpdateNode" not in wakes


def test_why_says_that_the_pod_was_refused_and_what_preemption_did(look, run):
    assert "CapacityScheduling refused the pod in PreFilter" in text(look(run, cycle=TRAP, tab="why"))
    assert "Why preemption did not help" in text(look(run, cycle=TRAP, tab="why"))
    assert "Preemption how it was decided gpu-1" in text(look(run, cycle=TAKEN_BACK, tab="why"))


def test_preemption_names_the_plugin_whose_rules_it_followed(look, run):
    page = text(look(run, cycle=TAKEN_BACK, tab="preemption"))
    assert "gpu-1 is nominated: 1 victim leaves." in page
    assert "CapacityScheduling No victims found on node cpu-1 for preemptor pod serve-1" in page
    assert "DefaultPreemption" not in page
    assert "drawn from the seed" not in page


def test_the_matrix_says_why_no_node_was_looked_at(look, run):
    page = text(look(run, cycle=BORROWED, tab="matrix"))
    assert "CapacityScheduling refused the pod in PreFilter, whatever the node" in page
    assert "search stopped" not in page
