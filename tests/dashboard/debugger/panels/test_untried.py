"""Where a selected pod is that had no attempt yet."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.panels.untried import untried_pod
from dashboard.runs.models import Cycle
from scheduler_core.recording.state import Placement, QueueEntry, RunState, lanes
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import cluster_of, node
from tests.dashboard.run_helpers import pod as pod_asking

GATES = ("example.org/hold",)


def test_a_pod_that_waits_says_its_place_in_the_queue(run):
    first = Cycle.objects.get(run_id=run.pk, number=1)
    state = state_at(run, first.first_seq)
    for place, (pod, _entry) in enumerate(lanes(state).active, start=1):
        untried = untried_pod(state, pod, "")
        assert (untried.state, untried.n_ahead) == ("active", place - 1)
        assert f" place {place} " in untried.place


def test_a_gated_pod_names_what_gates_it(run, look):
    untried = page_of(run, seq=run.head.seq, pod="default/gated-0").why.untried
    assert (untried.namespace, untried.name) == ("default", "gated-0")
    assert untried.state == "gated"
    assert (untried.gated_by, untried.gates) == ("SchedulingGates", GATES)
    html = look(run, seq=run.head.seq, pod="default/gated-0").content.decode()
    assert all(f"<b>{gate}</b>" in html for gate in GATES)


def test_a_pod_that_the_input_has_decided_names_the_node_that_holds_its_room():
    state = RunState(seq=1, placements={"default/a": Placement("n1", bound=False)})
    untried = untried_pod(state, "default/a", "")
    assert (untried.state, untried.node) == ("decided", "n1")
    state.placements["default/a"] = Placement("n1", bound=True)
    assert untried_pod(state, "default/a", "").state == "placed"


def test_a_pod_that_another_plugin_keeps_out_of_activeq_is_not_said_to_have_a_gate():
    state = RunState(seq=1, queue={"default/a": QueueEntry("gated", gated_by="Quota")})
    html = render_to_string("debugger/untried/_gated.html", {"untried": untried_pod(state, "default/a", "")})
    assert "Quota" in html
    assert "scheduling gate" not in html


def test_a_pod_that_was_bound_from_the_start_names_its_node(run):
    untried = page_of(run, seq=1, pod="default/fill-a").why.untried
    assert (untried.state, untried.node) == ("placed", "full-a")


def test_unknown_pods_and_other_pods_of_a_name_are_not_there(run):
    for query in ({"pod": "default/nobody"}, {"pod": "default/fill-a", "uid": "another"}):
        assert page_of(run, seq=1, **query).why.untried.state == "away"


def test_a_pod_with_an_attempt_is_not_untried(run):
    assert page_of(run, cycle=1).why.untried is None


def test_what_is_ahead_of_a_waiting_pod_is_named_in_pop_order(execute, look):
    run = execute(cluster_of(3, 30), once=True)
    first = Cycle.objects.get(run_id=run.pk, number=1).first_seq
    order = [pod for pod, _ in lanes(state_at(run, first)).active]
    untried = page_of(run, seq=first, pod=order[20]).why.untried
    assert (untried.state, untried.n_ahead, untried.more_ahead) == ("active", 20, 8)
    assert [(one.place, one.key) for one in untried.ahead] == list(enumerate(order[:12], start=1))
    html = look(run, seq=first, pod=order[20]).content.decode()
    assert "20 pods will" in html
    assert "and 8 more" in html
    assert page_of(run, seq=first, pod=order[0]).why.untried.n_ahead == 0


@pytest.mark.parametrize(
    ("query", "state"),
    [
        ({"pod": "default/gated-0"}, "gated"),
        ({"pod": "default/fill-a"}, "placed"),
        ({"pod": "default/nobody"}, "away"),
    ],
)
def test_each_state_has_words_of_its_own_and_the_pod_s_requests(run, look, query, state):
    query["seq"] = run.head.seq
    page = page_of(run, **query)
    assert page.why.untried.state == state
    assert "points-none" in look(run, **query).content.decode()
    assert [ask.name for ask in page.pod.asks] == ([] if state == "away" else ["cpu", "mem"])


def test_the_page_of_a_decided_pod_says_which_claim_it_waits_for(execute, viewer):
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "c",
            "namespace": "default",
            "annotations": {
                "volume.kubernetes.io/selected-node": "a",
                "volume.kubernetes.io/storage-provisioner": "disk.example",
            },
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "disk",
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Pending"},
    }
    first = pod_asking("first", "3", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])
    run = execute([node("a", "4"), claim, first, pod_asking("second", "3")], schedule="pending")
    assert run.policies["decided"] == "hold"
    page = page_of(run, seq=run.head.seq, pod="default/first")
    assert (page.why.untried.state, page.why.untried.node, page.why.placement) == ("decided", "a", None)
    assert page.why.question is not None
    address = reverse("debugger:answer", args=["team", run.number, "untried"])
    answer = viewer.get(address, {"seq": run.head.seq, "pod": "default/first"}).content.decode()
    assert "PREBIND_WAITS" in answer
    assert "disk.example" in answer


@pytest.mark.parametrize(
    ("pod", "is_end", "sentence"),
    [
        ("default/gated-0", True, "not tried yet, gated by SchedulingGates"),
        ("default/fill-a", False, "not tried in this run, it runs on full-a"),
        ("default/nobody", False, "not in the cluster at this moment"),
    ],
)
def test_words(run, pod, is_end, sentence):
    assert page_of(run, seq=run.head.seq if is_end else 1, pod=pod).why.untried.place == sentence


def test_words_of_pods_that_wait(execute, look):
    run = execute(cluster_of(3, 30), once=True)
    first = Cycle.objects.get(run_id=run.pk, number=1).first_seq
    order = [pod for pod, _ in lanes(state_at(run, first)).active]
    assert untried_pod(state_at(run, first), order[20], "").place == "not tried yet, place 21 in activeQ"
    assert "20 pods will be popped before it" in look(run, seq=first, pod=order[20]).content.decode()
    assert "It is popped next." in look(run, seq=first, pod=order[0]).content.decode()
    state = RunState(seq=1, queue={"default/a": QueueEntry("gated", gated_by="Quota")})
    html = render_to_string("debugger/untried/_gated.html", {"untried": untried_pod(state, "default/a", "")})
    assert "Quota keeps it out of activeQ." in html
