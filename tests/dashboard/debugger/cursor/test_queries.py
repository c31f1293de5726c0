"""Which attempt of a pod a place belongs to, and what woke the pod."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor import queries
from dashboard.runs.models import Cycle

pytestmark = pytest.mark.django_db


def test_the_last_attempt_is_the_last_one_that_had_started(run):
    first, *_, last = Cycle.objects.filter(run_id=run.pk, pod="default/big-0").order_by("number")
    assert queries.last_attempt(run, "default/big-0", "", first.first_seq) is None
    assert queries.last_attempt(run, "default/big-0", "", first.first_seq + 1) == first
    assert queries.last_attempt(run, "default/big-0", "", run.head.seq) == last
    assert queries.last_attempt(run, "default/big-0", "another-uid", run.head.seq) is None


def test_attempt_numbers_are_those_of_the_selected_pod(run, monkeypatch):
    cycles = [cycle.number for cycle in Cycle.objects.filter(run=run, pod="default/big-0").order_by("number")]
    assert queries.attempt_numbers(run, "default/big-0", "") == cycles
    assert len(cycles) == 2
    assert queries.attempt_numbers(run, "", "") == []
    monkeypatch.setattr(queries, "ATTEMPTS", 1)
    assert queries.attempt_numbers(run, "default/big-0", "") == cycles[:1]


def test_the_first_failure_is_the_first_cycle_without_a_node(run, plain_run):
    failure = queries.first_failure(run)
    assert failure.outcome == "unschedulable"
    earlier = Cycle.objects.filter(run_id=run.pk, number__lt=failure.number)
    assert {cycle.outcome for cycle in earlier} <= {"scheduled"}
    assert queries.first_failure(plain_run) is None


def test_the_move_that_woke_a_pod_is_the_cluster_event_behind_its_backoff(run):
    last = Cycle.objects.filter(run_id=run.pk, pod="default/big-0").order_by("-number").first()
    assert queries.queued_before(run, "default/big-0", "", last.first_seq)[1].event == "AssignedPodDelete"
    assert queries.queued_before(run, "default/big-0", "", 0) == (None, None)


def test_a_pod_is_first_queued_as_it_comes_to_the_queue(run):
    last = Cycle.objects.filter(run_id=run.pk, pod="default/big-0").order_by("-number").first()
    first_at, woken = queries.queued_before(run, "default/big-0", "", last.first_seq)
    assert first_at == 0 < woken.at_us
    assert queries.queued_before(run, "default/nobody", "", run.head.seq) == (None, None)


def test_times_are_by_number_of_the_cycle(run):
    first, second = Cycle.objects.filter(run_id=run.pk).order_by("number")[:2]
    assert queries.times_of(run, [2, 1, 1, 999]) == {1: first.at_us, 2: second.at_us}
