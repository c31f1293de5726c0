"""Causes before a node was looked at, and after one was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.objects import PodResourceClaim, ResourceClaim
from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.explain.diagnosis import stages
from scheduler_core.framework.contracts.status import Code
from scheduler_core.recording import events as ev
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import ASKED, diagnosed, trials_of

if TYPE_CHECKING:
    from scheduler_core.explain.diagnosis.model import ObstacleSet

POD = make_pod("p")
CHOSEN = ev.HostSelected(at=0, cycle=1, node="n")


def names_of(cause: ObstacleSet) -> tuple[str, str, str, str]:
    """(code, plugin, stage, actor) of a cause of one obstacle."""
    (obstacle,) = cause.obstacles
    assert cause.codes == (obstacle.code,)
    return obstacle.code, obstacle.plugin, cause.stage, cause.actor


# --- before ----------------------------------------------------------------------------------------------------------
def gated(nodes: list, **fields: object) -> ObstacleSet:
    objects = fields.pop("objects", {})
    trials = trials_of(nodes, [make_pod("p", **fields)], **objects)  # type: ignore[arg-type]
    with trials.under(trials.pod(ASKED), UNCHANGED) as base:
        assert base.gated is not None
        simulation = trials.simulation
        plugin = simulation.frameworks[base.pod.scheduler_name].plugins[base.gated.plugin]
        facts = plugin.pre_filter_facts(simulation.context.cluster.info(base.pod)) if base.pod.resource_claims else ()  # type: ignore[attr-defined]
        return stages.gated(base.pod, base.gated, base, facts)


def test_each_gate_is_named_and_what_would_fit_without_them() -> None:
    cause = gated([make_node("n"), make_node("m", cpu="0")], scheduling_gates=("budget.example/ok", "review"))
    assert (cause.codes, cause.stage, cause.actor) == (("GATED",), "queue", "other")
    assert [one.needs for one in cause.obstacles] == [{"name": "budget.example/ok"}, {"name": "review"}]
    assert cause.opens.names == ("n",)
    assert gated([make_node("m", cpu="0")], scheduling_gates=("g",)).opens.count == 0


def test_a_claim_for_devices_that_holds_the_pod_back_has_a_code_of_its_own() -> None:
    claims = (PodResourceClaim("accelerator", "gpu"),)
    objects = {"resource_claims": [ResourceClaim(name="other")]}
    cause = gated([make_node("n")], resource_claims=claims, objects=objects)
    assert names_of(cause) == ("DEVICE_CLAIM_MISSING", "DynamicResources", "prefilter", "workload")
    assert cause.obstacles[0].object == "resource.k8s.io/v1/ResourceClaim/default/gpu"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("default-schduler", ("UNKNOWN_SCHEDULER", "", "outside", "workload")),
        ("volcano", ("OTHER_SCHEDULER", "", "outside", "other")),
    ],
)
def test_a_scheduler_that_is_none_of_ours_is_misspelt_or_another(asked: str, expected: tuple[str, ...]) -> None:
    configuration = SchedulerConfiguration(profiles=(Profile(scheduler_name="default-scheduler"),))
    cause = stages.other_scheduler(make_pod("p", scheduler_name=asked), configuration)
    assert cause is not None
    assert names_of(cause) == expected
    assert cause.obstacles[0].needs == {"schedulerName": "default-scheduler"}
    assert stages.other_scheduler(POD, configuration) is None


def test_a_pod_in_the_queue_that_was_not_tried_waits_for_its_turn_or_its_backoff() -> None:
    assert names_of(stages.not_tried(POD, "active")) == ("NOT_TRIED_YET", "", "queue", "other")
    assert names_of(stages.not_tried(POD, "backoff")) == ("BACKING_OFF", "", "queue", "other")
    assert names_of(stages.terminating(POD)) == ("TERMINATING", "", "queue", "controller")


# --- after -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ("Reserve", ("RESERVE_FAILED", "X", "reserve", "other")),
        ("Permit", ("PERMIT_REJECTED", "X", "permit", "other")),
        ("PreBind", ("PREBIND_FAILED", "X", "prebind", "storage")),
        ("Bind", ("BIND_FAILED", "X", "bind", "other")),
    ],
)
def test_the_point_that_refused_after_a_node_was_chosen_is_the_cause(point: str, expected: tuple[str, ...]) -> None:
    refused = ev.PluginStatus("X", int(Code.UNSCHEDULABLE), ("no", "way"))
    passed = ev.PluginStatus("Y", int(Code.SUCCESS))
    event = ev.PointFinished(at=0, cycle=1, point=point, statuses=(passed, refused))
    cause = stages.after_filter(POD, 1, [CHOSEN, event])
    assert cause is not None
    assert names_of(cause) == expected
    assert cause.obstacles[0].needs == {"node": "n"}
    assert "no; way" in cause.text


def test_a_pod_that_waits_at_permit_and_then_is_rejected() -> None:
    waits = ev.PermitWaiting(at=0, cycle=1, pod=ASKED, node="n", plugins=("Gangs",), deadline=9)
    rejected = ev.PermitDecided(at=0, cycle=1, pod=ASKED, plugin="Gangs", allowed=False, message="too few")
    others = ev.PermitDecided(at=0, cycle=1, pod="default/other", plugin="Gangs", allowed=False, message="not mine")
    waiting, after = (
        stages.after_filter(POD, 1, several) for several in ([CHOSEN, waits, others], [CHOSEN, waits, rejected])
    )
    assert waiting is not None
    assert after is not None
    assert names_of(waiting) == ("PERMIT_WAITS", "Gangs", "permit", "other")
    assert names_of(after) == ("PERMIT_REJECTED", "Gangs", "permit", "other")
    assert "too few" in after.text


def test_an_extender_that_does_not_bind_is_quoted() -> None:
    def asked(**fields: bool) -> ObstacleSet | None:
        call = ev.BindCall(extender=0, name="http://e", error="device gone", **fields)
        return stages.after_filter(
            POD, 1, [CHOSEN, ev.ExtendersBound(at=0, cycle=1, pod=ASKED, node="n", calls=(call,))]
        )

    cause = asked()
    assert cause is not None
    assert names_of(cause)[0] == "BIND_FAILED"
    assert "device gone" in cause.text
    assert asked(ignored=True) is None, "a plugin binds it then"


def test_an_attempt_that_ended_at_filter_has_no_later_cause() -> None:
    refused = ev.PointFinished(at=0, cycle=1, point="PreFilter", statuses=(ev.PluginStatus("X", 2),))
    assert stages.after_filter(POD, 1, [refused]) is None
    assert stages.after_filter(POD, 1, [CHOSEN]) is None


def test_room_that_is_cleared_names_the_node_and_the_victims() -> None:
    cause = stages.nominated(POD, "n", ["a/x", "a/y"])
    assert names_of(cause) == ("NOMINATED_WAITS", "", "postfilter", "other")
    assert cause.opens.names == ("n",)
    assert "a/x and a/y" in cause.text


def test_an_attempt_that_failed_though_it_fits_is_told_by_its_message() -> None:
    cause = stages.failed(POD, "boom")
    assert names_of(cause)[0] == "PLUGIN_FAILED"
    assert "boom" in cause.text


def test_a_policy_that_forbids_preemption_is_said_where_it_matters() -> None:
    never = make_pod("p", cpu="2", preemption_policy="Never")
    cause = diagnosed([make_node("n", cpu="2")], [make_pod("x", node_name="n"), never]).cause
    with_lower = stages.with_policy(cause, never, ["default/x"])
    assert "Never" in with_lower.text
    assert "default/x" in with_lower.text
    assert with_lower.codes == cause.codes, "a fact beside the cause"
    assert stages.with_policy(cause, never, []) == cause
    assert stages.with_policy(cause, make_pod("p"), ["default/x"]) == cause


def test_what_ended_another_pod_s_attempt_is_no_cause() -> None:
    failed = (ev.PluginStatus(plugin="VolumeBinding", code=Code.ERROR, reasons=("no",)),)
    chosen = ev.HostSelected(at=0, cycle=2, node="m")
    prebind = ev.PointFinished(at=0, cycle=2, point="PreBind", statuses=failed)
    assert stages.after_filter(POD, 2, [chosen, prebind]) is not None
    assert stages.after_filter(POD, 1, [chosen, prebind]) is None
    assert stages.after_filter(POD, 1, [CHOSEN, chosen, prebind]) is None
