"""RefusalTally since the last pod that was made, and what quotas hold."""

from __future__ import annotations

from scheduler_core.api.unplayed import RefusedCreation
from scheduler_core.explain.outcomes.making.refusals import RefusalTally, quota_uses
from scheduler_core.recording import events as ev
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.engine.arrivals.quota_histories import quota

MAKER = "ReplicaSet a/web-1"
FINISHED = ev.RunFinished(
    at=90,
    reason="",
    cycles=0,
    bound=2,
    pending=0,
    missing=(ev.Missing("Deployment a/web", 4, 2, 2, "quota q refuses them"), ev.Missing("Job a/done", 2, 1)),
)


def refused(at: int) -> ev.CreationRefused:
    return ev.CreationRefused(
        at=at,
        kind="Pod",
        key=f"a/web-1-{at}",
        message="no",
        code="NOT_CREATED_QUOTA",
        by="ResourceQuota/a/q",
        maker=MAKER,
    )


def made(at: int) -> ev.ObjectChanged:
    return ev.ObjectChanged(at=at, kind="Pod", key="a/web-1-x", action="added", cause=f"made by {MAKER}")


def test_refusals_count_since_the_last_pod_that_was_made() -> None:
    refusals = RefusalTally()
    for seq, at in enumerate((1, 2, 3)):
        refusals.take(seq, refused(at))
    refusals.pod_came(made(4))
    refusals.take(5, refused(50))
    refusals.take(6, refused(60))
    web, done = refusals.short(FINISHED, {MAKER: "Deployment a/web"}, {})
    assert (web.code, web.by, web.maker) == ("NOT_CREATED_QUOTA", "ResourceQuota/a/q", MAKER)
    assert (web.refused, web.since, web.seq, web.made, web.key) == (2, 50, 7, 2, "a/web")
    assert done.code == ""


def test_what_the_input_says_of_an_owner_counts_where_the_run_refused_nothing() -> None:
    given = RefusedCreation(
        kind="ReplicaSet", namespace="a", name="web", code="NOT_CREATED_QUOTA", quota="q", message="no"
    )
    web, _ = RefusalTally().short(FINISHED, {}, {"Deployment a/web": given})
    assert (web.code, web.by, web.refused, web.since) == ("NOT_CREATED_QUOTA", "ResourceQuota/a/q", 0, -1)
    assert RefusalTally().short(None, {}, {}) == []


def test_quotas_count_the_pods_that_exist() -> None:
    refusals = RefusalTally()
    refusals.take(0, refused(1))
    short = refusals.short(FINISHED, {MAKER: "Deployment a/web"}, {})
    pods = [make_pod("one", namespace="a", cpu="500m"), make_pod("two", namespace="b", cpu="1")]
    uses = quota_uses([quota(pods=3, requests_cpu=1000)], pods, short)
    assert [(one.resource, one.used, one.hard, one.refused) for one in uses] == [
        ("pods", 1, 3, 2),
        ("requests.cpu", 500, 1000, 2),
    ]
