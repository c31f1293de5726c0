"""Pods without a node, by the refusal that stood between them and one."""

from __future__ import annotations

import pytest

from dashboard.runs import execution
from dashboard.runs.models import Cycle, PluginVerdict
from dashboard.runs.refused_pods import RefusedPods, refused_pods
from scheduler_core.recording.vocabulary import Code
from tests.dashboard.run_helpers import cluster_of, pod

pytestmark = pytest.mark.django_db


def test_pods_are_grouped_by_the_refusal_of_their_last_attempt(launch, save):
    objects = [*cluster_of(2, 3), pod("wide-1", "40"), pod("wide-2", "50"), pod("picky", nodeSelector={"disk": "nvme"})]
    run = launch(revision=save(objects))
    execution.work()
    fit, affinity = refused_pods(run)
    assert (fit.plugin, fit.reasons, fit.count) == ("NodeResourcesFit", "Insufficient cpu", 2)
    assert fit.in_words == "insufficient cpu"
    assert (affinity.plugin, affinity.count) == ("NodeAffinity", 1)
    assert Cycle.objects.get(run_id=run.pk, number=affinity.cycle).pod == "default/picky"


def test_a_refusal_that_an_eviction_could_lift_counts_before_one_of_more_nodes(launch, save):
    run = launch(revision=save(cluster_of(1, 1)))
    execution.work()
    Cycle.objects.filter(run_id=run.pk).update(outcome="unschedulable")
    verdict = PluginVerdict(run_id=run.pk, cycle=1, position=0, plugin="NodeAffinity", reasons="no match", nodes=9)
    verdict.code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    verdict.save(force_insert=True)
    PluginVerdict(
        run_id=run.pk,
        cycle=1,
        position=1,
        plugin="NodeResourcesFit",
        reasons="Insufficient example.com/gpu, Insufficient cpu",
        code=Code.UNSCHEDULABLE,
        nodes=2,
    ).save(force_insert=True)
    assert [group.in_words for group in refused_pods(run)] == ["insufficient gpu, cpu"]


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ("Insufficient cpu", "insufficient cpu"),
        ("Insufficient nvidia.com/gpu, Too many pods", "insufficient gpu, Too many pods"),
        ("node(s) had untolerated taint {a: b}", "node(s) had untolerated taint {a: b}"),
    ],
)
def test_reasons_name_resources_shortly(reasons, words):
    assert RefusedPods("P", reasons, 1, 1).in_words == words
