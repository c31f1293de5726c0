"""Elastic quotas in runs of any shape: limits hold after every Reserve, and nobody who is protected is a victim."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunSession
from scheduler_core.testing.builders import make_node
from tests.examples.quota_runs import GPU, SECOND, at, cpu_pod, inputs, quota, registry
from tests.seeds import how_many

NAMESPACES = ("a", "b", "c", "free")
AMOUNTS = ("cpu", GPU)


@st.composite
def amounts(draw, most):
    return {"cpu": str(draw(st.integers(0, most))), GPU: str(draw(st.integers(0, 4)))}


@st.composite
def quotas(draw, namespace):
    least = draw(st.none() | amounts(8))
    most = draw(st.none() | amounts(10))
    return quota(namespace, least, most)


@st.composite
def pods(draw, name, **fields):
    return cpu_pod(
        name,
        draw(st.sampled_from(NAMESPACES)),
        draw(st.integers(0, 3)),
        extended={GPU: str(gpu)} if (gpu := draw(st.integers(0, 2))) else {},
        priority=draw(st.sampled_from((0, 0, 5, 9))),
        **fields,
    )


@st.composite
def runs(draw):
    nodes = [
        make_node(f"n{i}", cpu=str(draw(st.integers(2, 8))), extended={GPU: str(draw(st.integers(0, 4)))})
        for i in range(draw(st.integers(1, 3)))
    ]
    there = [
        draw(
            pods(
                f"there-{i}",
                node_name=draw(st.sampled_from([n.name for n in nodes])),
                phase="Running",
                start_time=float(i),
            )
        )
        for i in range(draw(st.integers(0, 3)))
    ]
    entries = []
    for i in range(draw(st.integers(1, 14))):
        second = draw(st.integers(0, 40))
        what = draw(st.integers(0, 9))
        if what == 0:
            entries.append(at(second, draw(quotas(draw(st.sampled_from("abc"))))))
        elif what == 1 and there:
            entries.append(at(second, draw(st.sampled_from(there)), "delete"))
        else:
            entries.append(at(second, draw(pods(f"p{i}"))))
    starting = [draw(quotas(namespace)) for namespace in "abc" if draw(st.integers(0, 4))]
    return inputs(starting, entries, nodes, there, max_virtual_us=120 * SECOND, seed=draw(st.integers(0, 9)))


def requested(pod, name):
    return pod.containers[0].requests.get(name, 0)


class QuotaWatch:
    """Counts pod by pod what is used, and looks at every Reserve and every preemption of a run."""

    def __init__(self, given_inputs):
        self.session = RunSession.start(given_inputs, registry())
        self.context = self.session.simulation.context
        self.held = self.sum_holds()
        self.preemptions = 0
        self.session.simulation.observers.append(self.see)
        self.session.advance()

    @property
    def quotas(self):
        return {quota.namespace: quota for quota in self.context.cluster.listers.elastic_quotas.values()}

    def used(self, namespace, name):
        placed = self.context.cluster.pods.values()
        return sum(requested(info.pod, name) for info in placed if info.pod.namespace == namespace)

    def is_over(self, namespace, *, bound, less=(), more=()):
        """Whether a namespace uses more than its min or max, with some pods less or more, of a resource that it uses
        or that those pods ask for."""
        limits = getattr(self.quotas[namespace], bound)
        if bound == "max" and limits is None:
            return False
        for name in AMOUNTS:
            total = (
                self.used(namespace, name)
                + sum(requested(p, name) for p in more)
                - sum(requested(p, name) for p in less)
            )
            if total > (limits or {}).get(name, 0):
                return True
        return False

    def sum_holds(self):
        return all(
            sum(self.used(ns, name) for ns in self.quotas)
            <= sum((q.min or {}).get(name, 0) for q in self.quotas.values())
            for name in AMOUNTS
        )

    def see(self, seen):
        if isinstance(seen, ev.Reserved):
            self.after_reserve(seen.pod.partition("/")[0], self.context.cluster.pods[seen.pod].pod)
        elif isinstance(seen, ev.PreemptionDecided) and seen.chosen is not None:
            self.preemptions += 1
            # A victim that was deleted on its way to its node counts there until its binding is given up.
            victims = [self.context.cluster.pods[key].pod for key in seen.chosen.victims]
            self.before_eviction(self.context.pods[seen.pod], victims)
        self.held = self.sum_holds()

    def after_reserve(self, namespace, pod):
        if namespace in self.quotas:
            limits = self.quotas[namespace].max
            for name in ("cpu", *(name for name in AMOUNTS if requested(pod, name))):
                assert limits is None or self.used(namespace, name) <= limits.get(name, 0), (pod.key, name)
            assert self.sum_holds(), f"{pod.key} was let in above the sum of all mins"
        elif self.held:
            assert self.sum_holds()

    def before_eviction(self, pod, victims):
        protected = [victim.key for victim in victims if not self.may_go(victim, pod)]
        assert not protected, f"{pod.key} took {protected}"
        for namespace in {victim.namespace for victim in victims} & self.quotas.keys() - {pod.namespace}:
            theirs = [victim for victim in victims if victim.namespace == namespace]
            assert self.is_over(namespace, bound="min", less=theirs[1:]), f"{namespace} gave more than it had borrowed"

    def may_go(self, victim, pod):
        if pod.namespace not in self.quotas:
            return victim.namespace not in self.quotas and victim.priority < pod.priority
        if victim.namespace not in self.quotas:
            return False
        if self.borrows(pod):
            return victim.namespace == pod.namespace and victim.priority < pod.priority
        return victim.namespace != pod.namespace and self.is_over(victim.namespace, bound="min")

    def borrows(self, pod):
        names = list(self.context.nominated_nodes())
        promised = [info.pod for name in names for info in self.context.nominated_pods(name)]
        equals = [
            p for p in promised if p.namespace == pod.namespace and p.key != pod.key and p.priority >= pod.priority
        ]
        limits, asking = self.quotas[pod.namespace].min or {}, [pod, *equals]
        for name in AMOUNTS:
            request = sum(requested(p, name) for p in asking)
            if (request or name == "cpu") and request + self.used(pod.namespace, name) > limits.get(name, 0):
                return True
        return False


@pytest.mark.slow
@settings(max_examples=how_many(50, 150), deadline=None)
@given(runs())
def test_quotas_hold_after_every_reserve_and_no_protected_pod_is_taken(given_inputs):
    watch = QuotaWatch(given_inputs)
    event(f"preemptions: {min(watch.preemptions, 3)}")


def test_the_watch_sees_a_plugin_that_takes_whom_it_likes(monkeypatch):
    """Without the rules, the same watch fails: a namespace that borrows takes another's pod."""
    registry()
    from schedscope_capacity_scheduling import victims

    entries = [at(0, cpu_pod("a1", "a", 4)), at(5, cpu_pod("b1", "b", 4)), at(9, cpu_pod("a2", "a", 4, priority=9))]
    given_inputs = inputs([quota("a", {"cpu": "4"}, {"cpu": "8"}), quota("b", {"cpu": "4"}, {"cpu": "8"})], entries)
    QuotaWatch(given_inputs)
    monkeypatch.setattr(victims, "_may_take", lambda pod, other, state, borrows: other.key != pod.key)
    with pytest.raises(AssertionError, match=r"a/a2 took \['b/b1'\]"):
        QuotaWatch(given_inputs)
