"""The demo and two dumps of real clusters tell their whole story: every pod that there ever was is accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.explain.doubts.answer import BOUND
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from tests.scheduler_core.engine.scenarios import finished, teaching

DUMPS = Path(__file__).parents[1] / "cases" / "dumps"


def dump(*names: str, schedule: str) -> RunInputs:
    loaded = load_cluster([ManifestSource(name, (DUMPS / name).read_bytes()) for name in names])
    assert loaded.errors == []
    return RunInputs(objects=loaded.objects, schedule=schedule)  # type: ignore[arg-type]


STORIES = {
    "the demo": teaching,
    "seven nodes, what waits": lambda: dump("seven-nodes.json", schedule="pending"),
    "seven nodes, all anew": lambda: dump("seven-nodes.json", schedule="all"),
    "two nodes, all anew": lambda: dump("two-nodes.json", schedule="all"),
    "two nodes and an urgent pod": lambda: dump("two-nodes.json", "urgent.yaml", schedule="pending"),
}


@pytest.fixture(scope="module", params=STORIES)
def story(request) -> tuple[RunSession, list[ev.AnyEvent]]:
    return finished(STORIES[request.param]())


def test_nothing_vanishes_unexplained(story):
    session, events = story
    changes = [event for event in events if isinstance(event, ev.ObjectChanged) and event.kind == "Pod"]
    keys = {pod.key for pod in session.simulation.start_pods.values()} | {event.key for event in changes}
    for event in changes:
        assert event.action != "deleted" or event.cause or event.entry is not None, f"{event.key} went without a cause"
    assert keys - set(session.simulation.world.pods) == set(session.simulation.recorder.state.gone)


def test_every_pod_that_is_there_is_placed_or_waits_with_a_reason(story):
    session, events = story
    state = session.simulation.recorder.state
    said = {e.pod: e.message for e in events if isinstance(e, ev.CycleFinished) and e.outcome != "scheduled"}
    for key, pod in session.simulation.world.pods.items():
        if pod.node_name:
            assert state.placements[key].node == pod.node_name
        elif pod.scheduler_name in session.simulation.frameworks:
            assert key in state.queue
            assert said.get(key) or pod.scheduling_gates, f"{key} waits and nothing says why"


def test_the_end_counts_what_is_bound_what_waits_and_what_workloads_lack(story):
    session, events = story
    end = events[-1]
    assert isinstance(end, ev.RunFinished)
    pods = session.simulation.world.pods.values()
    assert (end.bound, end.pending) == (sum(bool(p.node_name) for p in pods), sum(not p.node_name for p in pods))
    missing_of = {missing.workload: missing for missing in end.missing}
    assert len(missing_of) == end.n_short
    assert end.reason.startswith(BOUND) == (not end.pending and not any(m.unmade for m in end.missing))


@pytest.mark.parametrize("name", ["the demo", "two nodes and an urgent pod"])
def test_in_these_stories_pods_do_go(name):
    session, events = finished(STORIES[name]())
    evicted = {e.key for e in events if isinstance(e, ev.ObjectChanged) and e.cause.startswith("preempted")}
    gone = evicted & set(session.simulation.recorder.state.gone)
    made = {e.key for e in events if isinstance(e, ev.ObjectChanged) and e.action == "added" and e.entry is None}
    assert evicted
    assert gone or made, "who is evicted is gone or has a successor"
