"""Manifests of single objects."""

from __future__ import annotations

from scheduler_core.workloads.generator import objects
from tests.scheduler_core.workloads.generator.texts import described


def test_names_have_as_many_digits_as_the_last_needs() -> None:
    pools = described("pools: [{name: a, nodes: 10, shape: m5.large}, {name: b, nodes: 11, shape: m5.large}]").pools
    assert [objects.node_name(pool, 3) for pool in pools] == ["a-3", "b-03"]


def test_spread_constraints_without_a_selector_count_the_workloads_pods() -> None:
    (workload,) = described("""
        workloads:
          - name: web
            pods: 1
            sizes: {cpu: 1}
            labels: {app: shop}
            topologySpreadConstraints:
              - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
              - {maxSkew: 1, topologyKey: host, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}
        """).workloads
    first, second = objects.placement_fields(workload, None)["topologySpreadConstraints"]
    assert first["labelSelector"] == {"matchLabels": {"app": "shop"}}
    assert second["labelSelector"] == {}


def test_apart_by_is_added_to_the_affinity_that_is_written() -> None:
    (workload,) = described("""
        workloads:
          - name: web
            pods: 1
            sizes: {cpu: 1}
            apartBy: kubernetes.io/hostname
            affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
              [{topologyKey: zone, labelSelector: {}}]}}
        """).workloads
    made = objects.placement_fields(workload, None)["affinity"]["podAntiAffinity"]
    terms = made["requiredDuringSchedulingIgnoredDuringExecution"]
    assert [term["topologyKey"] for term in terms] == ["zone", "kubernetes.io/hostname"]
    (written,) = workload.constraints["affinity"]["podAntiAffinity"].values()
    assert len(written) == 1


def test_classes_and_namespaces_are_written_once() -> None:
    workloads = described("""
        workloads:
          - {name: a, pods: 1, sizes: {cpu: 1}, priority: 5, namespace: x}
          - {name: b, pods: 1, sizes: {cpu: 1}, priority: 5, namespace: x}
          - {name: c, pods: 1, sizes: {cpu: 1}, priority: {name: never, value: 9, preemptionPolicy: Never}}
        """).workloads
    namespace, five, never = objects.namespaces_and_priorities(workloads)
    assert namespace["metadata"]["name"] == "x"
    assert (five["value"], "preemptionPolicy" in five) == (5, False)
    assert (never["value"], never["preemptionPolicy"]) == (9, "Never")
