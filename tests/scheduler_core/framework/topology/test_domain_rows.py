"""Rows are found back from domains, each once."""

from __future__ import annotations

from random import Random

from scheduler_core.framework.topology.domain_rows import rows_in
from scheduler_core.framework.topology.domains import Domains
from tests.scheduler_core.framework.topology.test_domains import ZONE, cluster_of
from tests.seeds import each_seed

HOSTNAME = "kubernetes.io/hostname"


@each_seed(range(30), together=30)
def test_rows_of_domains_are_told_once(seed):
    random, cluster = Random(seed), cluster_of(60)
    zones, hosts = Domains(cluster, ZONE), Domains(cluster, HOSTNAME)
    nodes = Domains(cluster, ZONE, node_is_domain=True)
    flipped = [
        (domains, random.sample(range(domains.n_values), random.choice([n for n in (0, 0, 1, 2, 30) if n <= limit])))
        for domains, limit in ((zones, 4), (hosts, 60), (nodes, 60))
    ]
    rows = rows_in(flipped, cluster.table.capacity)
    expected = {r for domains, some in flipped for r in range(cluster.table.capacity) if int(domains.index[r]) in some}
    assert sorted(rows.tolist()) == sorted(expected)
