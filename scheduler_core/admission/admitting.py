"""The plugins in the API server's order, for one pod (pkg/kubeapiserver/options/plugins.go AllOrderedPlugins)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from scheduler_core.admission import classes, limit_ranges, validity
from scheduler_core.admission.ledger import QuotaLedger
from scheduler_core.admission.verdicts import Admitted, RefusedObject
from scheduler_core.api.objects import Pod, PriorityClass
from scheduler_core.api.quotas import LimitRange, RuntimeClass


class AdmissionInputs(msgspec.Struct):
    """What admission looks at. ``ranges`` are those of the pod's namespace, in the order in which they were made.
    Classes and a ``ledger`` that are None are not asked. ``prefix`` is the pod's generateName, where it has one."""

    ranges: Iterable[LimitRange] = ()
    priority_classes: Mapping[str, PriorityClass] | None = None
    runtime_classes: Mapping[str, RuntimeClass] | None = None
    ledger: QuotaLedger | None = None
    prefix: str = ""


def admit(pod: Pod, around: AdmissionInputs) -> Admitted | RefusedObject:
    """The pod as the API server stores it, or why it refuses it. Nothing is booked: the caller does when the pod
    is there."""
    ranges, runtimes = tuple(around.ranges), around.runtime_classes
    name = around.prefix or pod.name
    filled = limit_ranges.with_defaults(pod, ranges)
    changed: Pod | RefusedObject = filled
    if around.priority_classes is not None:
        changed = classes.with_priority(filled, name, around.priority_classes)
    if runtimes is not None and not isinstance(changed, RefusedObject):
        changed = classes.with_runtime_class(changed, name, runtimes)
    if isinstance(changed, RefusedObject):
        return changed
    refusal = validity.refusal(changed, ranges) if filled is not pod else None
    refusal = refusal or limit_ranges.refusal(changed, ranges)
    if refusal is None and runtimes is not None:
        refusal = classes.refused_overhead(changed, runtimes)
    if refusal is None and around.ledger is not None:
        refusal = around.ledger.refusal(changed)
    return refusal or Admitted(changed)
