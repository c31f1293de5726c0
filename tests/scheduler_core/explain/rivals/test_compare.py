"""Points of nodes side by side are those recorded, or those that a refused node would have had."""

from __future__ import annotations

import pytest

from scheduler_core.explain.rivals.compare import compare
from scheduler_core.explain.sessions import Changes, at_cycle
from tests.scheduler_core.crowded import pod_of, recorded
from tests.scheduler_core.engine.scenarios import teaching


@pytest.fixture(scope="module")
def demo():
    inputs = teaching()
    return recorded(inputs), inputs


def compared(demo, cycle, nodes):
    reader, inputs = demo
    trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
    return compare(trials, key, nodes, reader.frame(cycle), reader.node_names(cycle)), trials, key


def test_the_leads_add_up_and_name_who_decided(demo):
    found, trials, key = compared(demo, 5, ["worker-a-2", "worker-a-1"])
    assert (found.winner, found.is_drawn) == ("worker-a-2", False)
    first, second = found.rivals
    assert (first.rank, first.total - second.total) == (1, found.lead)
    assert sum(lead.points for lead in found.leads) == found.lead
    assert found.without == ("NodeResourcesFit",)
    trial = trials.attempt(key)
    for rival in found.rivals:
        assert (rival.total, list(rival.points)) == (trial.total(rival.node), trial.points(rival.node))


def test_a_refused_node_has_the_filter_that_refused_it_and_what_it_would_have_had(demo):
    found, trials, key = compared(demo, 5, ["worker-a-2", "ssd-b-2"])
    refused = found.rivals[1]
    assert [refusal.plugin for refusal in refused.refusals] == ["PodTopologySpread"]
    assert not refused.fits
    assert refused.total == sum(points.weighted for points in refused.points)
    admitted = trials.attempt(key, Changes(admitted=("ssd-b-2",)))
    assert refused.total == admitted.total("ssd-b-2")


def test_a_draw_is_said_to_be_one(demo):
    found, trials, key = compared(demo, 1, ["worker-a-1", "worker-b-1"])
    assert found.is_drawn
    assert found.winner in found.tied
    assert found.lead == 0
    assert found.tied == trials.attempt(key).tied


def test_a_pod_that_found_no_node_has_no_rivals(demo):
    reader, inputs = demo
    trials = at_cycle(reader, inputs, 62)
    with pytest.raises(ValueError, match="no node was found for data/warehouse-0"):
        compare(trials, "data/warehouse-0", ["worker-a-1"])


def test_the_only_node_that_fits_was_not_scored(demo):
    reader, inputs = demo
    for cycle in range(1, reader.last_cycle() + 1):
        trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
        trial = trials.attempt(key)
        if len(trial.feasible) == 1:
            found = compare(trials, key, [trial.node], reader.frame(cycle), reader.node_names(cycle))
            assert (found.rivals[0].total, found.rivals[0].rank, found.n_scored) == (None, 0, 0)
            assert "the only node that fitted" in found.rivals[0].unknown
            return
    raise AssertionError("every pod had a choice")
