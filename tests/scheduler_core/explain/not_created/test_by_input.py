"""A workload whose pods admission refused: none is made up, and the cause has the quota with its numbers."""

from __future__ import annotations

import pytest

from scheduler_core.explain.not_created.by_input import cause_of_refused, refused_workload, report_of_refused
from scheduler_core.explain.report_lines import report_lines
from scheduler_core.framework.contracts.obstacles import KINDS
from scheduler_core.simulate import RunSession
from tests.scheduler_core.explain.doubts.inputs import inputs, made, pod

MESSAGE = "forbidden: exceeded quota: cap, requested: cpu=1,pods=1, used: pods=1, limited: pods=1"
TEMPLATE = {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def workload(kind: str, version: str = "apps/v1", **status):
    spec = {"replicas": 3, "selector": {"matchLabels": {"x": "y"}}, "template": TEMPLATE}
    if kind == "Job":
        template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
        spec = {"parallelism": 3, "completions": 3, "template": template}
    if kind == "DaemonSet":
        del spec["replicas"]
    return made(version, kind, "w", "a", spec=spec, status=status)


def failing(message: str = MESSAGE):
    return {"conditions": [{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}]}


def event(kind: str):
    about = {"kind": kind, "namespace": "a", "name": "w"}
    return made("v1", "Event", "e", "a", reason="FailedCreate", message=MESSAGE, involvedObject=about)


@pytest.mark.parametrize(
    "raws",
    [
        [workload("ReplicaSet", **failing())],
        [workload("Deployment", **failing())],
        [workload("ReplicaSet"), event("ReplicaSet")],
        [workload("StatefulSet"), event("StatefulSet")],
        [workload("Job", "batch/v1"), event("Job")],
        [workload("DaemonSet"), event("DaemonSet")],
        [workload("ReplicationController", "v1"), event("ReplicationController")],
    ],
    ids=lambda raws: f"{raws[0]['kind']} by {'event' if raws[1:] else 'condition'}",
)
def test_no_pod_is_made_up_and_the_cause_says_why(raws):
    raws[0]["spec"].pop("selector", None) if raws[0]["kind"] in ("ReplicationController",) else None
    given = inputs(*raws)
    owner = refused_workload(given, "a/w")
    assert (given.objects.pods, owner is not None) == ([], True)
    cause = cause_of_refused(owner)
    assert (cause.codes, cause.stage, cause.actor) == (("NOT_CREATED_QUOTA",), "admission", "other")
    (obstacle,) = cause.obstacles
    assert obstacle.object.endswith(f"/{raws[0]['kind']}/a/w")
    assert obstacle.needs == {"quota": "cap", "requested": "cpu=1,pods=1", "used": "pods=1", "limited": "pods=1"}


def test_a_run_counts_the_pods_as_missing_and_makes_only_the_one_that_it_lost():
    there = pod(name="w-1", node="n", labels={"x": "y"}, owners=[
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "w", "uid": "u", "controller": True}
    ])  # fmt: skip
    session = RunSession.start(inputs(workload("ReplicaSet", **failing()), there))
    assert session.advance()
    assert [one.key for one in session.simulation.world.pods.values()] == ["a/w-1"]
    assert "quota cap" in session.finish_reason


@pytest.mark.parametrize("code", ["NOT_CREATED_LIMIT_RANGE", "NOT_CREATED_ADMISSION"])
def test_other_rules_of_admission_have_their_codes(code):
    message = {"NOT_CREATED_LIMIT_RANGE": "maximum cpu usage per Pod is 1, but limit is 2"}.get(code, "webhook said no")
    cause = cause_of_refused(refused_workload(inputs(workload("ReplicaSet", **failing(message))), "a/w"))
    assert (cause.codes, cause.stage) == ((code,), KINDS[code].stage)


def test_the_report_is_of_the_workload():
    owner = refused_workload(inputs(workload("Deployment", **failing())), "a/w")
    report = report_of_refused(owner)
    assert (report.pending.pod, report.pending.state) == ("a/w", "not created")
    assert next(iter(report_lines(report))) == "a/w: not created"


def test_workloads_that_lack_nothing_are_none():
    assert refused_workload(inputs(workload("ReplicaSet"), pod()), "a/w") is None
    with pytest.raises(ValueError, match="does not refuse"):
        cause_of_refused(inputs(workload("ReplicaSet")).objects.workloads[0])
