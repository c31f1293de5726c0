"""Agreement over a whole dump: numbers, and progress."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.agreement import agreement, raw_pods, scheduler_events, scheduler_reports
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.agreement.bound_by_us import dump
from tests.scheduler_core.explain.doubts.inputs import inputs, made, pod

DUMPS = Path(__file__).resolve().parents[5] / "shared" / "data" / "cluster-dumps"


def test_progress_is_told_to_the_end_and_the_answer_is_the_same_twice():
    given, reported = dump(3), []
    first = agreement(given, progress=lambda done, of: reported.append((done, of)))
    n_pods = len(given.objects.pods)
    assert reported[:n_pods] == [(i + 1, n_pods) for i in range(n_pods)]
    assert set(reported[n_pods:]) <= {(n_pods, n_pods)}, "said again while causes are tried"
    second = agreement(given)
    assert (first.bound, first.pending) == (second.bound, second.pending)
    assert first.n_decided == first.n_compared + sum(one.is_tried for one in first.pending)


def test_finished_pods_are_counted_apart():
    ended = [make_pod(name, phase=phase, node_name="n") for name, phase in (("a", "Succeeded"), ("b", "Failed"))]
    objects = ClusterObjects(nodes=(make_node("n"),), pods=(*ended, make_pod("c", node_name="n")))
    figures = agreement(RunInputs(objects=objects))
    assert ([one.pod for one in figures.bound], figures.n_finished) == (["default/c"], 2)
    assert agreement(RunInputs(objects=objects), {"default/a": SchedulerReport()}).n_finished == 1


@pytest.mark.skipif(not DUMPS.is_dir(), reason="the shared data is not here")
def test_a_dump_of_a_real_cluster_agrees():
    result = load_cluster([ManifestSource("dump.json", (DUMPS / "openshift-2node-list.json").read_bytes())])
    reports = scheduler_reports(raw_pods(result.manifests), scheduler_events(result.events))
    figures = agreement(RunInputs(objects=result.objects), reports)
    assert (figures.n_agree, figures.n_compared, figures.counted("static"), len(figures.bound)) == (27, 27, 3, 30)


def test_what_may_make_the_real_scheduler_decide_otherwise_is_a_doubt_and_counts_are_facts():
    kinds = ("ResourceQuota", "LimitRange")
    given = inputs(*[made("v1", kind, "x", space) for kind in kinds for space in ("a", "b")], pod(node="n"))
    assert [one.objects.names for one in agreement(given, None).doubts] == [("v1/LimitRange/a/x",)]
