"""Syncs of played owners: what a controller decides is recorded and carried out.

Deployments put ReplicaSets (deployment_syncs.py); theirs, and those of all other owners, make and remove pods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from scheduler_core.api.objects import Node, Pod, Workload
from scheduler_core.controllers.daemons import target_node
from scheduler_core.controllers.decision import Decision, Situation
from scheduler_core.controllers.rollouts import daemon_sets, played_jobs, replica_sets, stateful_sets
from scheduler_core.controllers.rollouts.played_jobs import JobState, JobStatus
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US, SeenPod
from scheduler_core.controllers.rollouts.progress import OwnerCondition
from scheduler_core.engine.consequences.owners.deployment_syncs import WRITING_US, DeploymentSyncs
from scheduler_core.engine.consequences.owners.held import SETS
from scheduler_core.engine.world import MADE

_BATCH_US = SECOND_US
"""A Job looks so long after pods changed, and again so long after it wrote its status, which takes a little."""


class Syncs(DeploymentSyncs):
    """Syncs the owners that are woken, in the order in which they were."""

    def settle_one(self) -> None:
        """Sync the owner that was woken first."""
        key = next(iter(self._woken))
        seq, times = self._woken.pop(key)
        if key in self.deployments:
            self.sync_deployment(key, seq)
        elif self.plays(key):
            self._sync_owner(key, seq)
            while times > 1 and key in self.retries.by_key:
                self._sync_owner(key, seq)
                times -= 1

    def _sync_owner(self, key: str, seq: int) -> None:
        owned = self.ownership.owned[key]
        workload = owned.workload
        if workload.kind in SETS and len(owned.pods) - owned.terminating == workload.replicas:
            rollout = workload.rollout
            if rollout is None or not rollout.min_ready_seconds:
                self._succeeded(key, workload, seq)
                return
        before = self._job_said(key)
        decision = self._decide(key, workload)
        self._remove(decision, seq)
        n_made = self._make(key, workload, decision, seq)
        if n_made == len(decision.make):
            self._succeeded(key, workload, seq)
        if key in self.jobs:
            self._look_at_status(key, before, decision, n_made)
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
            decision = stateful_sets.decide(workload, progress, situation, pods, revisions, templates)
            looks = self.set_looks.setdefault(key, stateful_sets.Looks())
            decision.again_at = stateful_sets.next_look(workload, looks, pods, situation.now)
            return decision
        if workload.kind == "DaemonSet":
            return self._decide_daemons(key, workload, situation, pods)
        state = self.jobs.setdefault(key, JobState())
        return played_jobs.decide(workload, progress, state, situation, pods)

    def _job_said(self, key: str) -> tuple[JobStatus, dict[str, OwnerCondition]]:
        state = self.jobs.get(key, JobState())
        return state.status, dict(state.conditions)

    def _look_at_status(
        self, key: str, before: tuple[JobStatus, dict[str, OwnerCondition]], decision: Decision, n_made: int
    ) -> None:
        """Have the Job look again where it wrote its status, of which the pods that were not made are no part."""
        state = self.jobs[key]
        state.status = replace(state.status, active=state.status.active - len(decision.make) + n_made)
        if state.conditions != before[1]:
            self.on_conditions(key)
        if (state.status, state.conditions) != before:
            at = self.world.now() + _BATCH_US + WRITING_US
            decision.again_at = at if decision.again_at is None else min(at, decision.again_at)

    def _decide_daemons(self, key: str, workload: Workload, situation: Situation, pods: list[SeenPod]) -> Decision:
        held = {name: hold.until for name, hold in self.holds.get(key, {}).items() if hold.until > situation.now}
        nodes = {name: node for name, node in self.all_nodes() if name not in held}
        situation = situation._replace(nodes=nodes)
        free = [one for one in pods if target_node(one.pod) not in held]
        failed = {name: hold.revision for name, hold in self.holds.get(key, {}).items() if name in held}
        every = dict(self.all_nodes())
        status = daemon_sets.status_of(workload, every, pods, self.revisions[key], situation.now, failed)
        self.daemon_statuses[key] = status
        decision = daemon_sets.decide(workload, self.ownership.progress(key), situation, free, self.revisions[key])
        if held:
            first = min(held.values())
            decision.again_at = first if decision.again_at is None else min(first, decision.again_at)
        return decision

    def all_nodes(self) -> Iterator[tuple[str, Node]]:
        """The nodes that are there, by name."""
        return ((node.name, node) for node in self.world.nodes(self.world.cluster.table.row_of))

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

    def _make(self, key: str, workload: Workload, decision: Decision, seq: int) -> int:
        """Make the pods in batches of 1, 2, 4 ... (slowStartBatch): a batch in which one is refused is the last one.

        How many were made; where one was refused, the owner tries again."""
        begin, size, refusal, n_made = 0, 1, "", 0
        while begin < len(decision.make) and not refusal:
            for pod in decision.make[begin : begin + size]:
                refused = self._make_one(key, workload, pod, seq)
                refusal, n_made = refused or refusal, n_made + (not refused)
            begin, size = begin + size, 2 * size
        if refusal:
            self._woken.pop(key, None)  # pods that it made do not make it try again: it expects them
            is_first = key not in self.retries.by_key
            self.try_later(key, self.world.now() + self.retries.failed(key, refusal), seq)
            if is_first:
                self._failure_changed(key, workload, seq)
        return n_made

    def _succeeded(self, key: str, workload: Workload, seq: int) -> None:
        if self.retries.succeeded(key):
            self._failure_changed(key, workload, seq)

    def _failure_changed(self, key: str, workload: Workload, seq: int) -> None:
        """The condition ReplicaFailure of a set came or went: the set syncs after that write, and its Deployment."""
        if workload.kind in SETS:
            self.on_conditions(key)
            self.wake(key, seq)
            if (above := self._above(workload)) in self.deployments:
                self.wake(above, seq)

    def _make_one(self, key: str, workload: Workload, pod: Pod, seq: int) -> str:
        self.world.context.cause = seq
        outcome = self.admit(pod)
        if isinstance(outcome, str):
            self.on_refused(key, pod, outcome)
            return outcome
        self.world.put_pod(outcome, source=MADE, cause=f"made by {workload.kind} {workload.namespace}/{workload.name}")
        return ""
