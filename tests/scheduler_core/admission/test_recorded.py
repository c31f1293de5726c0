"""Histories that a control plane of Kubernetes 1.34.9 recorded: what its API server answers, what admission makes of
pods, and what quotas count. Taken from recordings of the families limits, classes and quota, without what kubelets and
controllers did there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.admission.amounts import text
from scheduler_core.admission.verdicts import INVALID, RefusedObject
from scheduler_core.api.objects import Pod
from tests.scheduler_core.admission.server import Server

HISTORIES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))
_MADE_UP = re.compile(r'^pods "(\w+)[:-][^"]*"')


def amounts(given: Any) -> dict[str, str]:
    return {name: text(name, value) for name, value in given.items()}


def admitted(pod: Pod) -> dict[str, Any]:
    """What recordings have of a pod after admission."""
    facts: dict[str, Any] = {
        "priority": pod.priority,
        "preemptionPolicy": pod.preemption_policy,
        "priorityClassName": pod.priority_class_name,
        "runtimeClassName": pod.runtime_class_name,
        "annotations": dict(pod.annotations),
        "nodeSelector": dict(pod.node_selector),
        "overhead": amounts(pod.overhead),
        "tolerations": [(one.key, one.operator, one.value, one.effect) for one in pod.tolerations],
    }
    for field, containers in (("containers", pod.containers), ("initContainers", pod.init_containers)):
        facts[field] = [(one.name, amounts(one.requests), amounts(one.limits)) for one in containers]
    return {name: value for name, value in facts.items() if value or name == "priority"}


def recorded(raw: dict[str, Any]) -> dict[str, Any]:
    facts = {**raw}
    facts["tolerations"] = [
        (one.get("key", ""), one.get("operator", ""), one.get("value", ""), one.get("effect", ""))
        for one in raw["tolerations"]
    ]
    for field in ("containers", "initContainers"):
        facts[field] = [
            (one["name"], one["resources"].get("requests", {}), one["resources"].get("limits", {}))
            for one in raw.get(field, ())
        ]
    del facts["qosClass"]
    facts.pop("resources", None)
    return {name: value for name, value in facts.items() if value or name == "priority"}


@pytest.mark.parametrize("history", HISTORIES, ids=lambda one: one["name"])
def test_admission_answers_as_recorded(history: dict[str, Any]) -> None:
    server = Server()
    for raw in history["objects"]:
        assert not server.apply(raw)
    expected = {(one["t"], one["step"]): one for one in history["answers"]}
    for step in history["steps"]:
        if "delete" in step:
            server.delete(step["delete"]["kind"], step["delete"]["name"])
            continue
        raw = step["apply"]
        answer = expected.get((step["at"], f"apply {raw['kind']}/{raw['metadata']['name']}"))
        outcome = server.apply(raw)
        if isinstance(outcome, RefusedObject):
            assert answer is not None, outcome.text
            assert (outcome.code, outcome.text) == (answer["code"], answer["message"])
        else:  # Invalid manifests are refused when they are read, in words of our own.
            assert bool(outcome) == (answer is not None)
            assert answer is None or answer["code"] == INVALID
    there = {name: admitted(server.pods[name]) for name in history["admitted"]}
    assert there == {name: recorded(raw) for name, raw in history["admitted"].items()}
    in_vain = {_MADE_UP.sub(r'pods "\1"', one) for one in server.refused}
    assert in_vain <= {_MADE_UP.sub(r'pods "\1"', one) for one in history["refused"]}
    assert bool(in_vain) or not history["refused"] or history["name"] in WITHOUT_CONTROLLERS
    for name, used in history.get("quota", {}).items():
        book = next(one for one in server.ledger.of("team") if one.quota.name == name)
        assert amounts(book.used) == used


WITHOUT_CONTROLLERS = frozenset((
    "quota/daemonset-refused", "quota/freed-by-end", "quota/lowered", "quota/pods", "quota/terminating-counts",
    "quota/terminating-past-grace",
))  # fmt: skip
"""What is refused there follows from what controllers, kubelets or changes of a quota did."""
