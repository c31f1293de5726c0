"""What decided which pods a preemption evicts, and where a replacement of each could be."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.objects import Pod
from scheduler_core.api.taints import Toleration
from scheduler_core.explain.pending import preemption_chains
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.explain.victims import VictimFate, fates
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import run

ASKED = "default/p"


def fate_of(nodes: list, pods: list) -> dict[str, VictimFate]:
    """The fates of the pods on the node that p's preemption clears, by name."""
    reader, history = run(nodes, pods, "p")
    graph = preemption_chains(reader, history.inputs, [ASKED], reader.head_seq())
    several = fates(TrialsOf(reader, history.inputs), graph, ASKED, reader.head_seq())
    return {one.pod.partition("/")[2]: one for one in several}


def low(name: str, start: float | None = None, **fields: Any) -> Pod:
    return make_pod(name, cpu="2", node_name="n", start_time=start, **fields)


def high(**fields: Any) -> Pod:
    return make_pod("p", cpu="2", priority=9, **fields)


def test_of_pods_of_one_priority_the_one_that_started_last_goes() -> None:
    fate = fate_of([make_node("n")], [low("old", 100.0), low("young", 200.0), high()])
    assert {name: one.goes for name, one in fate.items()} == {"young": True, "old": False}
    assert {one.decided_by for one in fate.values()} == {"start"}
    assert (fate["young"].start, fate["old"].start) == ("1970-01-01T00:03:20+00:00", "1970-01-01T00:01:40+00:00")


def test_of_pods_of_different_priorities_the_lower_one_goes_whenever_it_started() -> None:
    fate = fate_of([make_node("n")], [low("old", 100.0), low("young", 200.0, priority=5), high()])
    assert {name: one.goes for name, one in fate.items()} == {"old": True, "young": False}
    assert {one.decided_by for one in fate.values()} == {"priority"}


def test_only_pods_that_are_equal_in_both_are_in_an_order_of_its_own() -> None:
    fate = fate_of([make_node("n")], [low("a", 100.0), low("b", 100.0), high()])
    assert sorted(one.goes for one in fate.values()) == [False, True]
    assert {one.decided_by for one in fate.values()} == {"order"}


def test_where_all_go_nothing_decided_among_them() -> None:
    (only,) = fate_of([make_node("n", cpu="2")], [low("a", 100.0), high()]).values()
    assert (only.goes, only.decided_by, only.node) == (True, "", "n")


def test_a_replacement_goes_where_there_is_room() -> None:
    nodes = [make_node("n", cpu="2"), make_node("other", cpu="4", taints=["x:NoSchedule"])]
    (only,) = fate_of(nodes, [low("a", tolerations=(Toleration("x", "Exists"),)), high()]).values()
    assert (set(only.may_be_on), only.fits_on) == ({"n", "other"}, "other")


def test_a_replacement_that_can_live_nowhere_else_stays_pending() -> None:
    nodes = [make_node("n", cpu="2"), make_node("other", cpu="1")]
    (only,) = fate_of(nodes, [low("a", node_selector={"kubernetes.io/hostname": "n"}), high()]).values()
    assert (only.may_be_on, only.fits_on) == (("n",), "")
    assert "on n only" in only.text
    assert "would stay pending" in only.text


def test_where_a_replacement_goes_that_another_scheduler_decides_is_not_known() -> None:
    (only,) = fate_of([make_node("n", cpu="2")], [low("a", scheduler_name="other"), high()]).values()
    assert (only.goes, only.may_be_on, only.fits_on, only.scheduler) == (True, (), "", "other")


def test_a_pod_that_preempted_nobody_has_no_victims() -> None:
    assert fate_of([make_node("n")], [low("a"), high()]) == {}


@pytest.mark.parametrize(
    ("pods", "texts"),
    [
        ([low("old", 100.0), low("young", 200.0)],
         ["default/old (priority 0, started 1970-01-01 00:01:40) stays on n; a replacement could be on n only, and "
          "would go to n",
          "default/young (priority 0, started 1970-01-01 00:03:20) goes from n; a replacement could be on n only, "
          "and would stay pending (decided by start: those that started first stay)"]),
        ([low("a", priority=1), low("b", priority=2)],
         ["default/a (priority 1) goes from n; a replacement could be on n only, and would stay pending (decided by "
          "priority)", "default/b (priority 2) stays on n; a replacement could be on n only, and would go to n"]),
        ([low("a", 100.0), low("b", 100.0)],
         ["default/a (priority 0, started 1970-01-01 00:01:40) stays on n; a replacement could be on n only, and "
          "would go to n (pods equal in priority and start are in an order of kube-scheduler's own)",
          "default/b (priority 0, started 1970-01-01 00:01:40) goes from n; a replacement could be on n only, and "
          "would stay pending (pods equal in priority and start are in an order of kube-scheduler's own)"]),
    ],
    ids=["by start", "by priority", "in an order of its own"],
)  # fmt: skip
def test_words(pods: list, texts: list[str]) -> None:
    fate = fate_of([make_node("n")], [*pods, high()])
    assert sorted(one.text for one in fate.values()) == texts
