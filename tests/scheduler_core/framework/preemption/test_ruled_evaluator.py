"""Preemption with rules of a plugin: its victims become candidates, its refusals are counted, its errors are told."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.framework.contracts.plugin import (
    NoArgs,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
)
from scheduler_core.framework.contracts.preemption import VictimsOnNode
from scheduler_core.framework.contracts.status import SUCCESS, error, unresolvable, unschedulable
from scheduler_core.framework.preemption.ruled_evaluator import RuledEvaluator
from scheduler_core.manifests import config_from_raw
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod


class Youngest(PreFilterPlugin[NoArgs], PostFilterPlugin[NoArgs]):
    """Takes the least important pods of a node, of any priority, until the pod fits; brings none back."""

    name = "Youngest"
    Args = NoArgs
    has_extensions = True
    hindered = ""
    removed_fails = False

    def __init__(self, args, handle):
        super().__init__(args, handle)
        self.evaluator = RuledEvaluator(handle, self)

    def pre_filter(self, cycle, pod):
        status = unschedulable("not at once") if pod.pod.labels.get("refused") else SUCCESS
        return PreFilterResult(status, state=[])

    def clone(self, state):
        return list(state)

    def remove_pod(self, state, pod, other, node):
        state.append(other.pod.name)
        return error("cannot count") if self.removed_fails else SUCCESS

    def hindrance(self, cycle, pod, outcome):
        return self.hindered

    def victims_on(self, trial):
        if trial.node.name == "kept":
            return unresolvable("node is kept")
        answer = VictimsOnNode([], [])
        for info in reversed(trial.by_importance):
            if trial.fits().is_success:
                break
            trial.remove(info)
            answer.victims.append(info)
        assert trial.state(self.name) == [info.pod.name for info in answer.victims]
        return answer

    def post_filter(self, cycle, pod, outcome):
        decision = self.evaluator.evaluate(cycle, pod, outcome)
        status = unschedulable(decision.message) if decision.message else SUCCESS
        return PostFilterResult(status, decision.nominated_node, decision)


def decision(pod, nodes, bound, kind=Youngest):
    raw = {"plugins": {"multiPoint": {"enabled": [{"name": "Youngest"}], "disabled": [{"name": "DefaultPreemption"}]}}}
    raw = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [raw]}
    configuration, _ = config_from_raw(raw, known_plugins={*in_tree().factories, "Youngest"})
    objects = ClusterObjects(nodes=nodes, pods=[*bound, pod])
    given = RunInputs(objects=objects, configuration=configuration, schedule="pending", max_cycles=1)
    session, seen = RunSession.start(given, in_tree().with_plugin("Youngest", kind)), []
    session.simulation.observers.append(seen.append)
    session.advance()
    return next(event for event in seen if isinstance(event, ev.PreemptionDecided))


def bound(name, node, **fields):
    return make_pod(name, cpu="1", node_name=node, phase="Running", **fields)


NODES = [make_node("one", cpu="2"), make_node("kept", cpu="2"), make_node("two", cpu="2")]
PODS = [
    bound("a", "one", priority=9, start_time=5.0), bound("b", "one", priority=9, start_time=9.0),
    bound("c", "kept"), bound("d", "kept"),
    bound("e", "two", priority=3, start_time=1.0), bound("f", "two", priority=1, start_time=2.0),
]  # fmt: skip


def test_the_rules_choose_the_victims_and_the_criteria_the_node():
    decided = decision(make_pod("p", cpu="1"), NODES, PODS)
    assert [(c.node, c.victims) for c in decided.candidates] == [("one", ("default/b",)), ("two", ("default/f",))]
    assert (decided.nominated_node, decided.potential, decided.offset) == ("two", 3, 0)
    assert decided.criterion == "lowest_highest_priority"
    (refusal,) = decided.not_candidates
    assert (refusal.reasons, refusal.count) == (("node is kept",), 1)


def test_a_state_that_comes_with_a_refusal_is_there_in_preemption():
    decided = decision(make_pod("p", cpu="1", labels={"refused": "yes"}), NODES, PODS)
    assert [c.victims for c in decided.candidates] == [("default/b",), ("default/f",)]


def test_a_pod_that_may_not_preempt_says_why():
    hindered = type("Hindered", (Youngest,), {"hindered": "not today."})
    decided = decision(make_pod("p", cpu="1"), NODES, PODS, hindered)
    assert (decided.eligible, decided.message, decided.potential) == (False, "not today.", 0)


def test_no_candidate_clears_the_nomination_and_counts_the_reasons():
    decided = decision(make_pod("p", cpu="1"), [NODES[1]], PODS[2:4])
    assert decided.nominated_node == ""
    assert decided.message.endswith(": 1 node is kept.")


FAILING = type("Failing", (Youngest,), {"removed_fails": True})
IDLE = type("Idle", (Youngest,), {"victims_on": lambda self, trial: VictimsOnNode([], [])})


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (FAILING, 'running RemovePod on PreFilter plugin "Youngest": cannot count'),
        (IDLE, 'expected at least one victim pod on node "one"'),
    ],
)
def test_errors_of_every_node_are_the_message(kind, text):
    decided = decision(make_pod("p", cpu="1"), [NODES[0]], PODS[:2], kind)
    assert (decided.message, decided.nominated_node) == (text, None)


def test_victims_are_sorted_by_importance():
    both = msgspec.structs.replace(make_pod("p", cpu="2"), priority=0)
    (candidate,) = decision(both, [NODES[0]], PODS[:2]).candidates
    assert candidate.victims == ("default/a", "default/b")
