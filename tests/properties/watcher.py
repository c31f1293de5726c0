"""Watches a simulation event by event and step by step, and raises AssertionError when a promise is broken."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scheduler_core.queue.types import LANES
from scheduler_core.recording import events as ev
from tests.properties.oracle import broken_rules

if TYPE_CHECKING:
    from scheduler_core.simulate import RunSession


class Watcher:
    """Attach it before the first step; call ``after_step`` behind each."""

    def __init__(self, session: RunSession, *, budgets_are_spent: bool = True) -> None:
        self.budgets_are_spent = budgets_are_spent
        self.simulation = session.simulation
        self.simulation.observers.append(self.saw)
        self.seen: Counter[str] = Counter()

    def saw(self, event: ev.AnyEvent) -> None:
        self.seen[type(event).__name__] += 1
        if isinstance(event, ev.Reserved):
            cluster = self.simulation.context.cluster
            broken = broken_rules(cluster, cluster.pods[event.pod].pod, event.node)
            assert not broken, f"{event.pod} on {event.node}: {'; '.join(broken)}"
        elif isinstance(event, ev.PreemptionDecided) and event.nominated_node:
            self._preempted(event)

    def _preempted(self, event: ev.PreemptionDecided) -> None:
        # an assumed pod that was deleted counts on its node until its binding ends
        placed = {key: info.pod for key, info in self.simulation.context.cluster.pods.items()}
        priority = self.simulation.world.pods[event.pod].priority
        chosen = next(c for c in event.candidates if c.node == event.nominated_node)
        assert chosen.victims or not self.budgets_are_spent, "the filters would have found a node without victims"
        for victim in chosen.victims:
            assert placed[victim].priority < priority, f"{victim} is not below {event.pod}"
            assert self.simulation.context.cluster.node_of(victim) == chosen.node
        for budget in self.simulation.context.cluster.listers.budgets.values():
            hit = [v for v in chosen.victims if budget.selector.matches(placed[v].labels)]
            beyond = len(hit) - max(0, budget.disruptions_allowed)
            if not self.budgets_are_spent and budget.disruptions_allowed > 0:
                beyond = 0  # the older preemption lets any number of victims share what a budget allows
            assert chosen.violations >= beyond, f"{beyond} victims too many for {budget.key}, {chosen.violations} told"

    def after_step(self) -> None:
        """Every pod of ours is in exactly one place, and the recorded state says the same."""
        simulation = self.simulation
        queue, cluster = simulation.queue, simulation.context.cluster
        waiting = [q.key for lane in LANES[:-1] for q in queue.entries(lane)]
        assert len(waiting) == len(set(waiting)), "a pod waits twice"
        placed = set(cluster.pods)
        assert not placed & set(waiting), f"{placed & set(waiting)} are placed and wait"
        ours = {key for key, pod in simulation.world.pods.items() if pod.scheduler_name in simulation.frameworks}
        pending = {key for key in ours if not simulation.world.pods[key].node_name}
        if simulation.started:
            assert pending == set(waiting) | (pending & placed), "a pending pod waits, or is assumed on a node"
            assumed = set(simulation.bindings) | set(simulation.scheduler.waiting)
            assert pending & placed <= assumed, "an assumed pod is being bound, or waits on Permit"
            assert set(waiting) <= pending
        state = simulation.recorder.state
        assert {key for key, entry in state.queue.items() if entry.lane != "in_flight"} == set(waiting)
        assert {key: p.node for key, p in state.placements.items()} == {k: cluster.node_of(k) for k in placed}
