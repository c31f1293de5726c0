"""What of a run is worth a look, in groups."""

from __future__ import annotations

import pytest

from dashboard.review.findings.groups import GROUP_LIMIT, keys_of
from dashboard.review.findings.run import UNEVEN, findings_of, whole_run
from dashboard.runs.models import Preemption, RunOutcomes, Victim
from dashboard.runs.storage import outcomes
from scheduler_core.recording.quantities import NARROW
from tests.dashboard.review.conftest import cycle_row, make_run
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.django_db


@pytest.fixture
def empty(workspace):
    """A finished run without cycles."""
    return make_run(workspace, cycles=0)


def preemption(run, seq, cycle, **fields):
    values = {
        "at_us": 1, "pod": "default/db", "eligible": True, "node": "node-1", "criterion": "", "message": "",
        "candidates": 2, "victims": 2, "violations": 0,
    }  # fmt: skip
    return Preemption.objects.create(run=run, seq=seq, cycle=cycle, **(values | fields))


def victim(run, seq, cycle, pod, position=0, reprieved=False):
    return Victim.objects.create(
        run=run, seq=seq, cycle=cycle, preemptor="default/db", node="n", pod=pod, position=position, reprieved=reprieved
    )


def lines(run):
    """Return {title: [(what, more, address without the run)]}."""
    return {
        group.title: [(one.what, one.more, one.url.removeprefix("/w/team/runs/1/")) for one in group.findings]
        for group in findings_of(run, "team")
    }


def test_pods_without_a_node_are_together_where_the_scheduler_said_the_same(empty):
    cycle_row(empty, 1, outcome="unschedulable", pod="default/lonely", message="0/2 nodes: 2 Insufficient cpu.")
    cycle_row(empty, 2, outcome="unschedulable", pod="shop/web-1", message="0/2 nodes: 2 Insufficient memory.")
    cycle_row(empty, 4, outcome="unschedulable", pod="shop/web-2", message="0/2 nodes: 2 Insufficient memory.")
    cycle_row(empty, 5, outcome="unschedulable", pod="shop/late", message="0/2 nodes: 2 Insufficient memory.")
    cycle_row(empty, 7, pod="shop/late")
    assert lines(empty) == {
        "No node at the last attempt": [
            ("web-1 and 1 more", "0/2 nodes: 2 Insufficient memory.", "?cycle=2&tab=why"),
            ("lonely", "0/2 nodes: 2 Insufficient cpu.", "?cycle=1&tab=why"),
        ]
    }


def test_a_list_says_first_what_most_nodes_say(empty):
    said = "0/8 nodes are available: 1 node(s) had untolerated taint(s), 7 Insufficient cpu. preemption: 0/8 nodes."
    cycle_row(empty, 1, outcome="unschedulable", pod="default/lonely", message=said)
    cycle_row(empty, 2, outcome="unschedulable", pod="default/other", message="no nodes available")
    (group,) = findings_of(empty, "team")
    assert {one.what: (one.short, one.more) for one in group.findings} == {
        "lonely": ("7 Insufficient cpu, 1 node(s) had untolerated taint(s)", said),
        "other": ("", "no nodes available"),
    }


def test_errors_preemptions_and_pods_evicted_again(empty):
    cycle_row(empty, 1, outcome="error", pod="default/broken", attempt=2)
    preemption(empty, 5, 1, victims=3)
    preemption(empty, 6, 2, pod="shop/api", victims=1, violations=1)
    preemption(empty, 7, 3, node="", victims=0)
    victim(empty, 5, 1, "jobs/batch-1")
    victim(empty, 6, 2, "jobs/batch-1")
    victim(empty, 5, 1, "jobs/batch-2", 1)
    victim(empty, 6, 2, "jobs/batch-2", 1, reprieved=True)
    assert [[(what.split()[0], url) for what, _, url in group] for group in lines(empty).values()] == [
        [("broken", "?cycle=1&tab=why")],
        [("api", "?cycle=2&tab=preemption"), ("db", "?cycle=1&tab=preemption")],
        [("batch-1", "?cycle=2&tab=preemption")],
    ]


