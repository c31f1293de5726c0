"""Points of nodes side by side are those recorded, or those that a refused node would have had."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.explain.rivals.compare import compare
from scheduler_core.explain.sessions import Changes, at_cycle
from scheduler_core.simulate import Policies, RunInputs
from scheduler_core.testing.builders import make_node, make_pod
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
    rivalry, trials, key = compared(demo, 5, ["worker-a-2", "worker-a-1"])
    assert (rivalry.winner, rivalry.is_drawn) == ("worker-a-2", False)
    first, second = rivalry.rivals
    assert (first.rank, first.total - second.total) == (1, rivalry.lead)
    assert sum(lead.points for lead in rivalry.leads) == rivalry.lead
    assert rivalry.without == ("NodeResourcesFit",)
    trial = trials.attempt(key)
    for rival in rivalry.rivals:
        assert (rival.total, list(rival.points)) == (trial.total(rival.node), trial.points(rival.node))


def test_a_refused_node_has_the_filter_that_refused_it_and_what_it_would_have_had(demo):
    rivalry, trials, key = compared(demo, 5, ["worker-a-2", "ssd-b-2"])
    refused = rivalry.rivals[1]
    assert [refusal.plugin for refusal in refused.refusals] == ["PodTopologySpread"]
    assert not refused.fits
    assert refused.total == sum(points.weighted for points in refused.points)
    admitted = trials.attempt(key, Changes(admitted=("ssd-b-2",)))
    assert refused.total == admitted.total("ssd-b-2")


def test_a_draw_is_said_to_be_one(demo):
    rivalry, trials, key = compared(demo, 1, ["worker-a-1", "worker-b-1"])
    assert rivalry.is_drawn
    assert rivalry.winner in rivalry.tied
    assert rivalry.lead == 0
    assert rivalry.tied == trials.attempt(key).tied


def test_nodes_of_a_cycle_that_found_none_are_compared_as_if_all_of_them_were_let_through(demo):
    rivalry, trials, key = compared(demo, 62, ["worker-a-1", "spot-c-3"])
    assert (rivalry.winner, rivalry.n_scored, rivalry.tied) == ("", 0, ())
    attempt = trials.attempt(key, Changes(admitted=("worker-a-1", "spot-c-3")))
    for rival in rivalry.rivals:
        assert rival.refusals
        assert rival.is_computed
        assert rival.is_together
        assert (rival.total, list(rival.points)) == (attempt.total(rival.node), attempt.points(rival.node))
    assert rivalry.lead == rivalry.rivals[0].total - rivalry.rivals[1].total


def test_a_refused_node_alone_would_have_been_the_only_one(demo):
    rivalry, *_ = compared(demo, 62, ["worker-a-1"])
    assert rivalry.rivals[0].total is None
    assert "only node" in rivalry.rivals[0].unknown


def test_the_only_node_that_fits_was_not_scored_and_its_points_are_computed_beside_others(demo):
    reader, inputs = demo
    for cycle in range(1, reader.last_cycle() + 1):
        trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
        trial = trials.attempt(key)
        if len(trial.feasible) == 1:
            frame, names = reader.frame(cycle), reader.node_names(cycle)
            alone = compare(trials, key, [trial.node], frame, names).rivals[0]
            assert (alone.total, alone.rank) == (None, 0)
            assert "only node" in alone.unknown
            refused = next(name for name in trial.row_of if not trial.fits(name))
            rivalry = compare(trials, key, [trial.node, refused], frame, names)
            admitted = trials.attempt(key, Changes(admitted=(refused,)))
            assert [rival.total for rival in rivalry.rivals] == [admitted.total(trial.node), admitted.total(refused)]
            assert all(rival.is_computed for rival in rivalry.rivals)
            assert rivalry.n_scored == 0
            return
    raise AssertionError("every pod had a choice")


def test_numbers_without_a_recorded_frame_are_said_to_be_computed(demo):
    reader, inputs = demo
    trials, key = at_cycle(reader, inputs, 5), pod_of(reader, 5)
    nodes = ["worker-a-2", "worker-a-1"]
    recorded_ones = compare(trials, key, nodes, reader.frame(5), reader.node_names(5)).rivals
    computed_ones = compare(trials, key, nodes).rivals
    assert [rival.is_computed for rival in recorded_ones] == [False, False]
    assert [rival.is_computed for rival in computed_ones] == [True, True]
    assert [rival.points for rival in recorded_ones] == [rival.points for rival in computed_ones]


def test_recorded_scores_win_and_a_difference_is_told(demo):
    reader, inputs = demo
    trials, key = at_cycle(reader, inputs, 5), pod_of(reader, 5)
    frame = reader.frame(5)
    row = reader.node_names(5).index("worker-a-2")
    fit = frame.score_plugins.index("NodeResourcesFit")
    raw = frame.raw.copy()
    raw[fit, row] -= 9
    other = msgspec.structs.replace(frame, raw=raw)
    rival = compare(trials, key, ["worker-a-2"], other, reader.node_names(5)).rivals[0]
    assert rival.points[fit].raw == frame.raw[fit, row] - 9
    assert all(raw in rival.inputs[fit].difference for raw in ("is 80", "is 89"))


def test_each_point_has_the_inputs_of_its_formula(demo):
    rivalry, *_ = compared(demo, 5, ["worker-a-2", "ssd-b-2"])
    for rival in rivalry.rivals:
        assert [one.plugin for one in rival.inputs] == [one.plugin for one in rival.points]
        fit = next(one for one in rival.inputs if one.plugin == "NodeResourcesFit")
        assert "cpu: " in fit.texts[0]


def test_a_node_that_the_search_did_not_reach_is_asked_now():
    inputs = many(150)
    reader = recorded(inputs)
    frame, names = reader.frame(1), reader.node_names(1)
    trials, key = at_cycle(reader, inputs, 1), pod_of(reader, 1)
    trial = trials.attempt(key)
    missed = next(name for name in trial.row_of if not trial.fits(name))
    rivalry = compare(trials, key, [trial.node, missed], frame, names)
    rival = rivalry.rivals[1]
    assert (rival.looked_at, rival.refusals) == (False, ())
    assert "found enough nodes" in rival.unknown
    assert rival.total == trials.attempt(key, Changes(admitted=(missed,))).total(missed)
    assert rival.is_computed
    assert 0 < rivalry.n_scored < 150


def many(n):
    """So many equal nodes, of which the search looks at a part, and one pod."""
    nodes = [make_node(f"n-{i:03}", cpu="4", memory="8Gi", pods=10) for i in range(n)]
    objects = k8s.ClusterObjects(nodes=nodes, pods=[make_pod("p", cpu="1")])
    return RunInputs(objects=objects, seed=1, policies=Policies(node_search="configured"))
