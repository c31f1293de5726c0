"""Workloads that lack pods and uneven resources, against the summary of the outcomes."""

from __future__ import annotations

import pytest

from dashboard.review.findings.at_the_end import UNEVEN, whole_run
from dashboard.runs.models import RunOutcomes
from dashboard.runs.storage import outcomes
from tests.dashboard.run_helpers import node

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


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
