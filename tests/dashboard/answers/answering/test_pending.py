"""What is said of a pending pod beside its reason: facts by plugin, what wakes it, all of it as text."""

from __future__ import annotations

import time

from dashboard.answers.answering import pending
from dashboard.answers.asking import ask
from dashboard.answers.questions import DoubtsOf, FactsOf, ReportOf, WakesOf
from dashboard.clusters.models import Revision
from dashboard.clusters.revisions import object_store
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import Run
from dashboard.runs.storage import recordings
from scheduler_core.api.unplayed import encoded
from scheduler_core.explain.agreement import SchedulerReport
from scheduler_core.explain.pending import what_wakes
from scheduler_core.explain.sessions import at_seq
from scheduler_core.manifests import load_manifests


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
    assert (fit.verdict, fit.reasons, fit.against) == (
        "refused",
        ("Insufficient cpu",),
        ("too small: needs 64 cpu, has 4 in all",),
    )
    taint = next(one for one in facts.nodes[1].filters if one.plugin == "TaintToleration")
    assert taint.against == ("no toleration for the taint gpu=yes:NoSchedule",)
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
    quotas = [
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": space}}
        for space in ("default", "other")
    ]
    held = encoded(load_manifests(quotas, source="dump").unplayed)
    address = object_store.put_blob(run.workspace_id, held)
    Revision.objects.filter(pk=run.revision_id).update(unplayed=address)
    doubts = answered(Run.objects.get(pk=run.pk), DoubtsOf(cycle_of("small-0").number))
    assert [one.objects.names for one in doubts] == [("v1/ResourceQuota/default/q",)]


def test_without_anything_unplayed_a_placed_pod_has_no_doubts(run, cycle_of):
    assert answered(run, DoubtsOf(cycle_of("small-0").number)) == ()


def test_a_pod_that_left_the_queue_is_woken_by_nothing(run, cycle_of):
    wakes = answered(run, WakesOf(cycle_of("big-0").number, run.head.seq))
    assert (wakes.lane, wakes.timers, wakes.events) == ("", (), ())
    assert wakes.text == "it is not in the queue"


def test_the_text_says_all_of_it_in_lines(run, cycle_of):
    text = answered(run, ReportOf(cycle_of("never-0").number)).text
    for line in ("default/never-0: pending", "BECAUSE  ", "REMEDIES", "ATTEMPTS (1)", "WHAT WAKES IT"):
        assert line in text


def test_the_text_has_what_the_real_scheduler_said(run, cycle_of, monkeypatch):
    said = SchedulerReport(message="0/3 nodes are available: 3 Insufficient cpu.", reason="Unschedulable")
    monkeypatch.setattr(pending, "report_on", lambda revision, namespace, name: said if name == "never-0" else None)
    assert said.message in answered(run, ReportOf(cycle_of("never-0").number)).text
