"""Workloads that select a pod are found by label and owner as by asking each."""

from __future__ import annotations

from random import Random

from scheduler_core.api.objects import OwnerReference, WorkloadSelector
from scheduler_core.plugins.pod_topology_spread.common import Workloads
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.random_pods import NAMESPACES, random_labels, random_selector
from tests.seeds import each_seed


@each_seed(range(20), together=20)
def test_workloads_found_by_label_and_owner_are_all_that_select_a_pod(seed):
    random, kinds = Random(300 + seed), ("Service", "Service", "ReplicaSet", "StatefulSet")
    workloads = [
        WorkloadSelector(
            kind=random.choice(kinds),
            name=f"w{i}",
            namespace=random.choice(NAMESPACES),
            selector=random.choice((random_selector(random), None)),
        )
        for i in range(25)
    ]
    index = Workloads(workloads)
    for i in range(40):
        owner = random.choice(workloads)
        owners = [OwnerReference(kind=owner.kind, name=owner.name, controller=random.random() < 0.7)]
        pod = make_pod(
            f"p{i}",
            namespace=random.choice(NAMESPACES),
            labels=random_labels(random),
            owner_references=tuple(owners) if owner.kind != "Service" else (),
        )
        requirements = []
        for workload in workloads:
            if workload.selector is None or workload.namespace != pod.namespace:
                continue
            identity = workload.kind, workload.name
            owned = any(o.controller and (o.kind, o.name) == identity for o in pod.owner_references)
            if workload.selector.matches(pod.labels) if workload.kind == "Service" else owned:
                requirements += workload.selector.requirements
        assert index.selector_for(pod).requirements == tuple(dict.fromkeys(requirements))
