"""What the recording says of the thing that a pin names, on a run in which pods are scored, refused and preempted."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound, Problem
from dashboard.review import actions
from dashboard.review.pins.facts import fact_of
from dashboard.review.pins.pin import Pin, pin_of
from dashboard.review.pins.resolving import resolved
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle, QueueMove, Victim
from dashboard.runs.storage import recordings
from tests.dashboard.debugger.conftest import launched, scene
from tests.dashboard.review.conftest import cycle_row
from tests.dashboard.run_helpers import node


@pytest.fixture
def played(workspace, editor, monkeypatch):
    """A finished run of the debugger's scene with two small nodes more."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    run = launched(workspace, editor, [*scene(), node("spare-a", "500m"), node("spare-b", "300m")], schedule="pending")
    while execution.work():
        pass
    return find_run(workspace, run.number)


def test_a_cell_without_a_kind_is_its_score_else_its_verdict(played):
    cycle = Cycle.objects.filter(run_id=played.pk, feasible__gt=1).order_by("number").first()
    frame = recordings.read(played.pk, lambda reader: reader.frame(cycle.number))
    names = recordings.read(played.pk, lambda reader: reader.node_names(cycle.number))
    index = frame.score_plugins.index("NodeResourcesFit")
    norm = int(frame.normalized(index)[names.index(cycle.node)])
    score = fact_of(played, Pin(cycle.number, plugin="NodeResourcesFit", node=cycle.node))
    assert score.kind == "score"
    assert score.says.endswith(f"{cycle.node} {norm}")
    verdict = fact_of(played, Pin(cycle.number, plugin="TaintToleration", node="taint-c"))
    assert verdict.kind == "verdict"
    assert verdict.says.startswith("TaintToleration on taint-c: ")
    assert "untolerated taint" in verdict.short


def test_the_verdict_of_a_scored_cell_is_said_where_it_is_asked_for(played):
    cycle = Cycle.objects.filter(run_id=played.pk, feasible__gt=1).order_by("number").first()
    fact = fact_of(played, Pin(cycle.number, None, "Filter", "NodeResourcesFit", cycle.node))
    assert (fact.kind, fact.says) == ("verdict", f"NodeResourcesFit passed {cycle.node}")


def test_a_victim_a_move_and_a_story_are_found_by_their_pod(played):
    victim = Victim.objects.filter(run_id=played.pk, reprieved=False).first()
    place = resolved(played, Pin(victim.cycle, kind="victim", pod=victim.pod))
    assert victim.preemptor in place.says
    assert place.pin.node == victim.node
    move = QueueMove.objects.filter(run_id=played.pk, pod="default/never-0").order_by("-seq").first()
    place = resolved(played, Pin(0, played.head.seq, kind="move", pod="default/never-0"))
    assert (place.seq, place.pin.pod) == (move.seq + 1, "default/never-0")
    n = Cycle.objects.filter(run_id=played.pk, pod="default/never-0").count()
    story = resolved(played, Pin(0, played.head.seq, kind="story", pod="default/never-0"))
    assert story.says.startswith(f"default/never-0: {n} attempt")


def test_an_event_is_named_by_its_number_and_stands_with_the_cycle_before_it(played):
    place = resolved(played, Pin(0, 1, kind="event"))
    event = recordings.read(played.pk, lambda reader: reader.event(0))
    assert place.pin.cycle == 0
    assert place.says.startswith(f"event 1, {type(event).__name__}")


@pytest.mark.parametrize(
    "pin",
    [
        Pin(1, plugin="NodeResourcesFit", node="nowhere"),
        Pin(1, plugin="Nothing", node="full-a"),
        Pin(1, kind="victim", pod="default/never-0"),
        Pin(0, 5, kind="story", pod="default/nobody"),
        Pin(0, 10**9, kind="event"),
        Pin(0, kind="event"),
    ],
    ids=["no such node", "no such plugin", "no victim", "no such pod", "behind the end", "no moment"],
)
def test_a_thing_that_was_not_recorded_is_refused(played, pin):
    with pytest.raises((Problem, NotFound)):
        resolved(played, pin)


def test_a_thread_keeps_what_was_recorded_and_its_pin_is_read_back(played, reviewer):
    cycle = Cycle.objects.filter(run_id=played.pk, feasible__gt=1).order_by("number").first()
    pin = Pin(cycle.number, plugin="NodeResourcesFit", node=cycle.node)
    thread = actions.open_thread(reviewer.member, played, pin, "Why so much?")
    thread.refresh_from_db()
    assert (thread.kind, thread.fact) == ("score", fact_of(played, pin).says)
    assert fact_of(played, pin_of(thread)) == fact_of(played, pin)


def test_words(played):
    victim = Victim.objects.filter(run_id=played.pk, reprieved=False).first()
    place = resolved(played, Pin(victim.cycle, kind="victim", pod=victim.pod))
    assert place.says == f"{victim.pod} evicted on {victim.node} for {victim.preemptor}"
    cycle = Cycle.objects.filter(run_id=played.pk, feasible__gt=1).order_by("number").first()
    score = fact_of(played, Pin(cycle.number, plugin="NodeResourcesFit", node=cycle.node))
    assert score.says.startswith(f"NodeResourcesFit scored {cycle.node} ")


def test_a_cycle_says_its_node_or_its_outcome_with_the_message(run):
    Cycle.objects.filter(run=run, number=3).update(message="0/2 nodes are available")
    cycle_row(run, 4, outcome="error", node="node-1", message="lost")
    cycle_row(run, 5, outcome="error", node="")
    facts = [fact_of(run, Pin(number, kind="cycle")) for number in (1, 3, 4, 5)]
    assert [fact.short for fact in facts] == [
        "scheduled on node-1",
        "unschedulable, 0/2 nodes are available",
        "error, lost",
        "error",
    ]
    assert facts[1].value == ("unschedulable", "", "0/2 nodes are available")
    assert facts[1].says == "default/pod-3: unschedulable, 0/2 nodes are available"


def test_a_story_begins_with_the_first_move_and_counts_the_attempts_that_had_ended(run):
    values = {"source": "", "target": "active", "event": "PodAdd", "plugin": "", "attempts": 0}
    QueueMove.objects.create(run=run, pod="default/pod-2", seq=0, at_us=0, **values)

    def story(seq):
        fact = fact_of(run, Pin(0, seq, kind="story", pod="default/pod-2"))
        return fact and fact.value

    assert [story(seq) for seq in (None, 0, 1, 19, 20)] == [None, None, (0,), (0,), (1, "scheduled", "node-1")]


def test_an_event_is_short_for_what_it_is_about(played):
    move = QueueMove.objects.filter(run_id=played.pk, pod="default/never-0").first()
    fact = fact_of(played, Pin(0, move.seq + 1, kind="event"))
    assert "default/never-0" in fact.short
    assert fact.says == f"event {move.seq + 1:,}, QueueMove: {fact.short}"
    assert fact.value[0] == "QueueMove"
