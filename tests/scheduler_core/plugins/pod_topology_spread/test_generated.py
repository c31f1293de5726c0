"""On generated clusters: vectorised == per node == a plain count over objects; add_pod/remove_pod == recompute."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.status import Code
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.pod_topology_spread.common import PodTopologySpreadArgs, Workloads, spread_constraints
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.following import exchanged, verdicts
from tests.scheduler_core.plugins.generated import HOSTNAME, random_cluster, random_pod
from tests.seeds import each_seed

SEEDS = range(60)


def plugin_for(cluster):
    return PodTopologySpread(PodTopologySpreadArgs(), FakeHandle(cluster))


def workloads_of(cluster):
    return Workloads(cluster.listers.workload_selectors.values())


def takes_part(cluster, pod, constraint, keys, node):
    """Whether the node's pods count for the constraint, straight from the objects."""
    if not all(key in node.labels for key in keys):
        return False
    if constraint.node_affinity_policy == "Honor":
        if any(node.labels.get(k) != v for k, v in pod.node_selector.items()):
            return False
        required = pod.affinity.node_required if pod.affinity else None
        if required is not None and not required.matches(node.name, node.labels):
            return False
    if constraint.node_taints_policy == "Honor":
        repelling = [t for t in node.taints if t.effect in ("NoSchedule", "NoExecute")]
        return all(any(toleration.tolerates(t) for toleration in pod.tolerations) for t in repelling)
    return True


def matching_pods(cluster, row, pod, constraint):
    """How many pods on the row the constraint counts."""
    selector = constraint.label_selector
    if selector is None or not selector.requirements:
        return 0
    return sum(
        1
        for info in cluster.pods_on(row).values()
        if info.pod.namespace == pod.namespace
        and info.pod.deletion_timestamp is None
        and selector.matches(info.pod.labels)
    )


def plain_verdict(cluster, pod, constraints, node):
    keys = {c.topology_key for c in constraints}
    for c in constraints:
        if c.topology_key not in node.labels:
            return Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        counts = {}
        for row in cluster.table.order.tolist():
            other = cluster.table.nodes[row]
            if takes_part(cluster, pod, c, keys, other):
                value = other.labels[c.topology_key]
                counts[value] = counts.get(value, 0) + matching_pods(cluster, row, pod, c)
        least = min(counts.values(), default=0) if len(counts) >= (c.min_domains or 1) else 0
        own = 1 if c.label_selector is not None and c.label_selector.matches(pod.labels) else 0
        if counts.get(node.labels[c.topology_key], 0) + own - least > c.max_skew:
            return Code.UNSCHEDULABLE
    return Code.SUCCESS


@each_seed(SEEDS, together=20)
def test_both_forms_of_filter_say_what_a_plain_count_says(seed):
    random = Random(seed)
    cluster = random_cluster(random)
    plugin = plugin_for(cluster)
    for i in range(4):
        pod = cluster.info(random_pod(random, f"pod-{i}"))
        constraints = spread_constraints(pod.pod, workloads_of(cluster), plugin.args, "DoNotSchedule")
        result = plugin.pre_filter(CycleState(), pod)
        assert result.status.is_skip == (not constraints)
        if constraints:
            verdict_of = verdicts(plugin, result.state, pod)
            nodes = {node.name: node for node in cluster.table.nodes if node is not None}
            expected = {name: plain_verdict(cluster, pod.pod, constraints, node) for name, node in nodes.items()}
            assert {name: code for name, (code, _) in verdict_of.items()} == expected


def pod_with_hard_constraints(random):
    """A pod without empty selectors: updates count pods for those, the first count does not, as upstream has it."""
    while True:
        pod = random_pod(random, "pod")
        hard = [c for c in pod.topology_spread_constraints if c.when_unsatisfiable == "DoNotSchedule"]
        if hard and all(c.label_selector is None or c.label_selector.requirements for c in hard):
            return pod


@pytest.mark.parametrize("zones", ["abc", "ab", "a"], ids=lambda zones: f"{len(zones)} zones")
@each_seed(SEEDS, together=20)
def test_adding_and_removing_pods_equals_counting_again(seed, zones):
    random = Random(1000 + seed)
    cluster = random_cluster(random, zones=zones)
    plugin = plugin_for(cluster)
    pod = cluster.info(pod_with_hard_constraints(random))
    result = plugin.pre_filter(CycleState(), pod)
    row = random.choice(cluster.table.order.tolist())
    view = cluster.view(row)
    leaving = [info for info in cluster.pods_on(row).values() if not info.cls.terminating][:2]
    arriving = [cluster.info(random_pod(random, f"new-{i}")) for i in range(3)]  # never terminating
    _, after_exchange = exchanged(plugin, result.state, pod, view, leaving, arriving)
    assert after_exchange == verdicts(plugin, plugin.pre_filter(CycleState(), pod).state, pod)


def plain_scores(cluster, pod, constraints, require_all, rows):
    nodes = cluster.table.nodes
    keys = {c.topology_key for c in constraints} if require_all else set()
    eligible = [row for row in rows if all(key in nodes[row].labels for key in keys)]
    raw_scores = []
    for row in rows:
        total = 0.0
        for c in constraints:
            value = nodes[row].labels.get(c.topology_key)
            if value is None:
                continue
            if c.topology_key == HOSTNAME:
                size, count = len(eligible), matching_pods(cluster, row, pod, c)
            else:
                size = len({nodes[k].labels.get(c.topology_key, "") for k in eligible})
                count = sum(
                    matching_pods(cluster, other, pod, c)
                    for other in cluster.table.order.tolist()
                    if nodes[other].labels.get(c.topology_key, "") == value
                    and takes_part(cluster, pod, c, keys, nodes[other])
                )
            total += count * math.log(size + 2) + (c.max_skew - 1)
        raw_scores.append(math.floor(total + 0.5) if row in eligible else -1)
    return raw_scores


@each_seed(SEEDS, together=20)
def test_both_forms_of_score_say_what_a_plain_count_says(seed):
    random = Random(2000 + seed)
    cluster = random_cluster(random)
    plugin = plugin_for(cluster)
    for i in range(4):
        pod = cluster.info(random_pod(random, f"pod-{i}"))
        constraints = spread_constraints(pod.pod, workloads_of(cluster), plugin.args, "ScheduleAnyway")
        rows = np.array(sorted(random.sample(cluster.table.order.tolist(), 6)), dtype=np.int64)
        result = plugin.pre_score(CycleState(), pod, rows)
        assert result.status.is_skip == (not constraints)
        if constraints:
            raw = plugin.score(result.state, pod, rows).tolist()
            assert raw == [plugin.score_node(result.state, pod, cluster.view(row)) for row in rows.tolist()]
            require_all = bool(pod.pod.topology_spread_constraints)
            assert raw == plain_scores(cluster, pod.pod, constraints, require_all, rows.tolist())
