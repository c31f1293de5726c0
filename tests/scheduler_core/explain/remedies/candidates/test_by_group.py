"""What is made up for small clusters, each expectation worked out by hand."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, TopologySpreadConstraint
from scheduler_core.explain.remedies.candidates.by_group import candidates
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.remedies.proposed import changed, trials_of


def test_equal_nodes_are_one_line_with_their_count():
    nodes = [make_node(f"n{i}", labels={"disk": "hdd"}) for i in range(5)]
    pod = make_pod("p", cpu="1", node_selector={"disk": "ssd"})
    trials, key = trials_of(nodes, [pod])
    answer = remedies(trials, key)
    assert [(one.code, one.n_nodes, one.n_fit) for one in answer.verified] == [
        ("CHANGE_SELECTOR", 5, 5),
        ("DROP_SELECTOR_TERM", 5, 5),
        ("LABEL_NODE", 5, 1),
    ]
    assert {changed(one)[0][1] for one in answer.verified} == {"disk"}


SICK = make_node("n", taints=["sick=yes:NoSchedule", "sick=yes:NoExecute", "old:NoSchedule"])
G2, T4 = make_node("g", labels={"gpu": "G2"}), NodeSelectorTerm((Requirement("gpu", "In", ("T4",)),))
WEB = LabelSelector((Requirement("app", "In", ("web",)),))
SPREAD = TopologySpreadConstraint(topology_key="zone", label_selector=WEB)
IN_ZONES = [make_node("a", labels={"zone": "a"}), make_node("b", labels={"zone": "b"}, taints=["gpu:NoSchedule"])]


def web(name, node="", **fields):
    return make_pod(name, labels={"app": "web"}, node_name=node, **fields)


@pytest.mark.parametrize(
    ("nodes", "pods", "texts"),
    [
        ([make_node("a", cpu="4")], [make_pod("x", cpu="3", node_name="a"), make_pod("p", cpu="3")],
         ["Ask for 1 cpu instead of 3", "Let default/x leave a", "Raise its priority to 1 by a priority class",
          "Add one more node like a", "Enlarge a by 2 cpu"]),
        ([SICK], [make_pod("p")],
         ["Tolerate sick=yes (every effect) and tolerate old:NoSchedule",
          "Take the taints sick=yes:NoSchedule, sick=yes:NoExecute, old:NoSchedule off a node"]),
        ([G2], [make_pod("p", affinity=Affinity(node_required=NodeSelector((T4,))))],
         ["Let it go to nodes with gpu=G2 too", "Drop the required node affinity"]),
        ([G2], [make_pod("p", node_selector={"gpu": "T4"})],
         ["Let it go to nodes with gpu=G2 too", "Drop gpu=T4 from the node selector", "Label a node gpu=T4"]),
        (IN_ZONES, [web("x", "a"), web("p", topology_spread_constraints=(SPREAD,))],
         ["Set nodeTaintsPolicy: Honor of the spread over zone, so that nodes whose taints keep it off do not count",
          "Raise maxSkew of the spread over zone from 1 to 2", "Let default/x leave a",
          "Set whenUnsatisfiable of the spread over zone to ScheduleAnyway",
          "Take the taint gpu:NoSchedule off a node", "Tolerate gpu:NoSchedule", "Add one more node like a"]),
        ([make_node("n", unschedulable=True)], [make_pod("p")], ["Uncordon n", "Add one more node like n"]),
    ],
    ids=["room", "taints", "node affinity", "a node selector", "a spread", "a cordon"],
)  # fmt: skip
def test_words(nodes, pods, texts):
    trials, key = trials_of(nodes, pods)
    assert [one.remedy.text for one in candidates(trials, trials.attempt(key))] == texts
