"""Changes of a branch as entries of a timeline: an ordinary run decides the same."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from scheduler_core.engine.branches.timeline_entries import time_text
from scheduler_core.recording import events as ev
from scheduler_core.simulate import (
    EntryMoment,
    InputChange,
    MovedChange,
    RecordedPlace,
    RunInputs,
    Timeline,
    TimelineEntry,
    TimelineError,
    entry_moment,
    timeline_from_raw,
    timeline_with,
)
from scheduler_core.testing.builders import make_node, make_pod
from tests.properties.branches import Told, branched, carried_on, executed
from tests.scheduler_core.engine.scenarios import everything, teaching
from tests.seeds import how_many


def place_of(run: Told, seq: int) -> RecordedPlace:
    at, first, end = run.events[seq].at, seq, seq
    while first and run.events[first - 1].at == at:
        first -= 1
    while end < len(run.events) and run.events[end].at == at:
        end += 1
    return RecordedPlace(seq, at, first, list(zip(run.events[first:end], run.causes[first:end], strict=True)))


def ordinary(inputs: RunInputs, change: InputChange, moment: EntryMoment) -> Told:
    entries = list(inputs.timeline.entries)
    earlier = [e.at < moment.at or (e.at == moment.at and i < moment.n_before) for i, e in enumerate(entries)]
    entries.insert(sum(earlier), TimelineEntry(moment.at, change.action, change.object))
    return executed(msgspec.structs.replace(inputs, timeline=Timeline(tuple(entries))))


def bare(event: ev.AnyEvent) -> ev.AnyEvent:
    """The event without what says of which input it is."""
    if isinstance(event, ev.ObjectChanged):
        return msgspec.structs.replace(event, change=None, entry=None, object=b"")
    return event


def decided(run: Told) -> list[object]:
    """What a run decided, in its order, without times, of which some come a microsecond later."""
    made: list[object] = []
    for event in run.events:
        match event:
            case ev.CycleStarted():
                made.append(("cycle", event.pod))
            case ev.NodesFiltered():
                made.append(("filtered", event.feasible))
            case ev.HostSelected():
                made.append(("selected", event.node))
            case ev.PreemptionDecided():
                made.append(("preempts", event.nominated_node, event.chosen and event.chosen.victims))
            case ev.Bound():
                made.append(("bound", event.pod, event.node))
            case ev.CycleFinished():
                made.append(("finished", event.pod, event.outcome))
    return made


@pytest.mark.slow
@pytest.mark.any_engine
@pytest.mark.parametrize(
    ("inputs", "obj"),
    [
        pytest.param(teaching(), make_node("bought", cpu="64"), id="teaching-node"),
        pytest.param(everything(), make_pod("late", cpu="100m"), id="everything-pod", marks=pytest.mark.long),
        pytest.param(teaching(), make_pod("late", cpu="100m"), id="teaching-pod", marks=pytest.mark.long),
        pytest.param(everything(), make_node("bought", cpu="64"), id="everything-node", marks=pytest.mark.long),
    ],
)
def test_a_run_of_the_timeline_decides_what_the_branch_decides(inputs, obj):
    origin, kinds = executed(inputs), Counter[str]()
    for asked in range(0, len(origin.events), how_many(62, 31)):
        change = InputChange(seq=asked, action="put", object=obj)
        session, point = branched(origin, inputs, asked, change)
        run = carried_on(origin, session)
        moment = entry_moment(place_of(run, point.seq))
        other = ordinary(inputs, change, moment)
        if moment.is_among:
            kinds["among"] += 1
            continue
        if moment.is_later:
            kinds["later"] += 1
            assert moment.at == run.events[point.seq].at + 1
            assert len(run.events) == len(other.events)
            assert decided(run) == decided(other)
        else:
            kinds["equal"] += 1
            assert [bare(one) for one in run.events] == [bare(one) for one in other.events]
            assert run.causes == other.causes
    assert kinds["equal"]
    assert kinds["later"]


def test_where_more_happens_at_the_very_moment_it_is_told():
    inputs = everything()
    origin = executed(inputs)
    bound = next(i for i, one in enumerate(origin.events) if isinstance(one, ev.Bound) and _goes_on(origin, i)) + 1
    session, point = branched(origin, inputs, bound, InputChange(seq=bound, action="put", object=make_node("bought")))
    moment = entry_moment(place_of(carried_on(origin, session), point.seq))
    assert (moment.is_among, moment.is_later) == (True, False)


def _goes_on(run: Told, seq: int) -> bool:
    following = run.events[seq + 1 : seq + 3]
    return any(isinstance(one, ev.CycleStarted) and one.at == run.events[seq].at for one in following)


# --- file form -----------------------------------------------------------------------------------------------------
def node(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def names(raw) -> list[tuple[int, str, str]]:
    return [(e.at, e.action, e.object.name) for e in timeline_from_raw(raw).entries]


RAW = {"entries": [{"at": t, "action": "add", "object": node(name)} for t, name in ((2, "c"), (1, "a"), ("1s", "b"))]}


def test_entries_come_behind_those_that_had_come_and_before_the_others():
    change = MovedChange(EntryMoment(1_000_000, 1), "put", node("mine"))
    made = timeline_with(RAW, (), [change], ())
    assert names(made) == [
        (1_000_000, "put", "a"),
        (1_000_000, "put", "mine"),
        (1_000_000, "put", "b"),
        (2_000_000, "put", "c"),
    ]
    assert RAW["entries"][0]["object"]["metadata"]["name"] == "c"


def test_entries_that_are_switched_off_are_left_out_by_their_index_in_time():
    made = timeline_with(RAW, (), [], {0, 2})
    assert names(made) == [(1_000_000, "put", "b")]


def test_changes_of_one_moment_keep_their_order():
    moment = EntryMoment(3_000_001, 3, is_later=True)
    changes = [MovedChange(moment, "put", node("x")), MovedChange(moment, "delete", node("a"))]
    assert names(timeline_with(RAW, (), changes, ()))[3:] == [(3_000_001, "put", "x"), (3_000_001, "delete", "a")]
    assert names(timeline_with({"entries": []}, (), changes, ())) == [
        (3_000_001, "put", "x"),
        (3_000_001, "delete", "a"),
    ]


def test_an_object_that_cannot_be_an_entry_is_refused():
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}
    with pytest.raises(TimelineError):
        timeline_with(RAW, (), [MovedChange(EntryMoment(5, 0), "put", deployment)], ())


@pytest.mark.parametrize(
    ("us", "text"),
    [(0, "0s"), (3_000_000, "3s"), (250_000, "0.25s"), (7_005_001, "7.005001s"), (86_400_000_000, "86400s")],
)
def test_times_are_written_so_that_they_are_read_the_same(us, text):
    assert time_text(us) == text
    assert names({"entries": [{"at": text, "object": node("n")}]})[0][0] == us


AT = 50
COMES = (ev.ObjectChanged(at=AT, kind="Node", key="n", action="added", entry=3), None)
CYCLE = (ev.CycleStarted(at=AT, cycle=1, pod="default/p", attempt=1, profile="x", priority=0, n_nodes=1, template=0), 2)
BOUND = (ev.Bound(at=AT, cycle=1, pod="default/p", node="n"), 2)


@pytest.mark.parametrize(
    ("before", "behind", "moment"),
    [
        ([], [], EntryMoment(AT, 0)),
        ([], [CYCLE], EntryMoment(AT, 0)),
        ([COMES], [CYCLE], EntryMoment(AT, 4)),
        ([CYCLE], [], EntryMoment(AT + 1, 0, is_later=True)),
        ([BOUND], [COMES], EntryMoment(AT + 1, 0, is_later=True)),
        ([COMES, CYCLE], [], EntryMoment(AT + 1, 4, is_later=True)),
        ([CYCLE], [CYCLE], EntryMoment(AT + 1, 0, is_later=True, is_among=True)),
        ([BOUND], [CYCLE], EntryMoment(AT, 0, is_among=True)),
        ([BOUND], [BOUND], EntryMoment(AT, 0, is_among=True)),
    ],
)
def test_an_entry_comes_a_microsecond_later_where_something_happened_before_it(before, behind, moment):
    place = RecordedPlace(seq=10 + len(before), at=AT, first=10, events=[*before, *behind])
    assert entry_moment(place) == moment
