"""Pods of a comparison in pieces: slices, order by class, made anew."""

from __future__ import annotations

from typing import get_args

import pytest

from dashboard.agreement.models import AgreementResult, AgreementRows
from dashboard.agreement.stored_rows import BOUND, MESSAGES, bound_rows, pending_rows, put_rows
from scheduler_core.explain.agreement import Agreement, BoundPod, PendingPod
from scheduler_core.explain.agreement.model import PendingStanding

COUNTS = {"same": 250, "lower": 130, "only_one": 7}


def agreement_of(counts, messages):
    pods = [BoundPod(pod=f"{name}/{i}", node="n", standing=name) for name, n in counts.items() for i in range(n)]
    waiting = [PendingPod(pod=f"{name}/{i}", standing=name) for name, n in messages.items() for i in range(n)]
    figures = {"order": "snapshot", "n_nodes": 1, "scored": None, "n_decided": 1, "seconds": 1.0}
    return Agreement(bound=tuple(pods), pending=tuple(waiting), standings=counts, messages=messages, **figures)


@pytest.fixture
def result(dumped):
    stored = AgreementResult.objects.create(revision=dumped, config="default", config_sha256="x")
    put_rows(stored, agreement_of(COUNTS, {"equal": 2, "fits": 3}))
    return stored


def test_those_that_differ_come_first_and_a_slice_is_the_list_s(result, django_assert_num_queries):
    rows = bound_rows(result, COUNTS)
    everything = [pod.pod for pod in rows]
    assert len(rows) == len(everything) == 387
    assert everything[:2] == ["lower/0", "lower/1"]
    assert set(everything[130:137]) == {f"only_one/{i}" for i in range(7)}
    for part in (slice(0, 25), slice(120, 150), slice(99, 101), slice(380, 400), slice(5, 5), slice(-3, None)):
        assert [pod.pod for pod in rows[part]] == everything[part]
    assert (rows[0].pod, rows[-1].pod) == (everything[0], everything[-1])
    with pytest.raises(IndexError):
        rows[387]
    with django_assert_num_queries(1):
        assert len(rows[200:225]) == 25


def test_one_class_alone_and_messages_that_differ_before_those_that_are_equal(result):
    assert {pod.standing for pod in bound_rows(result, COUNTS, ["same"])} == {"same"}
    assert [pod.standing for pod in pending_rows(result, {"equal": 2, "fits": 3})] == ["fits"] * 3 + ["equal"] * 2


def test_what_was_there_is_replaced_and_goes_with_its_comparison(result):
    put_rows(result, agreement_of({"tied": 1}, {}))
    assert [row.part for row in AgreementRows.objects.all()] == ["tied"]
    result.delete()
    assert not AgreementRows.objects.exists()


def test_every_class_has_its_place():
    assert (len(set(BOUND)), len(set(MESSAGES))) == (len(BOUND), len(MESSAGES)) == (9, len(get_args(PendingStanding)))
    assert all(len(name) < 30 for name in (*BOUND, *MESSAGES))
