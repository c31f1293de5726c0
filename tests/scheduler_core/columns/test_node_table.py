"""Sums of requests above int64: they read as INT64_MAX and are right again when pods go, by the kernel and by numpy."""

from __future__ import annotations

import pytest

from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

pytestmark = pytest.mark.usefixtures("by_kernel_and_by_numpy")
SIX_EI = 6 << 60
MEMORY = 1
NAMES = ("a", "b", "c")


@pytest.fixture
def cluster():
    pods = [make_pod(name, cpu="1", memory=str(SIX_EI)) for name in NAMES]
    return make_cluster([make_node("n"), make_node("m")], {"n": pods, "m": [make_pod("d", memory="1Gi")]})


def sums(cluster, row=0):
    table, view = cluster.table, cluster.view(row)
    assert view.requested("memory") == table.requested[MEMORY, row]
    assert view.non_zero_memory == table.non_zero[1, row]
    return int(table.requested[MEMORY, row]), int(table.non_zero[1, row])


def test_a_sum_above_int64_reads_as_its_largest_number(cluster):
    assert sums(cluster) == (INT64_MAX, INT64_MAX)
    assert cluster.table.requested[0, 0] == 3_000
    assert cluster.table.pod_count[0] == 3
    assert sums(cluster, 1) == (1 << 30, 1 << 30)


@pytest.mark.parametrize("order", [NAMES, NAMES[::-1], ("b", "a", "c")])
def test_what_is_left_after_pods_went_is_exact(cluster, order):
    sums_of_steps = []
    for name in order:
        cluster.drop_pod(f"default/{name}")
        sums_of_steps.append(sums(cluster))
    assert sums_of_steps == [(INT64_MAX, INT64_MAX), (SIX_EI, SIX_EI), (0, 0)]
    assert cluster.table.beyond == {}


def test_a_dry_run_that_takes_pods_off_sees_what_is_left(cluster):
    view = cluster.view(0)
    view.remove_pod(cluster.pods["default/a"])
    twin = view.copy()
    twin.remove_pod(cluster.pods["default/b"])
    assert (view.requested("memory"), view.non_zero_memory) == (INT64_MAX, INT64_MAX)
    assert (twin.requested("memory"), twin.non_zero_memory) == (SIX_EI, SIX_EI)
    twin.add_pod(cluster.pods["default/b"])
    assert twin.requested("memory") == INT64_MAX


def test_a_node_that_goes_takes_its_sums_with_it_and_gets_them_again(cluster):
    cluster.drop_node("n")
    assert cluster.table.beyond == {}
    row = cluster.put_node(make_node("n"))
    assert sums(cluster, row) == (INT64_MAX, INT64_MAX)


def test_scoring_defaults_that_lead_above_int64_are_cut():
    pod = make_pod("p", containers=make_pod("x", memory=str(INT64_MAX)).containers + make_pod("y").containers)
    info = make_cluster([]).info(pod)
    assert info.cls.requests["memory"] == INT64_MAX
    assert info.cls.non_zero_memory == INT64_MAX
