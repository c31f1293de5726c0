"""Objects that no input holds, and pods that follow others of their name: recorded, saved, restored, told apart."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects, PersistentVolumeClaim, Pod
from scheduler_core.engine.world import MADE
from scheduler_core.recording import events as ev
from scheduler_core.recording.keyframes import decode_state
from scheduler_core.recording.objects import decode_object
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

SECOND = 1_000_000
PLACED = make_pod("web-0", cpu="1", node_name="n", uid="first")
AGAIN = make_pod("web-0", cpu="1", uid="second", labels={"made": "anew"})
CLAIM = PersistentVolumeClaim(name="data-web-0", requested_bytes=5)


def inputs(**changes: object) -> RunInputs:
    objects = ClusterObjects(nodes=[make_node("n", cpu="2")], pods=[PLACED, make_pod("other", cpu="1", uid="")])
    end = TimelineEntry(9 * SECOND, "put", make_node("m"))
    given = RunInputs(objects=objects, schedule="timeline", timeline=Timeline((end,)))
    return msgspec.structs.replace(given, **changes)


def run_with_a_second_web(session: RunSession) -> RunSession:
    """web-0 goes once everything has settled, and is made anew with a claim."""
    while session.now_us < 5_000 or session.simulation.bindings:
        session.simulation.step()
    world = session.simulation.world
    world.delete_pod("default/web-0", cause="gone")
    world.put(CLAIM, MADE, cause="made for web-0")
    world.put(AGAIN, MADE, cause="made by StatefulSet web")
    return session


def events_of(session: RunSession) -> list[ev.AnyEvent]:
    observed: list[ev.AnyEvent] = []
    session.simulation.observers.append(observed.append)
    return observed


def test_what_is_made_is_recorded_whole_and_only_then() -> None:
    session = RunSession.start(inputs())
    events = events_of(session)
    run_with_a_second_web(session).advance()
    made = {e.key: decode_object(e.kind, e.object) for e in events if isinstance(e, ev.ObjectChanged) and e.object}
    assert made == {"default/web-0": AGAIN, "default/data-web-0": CLAIM}


def test_the_second_pod_of_a_name_is_told_by_its_uid_and_the_first_by_its_name_alone() -> None:
    session = RunSession.start(inputs())
    events = events_of(session)
    run_with_a_second_web(session).advance()
    of_web = [e for e in events if getattr(e, "key", "") == "default/web-0" or getattr(e, "pod", "") == "default/web-0"]
    uids = [(type(e).__name__, e.uid) for e in of_web if hasattr(e, "uid")]
    assert uids[0] == ("ObjectChanged", "")  # the first one goes
    assert {uid for _, uid in uids[1:]} == {"second"}
    assert {"QueueMove", "CycleStarted"} <= {kind for kind, _ in uids[1:]}


def test_a_name_used_again_by_the_timeline_is_another_pod_too() -> None:
    placed = make_pod("web-0", cpu="1", uid="", node_name="n")
    entries = (TimelineEntry(SECOND, "delete", placed), TimelineEntry(2 * SECOND, "put", make_pod("web-0", uid="")))
    session = RunSession.start(inputs(timeline=Timeline(entries)))
    events = events_of(session)
    session.advance()
    started = [e for e in events if isinstance(e, ev.CycleStarted) and e.pod == "default/web-0"]
    assert [bool(e.uid) for e in started] == [True]


def test_preemption_tells_which_victim_it_means() -> None:
    big = make_pod("big", cpu="2", uid="", priority=9)
    entries = (TimelineEntry(9 * SECOND, "put", big),)
    session = RunSession.start(inputs(timeline=Timeline(entries)))
    events = events_of(session)
    run_with_a_second_web(session).advance()
    decided = next(e for e in events if isinstance(e, ev.PreemptionDecided))
    assert dict(decided.uids) == {"default/web-0": "second"}
    assert (decided.pod_uid("default/web-0"), decided.pod_uid("default/other")) == ("second", "")


@pytest.mark.parametrize("every", [1, 3])
def test_a_run_saved_and_restored_after_objects_were_made_goes_on_the_same(every: int) -> None:
    given = inputs()
    undisturbed = run_with_a_second_web(RunSession.start(given))
    undisturbed.advance()
    session = run_with_a_second_web(RunSession.start(given))
    going = True
    while going:
        for _ in range(every):
            going = session.simulation.step()
        chunk = session.cut_chunk()
        if chunk is not None:
            assert chunk.keyframe is not None
            session = RunSession.resume(given, chunk.keyframe)
            world = session.simulation.world
            assert world.cluster.listers.get(CLAIM) == CLAIM
            assert world.pods["default/web-0"].labels == {"made": "anew"}
    assert session.recording_hash() == undisturbed.recording_hash()


def test_the_state_holds_what_was_made_until_it_goes_or_an_input_takes_its_place() -> None:
    given = inputs(policies=Policies(victims="at_once"))
    session = RunSession.start(given)
    start = decode_state(session.initial_keyframe()).placements
    run_with_a_second_web(session)
    chunk = session.cut_chunk()
    assert chunk is not None
    assert chunk.keyframe is not None
    state = decode_state(chunk.keyframe, start=start)
    assert set(state.made) == {"Pod/default/web-0", "PersistentVolumeClaim/default/data-web-0"}
    assert state.uids == {"default/web-0": "second"}
    world = session.simulation.world
    world.delete_pod("default/web-0", cause="gone again")
    session.simulation._apply("put", CLAIM, session.simulation.world.sources.get("", MADE)._replace(kind="timeline"))
    assert session.simulation.recorder.state.made == {}


def test_a_pod_that_was_made_takes_over_an_update_from_the_timeline() -> None:
    update: Pod = msgspec.structs.replace(AGAIN, labels={"made": "anew", "more": "1"})
    given = inputs(timeline=Timeline((TimelineEntry(20 * SECOND, "put", update),)))
    session = run_with_a_second_web(RunSession.start(given))
    session.advance()
    pod = session.simulation.world.pods["default/web-0"]
    assert (pod.labels, pod.uid, pod.node_name) == (update.labels, "second", "n")
