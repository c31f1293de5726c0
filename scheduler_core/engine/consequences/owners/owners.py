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

from collections.abc import Iterable

from scheduler_core.api.objects import (
    WORKLOAD_KINDS,
    Node,
    Pod,
    PodDisruptionBudget,
    Workload,
    WorkloadSelector,
)
from scheduler_core.controllers.daemons import wants
from scheduler_core.controllers.jobs import job_spec
from scheduler_core.controllers.rollouts import (
    played_jobs,
)
from scheduler_core.controllers.rollouts.budgets import BudgetStatus, budget_status
from scheduler_core.controllers.rollouts.played_jobs import JobState
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US
from scheduler_core.controllers.rollouts.progress import DeploymentStatus
from scheduler_core.controllers.rollouts.rollout_states import RolloutState
from scheduler_core.controllers.rollouts.unfinished import SetPods, daemon_state, deployment_state, stateful_state
from scheduler_core.engine.consequences.owners.held import TWICE, Hold
from scheduler_core.engine.consequences.owners.syncs import Syncs
from scheduler_core.engine.world import COMPLETED, LOST, PREEMPTED
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.framework.preemption.disruption_budgets import guards

_FAILED = "failed"
_BATCH_US = SECOND_US
KINDS = frozenset(WORKLOAD_KINDS)


class Owners(Syncs):
    """The played owners. Every change of a pod, a node or a workload is passed to them."""

    def start(self, pods: Iterable[Pod]) -> None:
        """Begin at time 0: count the pods that are there, and wake every owner."""
        self.readiness.start(pods)
        self.know_labels()
        self.count()
        for key in (*self.deployments, *self.ownership.owned):
            if key in self.deployments or self.plays(key):
                self.wake(key, NO_CAUSE)

    def _wake_with_owner(self, key: str, seq: int, times: int = 1) -> None:
        self.wake(key, seq, times)
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

    def _wake_after_pod(self, key: str, seq: int, times: int = 1) -> None:
        """Wake the owner after a pod changed; a Job looks a second later at all that happened since."""
        if key.startswith("Job/"):
            self._look_at(key, self.world.now() + _BATCH_US, seq)
        else:
            self._wake_with_owner(key, seq, times)

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
        self._wake_after_pod(key, seq, TWICE)

    def _ended(self, key: str, workload: Workload, pod: Pod, cause: str) -> None:
        state = self.jobs.setdefault(key, JobState())
        if pod.uid in state.own:
            state.own.remove(pod.uid)
            return
        job = job_spec(workload)
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
        hold.revision = self.revisions[key].of(pod)
        hold.length = min(max(2 * hold.length, SECOND_US), 900 * SECOND_US)

    def becomes_ready(self, key: str, uid: str, seq: int) -> None:
        """The time has come for a pod to be Ready."""
        if not self.readiness.becomes_ready(key, uid):
            return
        owner = self.world_owner(self.world.pods[key])
        if owner in self._ready:
            self._ready[owner] += 1
        if owner:
            self._wake_after_pod(owner, seq, TWICE)

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
        """An input put or deleted a workload, or the selector of one: inputs hold that alone of a set that is put
        with no replicas, and of one that is deleted."""
        workload = self._of_selector(given)
        if workload is not None:
            if is_put:
                self.put(workload, seq)
            else:
                self.delete(workload, seq)

    def put(self, workload: Workload, seq: int) -> None:
        """An input made a workload, or changed it."""
        key = workload.key
        if workload.kind == "Deployment":
            self.deployments[key] = workload
            self._sets.setdefault(key, [])
        else:
            self._put_owned(key, workload)
        self.wake(key, seq)

    def delete(self, workload: Workload, seq: int) -> None:
        """An input deleted a workload: what it owns goes with it."""
        key = workload.key
        if self.deployments.pop(key, None) is not None:
            self.statuses.pop(key, None)
            for one in self._sets.pop(key, []):
                self._drop(one, seq, f"{workload.kind} {workload.namespace}/{workload.name} was deleted")
        elif self.plays(key):
            self._drop(key, seq, f"{workload.kind} {workload.namespace}/{workload.name} was deleted", is_input=True)

    def rollouts(self) -> list[RolloutState]:
        """The unfinished rollouts."""
        now = self.world.now()
        states = [self._rollout_of(key, deployment, now) for key, deployment in self.deployments.items()]
        nodes = dict(self.all_nodes())
        for key, revisions in self.revisions.items():
            workload, pods, refusal = self.ownership.owned[key].workload, self.seen(key), self.retries.text(key)
            if workload.kind == "DaemonSet":
                states.append(daemon_state(workload, pods, revisions, nodes, refusal, now))
            else:
                states.append(stateful_state(workload, pods, revisions, refusal, now))
        return [state for state in states if state is not None]

    def _rollout_of(self, key: str, deployment: Workload, now: int) -> RolloutState | None:
        sets = self.sets_of(key)
        if all(one.template_hash == deployment.template_hash for one in sets):
            return None  # the first template is no rollout
        seen = [SetPods(one, self.seen(one.key), self.retries.text(one.key)) for one in sets]
        status = self.statuses.get(key, DeploymentStatus())
        return deployment_state(deployment, seen, status, self.retries.text(key), now)

    def budget(self, budget: PodDisruptionBudget) -> BudgetStatus:
        """The status of a budget."""
        chosen = [pod for pod in self.world.pods.values() if guards(budget, pod)]
        above: dict[str, int] = {}
        for pod in chosen:
            if key := self.world_owner(pod):
                workload = self.ownership.owned[key].workload
                deployment = self.deployments.get(self._above(workload))
                whole = workload if deployment is None else deployment
                above[whole.key] = whole.replicas
        return budget_status(budget, self.readiness.seen(pod.key for pod in chosen), sum(above.values()))
