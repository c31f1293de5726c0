"""Pods read before it is known which priority classes the input has, while their values are at hand for masking."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Pod
from scheduler_core.manifests.checking.raw_values import At, Budget, Sink
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import read_pod


class EarlyPods:
    """Reads pods under the built-in priority classes; ``AdmissionContext.admits_as_built_in`` tells whether that is
    what reading them under the classes of the input gives."""

    def __init__(self) -> None:
        self._context = AdmissionContext()
        self._budget = Budget(0)  # for complaints alone, which are made when the pod is read again

    def read(self, raw: Any) -> Pod | None:
        """The pod; None where there is something to complain about."""
        sink = Sink(self._budget)
        try:
            pod = read_pod(At(raw, (), sink), self._context)
        except (RecursionError, UnicodeEncodeError):
            return None
        return None if sink.complaints else pod
