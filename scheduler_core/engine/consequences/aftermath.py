"""What happens after the scheduler's decisions: pods end, and their controllers create replacements.

The world reports each change of a pod or a node as it happens; ``settle`` carries out the consequences at the end of
the step, so that they never interrupt a decision of the scheduler. Each pod that is made or leaves names one event as
its cause. The policies choose which consequences are simulated; with all of them off, nothing follows.

For example, a ReplicaSet's pod is preempted: the world reports that it terminates, and the set is marked for a check.
At the end of the cycle, when the preemptor is back in the queue, the set's controller creates a new pod, with the
victim's event as its cause. 30 s later on the clock the victim ends.

Cost: one look-up whenever a pod with an owner is added, deleted, terminating or bound; scheduling cycles pay nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from scheduler_core.admission.verdicts import RefusedObject
from scheduler_core.api.devices import ResourceClaimTemplate
from scheduler_core.api.objects import ClusterObjects, Node, Pod, ResourceClaim, Workload, WorkloadSelector
from scheduler_core.controllers import daemons, jobs
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress
from scheduler_core.controllers.names import generated_uid
from scheduler_core.controllers.owned import is_static, workload_key
from scheduler_core.controllers.registry import decide
from scheduler_core.controllers.rollouts.rollout_states import RolloutState
from scheduler_core.engine.arrivals.admission import Played, PlayedAdmission
from scheduler_core.engine.arrivals.pods_at_start import RefusedAtStart
from scheduler_core.engine.consequences.admissions import Admissions
from scheduler_core.engine.consequences.claims import Claims
from scheduler_core.engine.consequences.evictions import Evictions
from scheduler_core.engine.consequences.owners.owners import Owners
from scheduler_core.engine.consequences.ownership import Owned, Ownership
from scheduler_core.engine.kubelet_rules import KubeletRule
from scheduler_core.engine.world import (
    COMPLETED,
    FAILED,
    LOST,
    MADE,
    PREEMPTED,
    TERMINATING,
    World,
)
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording import events as ev


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """The policies about what follows a decision (see engine/policies.py), and the run's seed."""

    leaving: bool
    keeping: bool
    losing: bool
    claiming: bool
    admission: Played
    job_running_us: int | None
    max_replacements: int
    seed: int
    rolling: bool = False
    kubelets: tuple[KubeletRule, ...] = ()


class Trigger(msgspec.Struct):
    """Why a workload's controller must run: seqs of the causing events, pods lost, and for DaemonSets the nodes."""

    seqs: list[int] = []
    lost: list[Pod] = []
    nodes: dict[str, None] = {}


