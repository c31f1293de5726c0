"""Remedies, comparisons of nodes and ranges of requests: tried on the state of the cycle, restored once."""

from __future__ import annotations

from dashboard.answers.answering import trials
from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.computing import sessions
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import (
    NodesCompared,
    RemediesOf,
    RemedyTried,
    RequestRangesOf,
    RequestsTried,
    UntriedRemedies,
    VictimsOf,
)


def remedies(run, cycle):
    """Return the answer."""
    question = RemediesOf(cycle)
    return ask(run, question, answer_deadline(question))


def answered(run, question):
    """Return its value."""
    return ask(run, question, answer_deadline(question)).value


def test_remedies_of_a_pending_pod_were_tried(run, cycle_of):
    answer = remedies(run, cycle_of("never-0").number)
    assert isinstance(answer, Answer), answer
    assert answer.value.pod == "default/never-0"
    assert answer.value.verified
    assert {remedy.status for remedy in answer.value.verified} == {"verified"}
    assert all(remedy.node for remedy in answer.value.verified)


def test_a_pod_that_found_a_node_needs_none(run, cycle_of):
    assert remedies(run, cycle_of("small-0").number).value.fits


def test_the_state_of_a_cycle_is_restored_once(run, cycle_of):
    cycle = cycle_of("never-0").number
    first, made = remedies(run, cycle), sessions().made
    again = remedies(run, cycle)
    assert sessions().made == made
    assert again.value.verified[0].text == first.value.verified[0].text


def test_what_was_not_tried_in_time_is_said_and_asked_again(run, cycle_of, monkeypatch):
    monkeypatch.setattr(trials, "TRYING_SECONDS", 0.0)
    cycle = cycle_of("never-0").number
    answer = remedies(run, cycle)
    assert answer.is_partial
    assert not answer.value.in_time
    assert answer.value.not_tried
    monkeypatch.undo()
    assert not remedies(run, cycle).is_partial


def test_a_cycle_that_is_not_recorded_is_told_in_words(run):
    assert isinstance(remedies(run, 9999), Failed)


def test_a_remedy_that_is_tried_alone_is_the_one_of_the_list(run, cycle_of):
    cycle = cycle_of("never-0").number
    listed = remedies(run, cycle).value.verified[0]
    question = RemedyTried(cycle, listed.text)
    trial = ask(run, question, answer_deadline(question)).value
    assert (trial.remedy.text, trial.remedy.node, trial.remedy.n_fit) == (listed.text, listed.node, listed.n_fit)
    assert (trial.pod, trial.n_fit_before) == ("default/never-0", 0)


def test_a_remedy_that_there_was_no_time_for_is_asked_again(run, cycle_of, monkeypatch):
    question = RemedyTried(cycle_of("never-0").number, "Ask for the moon")
    monkeypatch.setattr(trials, "TRYING_SECONDS", 0.0)
    late = ask(run, question, answer_deadline(question))
    assert (late.value.remedy, late.is_partial) == (None, True)
    monkeypatch.undo()
    assert not ask(run, question, answer_deadline(question)).is_partial


def test_remedies_of_a_pod_that_was_not_tried_are_tried_on_the_state_at_the_cursor(run):
    answer = answered(run, UntriedRemedies("default/gated-0", run.head.seq))
    assert [(one.code, one.actor) for one in answer.verified][:1] == [("REMOVE_GATE", "other")]
    assert answered(run, UntriedRemedies("default/nobody", run.head.seq)).verified == ()


def test_what_decided_who_is_evicted_is_said_of_the_node_that_is_cleared(run, cycle_of):
    fates = answered(run, VictimsOf(cycle_of("big-0").number))
    assert [(one.goes, one.priority) for one in fates][:1] == [(True, 10)]
    assert answered(run, VictimsOf(cycle_of("never-0").number)) == ()


def answer(run, question):
    """Return what comes of the question."""
    return ask(run, question, answer_deadline(question))


def test_a_refused_node_is_told_with_what_it_would_have_had(run, cycle_of):
    cycle = cycle_of("small-0")
    reply = answer(run, NodesCompared(cycle.number, (cycle.node, "taint-c", "nowhere")))
    assert isinstance(reply, Answer), reply
    winner, refused, absent = reply.value.rivals
    assert reply.value.winner == winner.node == cycle.node
    assert [one.plugin for one in refused.refusals] == ["TaintToleration"]
    assert refused.is_computed
    assert refused.total == sum(one.weighted for one in refused.points)
    assert (absent.node, bool(absent.absent)) == ("nowhere", True)


def test_ranges_of_requests_are_tried(run, cycle_of):
    ranges = answer(run, RequestRangesOf(cycle_of("small-0").number)).value
    assert (ranges.pod, [one.resource for one in ranges.ranges]) == ("default/small-0", ["cpu", "memory"])
    assert ranges.ranges[0].request == 100
    assert ranges.ranges[0].in_time


def test_a_pod_that_found_no_node_has_no_ranges(run, cycle_of):
    ranges = answer(run, RequestRangesOf(cycle_of("never-0").number)).value
    assert (ranges.winner, ranges.ranges) == ("", ())


def test_ranges_not_tried_in_time_are_said_and_asked_again(run, cycle_of, monkeypatch):
    monkeypatch.setattr(trials, "TRYING_SECONDS", 0.0)
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


def test_a_comparison_in_a_cycle_that_is_not_recorded_fails(run):
    for question in (NodesCompared(9999, ("a",)), RequestRangesOf(9999), RequestsTried(9999)):
        assert isinstance(answer(run, question), Failed)
