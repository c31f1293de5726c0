"""DaemonSets: a pod on each node that wants one, replaced after a change of the template (update.go beside it).

``manage`` makes and removes pods by node; only a sync that finds nothing to do there goes on to the update. With
maxUnavailable, old pods that are not available go first and count as unavailable from then on, and others follow as far
as the number allows. With maxSurge the old pod stays until the new one is available.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from scheduler_core.api.objects import Node, Workload
from scheduler_core.api.rollouts import Rollout
from scheduler_core.controllers.daemons import pinned, target_node, wants
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress
from scheduler_core.controllers.rollouts.pods_seen import SeenPod, amount, next_available
from scheduler_core.controllers.rollouts.revisions import Revisions, with_revision
from scheduler_core.controllers.templates import new_pods


class DaemonStatus(msgspec.Struct, frozen=True):
    """What the status says: by node, the oldest pod of each counts."""

    desired: int = 0
    current: int = 0
    misscheduled: int = 0
    ready: int = 0
    available: int = 0
    updated: int = 0


def status_of(
    workload: Workload,
    nodes: Mapping[str, Node],
    pods: Sequence[SeenPod],
    revisions: Revisions,
    now: int,
    failed: Mapping[str, str],
) -> DaemonStatus:
    """The status with these pods (updateDaemonSetStatus); ``failed`` are revisions of failed pods that are not deleted
    yet, by node."""
    by_node, seconds = _by_node(pods), _rollout(workload).min_ready_seconds
    counted = dict.fromkeys(DaemonStatus.__struct_fields__, 0)
    for name, node in nodes.items():
        there = by_node.get(name, [])
        if not wants(workload, node)[0]:
            counted["misscheduled"] += bool(there)
            continue
        counted["desired"] += 1
        if there:
            counted["current"] += 1
            counted["ready"] += there[0].is_ready
            counted["available"] += there[0].is_available(seconds, now)
            counted["updated"] += revisions.of(there[0].pod) == revisions.update
        elif name in failed:
            counted["current"] += 1
            counted["updated"] += failed[name] == revisions.update
    return DaemonStatus(**counted)


def decide(
    workload: Workload,
    progress: WorkloadProgress,
    situation: Situation,
    pods: Sequence[SeenPod],
    revisions: Revisions,
) -> Decision:
    """One sync; ``situation.nodes`` are all nodes."""
    sync = _DaemonSync(workload, progress, situation, pods, revisions)
    sync.run()
    return sync.decision


class _DaemonSync:
    def __init__(
        self,
        workload: Workload,
        progress: WorkloadProgress,
        situation: Situation,
        pods: Sequence[SeenPod],
        revisions: Revisions,
    ) -> None:
        self.workload, self.progress, self.situation = workload, progress, situation
        self.revisions = revisions
        self.by_node = _by_node(pods)
        rollout = _rollout(workload)
        self.seconds = rollout.min_ready_seconds
        self.decision = Decision(progress, again_at=next_available(pods, self.seconds, situation.now))
        self.nodes_to_fill: list[str] = []
        self.surges = rollout.kind == "RollingUpdate" and rollout.max_surge not in ("0", "0%")

    def run(self) -> None:
        self._manage()
        if not self.nodes_to_fill and not self.decision.remove and _rollout(self.workload).kind == "RollingUpdate":
            if self.surges:
                self._update_with_surge()
            else:
                self._update()
        template = with_revision(self.workload.template, self.revisions.update)
        self.decision.make = new_pods(
            self.workload,
            [pinned(template, name) for name in self.nodes_to_fill],
            self.progress,
            self.situation,
        )

    def _manage(self) -> None:
        nodes = self.situation.nodes
        for name, node in nodes.items():
            there = self.by_node.get(name, [])
            should_run, should_stay = wants(self.workload, node)
            if should_run and not there:
                self.nodes_to_fill.append(name)
            elif should_stay:
                self._prune(name, there, should_run=should_run)
            else:
                self._remove(there, f"{self.workload.title} does not match node {name} any more")
        for name, there in self.by_node.items():
            if name not in nodes:
                self._remove([one for one in there if not one.pod.node_name], f"node {name} is no more")

    def _prune(self, name: str, there: Sequence[SeenPod], *, should_run: bool) -> None:
        """Keep one pod on the node, or two while one takes over (podsShouldBeOnNode)."""
        running = [one for one in there if not one.is_terminating]
        why = f"{self.workload.title} wants one pod on node {name}"
        if len(running) <= 1:
            if self.surges and should_run and not running:
                self.nodes_to_fill.append(name)
            return
        if not self.surges:
            self._remove(running[1:], why)
            return
        new = [one for one in running if self._is_new(one)]
        old = [one for one in running if not self._is_new(one)]
        self._remove([*new[1:], *old[1:]], why)
        if new and old and (not old[0].is_ready or self._is_available(new[0])):
            self._remove(old[:1], f"{self.workload.title} has its new pod on node {name}")

    def _update(self) -> None:
        """Remove old pods: those that are not available, and others as far as maxUnavailable allows (rollingUpdate)."""
        n_unavailable, replaced, candidates = 0, list[SeenPod](), list[SeenPod]()
        most = self._most_unavailable()
        for there in self.by_node.values():
            running = [one for one in there if not one.is_terminating]
            if len(running) != 1 or self._is_new(running[0]):
                n_unavailable += len(running) != 1 or not self._is_available(running[0])
            elif not self._is_available(running[0]):
                replaced.append(running[0])
                n_unavailable += 1
            else:
                candidates.append(running[0])
        room = max(0, most - n_unavailable)
        self._remove([*replaced, *candidates[:room]], f"{self.workload.title} replaces pods of an older revision")

    def _update_with_surge(self) -> None:
        n_surging, replaced, candidates, done = 0, list[str](), list[str](), list[SeenPod]()
        for name, there in self.by_node.items():
            running = [one for one in there if not one.is_terminating]
            new = [one for one in running if self._is_new(one)]
            old = [one for one in running if not self._is_new(one)]
            if len(new) > 1 or len(old) > 1:
                n_surging += 1
            elif not old:
                continue
            elif not new:
                (candidates if self._is_available(old[0]) else replaced).append(name)
            elif self._is_available(new[0]):
                done += old
            else:
                n_surging += 1
        most = amount(_rollout(self.workload).max_surge, self._n_desired(), rounds_up=True)
        self.nodes_to_fill += [*replaced, *candidates[: max(0, most - n_surging)]]
        self._remove(done, f"{self.workload.title} replaces pods of an older revision")

    def _n_desired(self) -> int:
        return sum(wants(self.workload, node)[0] for node in self.situation.nodes.values())

    def _most_unavailable(self) -> int:
        n_desired = self._n_desired()
        most = amount(_rollout(self.workload).max_unavailable, n_desired, rounds_up=True)
        return max(most, 1) if n_desired else most

    def _is_new(self, one: SeenPod) -> bool:
        return self.revisions.of(one.pod) == self.revisions.update

    def _is_available(self, one: SeenPod) -> bool:
        return one.is_available(self.seconds, self.situation.now)

    def _remove(self, pods: Sequence[SeenPod], why: str) -> None:
        self.decision.remove += [(one.pod.key, why) for one in pods if not one.is_terminating]


def _by_node(pods: Sequence[SeenPod]) -> dict[str, list[SeenPod]]:
    """Pods by the node that they are on or meant for, those on it first, then the oldest."""
    by_node: dict[str, list[SeenPod]] = {}
    for one in pods:
        by_node.setdefault(target_node(one.pod), []).append(one)
    for there in by_node.values():
        there.sort(key=_oldest_first)
    return by_node


def _oldest_first(one: SeenPod) -> tuple[bool, int, int]:
    return not one.pod.node_name, one.made, one.number


def _rollout(workload: Workload) -> Rollout:
    return workload.rollout or Rollout(max_surge="0", max_unavailable="1")
