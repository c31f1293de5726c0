"""Agreement in words: standings, likely causes, and what cannot be known from a snapshot."""

from __future__ import annotations

from typing import get_args

import pytest

from scheduler_core.explain.agreement.model import (
    AgreementFigures,
    BoundPod,
    CauseKind,
    LikelyCause,
    NodeRefusal,
    OlderMessage,
    PendingPod,
    PendingStanding,
    Standing,
)
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.agreement.texts import (
    PENDING,
    STANDINGS,
    cause_text,
    ours_text,
    pending_text,
    standing_text,
    unknowns,
)


def test_every_standing_and_every_cause_has_words():
    assert STANDINGS.keys() == set(get_args(Standing))
    assert PENDING.keys() == set(get_args(PendingStanding))
    assert all(cause_text(LikelyCause(kind)) for kind in get_args(CauseKind))


def bound(standing, **fields):
    return BoundPod(pod="a/b", node="n", standing=standing, **fields)


def pending(standing, **fields):
    return PendingPod(pod="a/b", standing=standing, **fields)


REFUSED = (NodeRefusal("NodeResourcesFit", ("Too many pods", "Insufficient cpu")),)
LATER = OlderMessage(n_pods=9, n_nodes=1, pods=("a/x", "a/y"), nodes=("n",), then="equal")


@pytest.mark.parametrize(
    ("say", "of", "text"),
    [
        (cause_text, LikelyCause("arrivals", younger=1, lead=3),
         "Order of arrivals: 1 pod was made later. Without them the real node leads by 3 points (tried)."),
        (cause_text, LikelyCause("arrivals", younger=1200),
         "Order of arrivals: 1,200 pods were made later. Without them the real node is the only one that fits "
         "(tried)."),
        (cause_text, LikelyCause("arrivals", younger=2, then="tied"),
         "Order of arrivals: 2 pods were made later. Without them the real node shares the best total (tried)."),
        (cause_text, LikelyCause("sampling", scored=50, fitting=120),
         "Sampling: of 120 nodes that fit, a scheduler with this configuration scores the first 50 that it finds."),
        (cause_text, LikelyCause("sampling", scored=50, fitting=120, tried=True, then="tied", begins="m"),
         "Sampling: of 120 nodes that fit, a scheduler with this configuration scores the first 50 that it finds. A "
         "search that begins at m puts the real node among the best (tried); where the real one began is not known."),
        (cause_text, LikelyCause("sampling", scored=50, fitting=120, tried=True, then="lower", begins="m"),
         "Sampling: of 120 nodes that fit, a scheduler with this configuration scores the first 50 that it finds. "
         "From the likeliest beginnings, the best at m, the real node is not among the best (tried)."),
        (cause_text, LikelyCause("unknown"),
         "Not known: pods that have gone, or were changed since, are not in a snapshot."),
        (cause_text, LikelyCause("unknown", tried=True, younger=2),
         "Not known: pods that have gone, or were changed since, are not in a snapshot. Without the 2 younger pods "
         "it is so too (tried)."),
        (cause_text, LikelyCause("cordon", tried=True, then="tied", beside=("taints",), fitting=2),
         "The node may have been cordoned after the binding; a cordon leaves running pods in place. Without the "
         "cordon and the taint the real node is among the best of 2 (tried)."),
        (cause_text, LikelyCause("taints", tried=True, then="only_one"),
         "The taint may be younger than the binding; NoSchedule leaves running pods in place. Without the taint the "
         "real node is the only one that fits (tried)."),
        (cause_text, LikelyCause("labels", tried=True, then="lower", rank=2, fitting=2),
         "The labels of the node, or the selector, may have changed since; required node affinity is looked at at "
         "scheduling only. Without the node affinity the real node has rank 2 of 2 (tried): it is not the whole "
         "cause."),
        (cause_text, LikelyCause("room", tried=True, then="refused"),
         "The requests on the node leave no room for the pod now: pods bound past the scheduler, or resized since. "
         "Without the lack of room the real node is refused all the same (tried)."),
        (cause_text, LikelyCause("pods"),
         "Pods that came, went or were relabelled later may be why: affinity and spread are looked at at scheduling "
         "only."),
        (cause_text, LikelyCause("volumes"), "The state of its volumes may have changed with the binding itself."),
        (cause_text, LikelyCause("missing"), "An object that the pod needs is not in the input."),
        (standing_text, bound("only_one"), "no other node fits"),
        (standing_text, bound("same", lead=4, n_fitting=1500), "leads by 4 of 1,500 nodes that fit"),
        (standing_text, bound("same"), ""),
        (standing_text, bound("tied", n_best=2, n_fitting=7), "one of 2 with the best total of 7 that fit"),
        (standing_text, bound("lower", rank=3, n_fitting=7, gap=12), "rank 3 of 7, 12 points less"),
        (standing_text, bound("refused", refusals=REFUSED), "NodeResourcesFit: Too many pods, Insufficient cpu"),
        (standing_text, bound("refused", failure="0/1 nodes are available"), "0/1 nodes are available"),
        (ours_text, bound("refused"), "no node fits"),
        (ours_text, bound("lower", best=("m",), n_best=1), "m"),
        (ours_text, bound("lower", best=("m", "o"), n_best=1001), "m or 1,000 more"),
        (pending_text, pending("equal"), ""),
        (pending_text, pending("fits", node="m"),
         "the engine finds m: something changed since the message, or is not in the input"),
        (pending_text, pending("not_recognised"), "the message is of no form that is known"),
        (pending_text, pending("no_message"),
         "neither a condition PodScheduled nor an event FailedScheduling is in the input"),
        (pending_text, pending("decided"),
         "by the input it has a node, where its room is held, and waits for its volumes"),
        (pending_text, pending("equal_then", report=SchedulerReport(at=0.0), older=LATER),
         "the message is of 1970-01-01T00:00:00Z; later came 9 pods bound (a/x, a/y and 7 more) and 1 node made "
         "(n): without that the messages are equal (tried)"),
    ],
)  # fmt: skip
def test_words(say, of, text):
    assert say(of) == text


FIGURES = AgreementFigures(
    standings={"static": 2, "same": 1},
    messages={},
    order="created",
    n_nodes=1000,
    scored=50,
    n_decided=1,
    seconds=0.0,
    gone=("a/x",),
    n_gone=3,
    n_finished=1200,
)


def test_what_a_snapshot_does_not_tell_comes_in_groups_with_their_counts():
    assert [group for group, _ in unknowns(FIGURES)] == [
        "Pods that have gone",
        "Sampling",
        "Draw among equals",
        "Preempted",
        "Finished pods: 1,200",
        "Static pods: 2",
    ]


@pytest.mark.parametrize(
    ("group", "sentence"),
    [
        ("Sampling",
         "Of 1,000 nodes the real scheduler scores the first 50 that fit; a lower rank is to be expected then."),
        ("Preempted", "By the events, 3 preempted pods have gone and left room: a/x and 2 more."),
    ],
)  # fmt: skip
def test_words_of_what_a_snapshot_does_not_tell(group, sentence):
    assert dict(unknowns(FIGURES))[group] == sentence
