"""Plans: sizes, variants and ends follow what was asked for."""

from __future__ import annotations

from collections import Counter
from statistics import median

from scheduler_core.workloads.generator.plan import GenerationPlan, make_plan
from scheduler_core.workloads.generator.ready_lists import SIZE_LISTS
from tests.scheduler_core.workloads.generator.texts import described


def plan(text: str) -> GenerationPlan:
    return make_plan(described(text))


def test_a_ready_list_is_drawn_by_its_shares() -> None:
    pods = plan("{workloads: [{name: a, pods: 4000, sizes: openb-cpu}]}").pods
    drawn = Counter(tuple(pod.requests.items()) for pod in pods)
    sizes = SIZE_LISTS["openb-cpu"].sizes
    total = sum(size.share for size in sizes)
    for size in sizes:
        assert abs(drawn[tuple(size.resources.items())] / 4000 - size.share / total) < 0.03


def test_amounts_follow_their_forms() -> None:
    pods = plan("""
        workloads:
          - name: a
            pods: 2000
            sizes: {cpu: {median: 2, sigma: 1, minimum: 500m, maximum: 8}, memory: {perCpu: 4Gi},
                    ephemeral-storage: {from: 1Gi, to: 2Gi}, nvidia.com/gpu: {choices: {0: 3, 2: 1}}}
        """).pods
    cpu = [pod.requests["cpu"] for pod in pods]
    assert (min(cpu), max(cpu)) == (500, 8_000)
    assert abs(median(cpu) - 2_000) <= 150
    for pod in pods:
        # Both are rounded to two significant digits.
        assert abs(pod.requests["memory"] / (pod.requests["cpu"] / 1000 * (4 << 30)) - 1) < 0.06
        assert 1 << 30 <= pod.requests["ephemeral-storage"] <= 2 << 30
    gpus = Counter(pod.requests["nvidia.com/gpu"] for pod in pods)
    assert set(gpus) == {0, 2}
    assert abs(gpus[2] / 2000 - 0.25) < 0.04
    assert list(pods[0].requests) == ["cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"]


def test_variants_have_their_share_of_the_pods() -> None:
    pods = plan("""
        workloads: [{name: a, pods: 2000, sizes: {cpu: 1},
                     variants: [{percent: 30, nodeSelector: {a: b}}, {percent: 20, nodeSelector: {c: d}}]}]
        """).pods
    drawn = Counter(pod.variant for pod in pods)
    assert [abs(drawn[i] / 2000 - share) < 0.04 for i, share in ((0, 0.3), (1, 0.2), (-1, 0.5))] == [True] * 3


def test_workloads_of_one_process_are_mixed_and_each_is_numbered_by_arrival() -> None:
    pods = plan("""
        workloads: [{name: a, pods: 50, sizes: {cpu: 1}}, {name: b, pods: 50, sizes: {cpu: 2}}]
        arrivals: {process: poisson, over: 1h}
        """).pods
    assert {pod.workload for pod in pods[:10]} == {0, 1}
    assert [pod.at for pod in pods] == sorted(pod.at or 0 for pod in pods)
    for workload in (0, 1):
        assert [pod.number for pod in pods if pod.workload == workload] == list(range(50))


def test_own_arrivals_and_lifetimes_go_before_those_of_all() -> None:
    pods = plan("""
        workloads:
          - {name: a, pods: 2, sizes: {cpu: 1}}
          - {name: b, pods: 1, sizes: {cpu: 1}, arrivals: {process: at-once, at: 30s}, lifetime: 5s}
          - {name: c, pods: 1, sizes: {cpu: 1}, arrivals: {process: at-once, at: 40s}, lifetime: forever}
        lifetime: 60s
        """).pods
    assert [(pod.workload, pod.at, pod.end) for pod in pods] == [
        (0, None, 60_000_000),
        (0, None, 60_000_000),
        (1, 30_000_000, 35_000_000),
        (2, 40_000_000, None),
    ]


def test_a_workload_without_resources_has_pods_without_requests() -> None:
    pods = plan("{workloads: [{name: a, pods: 2, sizes: {}}]}").pods
    assert [pod.requests for pod in pods] == [{}, {}]


def test_where_a_pod_asks_for_no_cpu_it_asks_for_nothing_by_cpu() -> None:
    pods = plan("{workloads: [{name: a, pods: 50, sizes: {cpu: {choices: {0: 1, 2: 1}}, memory: {perCpu: 4Gi}}}]}").pods
    assert {(pod.requests["cpu"], pod.requests["memory"] > 0) for pod in pods} == {(0, False), (2000, True)}
