"""What the statuses of workloads and budgets say, in the file's terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.rollouts import stateful_sets
from scheduler_core.controllers.rollouts.budgets import BudgetStatus
from scheduler_core.controllers.rollouts.daemon_sets import DaemonStatus
from scheduler_core.controllers.rollouts.progress import OwnerCondition
from scheduler_core.engine.consequences.owners.owners import Owners

Raw = dict[str, Any]
_GENERATED = re.compile(r"([Pp]ods? \"?[a-z0-9/:-]+?)(-\d+)?-[bcdfghjklmnpqrstvwxz2456789]{5}(?=[ \"]|$)")
"""The generated end of a pod's name in a message, which the file writes as a star."""


class RevisionNames:
    """ReplicaSets and hashes of revisions as the file writes them: "web:1", by age, also of those that are no more."""

    def __init__(self, owners: Owners) -> None:
        self.owners = owners
        self._sets: dict[str, list[str]] = {}

    def look(self) -> None:
        """Note the sets that are there."""
        for key in self.owners.deployments:
            names = self._sets.setdefault(key, [])
            names += [one.name for one in self.owners.sets_of(key) if one.name not in names]

    def of_set(self, one: Workload) -> str:
        """The name of a ReplicaSet."""
        self.look()
        for key, names in self._sets.items():
            if one.name in names:
                return f"{key.rpartition('/')[2]}:{names.index(one.name) + 1}"
        return one.name

    def of_hash(self, key: str, code: str) -> str:
        """The name of a revision of a StatefulSet or DaemonSet."""
        return f"{key.rpartition('/')[2]}:{self.owners.revisions[key].hashes.index(code) + 1}"

    def plain(self, text: str) -> str:
        """A text with the file's names of sets in place of theirs."""
        for key, names in self._sets.items():
            for number, name in enumerate(names):
                text = text.replace(name, f"{key.rpartition('/')[2]}:{number + 1}")
        return _GENERATED.sub(r"\1-*", text)


def conditions(of: Mapping[str, OwnerCondition], names: RevisionNames) -> Raw:
    """Conditions as snapshots have them."""
    texts = {kind: f"{one.status}/{one.reason}" for kind, one in of.items()}
    return {
        kind: f"{text}/{names.plain(of[kind].message)}" if of[kind].message else text for kind, text in texts.items()
    }


def statuses(owners: Owners, names: RevisionNames, budgets: Mapping[str, BudgetStatus]) -> Raw:
    """Every status by kind/name; numbers of 0 are left out where the API server leaves them out."""
    out: Raw = {}
    names.look()
    for key, deployment in owners.deployments.items():
        out[f"Deployment/{deployment.name}"] = _deployment(owners, key, names)
    for key, owned in owners.ownership.owned.items():
        workload = owned.workload
        if workload.is_implied:
            continue
        if workload.kind == "ReplicaSet":
            out[f"ReplicaSet/{names.of_set(workload)}"] = _set(owners, key, workload, names)
        elif workload.kind == "StatefulSet":
            out[f"StatefulSet/{workload.name}"] = _stateful(owners, key, workload, names)
        elif workload.kind == "DaemonSet":
            out[f"DaemonSet/{workload.name}"] = _daemons(owners, key)
        elif workload.kind == "Job" and key in owners.jobs:
            out[f"Job/{workload.name}"] = _job(owners, key, workload, names)
    for name, status in budgets.items():
        reason = "SufficientPods" if status.is_sufficient else "InsufficientPods"
        out[f"PodDisruptionBudget/{name}"] = {
            "disruptionsAllowed": status.allowed,
            "currentHealthy": status.healthy,
            "desiredHealthy": status.desired,
            "expectedPods": status.expected,
            "conditions": {"DisruptionAllowed": f"{status.is_sufficient}/{reason}"},
        }
    return out


def _given(**numbers: int) -> Raw:
    return {name: value for name, value in numbers.items() if value}


def _deployment(owners: Owners, key: str, names: RevisionNames) -> Raw:
    status = owners.statuses.get(key)
    if status is None:
        return {}
    numbers = _given(
        replicas=status.replicas,
        updatedReplicas=status.updated,
        readyReplicas=status.ready,
        availableReplicas=status.available,
        unavailableReplicas=max(0, sum(one.replicas for one in owners.sets_of(key)) - status.available),
    )
    return {**numbers, "conditions": conditions(status.conditions, names)}


def _set(owners: Owners, key: str, workload: Workload, names: RevisionNames) -> Raw:
    status = owners.set_status(key)
    given = _given(fullyLabeledReplicas=status.replicas, readyReplicas=status.ready, availableReplicas=status.available)
    revision: Raw = {"revision": workload.revision.number} if workload.revision is not None else {}
    if workload.revision is not None and workload.revision.history:
        revision["revision-history"] = ",".join(map(str, workload.revision.history))
    if failure := owners.retries.text(key):
        said = f"True/FailedCreate/{names.plain(failure)}"
        revision["conditions"] = {"ReplicaFailure": said}
    return {"replicas": status.replicas, **given, "spec.replicas": workload.replicas, **revision}


def _stateful(owners: Owners, key: str, workload: Workload, names: RevisionNames) -> Raw:
    revisions, now = owners.revisions[key], owners.world.now()
    status = stateful_sets.status_of(workload, revisions, owners.seen(key), now)
    given = _given(
        readyReplicas=status.ready,
        currentReplicas=status.current,
        updatedReplicas=status.updated,
        availableReplicas=status.available,
    )
    return {
        "replicas": status.replicas,
        **given,
        "current": names.of_hash(key, revisions.current),
        "update": names.of_hash(key, revisions.update),
    }


def _daemons(owners: Owners, key: str) -> Raw:
    status = owners.daemon_statuses.get(key, DaemonStatus())
    given = _given(
        updatedNumberScheduled=status.updated,
        numberAvailable=status.available,
        numberUnavailable=status.desired - status.available,
    )
    return {
        "currentNumberScheduled": status.current,
        "numberMisscheduled": status.misscheduled,
        "desiredNumberScheduled": status.desired,
        "numberReady": status.ready,
        **given,
    }


def _job(owners: Owners, key: str, workload: Workload, names: RevisionNames) -> Raw:
    state, progress = owners.jobs[key], owners.ownership.progress(key)
    status = state.status
    raw: Raw = {
        **_given(active=status.active, succeeded=status.succeeded, failed=status.failed),
        "terminating": status.terminating,
        "ready": status.ready,
    }
    if workload.job is not None and workload.job.is_suspended:
        raw["suspended"] = True
    if progress.indexes:
        raw["completedIndexes"] = _intervals(progress.indexes)
    if state.bad:
        raw["failedIndexes"] = _intervals(state.bad)
    return {**raw, **({"conditions": conditions(state.conditions, names)} if state.conditions else {})}


def _intervals(indexes: list[int]) -> str:
    """Indexes as the API writes them: "0-3,5"."""
    texts: list[list[int]] = []
    for index in sorted(indexes):
        if texts and index == texts[-1][-1] + 1:
            texts[-1].append(index)
        else:
            texts.append([index])
    joint = {1: "", 2: ","}
    return ",".join(str(one[0]) if len(one) == 1 else f"{one[0]}{joint.get(len(one), '-')}{one[-1]}" for one in texts)
