"""The comparison of a recorded cycle: its winner and draw are those recorded; unknown nodes are named as absent."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.explain.rivals.answer import pod_of_cycle, why_node
from scheduler_core.explain.rivals.model import Rivalry
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.recording import events as ev
from scheduler_core.recording.errors import RecordingError
from tests.scheduler_core.crowded import crowded, recorded
from tests.scheduler_core.engine.scenarios import teaching
from tests.seeds import how_many


@pytest.fixture(scope="module")
def demo():
    inputs = teaching()
    return recorded(inputs), inputs


def test_a_node_that_was_not_there_is_told_and_leads_are_of_two_that_were(demo):
    reader, inputs = demo
    rivalry = why_node(reader, at_cycle(reader, inputs, 5), 5, ["worker-a-2", "nowhere", "worker-a-1"])
    assert [rival.node for rival in rivalry.rivals] == ["worker-a-2", "nowhere", "worker-a-1"]
    assert [bool(rival.absent) for rival in rivalry.rivals] == [False, True, False]
    assert (rivalry.lead, rivalry.leads) == (None, ())
    assert rivalry.rivals[0].rank == 1


def test_an_answer_is_the_same_after_its_way_as_json(demo):
    reader, inputs = demo
    rivalry = why_node(reader, at_cycle(reader, inputs, 5), 5, ["worker-a-2", "ssd-b-2"])
    assert msgspec.json.decode(msgspec.json.encode(rivalry), type=Rivalry) == rivalry


@pytest.mark.slow
def test_every_node_of_random_cycles_is_told_without_a_difference_from_the_recording():
    for seed in range(60, 60 + how_many(1, 3)):
        inputs = crowded(seed)
        reader = recorded(inputs)
        for cycle in range(1, reader.last_cycle() + 1, 5):
            trials, names = at_cycle(reader, inputs, cycle), [name for name in reader.node_names(cycle) if name]
            rivalry = why_node(reader, trials, cycle, names)
            events = [event for _, event in reader.events(*reader.cycle_span(cycle))]
            selected = next((event for event in events if isinstance(event, ev.HostSelected)), None)
            assert (rivalry.winner, rivalry.cycle) == ("" if selected is None else selected.node, cycle)
            assert rivalry.difference == ""
            assert not any(rival.difference for rival in rivalry.rivals)
            assert selected is None or not rivalry.n_scored or len(rivalry.tied) == selected.tie_count
            for rival in rivalry.rivals:
                if rival.total is not None:
                    assert rival.total == sum(one.weighted for one in rival.points)
                    assert [one.plugin for one in rival.inputs] == [one.plugin for one in rival.points]
                else:
                    assert rival.unknown


def test_a_cycle_that_is_not_recorded_is_an_error(demo):
    reader, _ = demo
    with pytest.raises(RecordingError):
        pod_of_cycle(reader, 9999)
