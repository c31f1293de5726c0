"""Owners whose pods admission refused, until they try again; a clock of its own beside the run's.

It is apart because a try that must fail again is no reason for a run to go on: nothing that decides has changed since
the last refusal (``PlayedAdmission.version``). Such tries take place, and are recorded, as long as something else is to
come; without that the run ends. Cost: nothing where nobody waits; else the owners that wait, for each step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from scheduler_core.controllers.retries import NextTry, failed
from scheduler_core.engine.arrivals.admission import PlayedAdmission
from scheduler_core.framework.contracts.run_context import NO_CAUSE


class RefusedOwners:
    """What waits to be tried again, by the key of its workload. Nobody tries again ``refused_pods``, by namespace/name,
    with who refuses them, and ``refused_workloads`` by title, with how many pods they want."""

    def __init__(self, admission: PlayedAdmission) -> None:
        self.admission = admission
        self.of: dict[str, NextTry] = {}
        self.refused_pods: dict[str, str] = {}
        self.refused_workloads: dict[str, tuple[int, str]] = {}

    def is_waiting(self, key: str) -> bool:
        """Whether the workload waits for a try."""
        return key in self.of

    def failed(self, key: str, now: int, seq: int, why: str, nodes: list[str]) -> None:
        """A pod of the workload was refused, as event ``seq`` records."""
        retry = self.of.setdefault(key, NextTry())
        kind, namespace, _ = key.split("/")
        failed(retry, kind, now)
        retry.origin, retry.why, retry.nodes = seq, why, nodes
        retry.version = self.admission.version(namespace)

    def put(self, key: str, now: int, at: int, seq: int, why: str) -> None:
        """A controller that counts its failures itself tries again at ``at``, or when it was due before."""
        retry = self.of.setdefault(key, NextTry())
        retry.at = at if retry.at <= now else min(retry.at, at)
        retry.origin, retry.why = seq, why or retry.why
        retry.version = self.admission.version(key.split("/")[1])

    def keep(self, waits: Callable[[str], bool]) -> None:
        """Forget those that do not wait any more."""
        self.of = {key: retry for key, retry in self.of.items() if waits(key)}

    def succeeded(self, key: str) -> None:
        """The controller got what it asked for, or asked for nothing."""
        self.of.pop(key, None)

    def next(self, *, is_all_that_is_left: bool) -> int | None:
        """When the next try is due; where nothing else is to come, of those that may succeed."""
        due = (
            retry.at
            for key, retry in self.of.items()
            if retry.at >= 0 and not (is_all_that_is_left and self._must_fail(key, retry))
        )
        return min(due, default=None)

    def take(self) -> tuple[str, int]:
        """The workload whose try is due first, with the seq of its last refusal; it is due no more."""
        key = min((key for key, retry in self.of.items() if retry.at >= 0), key=lambda key: self.of[key].at)
        retry = self.of[key]
        retry.at = -1
        return key, retry.origin

    def reasons(self) -> Mapping[str, str]:
        """Who refuses the pods of each workload that waits."""
        return {key: retry.why for key, retry in self.of.items()}

    def _must_fail(self, key: str, retry: NextTry) -> bool:
        return retry.version == self.admission.version(key.split("/")[1])

    # --- saving ----------------------------------------------------------------------------------------------------
    def dump(self) -> dict[str, Any]:
        """What waits; of versions only whether they are still the same."""
        made: dict[str, Any] = {}
        if self.of:
            made["retries"] = {
                key: [r.failures, r.at, r.origin, r.why, r.nodes, self._must_fail(key, r)] for key, r in self.of.items()
            }
        if self.refused_workloads:
            made["refused_workloads"] = {title: list(one) for title, one in self.refused_workloads.items()}
        return made | ({"refused_pods": dict(self.refused_pods)} if self.refused_pods else {})

    def load(self, data: Mapping[str, Any]) -> None:
        """Take over what ``dump`` gave."""
        self.refused_pods = dict(data.get("refused_pods", {}))
        self.refused_workloads = {title: tuple(one) for title, one in data.get("refused_workloads", {}).items()}
        for key, (*facts, must_fail) in data.get("retries", {}).items():
            version = self.admission.version(key.split("/")[1]) if must_fail else NO_CAUSE
            self.of[key] = msgspec.structs.replace(NextTry(*facts), version=version)
