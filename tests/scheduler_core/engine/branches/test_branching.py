"""A branch begins between two steps, has what it needs in its own inputs, and refuses what cannot come there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from scheduler_core import ENGINE_VERSION
from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.api.objects import KINDS, ClusterObjects
from scheduler_core.engine.branches.branching import BranchPoint
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.stores import INITIAL, MemoryStore
from scheduler_core.simulate import (
    BranchError,
    InputChange,
    Policies,
    ProfileError,
    RunInputs,
    RunSession,
    Timeline,
    TimelineEntry,
)
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import teaching
from tests.seeds import how_many, long_but

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scheduler_core.recording.chunks import Chunk

NODE = make_node("bought", cpu="64")
PACKING = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}
PACKED = SchedulerConfiguration(profiles=(Profile(plugin_config={"NodeResourcesFit": PACKING}),))


def put(seq: int) -> InputChange:
    return InputChange(seq=seq, action="put", object=NODE)


def recorded(inputs: RunInputs, session: RunSession | None = None, every: int = 30) -> RecordingReader:
    session = session or RunSession.start(inputs)
    store, going = MemoryStore(session.initial_keyframe()), True
    while going:
        going = not session.advance(max_cycles=every)
        store.add(session.cut_chunk())
    return RecordingReader(store)


@pytest.fixture(scope="module")
def origin() -> RecordingReader:
    return recorded(teaching())


def events_of(reader: RecordingReader) -> list[ev.AnyEvent]:
    return [event for _, event in reader.events(0, reader.head_seq() - 1)]


def recorded_chunks(reader: RecordingReader) -> list[Chunk]:
    assert isinstance(reader.store, MemoryStore)
    return reader.store.chunks


def observed_events(session: RunSession) -> list[tuple[int, ev.AnyEvent]]:
    observed: list[tuple[int, ev.AnyEvent]] = []
    session.observe(lambda seq, event: observed.append((seq, event)))
    session.advance()
    return observed


def branch(origin: RecordingReader, seq: int, *changes: InputChange):
    return RunSession.branch(teaching(), seq, changes, origin.keyframe_bytes)


def test_a_cursor_inside_of_a_cycle_snaps_to_its_start_and_says_so(origin: RecordingReader) -> None:
    first, last = origin.cycle_span(5)
    for asked in (first + 1, last):
        session, point = branch(origin, asked, put(asked))
        assert (point.seq, point.asked, point.cycle) == (session.head_seq, asked, 5)
        assert first - 2 <= point.seq <= first  # the pod is taken from the queue first
        assert all(part in point.text for part in (f"Event {asked} ", "cycle 5", f"event {point.seq}."))
        assert session.inputs.changes == (put(point.seq),)
        seq, event = observed_events(session)[0]
        assert (seq, getattr(event, "key", "")) == (point.seq, "bought")


def test_between_two_steps_it_begins_where_it_was_asked_to(origin: RecordingReader) -> None:
    asked = origin.cycle_span(5)[1] + 1
    session, point = branch(origin, asked, put(asked))
    assert (point.seq, point.text, session.head_seq) == (asked, "", asked)
    assert point.at == events_of(origin)[asked - 1].at


def test_at_the_end_of_the_run_it_begins_before_that_end(origin: RecordingReader) -> None:
    n = origin.head_seq()
    session, point = branch(origin, n, put(n))
    assert (point.seq, point.is_over) == (n - 1, True)
    assert f"event {n - 1}." in point.text
    recorded_events = observed_events(session)
    assert getattr(recorded_events[0][1], "key", "") == "bought"
    assert isinstance(recorded_events[-1][1], ev.RunFinished)
    assert len(recorded_events) > 2


def test_the_start_is_no_place_to_branch() -> None:
    pods = [make_pod(name, cpu="1", uid="") for name in ("a", "b")]
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node("n")], pods=pods))
    for asked in (0, 1):
        session, point = RunSession.branch(inputs, asked, [put(asked)])
        assert (point.seq, session.head_seq) == (2, 2)
        assert "2 events" in point.text
        assert observed_events(session)[0][0] == 2


def test_its_inputs_alone_give_the_same_recording(origin: RecordingReader) -> None:
    session, _ = branch(origin, 300, put(300), InputChange(seq=350, action="configure", object=PACKED))
    session.advance()
    again = RunSession.start(session.inputs)
    again.advance()
    assert again.recording_hash() == session.recording_hash() != origin.verify_hash()


def test_its_events_hold_what_was_changed_whole_and_lead_to_the_change(origin: RecordingReader) -> None:
    session, point = branch(origin, 300, put(300))
    change, *_ = observed_events(session)
    assert isinstance(change[1], ev.ObjectChanged)
    assert change[1].object
    assert session.simulation.recorder.state.made["Node/bought"] == change[1].object
    assert change[0] == point.seq


def test_a_new_configuration_starts_the_scheduler_anew(origin: RecordingReader) -> None:
    asked = next(i for i, e in enumerate(events_of(origin)) if isinstance(e, ev.Reserved)) + 3
    session, point = branch(origin, asked, InputChange(seq=asked, action="configure", object=PACKED))
    on_their_way = set(session.simulation.bindings)
    assert on_their_way, "the place was chosen so that a pod is on its way to a node"
    observed: list[ev.AnyEvent] = []
    session.observe(lambda seq, event: observed.append(event))
    session.simulation.step()
    assert isinstance(observed[0], ev.InputsChanged)
    assert (observed[0].what, observed[0].restarts, observed[0].change) == ("configuration", True, 0)
    assert msgspec.msgpack.decode(observed[0].value, type=SchedulerConfiguration) == PACKED
    taken_back = {event.pod: event.reason for event in observed if isinstance(event, ev.Unreserved)}
    assert taken_back.keys() == on_their_way
    assert all(taken_back.values())
    left = [event.pod for event in observed if isinstance(event, ev.QueueMove) and not event.target]
    queued = [event for event in observed if isinstance(event, ev.QueueMove) and event.target]
    waiting = [pod.key for pod in session.simulation.world.pods.values() if not pod.node_name]
    assert sorted(left) == sorted(event.pod for event in queued) == sorted(waiting)
    assert {(event.attempts, event.timestamp) for event in queued} == {(0, session.now_us)}
    assert session.simulation.recorder.state.placements.keys() == session.simulation.context.cluster.placements.keys()
    chunk = session.cut_chunk()
    assert chunk is not None
    store = MemoryStore(origin.store.keyframe(INITIAL) or b"", recorded_chunks(origin)[: chunk.index])
    store.add(chunk)
    causes = RecordingReader(store).causes(point.seq, session.head_seq - 1)
    assert causes == [-1, *[point.seq] * (len(observed) - 1)]


def test_policies_of_the_scheduler_start_it_anew_and_others_do_not(origin: RecordingReader) -> None:
    asked = origin.cycle_span(5)[1] + 1
    for policies, restarts in ((Policies(cycle_us=9_000, victims="at_once"), False), (Policies(draw="smallest"), True)):
        session, _ = branch(origin, asked, InputChange(seq=asked, action="set_policies", object=policies))
        first = observed_events(session)[0][1]
        assert isinstance(first, ev.InputsChanged)
        assert (first.what, first.restarts) == ("policies", restarts)
        assert session.simulation.policies == policies
    assert session.simulation.evictions.at_once is False


def test_an_entry_that_is_switched_off_does_not_happen(origin: RecordingReader) -> None:
    events = events_of(origin)
    entry = next(e.entry for e in reversed(events) if isinstance(e, ev.ObjectChanged) and e.entry is not None)
    seq = next(i for i, e in enumerate(events) if getattr(e, "entry", None) == entry)
    session, point = branch(origin, seq, InputChange(seq=seq, action="switch_off", object=entry))
    behind = observed_events(session)
    assert point.seq == seq
    assert behind[0][1] == ev.InputsChanged(at=behind[0][1].at, change=0, what="timeline", entry=entry)
    assert entry not in {getattr(event, "entry", None) for _, event in behind[1:]}


def test_the_entry_behind_one_that_is_switched_off_comes_as_early_as_without_it() -> None:
    """Here it comes at the moment of a binding that was put on the clock in between."""
    bind_us = Policies().binding_us
    entries = (
        TimelineEntry(0, "put", make_pod("a", cpu="1", uid="")),
        TimelineEntry(1_000, "put", NODE),
        TimelineEntry(bind_us, "put", make_pod("b", cpu="1", uid="")),
    )
    objects = ClusterObjects(nodes=[make_node("n")])
    inputs = RunInputs(objects=objects, schedule="timeline", timeline=Timeline(entries))
    whole = recorded(inputs, every=1)
    seq = next(i for i, e in enumerate(events_of(whole)) if getattr(e, "entry", None) == 1)
    session, point = RunSession.branch(
        inputs, seq, [InputChange(seq=seq, action="switch_off", object=1)], whole.keyframe_bytes
    )
    ordinary = msgspec.structs.replace(inputs, timeline=Timeline((entries[0], entries[2])))
    behind = [getattr(event, "pod", "") or getattr(event, "key", "") for _, event in observed_events(session)[1:]]
    expected = [getattr(e, "pod", "") or getattr(e, "key", "") for e in events_of(recorded(ordinary))[point.seq :]]
    assert behind == expected
    assert behind[0] == "default/b"


def test_a_change_at_the_head_of_a_run_that_goes_on_replays_to_the_same_hash() -> None:
    session = RunSession.start(teaching())
    for n, change in enumerate(
        (put(0), InputChange(seq=0, action="put", object=make_pod("late", cpu="1", uid="")),
         InputChange(seq=0, action="configure", object=PACKED))
    ):  # fmt: skip
        for _ in range(17 * (n + 1)):
            session.simulation.step()
        head = session.head_seq
        assert session.change([change]).changes[-1].seq in (head, head + 1)
    session.advance()
    again = RunSession.start(session.inputs, cached=False)
    again.advance()
    assert again.recording_hash() == session.recording_hash()
    assert len(session.inputs.changes) == 3


@pytest.mark.slow
def test_at_whatever_step_the_head_is_changed_the_inputs_replay() -> None:
    going, n = True, 0
    while going:
        session = RunSession.start(teaching())
        for _ in range(n):
            going = session.simulation.step()
        if not going:
            break
        session.change([put(0)])
        session.advance()
        again = RunSession.start(session.inputs)
        again.advance()
        assert again.recording_hash() == session.recording_hash(), f"changed behind {n} steps"
        n += how_many(26, 13)
    assert n > 100


def test_a_branch_of_a_branch_keeps_the_changes_of_both(origin: RecordingReader) -> None:
    inputs = branch(origin, 200, put(200))[0].inputs
    first = recorded(inputs)
    later = InputChange(seq=400, action="delete", object=NODE)
    session, point = RunSession.branch(inputs, 400, [later], first.keyframe_bytes)
    assert session.inputs.changes == (inputs.changes[0], msgspec.structs.replace(later, seq=point.seq))
    earlier = InputChange(seq=150, action="put", object=make_node("other"))
    session, _ = RunSession.branch(inputs, 150, [earlier], first.keyframe_bytes)
    assert [change.object.name for change in session.inputs.changes] == ["other", "bought"]


REQUIRED = {"WorkloadSelector": {"kind": "Service"}, "PriorityClass": {"value": 5}}


@pytest.mark.slow
@pytest.mark.parametrize("kind", long_but(KINDS, ("Node", "Pod", "PersistentVolumeClaim", "PriorityClass")))
def test_objects_of_every_kind_come_change_and_go(origin: RecordingReader, kind: str) -> None:
    made = KINDS[kind](name="of-branch", **REQUIRED.get(kind, {}))
    later = [InputChange(seq=seq, action=action, object=made) for seq, action in ((320, "put"), (340, "delete"))]
    session, point = branch(origin, 300, InputChange(seq=300, action="put", object=made), *later)
    changed = [
        (event.change, event.action)
        for _, event in observed_events(session)
        if getattr(event, "change", None) is not None
    ]
    assert changed == [(0, "added"), (1, "updated"), (2, "deleted")]
    resumed = RunSession.resume(session.inputs, recorded(session.inputs, every=5).keyframe_bytes(330))
    resumed.advance()
    assert resumed.recording_hash() == session.recording_hash()
    assert point.seq <= 300


def test_changes_beyond_the_end_come_before_it() -> None:
    inputs = teaching(changes=(put(10**9),))
    session = RunSession.start(inputs)
    session.advance()
    assert "bought" in session.simulation.context.cluster.table.row_of


TOO_FEW = SchedulerConfiguration(
    profiles=(Profile(plugins={"score": PluginSet(enabled=(PluginRef("NoSuchPlugin", 1),))}),)
)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ([InputChange(seq=299, action="put", object=NODE)], BranchError, "before the branch"),
        ([InputChange(seq=300, action="put", object=3)], BranchError, 'no change "put" of a int'),
        ([InputChange(seq=300, action="explode", object=NODE)], BranchError, 'no change "explode"'),  # type: ignore[arg-type]
        ([InputChange(seq=300, action="switch_off", object=0)], BranchError, "was carried out before the branch"),
        ([InputChange(seq=300, action="switch_off", object=999)], BranchError, "there is no entry 999"),
        ([InputChange(seq=300, action="set_policies", object=Policies(decide_anew="a/b"))], BranchError, "begins"),
        ([InputChange(seq=300, action="configure", object=TOO_FEW)], ProfileError, "NoSuchPlugin"),
    ],
)
def test_what_cannot_come_there_is_refused(
    origin: RecordingReader, changes: Sequence[InputChange], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        branch(origin, 300, *changes)


def changed_when_it_is_over(_: RecordingReader) -> None:
    session = RunSession.start(teaching())
    session.advance()
    session.change([put(0)])


def branched_by(engine_version: str, origin: RecordingReader) -> None:
    RunSession.branch(teaching(), 300, [put(300)], origin.keyframe_bytes, engine_version=engine_version)


@pytest.mark.parametrize(
    ("use", "sentence"),
    [
        (lambda origin: branch(origin, origin.head_seq() + 1), "the run has {0:,} events; there is no event {1:,}"),
        (lambda origin: branch(origin, -1), "a change at event -1 lies before the branch"),
        (changed_when_it_is_over, "the run is over; begin a branch"),
        (partial(branched_by, "kube-scheduler 1.33 / 1"),
         "the run was made by engine kube-scheduler 1.33 / 1, whose recordings differ from those of {version}. Run it "
         "again first"),
    ],
    ids=["beyond its end", "before its start", "at the head of one that is over", "of another version"],
)  # fmt: skip
def test_words_of_places(origin: RecordingReader, use: Callable[[RecordingReader], Any], sentence: str) -> None:
    head = origin.head_seq()
    with pytest.raises(BranchError) as refused:
        use(origin)
    assert str(refused.value) == sentence.format(head, head + 1, version=ENGINE_VERSION)


def test_a_recording_of_this_engine_version_is_branched(origin: RecordingReader) -> None:
    branched_by(ENGINE_VERSION, origin)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"seq": 5, "asked": 5}, ""),
        ({"seq": 2, "asked": 0}, "The start of the run takes its first 2 events. The branch begins after them."),
        ({"seq": 8, "asked": 9, "is_over": True}, "The run ends with event 8. The branch begins before it."),
        ({"seq": 8, "asked": 9, "cycle": 1200},
         "Event 9 is inside cycle 1,200. The branch begins before it, with event 8."),
        ({"seq": 8, "asked": 9},
         "Event 9 is inside a step of the engine. The branch begins before it, with event 8."),
    ],
)  # fmt: skip
def test_words(fields: dict[str, int], text: str) -> None:
    assert BranchPoint(at=0, **fields).text == text