class Aftermath:
    """Simulates the consequences of changes. ``schedule(at_us, kind, key, cause, uid, origin)`` puts one on the clock.

    ``exceeded`` names the first workload that replaced too many pods, "" while there is none. ``bare_gone`` counts pods
    without an owner that were evicted, lost or terminated, so that nothing replaces them. ``to_settle``: ``settle`` has
    work to do; a flag, because it is read after every step.
    """

    def __init__(self, world: World, evictions: Evictions, setting: Setting, schedule: Callable[..., None]) -> None:
        self.world = world
        self.evictions = evictions
        self.setting = setting
        self.schedule = schedule
        self.ownership = Ownership()
        self.claims = Claims(world, setting.seed, self._wake)
        self.claims.is_played = setting.claiming
        self.owners = Owners(world, self.ownership, evictions, setting.seed, schedule) if setting.rolling else None
        if self.owners is not None:
            self.owners.on_wake = self._wake
            evictions.grace = self.owners.readiness.grace_us
        self.admissions = Admissions(world, self.ownership, setting.admission, self.owners, schedule)
        self.admissions.keeping = setting.keeping
        self.retries = self.admissions.retries
        self._take_kubelets()
        self.exceeded = ""
        self.bare_gone = 0
        self.to_settle = False
        self._to_decide: dict[str, Trigger] = {}
        self._to_lose: deque[tuple[str, str, str, int]] = deque()
        self._to_restart: deque[tuple[Pod, int]] = deque()
        self._is_making = False

    def begin(self, objects: ClusterObjects, start: Mapping[str, Pod]) -> None:
        """Take the workloads of the inputs, and those that the pods at the start imply."""
        self.ownership.begin(objects.workloads, start)
        if self.owners is not None:
            self.owners.know(objects.deployments)

    def take(self, setting: Setting) -> None:
        """Go by other policies from now on."""
        self.admissions.take(setting.admission)
        self.admissions.keeping = setting.keeping
        self.setting = setting
        self.claims.is_played = setting.claiming
        self._take_kubelets()

    def _take_kubelets(self) -> None:
        if self.owners is not None:
            self.owners.readiness.rules = self.setting.kubelets
            self.owners.job_running_us = self.setting.job_running_us

    def _played(self, key: str) -> str:
        """The key of an owner that is played as recorded, else ""."""
        return key if key and self.owners is not None and self.owners.plays(key) else ""

    @property
    def admission(self) -> PlayedAdmission:
        """Admission as it is played now."""
        return self.admissions.admission

    def _wake(self) -> None:
        self.to_settle = True

    def start(self, pods: Iterable[Pod], refused: Iterable[RefusedAtStart]) -> None:
        """Put on the clock what was already in progress at the start: terminating pods and running pods of Jobs. Record
        the pods that admission ``refused``; their owners try again."""
        self.admissions.begin()
        pods = list(pods)
        if self.owners is not None:
            self.owners.start(pods)
        for one in refused:
            self.admissions.refused_at_start(one)
        for pod in pods:
            if pod.deletion_timestamp is not None:
                self._leave_in_time(pod, NO_CAUSE)
            elif pod.node_name and pod.owner_references and workload_key(pod).startswith("Job/"):
                self._complete_in_time(pod, NO_CAUSE)

    # --- changes reported by the world -----------------------------------------------------------------------------
    def pod_changed(self, old: Pod | None, new: Pod | None, seq: int, cause: str) -> None:
        """Handle a pod that was added (``old`` None), changed or removed (``new`` None), as event ``seq`` records."""
        some = new or old
        assert some is not None
        if self.admissions.admission.is_played:
            self.admissions.pod_changed(old, new)
        if some.resource_claims or some.extended_claim:
            self.claims.pod_changed(old, new, seq)
        if new is None:
            assert old is not None
            self._went(old, seq, cause)
            return
        if cause == TERMINATING:
            self._leave_in_time(new, seq)
        is_bound = bool(new.node_name) and old is not None and not old.node_name
        if is_bound and new.node_name not in self.world.cluster.table.row_of and self.setting.losing:
            self._to_lose.append((new.key, new.uid, new.node_name, seq))
            self.to_settle = True
        if old is not None and old.owner_references is not new.owner_references:
            self._released(old, new)
        key = workload_key(new) if new.owner_references else ""
        if not key:
            self._note_pod("", old, new, seq, is_bound=is_bound)
            return
        owned = self.ownership.of(key, new)
        if old is None or new.key not in owned.pods:
            self._came(key, owned, new)
        else:
            self._changed(key, owned, old, new, seq)
        if self.owners is not None:
            self._note_pod(self._played(key), old, new, seq, is_bound=is_bound)
            if self._played(key):
                return
        if owned.workload.kind == "Job" and new.node_name and (is_bound or old is None):
            self._complete_in_time(new, seq)
        if is_bound and self.retries.is_waiting(key):
            self._look_at(key, seq)

    def _note_pod(self, key: str, old: Pod | None, new: Pod, seq: int, *, is_bound: bool) -> None:
        """Report a pod to the played owners; ``key`` is its owner's, "" for a pod that none of them owns."""
        if self.owners is None:
            return
        if old is None:
            self.owners.pod_came(key, new, seq)
        if is_bound or (old is None and new.node_name):
            self.owners.pod_bound(key, new, seq)
        elif old is not None:
            self.owners.pod_changed(key, old, new, seq)

    def node_changed(self, name: str, node: Node | None, seq: int) -> None:
        """Handle a node that was added, changed or removed (``node`` None); the columns are up to date already."""
        if node is None and self.setting.losing:
            for key in self.world.cluster.pods_of(name):
                pod = self.world.pods.get(key)
                if pod is not None and pod.node_name == name:
                    self._to_lose.append((key, pod.uid, name, seq))
                    self.to_settle = True
        for key in self.ownership.daemon_sets:
            if not self._played(key):
                self._look_at(key, seq, node=name)
        if self.owners is not None:
            self.owners.node_changed(name, node, seq)

    def other_changed(self, old: Any, new: Any, seq: int) -> None:
        """Handle an object that is no pod and no node."""
        kind = type(new or old)
        self.admissions.other_changed(old, new)
        if kind in (Workload, WorkloadSelector) and self.owners is not None:
            self.owners.input_changed(new or old, seq, is_put=new is not None)
        if kind is ResourceClaim:
            self.claims.claim_changed(old, new, seq)
        elif kind is ResourceClaimTemplate and new is not None:
            self.claims.template_changed(new, seq)

    def _came(self, key: str, owned: Owned, pod: Pod) -> None:
        owned.add(pod)
        if not self._is_making:
            self.ownership.add_input_pod(key, owned, pod)

    def _released(self, old: Pod, new: Pod) -> None:
        """Remove the pod from its former owner if the update names another one."""
        key = workload_key(old)
        if key and key != workload_key(new):
            self.ownership.owned[key].drop(old)

    def _changed(self, key: str, owned: Owned, old: Pod, new: Pod, seq: int) -> None:
        workload = owned.workload
        owned.change(old, new)
        if self._played(key):
            return
        if new.deletion_timestamp is not None and old.deletion_timestamp is None:
            if workload.kind == "Job" and jobs.counts_when_terminating(workload):
                self._failed(key, owned, is_disruption=new.preempted)
            self._look_at(key, seq, None if workload.kind == "DaemonSet" else new)
        elif workload.kind == "StatefulSet" and new.node_name and not old.node_name:
            self._look_at(key, seq)

    def _went(self, pod: Pod, seq: int, cause: str) -> None:
        key = workload_key(pod) if pod.owner_references else ""
        if key:
            self.ownership.owned[key].drop(pod)
        if self.owners is not None:
            played = self._played(key)
            self.owners.pod_went(played, pod, seq, cause)
            if played:
                return
        if not key:
            if cause and cause != COMPLETED:
                self._went_unowned(pod, seq)
            return
        owned = self.ownership.owned[key]
        if owned.workload.kind == "Job":
            if cause == COMPLETED:
                jobs.pod_succeeded(owned.workload, self.ownership.progress(key), pod)
            elif pod.deletion_timestamp is None or not jobs.counts_when_terminating(owned.workload):
                self._failed(key, owned, is_disruption=pod.preempted or cause.startswith((PREEMPTED, LOST)))
        self._look_at(key, seq, pod)

    def _went_unowned(self, pod: Pod, seq: int) -> None:
        may_be_static = bool(pod.owner_references or pod.annotations) and self.setting.keeping
        if may_be_static and is_static(pod) and self._node_is_there(pod.node_name):
            self._to_restart.append((pod, seq))
            self.to_settle = True
        else:
            self.bare_gone += 1

    def _failed(self, key: str, owned: Owned, *, is_disruption: bool) -> None:
        progress = self.ownership.progress(key)
        jobs.pod_failed(owned.workload, progress, self.world.now(), is_disruption=is_disruption)

    def _look_at(self, key: str, seq: int, lost: Pod | None = None, node: str = "") -> None:
        if not self.setting.keeping:
            return
        self.to_settle = True
        trigger = self._to_decide.setdefault(key, Trigger())
        trigger.seqs.append(seq)
        if lost is not None:
            trigger.lost.append(lost)
            node = daemons.target_node(lost)
        if node:
            trigger.nodes[node] = None
        if (retry := self.retries.of.get(key)) is not None:
            trigger.nodes.update(dict.fromkeys(retry.nodes))

    # --- consequences ----------------------------------------------------------------------------------------------
    def settle(self) -> None:
        """Carry out the consequences of all changes since the last call, and the consequences of those."""
        while self._to_decide or self._to_lose or self._to_restart or not self._is_settled():
            if self._to_lose:
                self._lose(*self._to_lose.popleft())
            elif not self.claims.is_settled:
                self.claims.settle()
            elif self._to_restart:
                self._restart(*self._to_restart.popleft())
            elif self.owners is not None and not self.owners.is_settled:
                self.owners.settle_one()
            else:
                key = next(iter(self._to_decide))
                self._decide(key, self._to_decide.pop(key))
        self.to_settle = False
        self.world.context.cause = NO_CAUSE
        self.admissions.settled()

    def try_again(self) -> None:
        """Run the controller of the workload whose next try is due first."""
        key, origin = self.retries.take()
        self.look_again(key, origin)

    def _is_settled(self) -> bool:
        return self.claims.is_settled and (self.owners is None or self.owners.is_settled)

    def look_again(self, key: str, origin: int) -> None:
        """Run a workload's controller again, at the time that it asked for."""
        if self.owners is not None and self.owners.plays_any(key):
            self.owners.look_again(key, origin)
        elif key in self.ownership.owned:
            self._look_at(key, origin)

    def leave(self, key: str, uid: str, cause: str) -> None:
        """End a pod whose time has come, unless it went before."""
        pod = self.world.pods.get(key)
        if pod is not None and pod.uid == uid:
            self.world.delete_pod(key, cause=cause)

    def fail(self, key: str, uid: str) -> None:
        """End a pod as failed, unless it went before or terminates."""
        pod = self.world.pods.get(key)
        if pod is not None and pod.uid == uid and pod.deletion_timestamp is None:
            self.world.delete_pod(key, cause=FAILED)

    def become_ready(self, key: str, uid: str, origin: int) -> None:
        """A pod is Ready from now on, unless it went before or terminates."""
        if self.owners is not None:
            self.owners.becomes_ready(key, uid, origin)

    def complete(self, key: str, uid: str) -> None:
        """End a pod of a Job as succeeded, unless it went before or terminates."""
        pod = self.world.pods.get(key)
        if pod is not None and pod.uid == uid and pod.deletion_timestamp is None:
            self.world.delete_pod(key, cause=COMPLETED)

    def _lose(self, key: str, uid: str, node: str, seq: int) -> None:
        self.world.context.cause = seq
        self.leave(key, uid, f"{LOST}{node}")

    def _restart(self, pod: Pod, seq: int) -> None:
        """The kubelet creates a static pod's mirror again on its node; the pod itself ran on (kubelet.go SyncPod)."""
        key = f"Kubelet/{pod.key}"
        progress = self.ownership.progress(key)
        progress.made += 1
        progress.replaced += 1
        mirror = msgspec.structs.replace(
            pod,
            uid=generated_uid(key, progress.made, self.setting.seed),
            creation_timestamp=self.world.wall_time(),
            deletion_timestamp=None,
            preempted=False,
        )
        self._make(mirror, "", seq, f"the kubelet of node {pod.node_name}")
        self._check_limit(progress, 1, f"static pod {pod.key}")

    def _decide(self, key: str, trigger: Trigger) -> None:
        workload, seqs = self.ownership.owned[key].workload, trigger.seqs
        progress = self.ownership.progress(key)
        before = progress.made, progress.replaced
        decision = decide(workload, progress, self._situation(key, trigger))
        for i, pod in enumerate(decision.make):
            refused = self._make(pod, key, seqs[min(i, len(seqs) - 1)])
            if refused is not None:
                # The counts are of pods that were made.
                progress.made, progress.replaced = before[0] + i, min(progress.replaced, before[1] + i)
                nodes = [daemons.target_node(one) for one in decision.make[i:]]
                del decision.make[i:]
                self.admissions.retry(key, *refused, nodes)
                break
        else:
            self.retries.succeeded(key)
        for pod_key, why in decision.remove:
            self.world.context.cause = seqs[-1]
            self.evictions.remove(self.world, pod_key, why)
        self._after(key, decision, seqs[-1])

    def _after(self, key: str, decision: Decision, origin: int) -> None:
        owned = self.ownership.owned[key]
        if decision.again_at is not None:
            self.schedule(decision.again_at, "decide", key, origin=origin)
        if decision.make:
            size = len(owned.pods) if owned.workload.kind == "DaemonSet" else self.ownership.desired_pods(key, ())
            self._check_limit(decision.progress, max(size, 1), owned.workload.title)

    def _make(self, pod: Pod, key: str, seq: int, maker: str = "") -> tuple[int, RefusedObject] | None:
        """Make a pod of the workload of this key, or of another ``maker``; where admission refuses it, the seq of that
        event and why."""
        self.world.context.cause = seq
        outcome = self.admissions.asked(pod, key)
        if isinstance(outcome, tuple):
            return outcome
        self._is_making = True
        self.world.put_pod(outcome, source=MADE, cause=f"made by {maker or self.admissions.maker(key)}")
        self._is_making = False
        return None

    def _situation(self, key: str, trigger: Trigger) -> Situation:
        world, owned = self.world, self.ownership.owned[key]
        pods = world.pods
        return Situation(
            active=len(owned.pods) - owned.terminating,
            terminating=owned.terminating,
            pods=lambda: [pods[key] for key in owned.pods],
            now=world.now(),
            wall_time=world.wall_time(),
            seed=self.setting.seed,
            is_taken=pods.__contains__,
            lost=trigger.lost,
            nodes={node.name: node for node in world.nodes(trigger.nodes)},
            on_nodes={name: [pods[key] for key in sorted(owned.by_node.get(name, ()))] for name in trigger.nodes},
        )

    def _check_limit(self, progress: WorkloadProgress, size: int, title: str) -> None:
        limit = self.setting.max_replacements
        if not self.exceeded and progress.replaced > limit * size:
            self.exceeded = (
                f"the limit of {limit:,} replacements per pod is reached: {title} made {progress.replaced:,} pods anew"
            )

    def _node_is_there(self, name: str) -> bool:
        return name in self.world.cluster.table.row_of

    # --- the clock -------------------------------------------------------------------------------------------------
    def _leave_in_time(self, pod: Pod, origin: int) -> None:
        """A terminating pod leaves at its deletion time, which has its grace period in it. Where that has passed, or is
        further away than the grace period, the dump's clock is another: then it leaves a grace period from now."""
        if not self.setting.leaving:
            return
        assert pod.deletion_timestamp is not None
        grace = self.evictions.grace(pod)
        left = round((pod.deletion_timestamp - self.world.wall_time()) * 1_000_000)
        after = left if 0 < left <= grace else grace
        self.schedule(self.world.now() + after, "evict", pod.key, "terminated", pod.uid, origin)

    def _complete_in_time(self, pod: Pod, origin: int) -> None:
        running = self.setting.job_running_us
        if running is not None and self.setting.keeping:
            self.schedule(self.world.now() + running, "complete", pod.key, uid=pod.uid, origin=origin)

    # --- the end, and saving ---------------------------------------------------------------------------------------
    def shortfalls(self) -> list[ev.Missing]:
        """The workloads that lack pods now."""
        nodes = self.world.nodes(self.world.cluster.table.row_of)
        short = self.ownership.shortfalls(self.world.pods, nodes, self.retries.reasons())
        return [*short, *self.admissions.refused()]

    def rollouts(self) -> list[RolloutState]:
        """The unfinished rollouts; none where rollouts are not played."""
        return [] if self.owners is None else self.owners.rollouts()

    def dump(self) -> dict[str, Any]:
        """What does not follow from inputs and pods; between two steps, when everything is settled."""
        own = {"progress": self.ownership.dump(), "exceeded": self.exceeded, "bare_gone": self.bare_gone}
        own |= self.admissions.dump()
        return own if self.owners is None else {**own, "owners": self.owners.dump()}

    def load(
        self,
        data: Mapping[str, Any],
        brought: Iterable[Pod],
        workloads: Iterable[tuple[bool, Workload | WorkloadSelector]] = (),
        made: Iterable[Workload] = (),
    ) -> None:
        """Take over what ``dump`` gave, and the world's pods; ``brought`` are those that inputs brought since the
        start, in order, ``workloads`` those that they put or deleted, ``made`` the sets that the run recorded."""
        self.exceeded, self.bare_gone = data["exceeded"], data["bare_gone"]
        if self.owners is not None:
            self.owners.load(data["owners"], workloads, made)
        self.ownership.load(data["progress"], brought, self.world.pods.values())
        self.admissions.load(data)
        if self.owners is not None:
            self.owners.count()
        self.claims.index()
