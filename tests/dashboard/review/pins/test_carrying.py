"""Threads of a run on the runs that do it again: carried where the value is equal, outdated or gone where it is not."""

from __future__ import annotations

import pytest

from dashboard.review import actions
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import Thread
from dashboard.review.pins.carrying import carried_to, earlier_runs
from dashboard.review.pins.fields import FieldPin
from dashboard.review.pins.pin import Pin
from dashboard.runs.actions import find_run
from dashboard.runs.models import Cycle, QueueMove, Victim
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.review.conftest import cycle_row, make_run
from tests.dashboard.review.pages import page
from tests.dashboard.run_helpers import node

SPARE = [node("spare-a", "500m"), node("spare-b", "300m")]


@pytest.fixture
def again(execute):
    """Two runs of the same pods: the second one's cluster has a large node more."""
    first = execute([*scene(), *SPARE], schedule="pending")
    return first, execute([*scene(), *SPARE, node("huge", "128")], "prod", schedule="pending")


def states(member, run):
    return {one.view.thread.pk: one for one in carried_to(member, run)}


def test_equal_values_carry_others_are_outdated_and_what_is_not_there_is_gone(again, reviewer):
    first, second = again
    victim = Victim.objects.filter(run=first, reprieved=False).first()
    row = Cycle.objects.filter(run=first, feasible__gt=1).order_by("number").first()
    open_thread = actions.open_thread
    pins = {
        "cell": Pin(row.number, plugin="TaintToleration", node=row.node, point="Filter"),
        "cycle": Pin(victim.cycle),
        "victim": Pin(victim.cycle, kind="victim", pod=victim.pod),
        "story": Pin(0, first.head.seq, kind="story", pod="default/never-0"),
        "move": Pin(0, first.head.seq, kind="move", pod=row.pod),
    }
    about = {name: open_thread(reviewer.member, first, pin, name).pk for name, pin in pins.items()}
    carried = states(reviewer.member, second)
    assert carried.keys() == set(about.values())
    cell = carried[about["cell"]]
    assert (cell.state, cell.before, cell.now) == ("same", "passed", "passed")
    cycle = carried[about["cycle"]]
    assert cycle.state == "outdated"
    assert "unschedulable" in cycle.before
    assert cycle.now == "scheduled on huge"
    assert cycle.pin.cycle == Cycle.objects.get(run=second, pod=victim.preemptor, attempt=1).number
    assert carried[about["victim"]].state == "gone"
    assert carried[about["story"]].state in ("outdated", "gone")
    assert carried[about["move"]].state == "same"


def test_the_page_of_the_later_run_says_both_values(again, reviewer):
    first, second = again
    cycle = Victim.objects.filter(run=first, reprieved=False).first().cycle
    thread = actions.open_thread(reviewer.member, first, Pin(cycle), "Why <i>evict</i>?")
    shown = page(reviewer, f"/w/team/runs/{second.number}/review/")
    assert "outdated" in shown
    assert "<bdi>scheduled on huge</bdi>" in shown
    assert "Why &lt;i&gt;evict&lt;/i&gt;?" in shown
    assert "From earlier runs" not in page(reviewer, f"/w/team/runs/{first.number}/review/")
    actions.resolve(reviewer.member, thread)
    assert "From earlier runs" not in page(reviewer, f"/w/team/runs/{second.number}/review/")


def test_the_same_attempt_is_that_of_the_same_pod_by_its_uid(run, workspace, reviewer):
    cycle_row(run, 4, pod="default/pod-1", pod_uid="later", attempt=1)
    later = make_run(workspace, 2, cycles=1)
    cycle_row(later, 2, pod="default/pod-1", pod_uid="later", attempt=1)
    run.head.seq, run.head.cycle = 40, 4
    run.head.save()
    first, second = (actions.open_thread(reviewer.member, run, Pin(n), "x") for n in (1, 4))
    gone = actions.open_thread(reviewer.member, run, Pin(3), "x")
    carried = states(reviewer.member, later)
    assert [carried[one.pk].pin.cycle for one in (first, second)] == [1, 2]
    assert (carried[gone.pk].state, carried[gone.pk].pin) == ("gone", None)


