"""Comparisons of nodes and ranges of requests come from the engine on the state that the cycle found."""

from __future__ import annotations

from dashboard.answers.answering import rivals
from dashboard.answers.asking import ask, deadline_of
from dashboard.answers.computing import sessions
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import NodesCompared, RequestRangesOf, RequestsTried


def answer(run, question):
    """Return what comes of the question."""
    return ask(run, question, deadline_of(question))


def test_a_refused_node_is_told_with_what_it_would_have_had(run, cycle_of):
    cycle = cycle_of("small-0")
    reply = answer(run, NodesCompared(cycle.number, (cycle.node, "taint-c", "nowhere")))
    assert isinstance(reply, Answer), reply
    winner, refused, absent = reply.value.rivals
    assert reply.value.winner == winner.node == cycle.node
    assert [one.plugin for one in refused.refusals] == ["TaintToleration"]
    assert refused.is_computed
    assert refused.total == sum(one.weighted for one in refused.points)
    assert absent.absent == "the run has no node of this name"


def test_ranges_of_requests_are_tried(run, cycle_of):
    ranges = answer(run, RequestRangesOf(cycle_of("small-0").number)).value
    assert (ranges.pod, [one.resource for one in ranges.ranges]) == ("default/small-0", ["cpu", "memory"])
    assert ranges.ranges[0].request == 100
    assert ranges.ranges[0].in_time


def test_a_pod_that_found_no_node_has_no_ranges(run, cycle_of):
    ranges = answer(run, RequestRangesOf(cycle_of("never-0").number)).value
    assert (ranges.winner, ranges.ranges) == ("", ())


def test_what_was_not_tried_in_time_is_said_and_asked_again(run, cycle_of, monkeypatch):
    monkeypatch.setattr(rivals, "TRYING_SECONDS", 0.0)
    question = RequestRangesOf(cycle_of("small-0").number)
    reply = answer(run, question)
    assert reply.is_partial
    assert not reply.value.ranges[0].in_time
    monkeypatch.undo()
    assert not answer(run, question).is_partial


def test_requests_are_tried_on_a_state_that_is_restored_once(run, cycle_of):
    cycle = cycle_of("small-0")
    asked = [RequestsTried(cycle.number, {"cpu": amount}, {}, (cycle.node,)) for amount in (100, 4000, 100)]
    first, made = answer(run, asked[0]).value, sessions().made
    larger, again = (answer(run, question).value for question in asked[1:])
    assert sessions().made == made
    assert (first.winner, first.stays) == (cycle.node, True)
    assert larger.winner == ""
    assert again == first


def test_a_cycle_that_is_not_recorded_is_told_in_words(run):
    for question in (NodesCompared(9999, ("a",)), RequestRangesOf(9999), RequestsTried(9999)):
        assert isinstance(answer(run, question), Failed)
