"""What is held of played owners, and how it is saved: Deployments with their sets, statuses, revisions, Jobs, retries.

What follows from inputs, pods and recorded sets is found again from these; the rest is in ``dump``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import Pod, Workload, WorkloadSelector
from scheduler_core.api.rollouts import Rollout, SetRevision
from scheduler_core.controllers.rollouts import replica_sets
from scheduler_core.controllers.rollouts.daemon_sets import DaemonStatus
from scheduler_core.controllers.rollouts.played_jobs import JobState
from scheduler_core.controllers.rollouts.pods_seen import SeenPod
from scheduler_core.controllers.rollouts.progress import DeploymentStatus
from scheduler_core.controllers.rollouts.replica_sets import SetStatus
from scheduler_core.controllers.rollouts.revisions import REVISION, Revisions
from scheduler_core.controllers.rollouts.stateful_sets import Looks
from scheduler_core.controllers.templates import pod_ordinal
from scheduler_core.engine.consequences.evictions import Evictions
from scheduler_core.engine.consequences.owners.readiness import Readiness
from scheduler_core.engine.consequences.owners.retries import Retries, Retry
from scheduler_core.engine.consequences.ownership import Ownership
from scheduler_core.engine.world import World
from scheduler_core.recording.objects import encode_object

SETS = ("ReplicaSet", "ReplicationController")
TWICE = 2
"""A controller syncs when a pod is Ready or gone or it is scaled, and again once its status says so."""
Admit = Callable[[Pod], Pod | str]
"""The pod as it is stored, or why it is not admitted."""


class Hold(msgspec.Struct):
    """The backoff of failed pods of a DaemonSet on a node, in microseconds: its length, its last update, and until when
    the failed pod stays there, of this revision."""

    length: int = 0
    updated: int = 0
    until: int = 0
    revision: str = ""


class OwnersHeld:
    """The owners that are played. ``admit`` says why a pod may not be made, ``on_refused`` is called then,
    and ``try_later`` with the owner, when it tries again and the event that it follows from; ``admit_set`` says why a
    ReplicaSet may not be made ("": it may), ``on_set`` that one was made (1) or deleted (-1);
    ``on_wake`` and ``on_conditions`` when an owner is woken, and when its conditions changed.
    """

    def __init__(
        self,
        world: World,
        ownership: Ownership,
        evictions: Evictions,
        seed: int,
        schedule: Callable[..., None],
    ) -> None:
        self.world, self.ownership, self.evictions = world, ownership, evictions
        self.seed, self.schedule = seed, schedule
        self.readiness = Readiness(world, schedule)
        self.admit: Admit = lambda pod: pod
        self.admit_set: Callable[[Workload, int], str] = lambda one, seq: ""
        self.on_set: Callable[[Workload, int], None] = lambda one, change: None
        self.try_later: Callable[[str, int, int], None] = lambda key, at, seq: None
        self.on_refused: Callable[[str, Pod, str], None] = lambda key, pod, text: None
        self.retries = Retries()
        self.deployments: dict[str, Workload] = {}
        self.statuses: dict[str, DeploymentStatus] = {}
        self.revisions: dict[str, Revisions] = {}
        self.templates: dict[str, dict[str, Workload]] = {}
        self.set_looks: dict[str, Looks] = {}
        self.jobs: dict[str, JobState] = {}
        self.holds: dict[str, dict[str, Hold]] = {}
        self.daemon_statuses: dict[str, DaemonStatus] = {}
        self._sets: dict[str, list[str]] = {}
        self._ready: dict[str, int] = {}
        self._woken: dict[str, tuple[int, int]] = {}
        self._looks: dict[str, int] = {}
        self._gone: dict[str, None] = {}
        self.job_running_us: int | None = None
        self.on_wake: Callable[[], None] = lambda: None
        self.on_conditions: Callable[[str], None] = lambda key: None

    def plays(self, key: str) -> bool:
        """Whether the owner of this key is played; one of which only pods are known is not."""
        owned = self.ownership.owned.get(key)
        return owned is not None and not owned.workload.is_implied

    def plays_any(self, key: str) -> bool:
        """Whether the owner of this key is played, or the Deployment."""
        return key in self.deployments or self.plays(key)

    @property
    def is_settled(self) -> bool:
        """Whether no owner is woken."""
        return not self._woken

    def know(self, given: Iterable[Workload]) -> None:
        """Take the Deployments of the inputs; sets that only pods imply become sets of theirs."""
        for deployment in given:
            self.deployments[deployment.key] = deployment
            self._sets[deployment.key] = []
        for key, owned in self.ownership.owned.items():
            above = self._above(owned.workload)
            if above in self.deployments:
                self._adopt(key, above)
        for above, keys in self._sets.items():
            keys.sort(key=self._age)
            self._note_current(above, keys)
        for key, owned in self.ownership.owned.items():
            self._know_revision(key, owned.workload)

    def _note_current(self, above: str, keys: list[str]) -> None:
        """One set has the present template: the one of the Deployment's own revision, or the newest of those whose
        template is equal. A dump may have filled in defaults in one of the two and not in the other."""
        deployment, owned = self.deployments[above], self.ownership.owned
        number = deployment.revision.number if deployment.revision is not None else 0
        same = [key for key in keys if owned[key].workload.template_hash == deployment.template_hash]
        named = [key for key in keys if number and self._number(key) == number]
        current = named[0] if named else max(same, key=self._number, default="")
        for key in {*same, *named}:
            code = deployment.template_hash if key == current else f"{deployment.template_hash} of {key}"
            owned[key].workload = replace(owned[key].workload, template_hash=code)

    def _number(self, key: str) -> int:
        revision = self.ownership.owned[key].workload.revision
        return revision.number if revision is not None else 0

    def _adopt(self, key: str, above: str) -> None:
        owned = self.ownership.owned[key]
        if owned.workload.is_implied:
            owned.workload = replace(
                owned.workload, is_implied=False, template_hash=self.deployments[above].template_hash
            )
        self._sets[above].append(key)

    def _age(self, key: str) -> float:
        revision = self.ownership.owned[key].workload.revision
        return revision.created or 0.0 if revision is not None else 0.0

    def _above(self, workload: Workload) -> str:
        owner = workload.owner
        return f"Deployment/{workload.namespace}/{owner.name}" if owner and owner.kind == "Deployment" else ""

    def _know_revision(self, key: str, workload: Workload) -> None:
        if workload.kind in ("StatefulSet", "DaemonSet") and not workload.is_implied:
            self.revisions.setdefault(key, Revisions()).take(workload.template_hash)
            self.templates.setdefault(key, {})[workload.template_hash] = workload

    def _put_owned(self, key: str, workload: Workload) -> None:
        owned = self.ownership.owned.get(key)
        self._gone.pop(key, None)
        if owned is None:
            self.ownership.know(workload)
            self._ready[key] = 0
            above = self._above(workload)
            if above in self._sets:
                self._sets[above].append(key)
        else:
            revision = workload.revision or owned.workload.revision
            is_new = owned.workload.is_implied
            owned.workload = replace(workload, revision=revision, owner=workload.owner or owned.workload.owner)
            if is_new and self._above(owned.workload) in self._sets:
                self._sets[self._above(owned.workload)].append(key)
                self._ready[key] = 0
        if workload.kind not in SETS:
            self._ready.pop(key, None)
        self._know_revision(key, workload)

    def _of_selector(self, given: Workload | WorkloadSelector) -> Workload | None:
        if isinstance(given, Workload):
            return given
        owned = self.ownership.owned.get(given.key)
        return None if owned is None or owned.workload.is_implied else replace(owned.workload, replicas=0)

    def sets_of(self, key: str) -> list[Workload]:
        """The ReplicaSets of a Deployment, the oldest first."""
        return [self.ownership.owned[one].workload for one in self._sets.get(key, ())]

    def set_status(self, key: str) -> SetStatus:
        """The status of a ReplicaSet."""
        owned = self.ownership.owned[key]
        n_active = len(owned.pods) - owned.terminating
        rollout = owned.workload.rollout
        if rollout is not None and rollout.min_ready_seconds:
            counted = replica_sets.set_status(self.seen(key), rollout.min_ready_seconds, self.world.now())
            return counted._replace(failure=self.retries.text(key))
        return SetStatus(n_active, self._ready[key], self._ready[key], self.retries.text(key))

    def seen(self, key: str) -> list[SeenPod]:
        """The owner's pods as its controller sees them."""
        return self.readiness.seen(self.ownership.owned[key].pods)

    def know_labels(self) -> None:
        """Note which label the pods of the inputs have that are of the present template: that of a StatefulSet's last
        ordinal, which is updated first, and of a DaemonSet's newest pod."""
        for key, revisions in self.revisions.items():
            workload = self.ownership.owned[key].workload
            there = [one.pod for one in sorted(self.seen(key), key=lambda one: (one.made, one.number))]
            if workload.kind == "StatefulSet":
                there.sort(key=partial(_ordinal, workload.name))
            revisions.of_input = there[-1].labels.get(REVISION, "") if there else ""

    def count(self) -> None:
        """Count the Ready pods of sets again."""
        self._ready = {}
        for key, owned in self.ownership.owned.items():
            if owned.workload.kind in SETS:
                self._ready[key] = sum(self._is_ready(self.world.pods[pod]) for pod in owned.pods)

    def _is_ready(self, pod: Pod) -> bool:
        life = self.readiness.lives.get(pod.key)
        return life is not None and life.ready is not None and pod.deletion_timestamp is None

    def _mark(self, key: str) -> tuple[SetRevision | None, Rollout | None]:
        """What a Deployment writes into a set beside its size, which no event holds."""
        workload = self.ownership.owned[key].workload
        return workload.revision, workload.rollout

    def _note_owner(self, key: str) -> None:
        """Have the sets say how many pods their Deployment wants in all."""
        for one in self._sets.get(key, ()):
            owned = self.ownership.owned[one]
            if owned.workload.owner_replicas != self.deployments[key].replicas:
                owned.workload = replace(owned.workload, owner_replicas=self.deployments[key].replicas)

    def dump(self) -> dict[str, Any]:
        """What does not follow from inputs, pods and recorded sets."""
        plain = msgspec.to_builtins
        return {
            **self.readiness.dump(),
            "statuses": plain(self.statuses),
            "revisions": plain(self.revisions),
            "templates": {
                key: {code: encode_object(one) for code, one in held.items()} for key, held in self.templates.items()
            },
            "set_looks": plain({key: one for key, one in self.set_looks.items() if one.at >= 0 or one.was_complete}),
            "jobs": plain(self.jobs),
            "holds": plain(self.holds),
            "retries": plain(self.retries.by_key),
            "sets": self._sets,
            "marks": {one: plain(self._mark(one)) for keys in self._sets.values() for one in keys},
            "looks": self._looks,
            "gone": list(self._gone),
        }

    def load(
        self,
        data: Mapping[str, Any],
        workloads: Iterable[tuple[bool, Workload | WorkloadSelector]],
        made: Iterable[Workload],
    ) -> None:
        """Take over what ``dump`` gave. ``workloads`` are those of inputs carried out so far (False: deleted), in
        order, ``made`` the sets that were recorded."""
        for is_put, given in workloads:
            one = self._of_selector(given)
            if one is None:
                continue
            if one.kind == "Deployment":
                if is_put:
                    self.deployments[one.key] = one
                else:
                    self.deployments.pop(one.key, None)
            elif is_put:
                self._put_owned(one.key, one)
        for one in made:
            self._put_owned(one.key, one)
        self._sets = {key: list(keys) for key, keys in data["sets"].items()}
        for key, mark in data["marks"].items():
            owned = self.ownership.owned[key]
            revision, rollout = msgspec.convert(mark, tuple[SetRevision | None, Rollout | None])
            owned.workload = replace(owned.workload, revision=revision, rollout=rollout, is_implied=False)
        for key in data["gone"]:
            self._gone[key] = None
            self.ownership.forget(key)
        convert, decode = msgspec.convert, msgspec.msgpack.Decoder(Workload).decode
        self.statuses = convert(data["statuses"], dict[str, DeploymentStatus])
        self.revisions = convert(data["revisions"], dict[str, Revisions])
        self.templates = {key: {c: decode(one) for c, one in held.items()} for key, held in data["templates"].items()}
        self.set_looks = convert(data.get("set_looks", {}), dict[str, Looks])
        self.jobs = convert(data["jobs"], dict[str, JobState], strict=False)
        self.holds = convert(data["holds"], dict[str, dict[str, Hold]])
        self.retries.by_key = convert(data["retries"], dict[str, Retry])
        self._looks = dict(data["looks"])
        for key in self.deployments:
            self._note_owner(key)
        self.readiness.load(data)


def _ordinal(name: str, pod: Pod) -> int:
    return pod_ordinal(name, pod.name)