def test_ties_and_narrow_wins_lead_to_the_search_that_lists_them(empty):
    cycle_row(empty, 1, tie_count=3, margin=0)
    cycle_row(empty, 2, margin=2)
    cycle_row(empty, 4, margin=NARROW)
    cycle_row(empty, 5, tie_count=2, margin=0)
    ((ties, narrow),) = lines(empty).values()
    assert (ties[0].split(",")[0], ties[2]) == ("2 ties", "search/?q=tie")
    assert "3 nodes: pod-1 " in ties[1]
    assert "pod-2 " in narrow[1]
    assert (narrow[0].split(",")[0], narrow[2]) == ("1 narrow win", "search/?q=narrow")


def test_the_evidence_of_close_calls_is_the_matrix_of_the_closest(empty):
    cycle_row(empty, 1, tie_count=2, margin=0)
    cycle_row(empty, 2, tie_count=5, margin=0)
    ((finding,),) = (group.findings for group in findings_of(empty, "team"))
    assert [panel.url for panel in finding.panels] == ["/w/team/runs/1/?cycle=2&tab=matrix"]
    assert finding.cycles == ((empty.pk, 2),)


def test_a_group_lists_its_first_and_counts_all(empty):
    for number in range(1, 2 * GROUP_LIMIT):
        cycle_row(empty, number, outcome="error", pod=f"default/p{number}")
    (group,) = findings_of(empty, "team")
    assert (len(group.findings), group.total, group.n_more) == (GROUP_LIMIT, 15, 7)
    assert len(keys_of([group])) == GROUP_LIMIT


def test_a_run_without_any_has_no_groups(empty):
    cycle_row(empty, 1, margin=50)
    assert findings_of(empty, "team") == []


@pytest.mark.parametrize(
    ("rows", "sentences"),
    [
        (
            lambda run: cycle_row(run, 1, outcome="error", pod="default/broken", attempt=2),
            {"Errors": ("broken ended in an error", "cycle 1, attempt 2")},
        ),
        (
            lambda run: preemption(run, 6, 2, pod="shop/api", victims=1, violations=1),
            {"Preemption": ("api evicts 1 pod", "cycle 2, node-1, 1 against a disruption budget")},
        ),
        (lambda run: preemption(run, 5, 1, victims=3), {"Preemption": ("db evicts 3 pods", "cycle 1, node-1")}),
        (
            lambda run: [victim(run, seq, seq - 4, "jobs/batch-1") for seq in (5, 6)],
            {"Evicted more than once": ("batch-1 was evicted 2 times", "the last time in cycle 2")},
        ),
        (
            lambda run: [cycle_row(run, 1, tie_count=3, margin=0), cycle_row(run, 5, tie_count=2, margin=0)],
            {"Ties and narrow wins": ("2 ties, drawn by the seed", "the largest among 3 nodes: pod-1 in cycle 1")},
        ),
        (
            lambda run: cycle_row(run, 2, margin=2),
            {
                "Ties and narrow wins": (
                    "1 narrow win, by fewer than 5 points",
                    "over the second node; the closest: pod-2 in cycle 2",
                )
            },
        ),
    ],
)
def test_words(empty, rows, sentences):
    rows(empty)
    said = {title: group[0][:2] for title, group in lines(empty).items()}
    assert said == sentences


def deployment(name, replicas, cpu):
    container = {"name": "c", "image": "nginx", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
        },
    }


@pytest.fixture
def crowded(execute):
    """A run of one full node beside two that nobody may use, and a workload that does not fit."""
    closed = [node(name) | {"spec": {"unschedulable": True}} for name in "bc"]
    return execute([node("a"), *closed, deployment("web", 5, "4")])


def test_missing_replicas_and_imbalance_are_those_of_the_summary(crowded):
    summary = outcomes.stored(crowded)
    short, uneven = whole_run(crowded, "team")
    assert [(one.what, one.glyph) for one in short.findings] == [("web has 4 of 5 pods", "users")]
    assert short.total == summary.n_short == 1
    expected = {line.resource: line.deviation for line in summary.series.resources if line.deviation >= UNEVEN}
    assert uneven.total == len(expected) > 0
    for one in uneven.findings:
        resource = one.what.split()[0]
        assert f"{100 * expected[resource]:.1f} points" in one.more
    assert short.findings[0].url == f"/w/team/runs/{crowded.number}/outcomes/"


def test_before_a_worker_has_summed_it_up_there_is_nothing_to_say(crowded):
    RunOutcomes.objects.filter(run_id=crowded.pk).delete()
    assert whole_run(crowded, "team") == []
