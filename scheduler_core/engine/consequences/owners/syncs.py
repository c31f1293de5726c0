"""Syncs of played owners: what a controller decides is recorded and carried out.

A Deployment's sync puts ReplicaSets, which are recorded whole where they are made or scaled; theirs make and remove
pods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from scheduler_core.api.objects import (
    Node,
    Pod,
    Workload,
)
from scheduler_core.controllers.daemons import target_node
from scheduler_core.controllers.decision import Decision, Situation
from scheduler_core.controllers.rollouts import (
    daemon_sets,
    deployments,
    played_jobs,
    replica_sets,
    stateful_sets,
)
from scheduler_core.controllers.rollouts.played_jobs import JobState
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US, SeenPod
from scheduler_core.controllers.rollouts.progress import DeploymentStatus
from scheduler_core.engine.consequences.owners.held import SETS, OwnersHeld
from scheduler_core.engine.world import MADE
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import encode_object

_BATCH_US = SECOND_US
_WRITING_US = 20_000
"""A Job looks a second after pods changed, and again so long after it wrote its status, which takes a little."""
_RECORDED = ("ProgressDeadlineExceeded", "NewReplicaSetAvailable")


class Syncs(OwnersHeld):
    """Syncs the owners that are woken, in the order in which they were."""

    def settle_one(self) -> None:
        """Sync the owner that was woken first."""
        key = next(iter(self._woken))
        seq = self._woken.pop(key)
        if key in self.deployments:
            self._sync_deployment(key, seq)
        elif self.plays(key):
            self._sync_owner(key, seq)

    def wake(self, key: str, seq: int) -> None:
        """Have the owner sync in this step."""
        self._woken.setdefault(key, seq)
        self.on_wake()

    def _look_at(self, key: str, at: int, seq: int) -> None:
        """Wake the owner at a time, unless it is woken earlier anyway."""
        planned = self._looks.get(key)
        if planned is None or at < planned or planned <= self.world.now():
            self._looks[key] = at
            self.schedule(at, "decide", key, origin=seq)

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
        if workload.kind in SETS and len(owned.pods) - owned.terminating == workload.replicas:
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
        if workload.kind in SETS:
            keys = [pod for one in self._sets.get(self._above(workload), ()) for pod in self.ownership.owned[one].pods]
            there = map(self.world.pods.__getitem__, keys)
            related = Counter([pod.node_name for pod in there if pod.deletion_timestamp is None])
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
        free = [one for one in pods if target_node(one.pod) not in held]
        status = daemon_sets.status_of(workload, dict(self.all_nodes()), pods, self.revisions[key], situation.now)
        self.daemon_statuses[key] = status
        decision = daemon_sets.decide(workload, self.ownership.progress(key), situation, free, self.revisions[key])
        if held:
            first = min(held.values())
            decision.again_at = first if decision.again_at is None else min(first, decision.again_at)
        return decision

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


def _numbers(status: DeploymentStatus) -> tuple[int, int, int, int]:
    return status.replicas, status.updated, status.ready, status.available