def test_a_move_is_the_one_at_the_same_place_among_the_pods(run, workspace, reviewer):
    later = make_run(workspace, 2)
    values = {"pod": "default/pod-1", "source": "", "target": "active", "plugin": "", "attempts": 0}
    for of, seqs in ((run, (0, 12, 25)), (later, (0, 15))):
        for seq in seqs:
            QueueMove.objects.create(run=of, seq=seq, at_us=seq, event=f"e{seq if seq != 15 else 12}", **values)
    threads = [actions.open_thread(reviewer.member, run, Pin(0, seq + 1, kind="move"), "x") for seq in (0, 12, 25)]
    carried = [states(reviewer.member, later)[one.pk] for one in threads]
    assert [one.state for one in carried] == ["same", "same", "gone"]
    assert [one.pin.seq for one in carried[:2]] == [1, 16]


def test_an_event_is_carried_under_its_new_number(again, reviewer):
    first, second = again
    move = QueueMove.objects.filter(run=first, pod="default/small-2").order_by("-seq").first()
    victim = Victim.objects.filter(run=first, reprieved=False).first()
    about = actions.open_thread(reviewer.member, first, Pin(0, move.seq + 1, kind="event"), "x").pk
    evicted = actions.open_thread(reviewer.member, first, Pin(0, victim.seq + 1, kind="event"), "x").pk
    carried = states(reviewer.member, second)
    assert carried[about].state == "same"
    assert QueueMove.objects.get(run=second, seq=carried[about].pin.seq - 1).pod == "default/small-2"
    assert carried[evicted].state in ("gone", "outdated")


def test_runs_with_another_seed_schedule_or_cluster_are_not_done_again(run, workspace, thread):
    later = make_run(workspace, 2)
    assert earlier_runs(later) == [run]
    later.seed = 5
    assert earlier_runs(later) == []
    assert earlier_runs(run) == []
    Thread.objects.update(resolved_at=thread.created_at)
    later.seed = 0
    assert earlier_runs(later) == []


def test_a_thread_on_a_cycle_is_carried_to_the_end_of_that_attempt(run, workspace, reviewer):
    later = make_run(workspace, 2)
    Cycle.objects.filter(run=later, number=2).update(last_seq=77)
    thread = actions.open_thread(reviewer.member, run, Pin(2), "x")
    pin = states(reviewer.member, later)[thread.pk].pin
    assert (pin.cycle, pin.seq) == (2, 78)


def test_moves_one_after_the_other_are_told_apart(run, workspace, reviewer):
    later = make_run(workspace, 2)
    values = {"pod": "default/pod-1", "source": "", "target": "active", "plugin": "", "attempts": 0}
    for of, begin in ((run, 3), (later, 13)):
        for n in range(3):
            QueueMove.objects.create(run=of, seq=begin + n, at_us=n, event=f"e{n}", **values)
    threads = [actions.open_thread(reviewer.member, run, Pin(0, 4 + n, kind="move"), "x") for n in range(3)]
    carried = states(reviewer.member, later)
    assert [carried[one.pk].pin.seq for one in threads] == [14, 15, 16]


@pytest.fixture
def tried_again(run, workspace):
    """The run with attempts of a pod at cycles 4 and 5, and a later run with them at cycles 2 and 3, and one more."""
    later = make_run(workspace, 2, cycles=1)
    for of, numbers in ((run, (4, 5)), (later, (2, 3, 4))):
        for attempt, number in enumerate(numbers, start=1):
            cycle_row(of, number, pod="default/again", attempt=attempt, outcome="unschedulable", node="")
    run.head.seq, run.head.cycle = 50, 5
    run.head.save()
    return run, later


@pytest.mark.parametrize(("seq", "cycle"), [(41, 2), (50, 3)])
def test_a_story_is_carried_to_the_end_of_as_many_attempts(tried_again, reviewer, seq, cycle):
    first, later = tried_again
    thread = actions.open_thread(reviewer.member, first, Pin(0, seq, kind="story", pod="default/again"), "x")
    pin = states(reviewer.member, later)[thread.pk].pin
    assert (pin.cycle, pin.seq) == (cycle, 10 * cycle)
    Cycle.objects.filter(run=later, pod="default/again", number__gte=cycle).delete()
    assert states(reviewer.member, later)[thread.pk].state == "gone"


def test_findings_are_gathered_where_one_thread_of_several_is_on_one(run, workspace, reviewer):
    for of in (run, make_run(workspace, 2)):
        Cycle.objects.filter(run=of, number=2).update(outcome="error")
    error = next(one for one in gathered(reviewer.member, run).findings if one.key == "error:2")
    on_finding = actions.open_field_thread(reviewer.member, run, FieldPin(error.key), "Why?")
    on_cycle = actions.open_thread(reviewer.member, run, Pin(1), "x")
    carried = states(reviewer.member, find_run(workspace, 2))
    assert [carried[one.pk].state for one in (on_finding, on_cycle)] == ["same", "same"]
