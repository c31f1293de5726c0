"""Sums by domain follow the cluster as counting anew would."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scheduler_core.framework.topology import domains as topology
from scheduler_core.framework.topology.domains import NOWHERE, Domains, DomainSums
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

if TYPE_CHECKING:
    from scheduler_core.columns.cluster import Cluster

ZONE = "topology.kubernetes.io/zone"


def cluster_of(n_nodes: int = 12) -> Cluster:
    """Four zones, one node in six without."""
    return make_cluster([make_node(f"n{i}", labels={ZONE: f"z{i % 4}"} if i % 6 else {}) for i in range(n_nodes)])


def weight_of(cls) -> int:
    return {"light": 1, "heavy": 3}.get(cls.labels.get("kind", ""), 0)


def put(cluster: Cluster, random: Random, name: str) -> None:
    pod = make_pod(name, labels={"kind": random.choice(("light", "heavy", "other"))})
    cluster.put_pod(cluster.info(pod), random.choice(sorted(cluster.table.row_of)))


def expected(cluster: Cluster, domains: Domains) -> list[int]:
    totals = [0] * (domains.n_values + 1)
    for row in np.flatnonzero(domains.mask).tolist():
        totals[int(domains.index[row])] += sum(weight_of(info.cls) for info in cluster.pods_on(row).values())
    return totals


@pytest.mark.parametrize("node_is_domain", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_sums_equal_counting_again(seed, node_is_domain, monkeypatch):
    monkeypatch.setattr(topology, "_MOST_CHANGES", 20)
    random, cluster = Random(seed), cluster_of()
    mask = cluster.table.alive & (np.arange(cluster.table.capacity) % 5 != 3)
    domains = Domains(cluster, ZONE, mask, node_is_domain=node_is_domain)
    sums = domains.sums(cluster, "kinds", weight_of)
    position, before = sums.n_changes, sums.totals.copy()
    for step in range(60):
        for i in range(random.choice((0, 1, 2, 40))):
            put(cluster, random, f"p{step}-{i}")
        for key in random.sample(sorted(cluster.pods), random.randrange(len(cluster.pods) + 1) // 2):
            cluster.drop_pod(key)
        lent = sums.clone()
        sums.sync()
        assert lent.values().tolist() == before.tolist(), "what was lent stays as it was"
        assert sums.totals.tolist() == expected(cluster, domains)
        assert sums.labelled == sum(sums.totals[:-1].tolist())
        assert sums.fewest() == min(sums.totals[domains.existing].tolist(), default=NOWHERE)
        changed, moved = sums.changed_since(position), np.flatnonzero(sums.totals != before).tolist()
        assert changed is None or set(moved) <= set(changed)
        position, before = sums.n_changes, sums.totals.copy()
    assert isinstance(sums, DomainSums)
    assert domains.sums(cluster, "kinds", weight_of) is sums
