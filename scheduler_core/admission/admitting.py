"""The plugins in the API server's order, for one pod (pkg/kubeapiserver/options/plugins.go AllOrderedPlugins)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from scheduler_core.admission import classes, limit_ranges, validity
from scheduler_core.admission.ledger import QuotaLedger
from scheduler_core.admission.verdicts import Admitted, Refused
from scheduler_core.api.objects import Pod, PriorityClass, RuntimeClass
from scheduler_core.api.quotas import LimitRange


class Surroundings(msgspec.Struct):
    """What admission looks at. ``ranges`` are those of the pod's namespace, in the order in which they were made;
    ``ledger`` None: no quota is asked. ``prefix`` is the generateName of the pod, where its name is generated."""

    ranges: Iterable[LimitRange] = ()
    priority_classes: Mapping[str, PriorityClass] = {}
    runtime_classes: Mapping[str, RuntimeClass] = {}
    ledger: QuotaLedger | None = None
    prefix: str = ""


def admit(pod: Pod, around: Surroundings) -> Admitted | Refused:
    """The pod as the API server stores it, or why it refuses it. Nothing is booked: the caller does when the pod
    is there."""
    ranges, runtimes = tuple(around.ranges), around.runtime_classes
    name = around.prefix or pod.name
    filled = limit_ranges.with_defaults(pod, ranges)
    ranked = classes.with_priority(filled, name, around.priority_classes)
    if isinstance(ranked, Refused):
        return ranked
    changed = classes.with_runtime_class(ranked, name, runtimes)
    if isinstance(changed, Refused):
        return changed
    refusal = validity.refusal(changed, ranges) if filled is not pod else None
    refusal = refusal or limit_ranges.refusal(changed, ranges) or classes.refused_overhead(changed, runtimes)
    if refusal is None and around.ledger is not None:
        refusal = around.ledger.refusal(changed)
    return refusal or Admitted(changed)
