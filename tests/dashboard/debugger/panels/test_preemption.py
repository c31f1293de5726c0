"""The preemption panel."""

from __future__ import annotations

import msgspec
from django.urls import reverse

from dashboard.debugger.panels.preemption import answers_to
from scheduler_core.framework.contracts.extending.recorded import PreemptCall, ReturnedVictims, name_of_extender
from scheduler_core.recording.events import ExtendersPreempted, VictimSet
from scheduler_core.recording.vocabulary import CRITERIA
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.debugger.page_text import text
from tests.dashboard.run_helpers import node, pod

CHANCE = "left to chance"


def test_preemption_s_candidates_fall_where_the_steps_say(run, cycle_of):
    panel = page_of(run, cycle=cycle_of("big-0").number).attempt.preemption
    event = panel.event
    assert panel.chosen.node == event.nominated_node
    for step in event.steps:
        number = CRITERIA.index(step.criterion) + 1
        fallen = sum(1 for one in panel.candidates if one.out == number)
        assert fallen == step.before - step.after
    assert [step.number for step in panel.steps if step.decided]
    assert panel.chosen.sum == panel.chosen.highest == 10


def test_a_candidate_names_the_step_that_ruled_it_out(execute):
    """The second criterion, the highest priority among the victims, drops the node of the more important victim."""
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1000), ("middle", 50), ("low", 10))
    ]
    bound = [
        pod(f"fill-{name}", "3", nodeName=f"full-{name}", priorityClassName=name) | {"status": {"phase": "Running"}}
        for name in ("middle", "low")
    ]
    nodes = [node(f"full-{name}", "4") for name in ("middle", "low")]
    run = execute(
        [*classes, *nodes, *bound, pod("big", "2", priorityClassName="high")], slug="steps", schedule="pending"
    )
    panel = page_of(run, cycle=1).attempt.preemption
    assert {one.node: one.out for one in panel.candidates} == {"full-low": 0, "full-middle": 2}
    assert [(step.number, step.drops) for step in panel.steps if step.used] == [(1, 0), (2, 1)]


def decided(run, viewer):
    """Return what the part of the first cycle says of who leaves and who stays."""
    url = reverse("debugger:answer", args=["team", run.number, "victims"])
    return text(viewer.get(url, {"cycle": 1, "tab": "preemption"}))


def test_nobody_claims_an_order_among_victims_that_the_reference_leaves_to_chance(execute, look, viewer):
    """Three equal pods, of which one has to go: the page says that which one it is follows no rule of Kubernetes."""
    run = execute(_crowded("equals", [None, None, None]), slug="equals", schedule="pending")
    panel = page_of(run, cycle=1).attempt.preemption
    assert (len(panel.chosen.victims), len(panel.chosen.reprieved)) == (1, 2)
    assert (
        reverse("debugger:answer", args=["team", run.number, "victims"])
        in look(run, cycle=1, tab="preemption").content.decode()
    )
    assert CHANCE in decided(run, viewer)


def test_an_order_that_priorities_decide_is_not_said_to_be_chance(execute, viewer):
    run = execute(_crowded("ranked", [None, "low", "low"]), slug="ranked", schedule="pending")
    chosen = page_of(run, cycle=1).attempt.preemption.chosen
    assert [one.key for one in chosen.victims] == ["default/ranked-0"]
    assert CHANCE not in decided(run, viewer)


def _crowded(name, classes):
    """One full node with a pod of each class (None: priority 0), and a pod that needs the room of one of them."""
    values = [("high", 1000), ("low", 10)]
    listed = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": one}, "value": value}
        for one, value in values
    ]
    bound = [
        pod(f"{name}-{i}", "1", nodeName="full", **({"priorityClassName": one} if one else {}))
        | {"status": {"phase": "Running", "startTime": "2025-01-31T12:00:00Z"}}
        for i, one in enumerate(classes)
    ]
    return [*listed, node("full", "3"), *bound, pod("big", "1", priorityClassName="high")]


A, B, C = (name_of_extender(f"http://{one}.example") for one in "abc")


def shown(*calls):
    sets = [VictimSet(node, (f"ns/{node}-1", f"ns/{node}-2")) for node in ("n1", "n2", "n3")]
    return ExtendersPreempted(at=0, cycle=1, pod="ns/p", packed=msgspec.Raw(msgspec.msgpack.encode(sets)), calls=calls)


def test_each_is_shown_what_the_one_before_left():
    first = PreemptCall(0, A, (ReturnedVictims("n1", ("ns/n1-1", "ns/n1-2")), ReturnedVictims("n2", ("ns/n2-2",))))
    failed = PreemptCall(1, B, error="EOF", ignored=True)
    last = PreemptCall(2, C, (ReturnedVictims("n1", ()), ReturnedVictims("n2", ("ns/n2-2",))))
    a, b, c = answers_to(shown(first, failed, last))
    assert (a.address, a.n_shown, a.gone, a.spared) == ("http://a.example", 3, ["n3"], [("n2-1", "n2")])
    assert (b.n_shown, b.gone, b.error, b.is_ignored) == (2, [], "EOF", True)
    assert (c.n_shown, c.gone, c.spared) == (2, ["n1"], [])
