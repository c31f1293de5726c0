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
    assert "CapacityScheduling refused" in facts
    assert "research uses 6" in facts
    assert "research/quota is 6" in facts


def test_a_max_that_names_only_cpu_is_explained_where_it_bites(part):
    facts = part("facts", TRAP)
    assert "1Gi of memory" in facts
    assert "notebooks uses 0" in facts
    assert "notebooks/quota does not" in facts


def test_events_that_wake_the_pod_are_those_of_quotas_as_a_whole(part):
    wakes = part("wakes", TRAP)
    assert "ElasticQuotaUpdate" in wakes
    assert "ElasticQuotaUpdateNode" not in wakes


def test_why_says_that_the_pod_was_refused_and_what_preemption_did(look, run):
    page = look(run, cycle=TRAP, tab="why").context["page"]
    assert page.attempt.rejected.plugin == "CapacityScheduling"
    assert page.asked.no_preemption.url
    taken_back = look(run, cycle=TAKEN_BACK, tab="why").context["page"]
    assert taken_back.attempt.preemption.chosen.node == "gpu-1"


def test_preemption_names_the_plugin_whose_rules_it_followed(look, run):
    response = look(run, cycle=TAKEN_BACK, tab="preemption")
    chosen, page = response.context["page"].attempt.preemption.chosen, text(response)
    assert (chosen.node, chosen.count) == ("gpu-1", 1)
    assert "CapacityScheduling No victims" in page
    assert "DefaultPreemption" not in page
    assert "drawn from" not in page


def test_the_matrix_says_why_no_node_was_looked_at(look, run):
    page = text(look(run, cycle=BORROWED, tab="matrix"))
    assert "CapacityScheduling refused" in page
    assert "search stopped" not in page


@pytest.mark.parametrize(
    ("cycle", "sentence"),
    [
        (BORROWED, "CapacityScheduling refused the pod in PreFilter, whatever the node"),
        (BORROWED, "requests 1 of nvidia.com/gpu, namespace research uses 6; max of ElasticQuota research/quota is 6"),
        (
            TRAP,
            "requests 1Gi of memory, namespace notebooks uses 0; max of ElasticQuota notebooks/quota does not name"
            " memory, and what a max leaves out counts as 0",
        ),
    ],
)
def test_words_of_facts(part, cycle, sentence):
    assert sentence in part("facts", cycle)


@pytest.mark.parametrize(
    ("cycle", "tab", "sentence"),
    [
        (BORROWED, "matrix", "CapacityScheduling refused the pod in PreFilter, whatever the node"),
        (TRAP, "why", "Why preemption did not help"),
        (TAKEN_BACK, "why", "Preemption how it was decided gpu-1"),
        (TAKEN_BACK, "preemption", "CapacityScheduling No victims found on node cpu-1 for preemptor pod serve-1"),
    ],
)
def test_words(look, run, cycle, tab, sentence):
    assert sentence in text(look(run, cycle=cycle, tab=tab))
