"""What doubts are about: the pods that a run decides, their namespaces and owners."""

from __future__ import annotations

from scheduler_core.explain.doubts.subject import DoubtSubject
from tests.scheduler_core.explain.doubts.inputs import inputs, owner, pod


def test_a_run_decides_the_pods_without_a_node():
    given = inputs(pod(), pod("b", "there", node="n"))
    subject = DoubtSubject.of_run(given, waits=True)
    assert ([one.key for one in subject.pods], subject.namespaces) == (["a/p"], {"a"})


def test_from_scratch_it_decides_all():
    given = inputs(pod(node="n"), schedule="all")
    assert [one.key for one in DoubtSubject.of_run(given, waits=False).pods] == ["a/p"]


def test_owners_are_those_of_the_pods():
    given = inputs(pod(owners=[owner("Rollout", "r", "argoproj.io/v1")]), pod("a", "other"))
    subject = DoubtSubject(given, [given.objects.pods[1]], waits=True, is_run=False)
    assert (subject.owners, subject.owners_of_all) == (frozenset(), {("Rollout", "a", "r")})
