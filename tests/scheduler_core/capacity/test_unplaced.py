from __future__ import annotations

from scheduler_core.api.taints import Taint
from scheduler_core.capacity.unplaced import off_all, off_node
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.capacity.clusters import resting

TAINTED = make_node("t", taints=(Taint("team", "red"),))


def test_what_keeps_a_pod_off_all_nodes():
    refused = off_all(resting([make_node("a", cpu="1"), make_node("b", cpu="2")]), make_pod("p", cpu="9"))
    assert (refused.pod, refused.codes, len(refused.texts)) == ("default/p", ("TOO_LARGE",), 1)


def test_a_pod_that_fits_while_nothing_else_is_tried():
    assert off_all(resting([make_node("a")]), make_pod("p")).codes == ("NOT_TRIED_YET",)


def test_a_pod_of_another_scheduler():
    refused = off_all(resting([make_node("a")]), make_pod("p", scheduler_name="other"))
    assert refused.codes == ("OTHER_SCHEDULER",)


def test_what_keeps_a_pod_off_one_node_has_its_subject():
    cluster = resting([make_node("a"), TAINTED])
    assert off_node(cluster, make_pod("p"), "a") is None
    refused = off_node(cluster, make_pod("p"), "t")
    assert (refused.codes, refused.subjects) == (("TAINT_UNTOLERATED",), ("team=red:NoSchedule",))
