"""Runs with several extenders: pure functions of their inputs, whose recordings agree with the choices."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pytest

from scheduler_core.api.config import ManagedResource, SchedulerConfiguration
from scheduler_core.compiled import without_kernel
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.profiles.plugin_sets import ProfileError
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import MemoryStore, RecordingReader
from scheduler_core.simulate import InputChange, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import extender, inputs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.slow
GPU = "example.com/gpu"
EXTENDERS = [
    extender(url_prefix="http://a.example", filter_verb="f", prioritize_verb="p", weight=2, preempt_verb="e"),
    extender(url_prefix="http://b.example", filter_verb="f", prioritize_verb="p", weight=1, node_cache_capable=False),
    extender(
        url_prefix="http://c.example",
        filter_verb="f",
        bind_verb="b",
        ignorable=True,
        managed_resources=(ManagedResource(GPU),),
    ),
]


class Moody:
    """Answers by a hash of the request alone: refuses nodes, fails now and then, scores, agrees to victims."""

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        return [self._reply(call) for call in calls]

    def _reply(self, call: ExtenderCall) -> ExtenderReply:
        request = call.request
        if self._draw(call, "mood", 12) == 0:
            return ExtenderReply(503)
        if call.verb == "bind":
            return ExtenderReply(200, b"{}")
        if call.verb == "preempt":
            victims = request["NodeNameToMetaVictims"]
            left = {node: one for node, one in victims.items() if self._draw(call, node, 3)}
            return ExtenderReply(200, json.dumps({"NodeNameToMetaVictims": left}).encode())
        items = request["Nodes"]["items"] if request["NodeNames"] is None else []
        names = request["NodeNames"] or [item["metadata"]["name"] for item in items]
        if call.verb == "prioritize":
            scores = [{"Host": name, "Score": self._draw(call, name, 11)} for name in names]
            return ExtenderReply(200, json.dumps(scores).encode())
        kept_names = [name for name in names if self._draw(call, name, 4)]
        maps = {"FailedNodes": {name: "busy" for name in names if self._draw(call, name, 4) == 0}}
        answer: dict[str, Any] = {"NodeNames": kept_names} | maps
        if items:
            answer = {"Nodes": {"items": [one for one in items if one["metadata"]["name"] in kept_names]}} | maps
        return ExtenderReply(200, json.dumps(answer).encode())

    def _draw(self, call: ExtenderCall, what: str, n: int) -> int:
        pod = call.request["Pod"]["metadata"]["name"] if "Pod" in call.request else call.request["PodName"]
        text = f"{call.extender}:{call.verb}:{pod}:{what}"
        return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") % n


def moody_inputs() -> RunInputs:
    zone = "topology.kubernetes.io/zone"
    nodes = [
        make_node(f"n{i:02}", cpu="2", labels={zone: f"z{i % 3}"}, extended={GPU: "2"} if i % 2 else {})
        for i in range(12)
    ]
    pods = [
        make_pod(f"p{i:03}", cpu="500m", priority=i % 4, extended={GPU: "1"} if i % 5 == 0 else None) for i in range(70)
    ]
    inputs = inputs_of(EXTENDERS, nodes, pods)
    return RunInputs(
        objects=inputs.objects, configuration=inputs.configuration, policies=inputs.policies, max_cycles=150
    )


def whole(*, cached: bool = True) -> RunSession:
    session = RunSession.start(moody_inputs(), cached=cached, extenders=Moody())
    session.advance()
    return session


@pytest.fixture(scope="module")
def finished() -> RunSession:
    return whole()


@pytest.fixture(scope="module")
def reader() -> RecordingReader:
    session = RunSession.start(moody_inputs(), extenders=Moody())
    store = MemoryStore(session.initial_keyframe())
    while not session.advance(max_cycles=20):
        store.add(session.cut_chunk())
    store.add(session.cut_chunk())
    return RecordingReader(store)


def test_every_setting_of_the_engine_gives_one_history(finished: RunSession) -> None:
    expected = finished.recording_hash()
    assert whole(cached=False).recording_hash() == expected
    with without_kernel():
        assert whole().recording_hash() == expected


@pytest.mark.parametrize("cycles", [1, 17, 60])
def test_a_run_goes_on_from_a_keyframe_as_if_it_had_never_stopped(cycles: int, finished: RunSession) -> None:
    session = RunSession.start(moody_inputs(), extenders=Moody())
    session.advance(max_cycles=cycles)
    chunk = session.cut_chunk()
    assert chunk is not None
    assert chunk.keyframe is not None
    resumed = RunSession.resume(moody_inputs(), chunk.keyframe, extenders=Moody())
    resumed.advance()
    assert resumed.recording_hash() == finished.recording_hash()


def test_a_branch_is_answered_too(reader: RecordingReader) -> None:
    change = InputChange(seq=100, action="put", object=make_node("new", cpu="8"))
    session, point = RunSession.branch(moody_inputs(), 100, [change], reader.keyframe_bytes, extenders=Moody())
    kinds: set[type[ev.Event]] = set()
    session.observe(lambda seq, event: kinds.add(type(event)))
    assert session.advance()
    assert point.asked == 100
    assert {ev.ExtendersFiltered, ev.ExtendersScored} <= kinds


def test_extenders_that_nothing_answers_for_are_refused() -> None:
    with pytest.raises(ProfileError, match="nothing is given that answers for them"):
        RunSession.start(moody_inputs())


def test_a_change_of_the_configuration_can_take_extenders_away(reader: RecordingReader) -> None:
    change = InputChange(seq=100, action="configure", object=SchedulerConfiguration())
    session, point = RunSession.branch(moody_inputs(), 100, [change], reader.keyframe_bytes, extenders=Moody())
    kinds: set[type[ev.Event]] = set()
    session.observe(lambda seq, event: kinds.add(type(event)))
    session.advance()
    assert point.asked == 100
    assert ev.NodesScored in kinds
    assert not kinds & {ev.ExtendersFiltered, ev.ExtendersScored, ev.ExtendersPreempted, ev.ExtendersBound}


def test_frames_agree_with_the_events(reader: RecordingReader) -> None:
    """Of every cycle: who is feasible, the totals, the choice; and every kind of call occurs."""
    names = reader.state_at(0).nodes
    kinds: set[type[ev.Event]] = set()
    filtered: ev.NodesFiltered | None = None
    n_scored = 0
    for _, event in reader.events(0, reader.head_seq() - 1):
        kinds.add(type(event))
        if isinstance(event, ev.NodesFiltered):
            filtered = event
            assert len(reader.frame(event.cycle).feasible()) == event.feasible
        if isinstance(event, ev.HostSelected):
            frame = reader.frame(event.cycle)
            assert names[event.node] in frame.feasible()
            if filtered is not None and filtered.feasible > 1:
                totals, feasible = frame.totals(), frame.feasible()
                assert totals[names[event.node]] == totals[feasible].max() == event.total
                assert int((totals[feasible] == event.total).sum()) == event.tie_count
                n_scored += 1
    assert n_scored > 10
    assert {
        ev.ExtendersFiltered,
        ev.ExtendersScored,
        ev.ExtendersPreempted,
        ev.ExtendersBound,
        ev.MatrixDigest,
    } <= kinds
