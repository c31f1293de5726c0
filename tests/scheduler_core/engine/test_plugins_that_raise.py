"""A plugin that raises fails the attempt that asked it, never the run: error, backoff, nothing half-updated kept."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from scheduler_core.api.objects import ClusterObjects, Pod
from scheduler_core.compiled import without_kernel
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status, unschedulable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import IDENTITY, Normalization
from scheduler_core.manifests import config_from_raw
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

SECOND = 1_000_000
POINTS = (
    "preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind", "bind",
    "postBind",
)  # fmt: skip


class Brittle(
    fw.PreEnqueuePlugin[fw.NoArgs],
    fw.PreFilterPlugin[fw.NoArgs],
    fw.FilterPlugin[fw.NoArgs],
    fw.PostFilterPlugin[fw.NoArgs],
    fw.PreScorePlugin[fw.NoArgs],
    fw.ScorePlugin[fw.NoArgs],
    fw.ReservePlugin[fw.NoArgs],
    fw.PermitPlugin[fw.NoArgs],
    fw.PreBindPlugin[fw.NoArgs],
    fw.BindPlugin[fw.NoArgs],
    fw.PostBindPlugin[fw.NoArgs],
    fw.EnqueueExtension[fw.NoArgs],
):
    """Raises at the point that a pod's label "break" names, in cycles from "from" to before "until".

    Refuses all nodes to pods labelled "refused".
    """

    name = "Brittle"
    Args = fw.NoArgs
    has_extensions = True
    number = 0

    def _at(self, point: str, pod: Any) -> None:
        labels = pod.labels if isinstance(pod, Pod) else pod.pod.labels
        first, end = int(labels.get("from", "0")), int(labels.get("until", "1000"))
        if labels.get("break") == point and first <= self.number < end:
            raise ValueError(f"no {point} for {labels['break']}")

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        return (EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD), self._hint),)

    def _hint(self, pod: Pod, old: Any, new: Any) -> Hint:
        self._at("QueueingHint", pod)
        return Hint.SKIP

    def pre_enqueue(self, pod: Pod) -> Status:
        self._at("PreEnqueue", pod)
        return SUCCESS

    def pre_filter(self, cycle: Any, pod: Any) -> fw.PreFilterResult:
        self.number = cycle.number
        self._at("PreFilter", pod)
        return fw.PreFilterResult(state=pod)

    def clone(self, state: Any) -> Any:
        self._at("PreFilterExtensionClone", state)
        return state

    def add_pod(self, state: Any, pod: Any, other: Any, node: Any) -> Status:
        self._at("PreFilterExtensionAddPod", pod)
        return SUCCESS

    def remove_pod(self, state: Any, pod: Any, other: Any, node: Any) -> Status:
        self._at("PreFilterExtensionRemovePod", pod)
        return SUCCESS

    def filter_node(self, state: Any, pod: Any, node: Any) -> Status:
        self._at("Filter", pod)
        return unschedulable("refused") if pod.cls.labels.get("refused") else SUCCESS

    def post_filter(self, cycle: Any, pod: Any, outcome: Any) -> fw.PostFilterResult:
        self._at("PostFilter", pod)
        return fw.PostFilterResult(unschedulable("nothing to do"))

    def pre_score(self, cycle: Any, pod: Any, rows: Any) -> fw.PreScoreResult:
        self._at("PreScore", pod)
        return fw.PreScoreResult()

    def score_node(self, state: Any, pod: Any, node: Any) -> int:
        self._at("Score", pod)
        return node.pod_count

    def normalize(self, state: Any, pod: Any, rows: Any, raw: Any) -> Normalization:
        self._at("NormalizeScore", pod)
        return IDENTITY

    def reserve(self, cycle: Any, pod: Any, node_name: str) -> Status:
        self._at("Reserve", pod)
        return SUCCESS

    def unreserve(self, cycle: Any, pod: Any, node_name: str) -> None:
        self._at("Unreserve", pod)

    def permit(self, cycle: Any, pod: Any, node_name: str) -> tuple[Status, float]:
        self._at("Permit", pod)
        return (unschedulable("no permit") if pod.cls.labels.get("break") == "Unreserve" else SUCCESS), 0.0

    def pre_bind(self, cycle: Any, pod: Any, node_name: str) -> Status:
        self._at("PreBind", pod)
        return SUCCESS

    def bind(self, cycle: Any, pod: Any, node_name: str) -> Status:
        self._at("Bind", pod)
        return SKIP

    def post_bind(self, cycle: Any, pod: Any, node_name: str) -> None:
        self._at("PostBind", pod)


class Outcome:
    """A run's events, those of exceptions with their tracebacks, and its hash."""

    def __init__(self, session: RunSession) -> None:
        self.events: list[ev.AnyEvent] = []
        session.simulation.observers.append(self.events.append)
        session.advance()
        self.errors = [e for e in self.events if isinstance(e, ev.PluginFailed)]
        self.tracebacks = session.take_tracebacks()
        self.hash = session.recording_hash()
        self.reason = session.finish_reason

    def finished(self, key: str) -> list[ev.CycleFinished]:
        return [e for e in self.events if isinstance(e, ev.CycleFinished) and e.pod == key]

    def bound(self) -> set[str]:
        return {e.pod for e in self.events if isinstance(e, ev.Bound)}

    def lanes(self, key: str) -> list[str]:
        return [e.target for e in self.events if isinstance(e, ev.QueueMove) and e.pod == key]


