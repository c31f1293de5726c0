"""Inputs of scores: those of a node that is scored beside others are the facts that its plugins give."""

from __future__ import annotations

import pytest

from scheduler_core.explain.facts import Questions
from scheduler_core.explain.facts.model import ScoreFacts, ToldFact
from scheduler_core.explain.facts.texts import text
from scheduler_core.explain.rivals.inputs import inputs_among, score_inputs
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.framework.contracts.facts import ShareFact
from tests.scheduler_core.crowded import crowded, pod_of, recorded


@pytest.mark.slow
def test_inputs_where_the_same_nodes_are_scored_are_those_of_the_recorded_scores():
    """The facts themselves are recounted from the objects in tests of facts."""
    plugins, shortened = set(), set()
    for seed in range(40, 46):
        inputs = crowded(seed)
        reader = recorded(inputs)
        for cycle in range(1, reader.last_cycle() + 1, 4):
            frame = reader.frame(cycle)
            if frame is None or not frame.score_plugins:
                continue
            trials, key, names = at_cycle(reader, inputs, cycle), pod_of(reader, cycle), reader.node_names(cycle)
            own = [names[row] for row in frame.feasible().tolist()]
            for facts in Questions(trials.simulation, key, frame).about(own):
                inputs_of_scores = tuple(score_inputs(one) for one in facts.scores)
                assert inputs_of_scores == inputs_among(trials, key, facts.node, frame.feasible(), frame.score_plugins)
                for one, score in zip(inputs_of_scores, facts.scores, strict=True):
                    assert one.texts == tuple(fact.text for fact in score.facts) or score.plugin == "TaintToleration"
                    assert one.difference == ""
                    plugins |= {one.plugin} if one.texts else set()
                    shortened |= {one.plugin} if one.short != one.texts else set()
    assert plugins >= {"NodeResourcesFit", "NodeResourcesBalancedAllocation", "NodeAffinity", "TaintToleration"}
    assert plugins >= {"PodTopologySpread", "InterPodAffinity"}
    assert shortened == plugins


@pytest.mark.parametrize(
    ("fields", "short"),
    [
        ({"points": 75}, "cpu 1 of 4: 75"),
        ({"points": None}, "cpu 1 of 4"),
        ({"points": 75, "weight": 2}, "cpu 1 of 4: 75, weight 2"),
    ],
    ids=["a strategy that wants free room", "only combined with others", "of a weight"],
)
def test_points_of_a_share_stand_beside_it_and_are_not_said_to_equal_it(fields, short):
    """One of four cpu requested is worth 75 points where free room counts, and 25 where full nodes do."""
    fact = ShareFact(resource="cpu", asked=1000, requested=1000, allocatable=4000, **fields)
    score = ScoreFacts(plugin="NodeResourcesFit", raw=75, normalised=75, weight=1, facts=(ToldFact(fact, text(fact)),))
    assert score_inputs(score).short == (short,)
