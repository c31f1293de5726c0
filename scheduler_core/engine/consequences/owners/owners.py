"""Carries out what the played controllers decide (policy ``rollouts``).

Changes of pods, nodes and workloads wake owners; ``settle`` syncs them one after the other, in the order in which they
were woken, each as its controller does. A Deployment's sync puts ReplicaSets, which are recorded whole where they are
made or scaled, with the Deployment's cause; theirs make and remove pods.

Invariant: between two steps nothing is woken. State that does not follow from inputs, pods and recorded sets is in
``dump``: statuses, revisions, what is counted of Jobs, retries, and the readiness of pods.

Cost: a change of a pod costs O(1) for a ReplicaSet that has its pods and for its Deployment, O(pods of the owner) for
another; with the policy off nothing of this is entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import (
    WORKLOAD_KINDS,
    Node,
    Pod,
    PodDisruptionBudget,
    Revision,
    Rollout,
    Workload,
    WorkloadSelector,
)
from scheduler_core.controllers.decision import Decision, Situation
from scheduler_core.controllers.rollouts import (
    daemon_sets,
    deployments,
    played_jobs,
    replica_sets,
    stateful_sets,
)
from scheduler_core.controllers.daemons import wants
from scheduler_core.controllers.rollouts.daemon_sets import DaemonStatus
from scheduler_core.controllers.rollouts.budgets import BudgetStatus, budget_status
from scheduler_core.controllers.rollouts.played_jobs import JobState
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US, SeenPod
from scheduler_core.controllers.rollouts.progress import DeploymentStatus
from scheduler_core.controllers.rollouts.replica_sets import SetStatus
from scheduler_core.controllers.rollouts.stateful_sets import Revisions
from scheduler_core.engine.consequences.evictions import Evictions
from scheduler_core.engine.consequences.owners.readiness import Readiness
from scheduler_core.engine.consequences.owners.retries import Retries, Retry
from scheduler_core.engine.consequences.ownership import Ownership
from scheduler_core.engine.world import COMPLETED, LOST, MADE, PREEMPTED, World
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import encode_object

_BATCH_US = SECOND_US
_WRITING_US = 20_000
"""A Job looks a second after pods changed, and again so long after it wrote its status, which takes a little."""
_SETS = ("ReplicaSet", "ReplicationController")
Admit = Callable[[Pod], str]
"""Why a pod is not admitted, "" where it is."""


class Hold(msgspec.Struct):
    """The backoff of failed pods of a DaemonSet on a node, in microseconds: its length, its last update, and until when
    the node has no new pod."""

    length: int = 0
    updated: int = 0
    until: int = 0


class Owners:
    """The played owners. ``schedule`` is as of Aftermath; ``admit`` says whether a pod may be made."""

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
        self.admit: Admit = lambda pod: ""
        self.on_refused: Callable[[str, Pod, str], None] = lambda key, pod, text: None
        self.retries = Retries()
        self.deployments: dict[str, Workload] = {}
        self.statuses: dict[str, DeploymentStatus] = {}
        self.revisions: dict[str, Revisions] = {}
        self.templates: dict[str, dict[str, Workload]] = {}
        self.jobs: dict[str, JobState] = {}
        self.holds: dict[str, dict[str, Hold]] = {}
        self.daemon_statuses: dict[str, DaemonStatus] = {}
        self._sets: dict[str, list[str]] = {}
        self._ready: dict[str, int] = {}
        self._woken: dict[str, int] = {}
        self._looks: dict[str, int] = {}
        self._gone: dict[str, None] = {}
        self.job_running_us: int | None = None
        self.on_wake: Callable[[], None] = lambda: None
        self.on_conditions: Callable[[str], None] = lambda key: None

    # --- what there is ---------------------------------------------------------------------------------------------
    def plays(self, key: str) -> bool:
        """Whether the owner of this key is played; one of which only pods are known is not."""
        owned = self.ownership.owned.get(key)
        return owned is not None and not owned.workload.is_implied

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
        for keys in self._sets.values():
            keys.sort(key=self._age)
        for key, owned in self.ownership.owned.items():
            self._know_revision(key, owned.workload)

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

    def start(self, pods: Iterable[Pod]) -> None:
        """Begin at time 0: count the pods that are there, and wake every owner."""
        self.readiness.start(pods)
        self.count()
        for key in (*self.deployments, *self.ownership.owned):
            if key in self.deployments or self.plays(key):
                self.wake(key, NO_CAUSE)

    def count(self) -> None:
        """Count the Ready pods of sets again."""
        self._ready = {}
        for key, owned in self.ownership.owned.items():
            if owned.workload.kind in _SETS:
                self._ready[key] = sum(self._is_ready(self.world.pods[pod]) for pod in owned.pods)

    def _is_ready(self, pod: Pod) -> bool:
        life = self.readiness.lives.get(pod.key)
        return life is not None and life.ready is not None and pod.deletion_timestamp is None

    # --- changes ---------------------------------------------------------------------------------------------------
    def wake(self, key: str, seq: int) -> None:
        """Have the owner sync in this step."""
        self._woken.setdefault(key, seq)
        self.on_wake()

    def _wake_with_owner(self, key: str, seq: int) -> None:
        self.wake(key, seq)
        above = self._above(self.ownership.owned[key].workload)
        if above in self.deployments:
            self.wake(above, seq)

    def pod_came(self, key: str, pod: Pod, seq: int) -> None:
        """A pod was added; ``key`` is its owner's, "" without one that is played."""
        self.readiness.came(pod)
        if key:
            self._wake_after_pod(key, seq)

    def pod_bound(self, key: str, pod: Pod, seq: int) -> None:
        """A pod has its node."""
        running = self.job_running_us if key.startswith("Job/") else None
        if self.readiness.bound(pod, seq, running) and key in self._ready:
            self._ready[key] += 1
        if key:
            self._wake_after_pod(key, seq)

    def _wake_after_pod(self, key: str, seq: int) -> None:
        """Wake the owner after a pod changed; a Job looks a second later at all that happened since."""
        if key.startswith("Job/"):
            self._look_at(key, self.world.now() + _BATCH_US, seq)
        else:
            self._wake_with_owner(key, seq)

    def _look_at(self, key: str, at: int, seq: int) -> None:
        """Wake the owner at a time, unless it is woken earlier anyway."""
        planned = self._looks.get(key)
        if planned is None or at < planned or planned <= self.world.now():
            self._looks[key] = at
            self.schedule(at, "decide", key, origin=seq)

    def look_again(self, key: str, seq: int) -> None:
        """The time has come that an owner asked for."""
        if self._looks.get(key, -1) <= self.world.now():
            self._looks.pop(key, None)
        if key in self.deployments:
            self.wake(key, seq)
        elif self.plays(key):
            self._wake_with_owner(key, seq)

    def pod_changed(self, key: str, old: Pod, new: Pod, seq: int) -> None:
        """A pod of the owner was changed: it terminates, or an input changed it."""
        terminates = new.deletion_timestamp is not None and old.deletion_timestamp is None
        if terminates and key in self._ready and self._is_ready(old):
            self._ready[key] -= 1
        if key:
            self._wake_after_pod(key, seq)

    def pod_went(self, key: str, pod: Pod, seq: int, cause: str) -> None:
        """A pod of the owner is gone."""
        if key in self._ready and self._is_ready(pod):
            self._ready[key] -= 1
        self.readiness.went(pod)
        if not key:
            return
        workload = self.ownership.owned[key].workload
        if workload.kind == "Job":
            self._ended(key, workload, pod, cause)
        elif workload.kind == "DaemonSet" and cause == _FAILED:
            self._hold(key, pod)
        self._wake_after_pod(key, seq)

    def _ended(self, key: str, workload: Workload, pod: Pod, cause: str) -> None:
        state = self.jobs.setdefault(key, JobState())
        if pod.uid in state.own:
            state.own.remove(pod.uid)
            return
        job = played_jobs.job_spec(workload)
        state.ended.append(
            played_jobs.ended(
                job,
                pod,
                self.world.now(),
                succeeded=cause == COMPLETED,
                is_disruption=pod.preempted or cause.startswith((PREEMPTED, LOST)),
                exit_code=1 if cause == _FAILED else None,
            )
        )

    def _hold(self, key: str, pod: Pod) -> None:
        """The backoff of a DaemonSet's failed pods: the node is without one for 0, 0, 2, 4, 8 s."""
        hold, now = self.holds.setdefault(key, {}).setdefault(pod.node_name, Hold()), self.world.now()
        waits = hold.length if now - hold.updated < hold.length else 0
        hold.until = hold.updated = now + waits
        hold.length = min(max(2 * hold.length, SECOND_US), 900 * SECOND_US)

    def becomes_ready(self, key: str, uid: str, seq: int) -> None:
        """The time has come for a pod to be Ready."""
        if not self.readiness.becomes_ready(key, uid):
            return
        owner = self.world_owner(self.world.pods[key])
        if owner in self._ready:
            self._ready[owner] += 1
        if owner:
            self._wake_after_pod(owner, seq)

    def world_owner(self, pod: Pod) -> str:
        """The key of the pod's owner where it is played, else ""."""
        key = self.ownership.key_of(pod)
        return key if key and self.plays(key) else ""

    def node_changed(self, name: str, node: Node | None, seq: int) -> None:
        """A node came, changed or went: the DaemonSets that want a pod more or less there look at it."""
        for key in self.ownership.daemon_sets:
            if not self.plays(key):
                continue
            owned = self.ownership.owned[key]
            there = bool(owned.by_node.get(name))
            should_run, should_stay = (False, False) if node is None else wants(owned.workload, node)
            if (should_run and not there) or (there and not should_stay):
                self.wake(key, seq)

    def input_changed(self, given: Workload | WorkloadSelector, seq: int, *, is_put: bool) -> None:
        """An input put or deleted a workload, or the selector of one: that is what inputs hold of a set that is put with
        no replicas, and of one that is deleted."""
        workload = self._of_selector(given)
        if workload is not None:
            if is_put:
                self.put(workload, seq)
            else:
                self.delete(workload, seq)

    def _of_selector(self, given: Workload | WorkloadSelector) -> Workload | None:
        if isinstance(given, Workload):
            return given
        owned = self.ownership.owned.get(given.key)
        return None if owned is None or owned.workload.is_implied else replace(owned.workload, replicas=0)

    def put(self, workload: Workload, seq: int) -> None:
        """An input made a workload, or changed it."""
        key = workload.key
        if workload.kind == "Deployment":
            self.deployments[key] = workload
            self._sets.setdefault(key, [])
        else:
            self._put_owned(key, workload)
        self.wake(key, seq)

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
        if workload.kind not in _SETS:
            self._ready.pop(key, None)
        self._know_revision(key, workload)

    def delete(self, workload: Workload, seq: int) -> None:
        """An input deleted a workload: what it owns goes with it."""
        key = workload.key
        if self.deployments.pop(key, None) is not None:
            self.statuses.pop(key, None)
            for one in self._sets.pop(key, []):
                self._drop(one, seq, f"{workload.kind} {workload.namespace}/{workload.name} was deleted")
        elif self.plays(key):
            self._drop(key, seq, f"{workload.kind} {workload.namespace}/{workload.name} was deleted", is_input=True)

    def _drop(self, key: str, seq: int, why: str, *, is_input: bool = False) -> None:
        owned = self.ownership.owned[key]
        if not is_input:
            self._record(owned.workload, "deleted", why, seq)
        for pod in list(owned.pods):
            self.world.context.cause = seq
            self.evictions.remove(self.world, pod, why)
        self._gone[key] = None
        self.ownership.forget(key)
        stores: tuple[dict[str, Any], ...] = (
            *(self._ready, self.revisions, self.jobs, self.holds, self.templates, self._woken, self.retries.by_key),
        )
        for held in stores:
            held.pop(key, None)

    # --- syncs -----------------------------------------------------------------------------------------------------
    def settle_one(self) -> None:
        """Sync the owner that was woken first."""
        key = next(iter(self._woken))
        seq = self._woken.pop(key)
        if key in self.deployments:
            self._sync_deployment(key, seq)
        elif self.plays(key):
            self._sync_owner(key, seq)

    def sets_of(self, key: str) -> list[Workload]:
        """The ReplicaSets of a Deployment, the oldest first."""
        return [self.ownership.owned[one].workload for one in self._sets.get(key, ())]

    def set_status(self, key: str) -> SetStatus:
        """The status of a ReplicaSet."""
        owned = self.ownership.owned[key]
        n_active = len(owned.pods) - owned.terminating
        rollout = owned.workload.rollout
        if rollout is not None and rollout.min_ready_seconds:
            return replica_sets.set_status(self.seen(key), rollout.min_ready_seconds, self.world.now())
        return SetStatus(n_active, self._ready[key], self._ready[key])

    def seen(self, key: str) -> list[SeenPod]:
        """The owner's pods as its controller sees them."""
        return self.readiness.seen(self.ownership.owned[key].pods)

    def _sync_deployment(self, key: str, seq: int) -> None:
        deployment, sets = self.deployments[key], self.sets_of(key)
        before = self.statuses.get(key, DeploymentStatus())
        said = dict(before.conditions)
        owned = self.ownership.owned
        n_left = sum(len(owned[one.key].pods) for one in sets if one.template_hash != deployment.template_hash)
        step = deployments.decide(
            deployment,
            sets,
            {one.key: self.set_status(one.key) for one in sets},
            before,
            self.readiness.whole_second(self.world.now()),
            n_left=n_left,
        )
        for one in step.put:
            self._put_set(key, one, seq)
        self._note_owner(key)
        for one_key in step.delete:
            self._drop(one_key, seq, f"{deployment.title} keeps no more revisions")
            self._sets[key].remove(one_key)
        after = step.status
        self._note_conditions(deployment, said, after, seq)
        self.statuses[key] = after
        if after.conditions != said:
            self.on_conditions(key)
        if step.put or _numbers(after) != _numbers(before) or after.conditions != said:
            self.wake(key, seq)
        elif step.again_at is not None:
            self._look_at(key, step.again_at, seq)

    def _note_conditions(
        self, deployment: Workload, said: Mapping[str, Any], after: DeploymentStatus, seq: int
    ) -> None:
        """Record that a rollout takes too long, or is complete."""
        new, old = after.conditions.get("Progressing"), said.get("Progressing")
        if new is not None and new.reason in _RECORDED and (old is None or old.reason != new.reason):
            self._emit(deployment, "updated", f"Progressing is {new.status}, {new.reason}: {new.message}", seq)

    def _put_set(self, above: str, one: Workload, seq: int) -> None:
        owned, title = self.ownership.owned.get(one.key), self.deployments[above].title
        if owned is None or owned.workload.is_implied:
            self._put_owned(one.key, one)
            made = self._record(one, "added", f"made by {title}, scaled up from 0 to {one.replicas}", seq)
            self.wake(one.key, made)
            return
        size = owned.workload.replicas
        owned.workload = one
        if one.replicas != size:
            way = "up" if one.replicas > size else "down"
            seq = self._record(one, "updated", f"scaled {way} from {size} to {one.replicas} by {title}", seq)
        self.wake(one.key, seq)

    def _record(self, workload: Workload, action: str, cause: str, seq: int) -> int:
        return self._emit(workload, action, cause, seq, b"" if action == "deleted" else encode_object(workload))

    def _emit(self, workload: Workload, action: str, cause: str, seq: int, encoded: bytes = b"") -> int:
        self.world.context.cause = seq
        kind, key = workload.kind, f"{workload.namespace}/{workload.name}"
        return self.world.emit(
            ev.ObjectChanged(at=self.world.now(), kind=kind, key=key, action=action, cause=cause, object=encoded)
        )

    def _sync_owner(self, key: str, seq: int) -> None:
        owned = self.ownership.owned[key]
        workload = owned.workload
        if workload.kind in _SETS and len(owned.pods) - owned.terminating == workload.replicas:
            rollout = workload.rollout
            if rollout is None or not rollout.min_ready_seconds:
                self.retries.succeeded(key)
                return
        decision = self._decide(key, workload)
        self._remove(decision, seq)
        if self._make(key, workload, decision, seq):
            self.retries.succeeded(key)
        if decision.again_at is not None:
            self._look_at(key, decision.again_at, seq)

    def _decide(self, key: str, workload: Workload) -> Decision:
        progress, situation = self.ownership.progress(key), self._situation()
        pods = self.seen(key)
        if workload.kind in _SETS:
            related = [pod for one in self._sets.get(self._above(workload), ()) for pod in self.seen(one)]
            return replica_sets.decide(workload, progress, situation, pods, related)
        if workload.kind == "StatefulSet":
            revisions = self.revisions[key]
            templates = {code: one.template for code, one in self.templates[key].items()}
            return stateful_sets.decide(workload, progress, situation, pods, revisions, templates)
        if workload.kind == "DaemonSet":
            return self._decide_daemons(key, workload, situation, pods)
        state = self.jobs.setdefault(key, JobState())
        before, said = state.status, dict(state.conditions)
        decision = played_jobs.decide(workload, progress, state, situation, pods)
        if state.conditions != said:
            self.on_conditions(key)
        if state.status != before or state.conditions != said:
            at = self.world.now() + _BATCH_US + _WRITING_US
            decision.again_at = at if decision.again_at is None else min(at, decision.again_at)
        return decision

    def _decide_daemons(self, key: str, workload: Workload, situation: Situation, pods: list[SeenPod]) -> Decision:
        held = {name: hold.until for name, hold in self.holds.get(key, {}).items() if hold.until > situation.now}
        nodes = {name: node for name, node in self.all_nodes() if name not in held}
        situation = situation._replace(nodes=nodes)
        free = [one for one in pods if daemon_sets.target_node(one.pod) not in held]
        status = daemon_sets.status_of(workload, dict(self.all_nodes()), pods, self.revisions[key], situation.now)
        self.daemon_statuses[key] = status
        decision = daemon_sets.decide(workload, self.ownership.progress(key), situation, free, self.revisions[key])
        if held:
            first = min(held.values())
            decision.again_at = first if decision.again_at is None else min(first, decision.again_at)
        return decision

    def budget(self, budget: PodDisruptionBudget) -> BudgetStatus:
        """The status of a budget."""
        pods = self.world.pods.values()
        chosen = [
            pod
            for pod in pods
            if pod.namespace == budget.namespace and budget.selector is not None and budget.selector.matches(pod.labels)
        ]
        above: dict[str, int] = {}
        for pod in chosen:
            if key := self.world_owner(pod):
                workload = self.ownership.owned[key].workload
                deployment = self.deployments.get(self._above(workload))
                whole = workload if deployment is None else deployment
                above[whole.key] = whole.replicas
        return budget_status(budget, self.readiness.seen(pod.key for pod in chosen), sum(above.values()))

    def all_nodes(self) -> Iterator[tuple[str, Node]]:
        """The nodes that are there, by name."""
        table = self.world.cluster.table
        return ((node.name, node) for node in self.world.nodes(table.row_of))

    def _situation(self) -> Situation:
        world = self.world
        return Situation(
            active=0,
            terminating=0,
            pods=lambda: (),
            now=world.now(),
            wall_time=world.wall_time(),
            seed=self.seed,
            is_taken=world.pods.__contains__,
        )

    def _remove(self, decision: Decision, seq: int) -> None:
        for key, why in decision.remove:
            self.world.context.cause = seq
            self.evictions.remove(self.world, key, why)

    def _make(self, key: str, workload: Workload, decision: Decision, seq: int) -> bool:
        """Make the pods in batches of 1, 2, 4 ... (slowStartBatch): a batch in which one is refused is the last one.

        Whether none was refused; else the owner tries again."""
        begin, size, refusal = 0, 1, ""
        while begin < len(decision.make) and not refusal:
            for pod in decision.make[begin : begin + size]:
                refusal = self._make_one(key, workload, pod, seq) or refusal
            begin, size = begin + size, 2 * size
        if refusal:
            at = self.world.now() + self.retries.failed(key, refusal)
            self.schedule(at, "decide", key, origin=seq)
        return not refusal

    def _make_one(self, key: str, workload: Workload, pod: Pod, seq: int) -> str:
        refusal = self.admit(pod)
        if refusal:
            self.on_refused(key, pod, refusal)
            return refusal
        self.world.context.cause = seq
        self.world.put_pod(pod, source=MADE, cause=f"made by {workload.kind} {workload.namespace}/{workload.name}")
        return ""

    def _mark(self, key: str) -> tuple[Revision | None, Rollout | None]:
        """What a Deployment writes into a set beside its size, which no event holds."""
        workload = self.ownership.owned[key].workload
        return workload.revision, workload.rollout

    def _note_owner(self, key: str) -> None:
        """Have the sets say how many pods their Deployment wants in all."""
        for one in self._sets.get(key, ()):
            owned = self.ownership.owned[one]
            if owned.workload.owner_replicas != self.deployments[key].replicas:
                owned.workload = replace(owned.workload, owner_replicas=self.deployments[key].replicas)

    # --- saving ----------------------------------------------------------------------------------------------------
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
            revision, rollout = msgspec.convert(mark, tuple[Revision | None, Rollout | None])
            owned.workload = replace(owned.workload, revision=revision, rollout=rollout, is_implied=False)
        for key in data["gone"]:
            self._gone[key] = None
            self.ownership.forget(key)
        convert, decode = msgspec.convert, msgspec.msgpack.Decoder(Workload).decode
        self.statuses = convert(data["statuses"], dict[str, DeploymentStatus])
        self.revisions = convert(data["revisions"], dict[str, Revisions])
        self.templates = {key: {c: decode(one) for c, one in held.items()} for key, held in data["templates"].items()}
        self.jobs = convert(data["jobs"], dict[str, JobState], strict=False)
        self.holds = convert(data["holds"], dict[str, dict[str, Hold]])
        self.retries.by_key = convert(data["retries"], dict[str, Retry])
        self._looks = dict(data["looks"])
        for key in self.deployments:
            self._note_owner(key)
        self.readiness.load(data)


_FAILED = "failed"
_RECORDED = ("ProgressDeadlineExceeded", "NewReplicaSetAvailable")
KINDS = frozenset(WORKLOAD_KINDS)


def _numbers(status: DeploymentStatus) -> tuple[int, int, int, int]:
    return status.replicas, status.updated, status.ready, status.available
