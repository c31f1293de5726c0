"""The sentence on a rollout, beside the values that it is made of."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.controllers.rollouts.progress import TIMED_OUT, OwnerCondition
from scheduler_core.controllers.rollouts.rollout_states import RevisionPods, RolloutState

OLD = RevisionPods(name="web-a", is_new=False, desired=2, made=2, bound=2, ready=2, available=2)
ENDING = RevisionPods(name="web-a", is_new=False, terminating=2)
NEW = RevisionPods(name="web-b", is_new=True, desired=1, made=1)
LATE = OwnerCondition("False", TIMED_OUT)


def state(key: str = "Deployment/shop/web", **fields: Any) -> RolloutState:
    title = key.replace("/", " ", 1)
    fields = {"strategy": "RollingUpdate", "replicas": 2, "revisions": (OLD, NEW), **fields}
    return RolloutState(key=key, title=title, **fields)


SURGE = {"max_surge": 1, "max_unavailable": 0, "most": 3, "least": 2}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            state(waits_for="pending", pending=("shop/web-b-x",), deadline_seconds=600, condition=LATE, **SURGE),
            "the rollout of Deployment shop/web does not go on: 0 of 2 pods are new and available, web-a keeps 2;"
            " shop/web-b-x has no node, and no available pod may leave first (maxSurge 1, maxUnavailable 0);"
            " its progress deadline of 600 s has passed",
        ),
        (
            state(waits_for="refused", refusal="no", **SURGE),
            "the rollout of Deployment shop/web does not go on: 0 of 2 pods are new and available, web-a keeps 2;"
            " the API server refuses what is missing: no (maxSurge 1, maxUnavailable 0)",
        ),
        (
            state("StatefulSet/shop/db", waits_for="partition", partition=1),
            "the rollout of StatefulSet shop/db waits on purpose: 0 of 2 pods are new and available, 2 of an older"
            " revision; pods below the partition keep the older revision (partition 1)",
        ),
        (
            state("DaemonSet/shop/agent", waits_for="not ready", not_ready=("shop/a", "shop/b", "shop/c", "shop/d")),
            "the rollout of DaemonSet shop/agent does not go on: 0 of 2 pods are new and available, 2 of an older"
            " revision; shop/a, shop/b, shop/c and 1 more are bound and not available (RollingUpdate)",
        ),
        (
            state("DaemonSet/shop/agent", waits_for="pending", pending=("shop/a",), max_unavailable=1, least=2),
            "the rollout of DaemonSet shop/agent does not go on: 0 of 2 pods are new and available, 2 of an older"
            " revision; shop/a has no node, which uses up maxUnavailable 1 (maxUnavailable 1)",
        ),
        (
            state("StatefulSet/shop/db", waits_for="not ready", not_ready=("shop/db-1",), is_ordered=True),
            "the rollout of StatefulSet shop/db does not go on: 0 of 2 pods are new and available, 2 of an older"
            " revision; shop/db-1 is bound and not available, and the other ordinals wait for that (RollingUpdate)",
        ),
        (
            state(waits_for="terminating", strategy="Recreate", revisions=(ENDING, NEW)),
            "the rollout of Deployment shop/web does not go on: 0 of 2 pods are new and available; it waits for 2 pods"
            " of the older revision to end first (Recreate)",
        ),
        (
            state(waits_for="strategy", **SURGE),
            "the rollout of Deployment shop/web does not go on: 0 of 2 pods are new and available, web-a keeps 2;"
            " the strategy allows 3 pods and keeps 2 available (maxSurge 1, maxUnavailable 0)",
        ),
    ],
)
def test_words(given: RolloutState, text: str) -> None:
    assert given.text == text
    assert (given.new, given.held_back, given.new.pending, OLD.unmade) == (NEW, 1, 1, 0)
