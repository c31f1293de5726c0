"""One pass over the events knows what the engine knew: placements, requests, lanes, how each pod ended."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_core.api.resources import PODS, pod_requests
from scheduler_core.explain.outcomes import encode_outcomes, summarize, tally_recording
from scheduler_core.explain.outcomes.tally import LEFT_OUT, OutcomesTally, bring_forward
from scheduler_core.recording import events as ev
from tests.scheduler_core.engine.scenarios import case, everything, teaching
from tests.scheduler_core.explain.outcomes.runs import recorded, tallied
from tests.scheduler_core.recording.test_against_engine import SEEDS, generated
from tests.scheduler_core.recording.test_old_recordings import FILES, opened

RUNS = [teaching, everything, *(lambda seed=seed: generated(seed) for seed in SEEDS)]


def recounted(session):
    """(requested, allocatable) of the nodes that are there, from the engine's own objects."""
    cluster = session.simulation.context.cluster
    nodes = {name: cluster.table.nodes[row] for name, row in cluster.table.row_of.items()}
    requested, allocatable = Counter(), Counter()
    for key, info in cluster.pods.items():
        if cluster.node_of(key) in nodes:
            requested.update({**pod_requests(info.pod), PODS: 1})
    for node in nodes.values():
        allocatable.update(node.allocatable)
    return +requested, +allocatable


@pytest.mark.slow
@pytest.mark.parametrize("inputs", RUNS)
def test_requests_at_the_end_equal_a_recount_from_the_objects(inputs):
    session, tally = tallied(inputs())
    requested, allocatable = recounted(session)
    assert +Counter(tally.usage.requested) == requested
    assert +Counter(tally.usage.allocatable) == allocatable


@pytest.mark.slow
@pytest.mark.parametrize("inputs", [teaching, everything])
def test_a_tally_brought_forward_in_pieces_says_the_same_as_one_pass(inputs):
    _, reader = recorded(inputs())
    whole = summarize(tally_recording(inputs(), reader))
    tally = OutcomesTally(inputs(), reader.state_at(0))
    for until in (*range(0, reader.head_seq(), 97), reader.head_seq()):
        bring_forward(tally, reader, until)
        summarize(tally)
    assert encode_outcomes(summarize(tally)) == encode_outcomes(whole)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_recordings_of_older_formats_are_summed_up(path):
    reader, _ = opened(path)
    tally = tally_recording(teaching(), reader)
    outcomes = summarize(tally)
    assert sum(outcomes.counts.values()) == len(outcomes.pods) > 0
    assert outcomes.counts["bound"] >= tally.state.counts.bound - tally.state.counts.pods_deleted
    assert all(record.replaced is None for record in tally.records if record.cause.startswith("preempted"))


def test_events_that_are_left_out_change_nothing():
    inputs = case("deployment", "deployment-timeline")
    _, reader = recorded(inputs)
    tally = OutcomesTally(inputs, reader.state_at(0))
    tally.fold(reader.events_without((), 0, reader.head_seq()))
    tally.state.seq = reader.head_seq()
    assert summarize(tally) == summarize(tally_recording(inputs, reader))
    types = {type(event) for _, _, event in reader.events_without(LEFT_OUT, 0, reader.head_seq())}
    assert types
    assert not types & LEFT_OUT


def test_exceptions_of_plugins_are_counted_by_kind_with_the_first():
    inputs = teaching()
    _, reader = recorded(inputs)
    tally = tally_recording(inputs, reader)
    raised = [("Quota", "Filter", "KeyError"), ("Quota", "Score", "KeyError"), ("Quota", "Filter", "KeyError")]
    events = [
        ev.PluginFailed(
            at=tally.state.at, cycle=1, pod="default/x", plugin=plugin, point=point, error=error, message=f"{n}"
        )
        for n, (plugin, point, error) in enumerate(raised)
    ]
    tally.fold((reader.head_seq() + n, None, event) for n, event in enumerate(events))
    outcomes = summarize(tally)
    head = reader.head_seq()
    assert [tuple(getattr(one, name) for name in one.__struct_fields__) for one in outcomes.failures] == [
        ("Quota", "Filter", "KeyError", "0", head, 2),
        ("Quota", "Score", "KeyError", "1", head + 1, 1),
    ]
    assert outcomes.n_failures == 3
