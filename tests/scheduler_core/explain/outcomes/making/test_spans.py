"""Rollouts over time, by the events of a run."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.objects import Workload
from scheduler_core.explain.outcomes.making.spans import RolloutSpans
from scheduler_core.recording import events as ev
from tests.scheduler_core.engine.arrivals.quota_histories import replicas

WEB = replace(replicas("web", 2, kind="Deployment"), template_hash="1")


def changed(at: int, cause: str = "") -> ev.ObjectChanged:
    return ev.ObjectChanged(at=at, kind="Deployment", key="a/web", action="updated", cause=cause)


def spans(*changes: tuple[int, Workload | str]) -> RolloutSpans:
    made = RolloutSpans([WEB])
    for at, change in changes:
        said = change if isinstance(change, str) else ""
        made.owner_changed(changed(at, said), None if isinstance(change, str) else change)
    return made


def test_a_new_template_begins_one_and_conditions_end_it() -> None:
    late = "Progressing is False, ProgressDeadlineExceeded: too late"
    done = "Progressing is True, NewReplicaSetAvailable: done"
    new = replace(WEB, template_hash="2")
    made = spans((5, done), (10, new), (20, late), (25, replace(new, replicas=9)), (30, done), (40, late))
    (span,) = made.spans
    assert (span.title, span.began, span.late_at, span.ended) == ("Deployment a/web", 10, 20, 30)


def test_pods_that_are_bound_are_those_of_the_open_one() -> None:
    made = spans((10, replace(WEB, template_hash="2")))
    made.pod_bound("Deployment a/web", 15)
    made.pod_bound("Deployment a/other", 16)
    assert [one.bound_at for one in made.spans] == [15]
    assert spans((10, replace(WEB, name="new"))).spans == []
