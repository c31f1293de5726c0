"""What is said of a pending pod beside its reason: facts by plugin, what wakes it, all of it as text."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from dashboard.answers.answering import pending
from dashboard.answers.answering.pending import missing_in
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import DoubtsOf, FactsOf, MissingInCycles, ReportOf, WakesOf, WouldHelpOf
from dashboard.clusters.models import Revision
from dashboard.clusters.revisions import object_store
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import Cycle, Run
from dashboard.runs.storage import recordings
from scheduler_core.api.unplayed import Unplayed, UnplayedObject, encoded
from scheduler_core.explain.agreement import SchedulerReport
from scheduler_core.explain.pending import what_wakes
from scheduler_core.explain.pending.missing import MissingRoom
from scheduler_core.explain.pending.own_change import own_change, would_change_help
from scheduler_core.explain.sessions import at_seq
from tests.dashboard.run_helpers import node, pod


def answered(run, question):
    return ask(run, question, time.time() + 30).value


def test_plugins_say_what_they_looked_at_on_the_first_node_of_each_group(run, cycle_of):
    facts = answered(run, FactsOf(cycle_of("never-0").number))
    assert [(one.node, one.count, one.plugins, one.unresolvable) for one in facts.groups] == [
        ("full-a", 2, ("NodeResourcesFit",), True),
        ("taint-c", 1, ("NodeResourcesFit", "TaintToleration"), True),
    ]
    assert [len(one.texts) for one in facts.groups] == [1, 2]
    assert [node.node for node in facts.nodes] == ["full-a", "taint-c"]
    fit = next(one for one in facts.nodes[0].filters if one.plugin == "NodeResourcesFit")
    assert (fit.verdict, fit.reasons) == ("refused", ("Insufficient cpu",))
    assert ["64 cpu, has 4 " in one for one in fit.against] == [True]
    taint = next(one for one in facts.nodes[1].filters if one.plugin == "TaintToleration")
    assert ["gpu=yes:NoSchedule" in one for one in taint.against] == [True]
    assert all(one.difference == "" for node in facts.nodes for one in node.filters)


def test_what_wakes_a_pod_is_that_of_the_restored_queue(run, cycle_of):
    """The answer reads the recorded entry on a state from before; here the state behind the attempt is restored."""
    cycle = cycle_of("never-0")
    end = cycle.last_seq + 1
    wakes = answered(run, WakesOf(cycle.number, end))

    def restored(reader):
        trials = at_seq(reader, load_inputs(run), end)
        return what_wakes(trials.simulation, cycle.pod, reader.state_at(end).at)

    assert wakes == recordings.read(run.pk, restored)
    assert wakes.lane == "unschedulable"
    assert [timer.kind for timer in wakes.timers] == ["unschedulable flush"]


def test_doubts_of_a_placed_pod_are_those_of_its_run_that_concern_it(run, cycle_of):
    # As revisions hold them that were made before quotas were played.
    quotas = [
        UnplayedObject(api_version="v1", kind="ResourceQuota", namespace=s, name="q") for s in ("default", "other")
    ]
    held = encoded(Unplayed(objects=quotas, counts={"v1/ResourceQuota": 2}))
    address = object_store.put_blob(run.workspace_id, held)
    Revision.objects.filter(pk=run.revision_id).update(unplayed=address)
    doubts = answered(Run.objects.get(pk=run.pk), DoubtsOf(cycle_of("small-0").number))
    assert [one.objects.names for one in doubts] == [("v1/ResourceQuota/default/q",)]


def test_without_anything_unplayed_a_placed_pod_has_no_doubts(run, cycle_of):
    assert answered(run, DoubtsOf(cycle_of("small-0").number)) == ()


def test_a_pod_that_left_the_queue_is_woken_by_nothing(run, cycle_of):
    wakes = answered(run, WakesOf(cycle_of("big-0").number, run.head.seq))
    assert (wakes.lane, wakes.timers, wakes.events) == ("", (), ())
    assert "queue" in wakes.text


def test_the_text_says_all_of_it_in_lines(run, cycle_of):
    text = answered(run, ReportOf(cycle_of("never-0").number)).text
    for line in ("default/never-0: pending", "BECAUSE  ", "REMEDIES", "ATTEMPTS (1)", "WHAT WAKES IT"):
        assert line in text


def test_the_text_has_what_the_real_scheduler_said(run, cycle_of, monkeypatch):
    said = SchedulerReport(message="0/3 nodes are available: 3 Insufficient cpu.", reason="Unschedulable")
    monkeypatch.setattr(pending, "report_on", lambda revision, namespace, name: said if name == "never-0" else None)
    assert said.message in answered(run, ReportOf(cycle_of("never-0").number)).text


def refused_run(execute):
    pods = [*(pod(f"web-{i}", "1") for i in range(3)), pod("large", "3"), pod("picky", "1", nodeSelector={"a": "b"})]
    return execute([node("a", "4"), *pods], schedule="pending", slug="one")


def cycles_of(run, name):
    return tuple(Cycle.objects.filter(run_id=run.pk, pod=f"default/{name}").values_list("number", flat=True))


@pytest.mark.slow
def test_cycles_that_lacked_room_say_of_what_and_how_much(execute):
    run = refused_run(execute)
    large, every = cycles_of(run, "large"), (*cycles_of(run, "large"), *cycles_of(run, "picky"), 1)
    question = MissingInCycles(every)
    answer = ask(run, question, answer_deadline(question))
    assert isinstance(answer, Answer), answer
    assert answer.value.cycles == {number: MissingRoom("cpu", 3000, 2000, 2000, 1) for number in large}
    assert len(answer.value.cycles) == len(large) >= 1


def test_a_cycle_that_is_not_recorded_is_said(execute):
    run, question = refused_run(execute), MissingInCycles((999,))
    answer = ask(run, question, answer_deadline(question))
    assert isinstance(answer, Failed)
    assert "cycle 999" in answer.text


def test_a_cycle_is_computed_once_and_what_there_was_no_time_for_the_next_time(execute):
    run = refused_run(execute)
    source, (first, *_) = Source(run, Sessions(2**40)), cycles_of(run, "large")
    in_time, late = TimeLimit(float("inf")), TimeLimit(0.0)
    assert missing_in(source, MissingInCycles((first,)), late).cycles == {}
    assert late.was_hit
    in_time_answer = missing_in(source, MissingInCycles((first,)), in_time)
    late = TimeLimit(0.0)
    assert missing_in(source, MissingInCycles((first,)), late) == in_time_answer
    assert in_time_answer.cycles
    assert not late.was_hit


def helps(run, cycle, change, pod="default/never-0"):
    return ask(run, WouldHelpOf(pod, cycle.last_seq + 1, change), time.time() + 30).value


@pytest.mark.parametrize("change", ["grow-node full-a cpu=80", "untaint-node taint-c gpu", "request cpu=1"])
def test_the_answer_is_that_of_the_queue_behind_the_attempt_and_stays_the_same(run, cycle_of, change):
    cycle = cycle_of("never-0")

    def restored(reader):
        return would_change_help(
            at_seq(reader, load_inputs(run), cycle.last_seq + 1), "default/never-0", own_change(change)
        )

    first = helps(run, cycle, change)
    assert first == recordings.read(run.pk, restored, run.head)
    assert helps(run, cycle, "grow-node full-b cpu=90").effect.node == "full-b"
    assert helps(run, cycle, change) == first


def test_what_cannot_be_asked_is_said_with_its_field(run, cycle_of):
    cycle = cycle_of("never-0")
    assert helps(run, cycle, "add-node nowhere").field == "name"
    assert helps(run, cycle, "grow-node full-a cpu").field == "value"
    unknown = helps(run, cycle, "remove-gates", "default/small-0")
    assert (unknown.effect, unknown.field) == (None, "")
    assert unknown.problem.startswith("default/small-0 ")


def test_words(run, cycle_of):
    cycle = cycle_of("never-0")
    facts = answered(run, FactsOf(cycle.number))
    against = {one.plugin: one.against for node in facts.nodes for one in node.filters}
    assert [
        against["TaintToleration"],
        against["NodeResourcesFit"],
        answered(run, WakesOf(cycle_of("big-0").number, run.head.seq)).text,
        helps(run, cycle, "remove-gates", "default/small-0").problem,
    ] == [
        ("no toleration for the taint gpu=yes:NoSchedule",),
        ("too small: needs 64 cpu, has 16 in all",),
        "it is not in the queue",
        "default/small-0 does not wait in the queue at this moment",
    ]
    missing = MissingInCycles((999,))
    assert "there is no cycle 999" in ask(run, missing, answer_deadline(missing)).text


def test_at_most_eight_groups_are_asked_about(run, cycle_of, monkeypatch):
    groups = [
        SimpleNamespace(nodes=[f"gone-{n}"], count=1, texts=(), plugins=(), unresolvable=False) for n in range(12)
    ]
    monkeypatch.setattr(pending, "diagnosed", lambda source, cycle: SimpleNamespace(groups=groups))
    answer = answered(run, FactsOf(cycle_of("never-0").number))
    assert [one.node for one in answer.groups] == [f"gone-{n}" for n in range(8)]
    assert answer.nodes == (), "these nodes are not there"