def pod(name: str, at: str = "", cpu: str = "100m", **labels: str) -> Pod:
    return make_pod(name, cpu=cpu, labels={"break": at, **labels})


def configuration() -> Any:
    first = {"enabled": [{"name": "Brittle"}, {"name": "DefaultBinder"}], "disabled": [{"name": "DefaultBinder"}]}
    plugins = {point: {"enabled": [{"name": "Brittle"}]} for point in POINTS if point != "bind"} | {"bind": first}
    parsed, findings = config_from_raw(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"schedulerName": "default-scheduler", "plugins": plugins}],
        },
        known_plugins=[*in_tree().factories, "Brittle"],
    )
    assert parsed is not None, findings
    return parsed


def start(*pods: Pod, later: tuple[tuple[float, Any], ...] = (), **settings: Any) -> RunSession:
    entries = [*((0.0, p) for p in pods), *later]
    inputs = RunInputs(
        objects=ClusterObjects(nodes=[make_node(f"n{i}", cpu="2", pods=200) for i in range(1, 4)]),
        configuration=configuration(),
        schedule="timeline",
        timeline=Timeline.of([TimelineEntry(int(at * SECOND), "put", thing) for at, thing in entries]),
        max_virtual_us=300 * SECOND,
    )
    return RunSession.start(inputs, in_tree().with_plugin("Brittle", Brittle), **settings)


def run(*pods: Pod, later: tuple[tuple[float, Any], ...] = ()) -> Outcome:
    """The run, which is the same in every setting of the engine."""
    outcomes = []
    for kernel, cached in ((nullcontext, True), (without_kernel, True), (without_kernel, False)):
        with kernel():
            outcomes.append(Outcome(start(*pods, later=later, cached=cached)))
    assert len({outcome.hash for outcome in outcomes}) == 1
    return outcomes[0]


IN_THE_CYCLE = ("PreFilter", "Filter", "PreScore", "Score", "NormalizeScore", "Reserve", "Permit")


@pytest.mark.parametrize("point", IN_THE_CYCLE)
def test_the_attempt_ends_with_an_error_and_other_pods_are_bound(point):
    outcome = run(pod("bad", point), pod("good"))
    first = outcome.finished("default/bad")[0]
    message = f'{point} of plugin "Brittle" raised ValueError: no {point} for {point}'
    assert (first.outcome, first.message, first.plugins, first.node) == ("error", message, (), "")
    assert outcome.bound() == {"default/good"}
    assert outcome.lanes("default/bad")[:3] == ["active", "in_flight", "error_backoff"]
    error = outcome.errors[0]
    assert (error.plugin, error.point, error.error, error.pod, error.cycle) == (
        "Brittle", point, "ValueError", "default/bad", first.cycle,
    )  # fmt: skip
    (seq, traceback), *others = outcome.tracebacks
    assert outcome.events[seq] is error
    assert "in _at" in traceback
    assert others == [], "the same exception again has no traceback of its own"


@pytest.mark.parametrize("point", IN_THE_CYCLE)
def test_once_the_plugin_works_again_the_pod_is_bound(point):
    pods = [pod(f"same-{i}", point, until="6") for i in range(8)]
    outcome = run(*pods)
    assert outcome.bound() == {p.key for p in pods}
    assert {e.cycle for e in outcome.errors} == set(range(1, 6))


@pytest.mark.parametrize("point", ["PreBind", "Bind"])
def test_a_binding_that_raises_takes_the_place_back_and_the_pod_backs_off(point):
    outcome = run(pod("bad", point), pod("good"))
    assert outcome.bound() == {"default/good"}
    (unreserved, *_) = [e for e in outcome.events if isinstance(e, ev.Unreserved)]
    assert unreserved.reason.startswith(f'{point} of plugin "Brittle" ')
    assert unreserved.reason.endswith(f"ValueError: no {point} for {point}")
    assert "error_backoff" in outcome.lanes("default/bad")


def test_a_pod_stays_bound_whatever_post_bind_raises():
    outcome = run(pod("bad", "PostBind"))
    assert outcome.bound() == {"default/bad"}
    assert [e.point for e in outcome.errors] == ["PostBind"]


