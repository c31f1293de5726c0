"""Reserve, Permit, PreBind and PostBind with a plugin of an outside author: waits, time-outs, refusals, failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scheduler_core.api.objects import ClusterObjects, Pod
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, error, unschedulable
from scheduler_core.manifests import config_from_raw
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

if TYPE_CHECKING:
    from scheduler_core.framework.contracts.handle import Handle

SECOND = 1_000_000


class Gatekeeper(
    fw.PermitPlugin[fw.NoArgs], fw.ReservePlugin[fw.NoArgs], fw.PreBindPlugin[fw.NoArgs], fw.PostBindPlugin[fw.NoArgs]
):
    """Does to a pod what its label "do" says; counts what it was asked."""

    name = "Gatekeeper"
    Args = fw.NoArgs

    def __init__(self, args: fw.NoArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self.log: list[str] = []

    def _wish(self, pod: Any) -> str:
        return str(pod.cls.labels.get("do", ""))

    def reserve(self, cycle: Any, pod: Any, node_name: str) -> Status:
        self.log.append(f"reserve {pod.key}")
        return unschedulable("not here") if self._wish(pod) == "refuse-reserve" else SUCCESS

    def unreserve(self, cycle: Any, pod: Any, node_name: str) -> None:
        self.log.append(f"unreserve {pod.key}")

    def permit(self, cycle: Any, pod: Any, node_name: str) -> tuple[Status, float]:
        wish = self._wish(pod)
        if wish == "wait":
            return Status(Code.WAIT), 5.0
        if wish == "open":  # lets the others go
            for waiting in self.handle.run.waiting_pods():
                waiting.allow(self.name)
        if wish == "close":
            for waiting in self.handle.run.waiting_pods():
                assert self.handle.run.waiting_pod(waiting.pod.pod.uid) is waiting
                waiting.reject(self.name, "closed")
            assert self.handle.run.waiting_pod("another uid") is None
        return (unschedulable("no permit"), 0.0) if wish == "refuse-permit" else (SUCCESS, 0.0)

    def pre_bind(self, cycle: Any, pod: Any, node_name: str) -> Status:
        return error("disk on fire") if self._wish(pod) == "fail-pre-bind" else SUCCESS

    def post_bind(self, cycle: Any, pod: Any, node_name: str) -> None:
        self.log.append(f"bound {pod.key}")


def pod(name: str, do: str = "") -> Pod:
    return make_pod(name, cpu="100m", labels={"do": do})


def run(*entries: tuple[float, Pod], limit_seconds: float = 60.0) -> tuple[list[ev.AnyEvent], Gatekeeper]:
    points = ("reserve", "permit", "preBind", "postBind")
    plugins = {point: {"enabled": [{"name": "Gatekeeper"}]} for point in points}
    configuration, findings = config_from_raw(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [{"schedulerName": "default-scheduler", "plugins": plugins}],
        },
        known_plugins=[*in_tree().factories, "Gatekeeper"],
    )
    assert configuration is not None, findings
    inputs = RunInputs(
        objects=ClusterObjects(nodes=[make_node("n1")]),
        configuration=configuration,
        schedule="timeline",
        timeline=Timeline.of([TimelineEntry(int(at * SECOND), "put", p) for at, p in entries]),
        max_virtual_us=int(limit_seconds * SECOND),
    )
    session = RunSession.start(inputs, in_tree().with_plugin("Gatekeeper", Gatekeeper))
    events: list[ev.AnyEvent] = []
    session.simulation.observers.append(events.append)
    session.advance()
    plugin = session.simulation.frameworks["default-scheduler"].plugins["Gatekeeper"]
    assert isinstance(plugin, Gatekeeper)
    return events, plugin


def bound(events: list[ev.AnyEvent]) -> dict[str, float]:
    return {e.pod: e.at / SECOND for e in events if isinstance(e, ev.Bound)}


def outcomes(events: list[ev.AnyEvent], key: str) -> list[ev.CycleFinished]:
    return [e for e in events if isinstance(e, ev.CycleFinished) and e.pod == key]


def test_a_pod_passes_all_points_and_is_bound() -> None:
    events, plugin = run((0, pod("p")))
    assert list(bound(events)) == ["default/p"]
    assert plugin.log == ["reserve default/p", "bound default/p"]


def test_a_waiting_pod_counts_on_its_node_until_another_plugin_call_allows_it() -> None:
    events, _ = run((0, pod("w", "wait")), (2, pod("o", "open")))
    waiting = [e for e in events if isinstance(e, ev.PermitWaiting)]
    decided = [e for e in events if isinstance(e, ev.PermitDecided)]
    assert [(e.pod, e.plugins) for e in waiting] == [("default/w", ("Gatekeeper",))]
    assert [(e.pod, e.allowed) for e in decided] == [("default/w", True)]
    assert bound(events)["default/w"] >= 2


def test_a_waiting_pod_times_out_and_goes_back_to_the_queue() -> None:
    events, plugin = run((0, pod("w", "wait")), limit_seconds=8)
    decided = [e for e in events if isinstance(e, ev.PermitDecided)]
    assert decided[0].at == 5 * SECOND
    assert not decided[0].allowed
    assert "timeout" in decided[0].message
    assert plugin.log[:2] == ["reserve default/w", "unreserve default/w"]
    assert bound(events) == {}


def test_a_waiting_pod_can_be_rejected_by_another_call() -> None:
    events, _ = run((0, pod("w", "wait")), (1, pod("c", "close")), limit_seconds=4)
    decided = [e for e in events if isinstance(e, ev.PermitDecided)]
    assert [(e.pod, e.allowed, e.message) for e in decided[:1]] == [("default/w", False, "closed")]


@pytest.mark.parametrize(("wish", "reason"), [("refuse-reserve", "not here"), ("refuse-permit", "no permit")])
def test_a_refusal_after_the_choice_takes_the_place_back(wish: str, reason: str) -> None:
    events, plugin = run((0, pod("p", wish)), limit_seconds=1)
    first = outcomes(events, "default/p")[0]
    assert (first.outcome, first.plugins) == ("unschedulable", ("Gatekeeper",))
    assert first.message == f"0/1 nodes are available: 1 {reason}."
    assert "unreserve default/p" in plugin.log
    assert bound(events) == {}


def test_a_failed_pre_bind_returns_the_pod_with_an_error_and_backoff() -> None:
    events, plugin = run((0, pod("p", "fail-pre-bind")), limit_seconds=4)
    moves = [e for e in events if isinstance(e, ev.QueueMove) and e.target == "error_backoff"]
    assert moves[0].error_count == 1
    assert plugin.log[:2] == ["reserve default/p", "unreserve default/p"]
    unreserved = [e for e in events if isinstance(e, ev.Unreserved)]
    assert unreserved[0].reason == 'running PreBind plugin "Gatekeeper": disk on fire'


def test_deleting_a_waiting_pod_frees_its_place() -> None:
    waiting = pod("w", "wait")
    session_events, _ = run((0, waiting), (1, pod("other")))
    assert "default/other" in bound(session_events)
