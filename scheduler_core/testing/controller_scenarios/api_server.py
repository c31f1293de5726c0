"""The API server of a history: what it answers to the objects that somebody applies."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.admission.classes import refused_class
from scheduler_core.admission.verdicts import INVALID, RefusedObject
from scheduler_core.api.objects import Pod
from scheduler_core.engine.arrivals.admission import COUNTED, PlayedAdmission
from scheduler_core.manifests.kinds.context import BUILT_IN_CLASSES
from scheduler_core.manifests.writing.objects import read_object
from scheduler_core.testing.controller_scenarios.invalid import complaint

Raw = dict[str, Any]
ONLY_COUNTED = {"ConfigMap": "configmaps", "Secret": "secrets", "Service": "services"}
"""Kinds of which nothing is kept but how many there are, with their resources."""
_OF_EVERY_NAMESPACE = 1
"""kube-root-ca.crt, a ConfigMap."""
_BUILT_IN = {one.name: one.value for one in BUILT_IN_CLASSES}


class RefusedStep(msgspec.Struct):
    """A refusal: code and text."""

    code: int
    message: str


def begin(admission: PlayedAdmission, namespace: str) -> None:
    """Count what every namespace has."""
    admission.ledger.count(namespace, "configmaps", _OF_EVERY_NAMESPACE)


def refusal(admission: PlayedAdmission, raw: Raw, before: Raw | None, classes: list[Raw]) -> RefusedStep | None:
    """Why the object is refused that is made, or changed from ``before``; None where nothing but admission of a pod
    (``refused_pod``) is left to ask. ``classes`` are the PriorityClasses that are there."""
    if text := complaint(raw, before):
        return RefusedStep(INVALID, text)
    kind, meta = raw["kind"], raw["metadata"]
    refused: RefusedObject | None = None
    if kind == "PriorityClass":
        bare = {**raw, "metadata": {**meta, "name": "checked"}, "value": min(raw["value"], 1)}
        new = msgspec.structs.replace(read_object(bare), name=meta["name"], value=raw["value"])
        refused = refused_class(new, [read_object(one) for one in classes], _BUILT_IN)
    elif before is None and (resource := COUNTED.get(kind) or ONLY_COUNTED.get(kind)):
        refused = admission.ledger.refusal_of(meta["namespace"], resource, meta["name"])
    return None if refused is None else RefusedStep(refused.code, refused.text)


def admitted(admission: PlayedAdmission, pod: Pod) -> tuple[RefusedStep | None, Pod]:
    """Why the pod is refused (None: it is not), and the pod as it is stored."""
    outcome = admission.admit(pod)
    return (RefusedStep(outcome.code, outcome.text), pod) if isinstance(outcome, RefusedObject) else (None, outcome)