def test_an_unreserve_that_raises_does_not_keep_the_place():
    outcome = run(pod("bad", "Unreserve", cpu="2"), pod("good", cpu="2"))
    assert outcome.finished("default/bad")[0].message.endswith("1 no permit.")
    assert "Unreserve" in {e.point for e in outcome.errors}
    assert outcome.bound() == {"default/good"}


def test_a_pre_enqueue_that_raises_gates_the_pod_as_an_error_does():
    outcome = run(pod("bad", "PreEnqueue"), pod("good"))
    assert outcome.lanes("default/bad") == ["gated"]
    assert (outcome.errors[0].point, outcome.errors[0].pod, outcome.errors[0].cycle) == ("PreEnqueue", "default/bad", 0)
    assert outcome.bound() == {"default/good"}


def test_a_post_filter_that_raises_makes_the_failure_an_error():
    outcome = run(pod("bad", "PostFilter", cpu="9"))
    first = outcome.finished("default/bad")[0]
    assert (first.outcome, first.plugins) == ("error", ())
    assert first.message.startswith('PostFilter of plugin "Brittle" ')


def test_a_hint_that_raises_moves_the_pod():
    refused = pod("bad", "QueueingHint", refused="1"), pod("other", refused="1")
    outcome = run(*refused, later=((30.0, make_node("n4")),))
    assert [len(outcome.finished(p.key)) for p in refused] == [2, 1]
    assert [(e.point, e.pod, e.cycle) for e in outcome.errors] == [("QueueingHint", "default/bad", 0)]


@pytest.mark.parametrize("point", ["PreFilterExtensionClone", "PreFilterExtensionRemovePod"])
def test_a_dry_run_that_raises_fails_the_attempt(point):
    filling = [pod(f"low-{i}", cpu="2") for i in range(3)]
    wants = make_pod("bad", cpu="2", priority=10, labels={"break": point, "until": "1000"})
    outcome = run(*filling, later=((5.0, wants),))
    assert outcome.finished("default/bad")[0].outcome == "error"
    assert outcome.errors[0].point == point
    assert outcome.bound() == {p.key for p in filling}


def test_a_nominated_pod_that_cannot_be_added_fails_the_attempt():
    filling = [make_pod(f"low-{i}", cpu="2", termination_grace_period_seconds=60) for i in range(3)]
    nominated = make_pod("high", cpu="2", priority=10)
    outcome = run(*filling, later=((5.0, nominated), (6.0, pod("bad", "PreFilterExtensionAddPod"))))
    first = outcome.finished("default/bad")[0]
    assert (first.outcome, outcome.errors[0].point) == ("error", "PreFilterExtensionAddPod")


class EngineError(Exception):
    pass


def test_an_exception_of_the_engine_itself_ends_the_run():
    session = start(pod("a"))

    def broken(frame: Any) -> None:
        raise EngineError

    session.simulation.evaluation.frame = broken
    with pytest.raises(EngineError):
        session.advance()


def test_a_wrong_answer_of_a_plugin_counts_as_raised(monkeypatch):
    monkeypatch.setattr(Brittle, "reserve", lambda self, cycle, pod, node_name: None)
    outcome = run(pod("a"))
    message = outcome.finished("default/a")[0].message
    assert message.startswith('Reserve of plugin "Brittle" ')
    assert "AttributeError: 'NoneType'" in message


@pytest.mark.slow
@pytest.mark.parametrize("node_local", [False, True], ids=["any plugin", "a node-local one"])
def test_what_was_kept_of_a_class_before_its_plugin_raised_is_not_used_again(node_local, monkeypatch):
    """With digests of the whole matrix every 97 cycles, and compared with the engine that keeps nothing."""
    points = (*IN_THE_CYCLE, "PostFilter", "PreBind", "Bind", "", "")
    pods = [
        pod(f"p{i}", points[i % 12], "9" if i % 12 == 7 else f"{10 + 10 * (i % 2)}m", **{"from": "40", "until": "90"})
        for i in range(160)
    ]
    monkeypatch.setattr(Brittle, "traits", Traits(node_local=node_local))
    outcome = run(*pods)
    assert 30 < len(outcome.errors) < 60
    assert {e.point for e in outcome.errors} == {point for point in points if point}
    assert len([e for e in outcome.events if isinstance(e, ev.CycleFinished)]) > 200
    fitting = {p.key for p in pods if p.labels["break"] != "PostFilter"}
    assert outcome.bound() == fitting


@pytest.mark.parametrize(("point", "preempts"), [("", True), ("Filter", False)])
def test_an_attempt_that_ends_in_an_error_preempts_nobody(point, preempts):
    low = [pod(f"low-{i}", cpu="2") for i in range(3)]
    high = make_pod("high", cpu="2", priority=10, labels={"break": point})
    outcome = run(*low, later=((5.0, high),))
    assert any(isinstance(event, ev.PreemptionDecided) for event in outcome.events) == preempts
