"""What lets a whole gang start, tried with all of its pods."""

from __future__ import annotations

from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.engine.trials.together import placed_together
from scheduler_core.explain.diagnosis.gangs import find_gang, waiting_members
from scheduler_core.explain.edited_objects import asking_for
from scheduler_core.explain.remedies.model import Remedy
from scheduler_core.explain.remedies.search import remedies, search
from scheduler_core.explain.remedies.single import single_remedy
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.ganged import gang_trials, ring, three_nodes


def solos() -> list:
    return [make_pod(f"solo{i}", cpu="1", node_name=f"n{i}") for i in range(2)]


def tried(nodes: list, pods: list, least: int = 10) -> list[Remedy]:
    return [one.remedy for one in search(gang_trials(nodes, pods, least), "default/p").tried]


def by_code(several: list[Remedy], status: str = "verified") -> dict[str, Remedy]:
    return {one.code: one for one in several if one.status == status}


def test_each_pod_asks_for_as_much_as_lets_enough_of_them_fit() -> None:
    """3 + 3 + 4 cpu are free: ten pods of 1 cpu fit, ten of 1.1 do not."""
    pods = [*solos(), *ring(10)]
    less = by_code(tried(three_nodes(), pods))["REQUEST_LESS"]
    assert (less.edits[0].before, less.edits[0].after, less.actor) == ("1.3", "1", "workload")
    changed = {(one.object, one.path, one.value) for one in less.edits}
    assert changed == {(f"v1/Pod/{one.key}", "/spec/containers/0/resources/requests/cpu", "1") for one in ring(10)}, (
        "every pod of the gang asks for less"
    )
    trials = gang_trials(three_nodes(), pods)
    of = find_gang(trials, trials.pod("default/p"))
    assert of is not None
    for cpu, n_fit in ((1000, 10), (1100, 7)):
        asking = [asking_for(one, "cpu", cpu) for one in waiting_members(trials, of.gang, trials.pod("default/p"))]
        assert len(placed_together(trials, asking, UNCHANGED)) == n_fit


def test_the_gang_starts_with_as_many_pods_as_have_room() -> None:
    shrunk = by_code(tried(three_nodes(), [*solos(), *ring(10)]))["SHRINK_GANG"]
    (edit,) = shrunk.edits
    assert (edit.op, edit.object, edit.path, edit.value) == (
        "set", "scheduling.x-k8s.io/v1alpha1/PodGroup/default/ring", "/spec/minMember", 7,
    )  # fmt: skip


def test_no_more_nodes_are_added_than_are_enough() -> None:
    several = [one for one in tried(three_nodes(), ring(14), least=14) if one.code == "ADD_NODE_LIKE"]
    assert [(one.status, len(one.edits)) for one in several] == [("not enough", 1), ("verified", 2)]
    assert "12 of 14" in several[0].failure
    assert {one.object for one in several[1].edits} == {"v1/Node//n0-more-1", "v1/Node//n0-more-2"}


def test_a_gang_of_too_few_pods_can_start_with_those_that_there_are() -> None:
    several = tried(three_nodes(), ring(4))
    assert [(one.code, one.status, one.edits[0].after) for one in several] == [
        ("SHRINK_GANG", "verified", "4"),
        ("COMPLETE_GANG", "not enough", "10"),
    ]


def test_a_gang_of_too_few_pods_is_completed_where_there_is_room() -> None:
    complete = by_code(tried(three_nodes(), ring(4), least=6))["COMPLETE_GANG"]
    assert complete.status == "verified"
    assert [(one.op, one.path) for one in complete.edits] == [("add", ""), ("add", "")]


def test_a_remedy_of_one_pod_alone_is_none() -> None:
    answer = remedies(gang_trials(three_nodes(), [*solos(), *ring(10)]), "default/p")
    assert not answer.fits
    assert {one.code for one in answer.verified} <= {"REQUEST_LESS", "SHRINK_GANG", "ADD_NODE_LIKE"}
    assert answer.verified[0].code == "REQUEST_LESS"


def test_a_larger_node_is_added_where_the_small_ones_take_none() -> None:
    nodes = [make_node("small", cpu="1"), make_node("large", cpu="8")]
    several = [one for one in tried(nodes, ring(8), least=8) if one.code == "ADD_NODE_LIKE"]
    assert {one.edits[0].subject for one in several} == {"large"}


def test_without_time_none_is_tried() -> None:
    trials = gang_trials(three_nodes(), ring(10))
    late = search(trials, "default/p", lambda: True)
    assert (late.tried, late.late) == ([], True)
    assert late.untried


def test_what_keeps_every_pod_off_is_mended_in_all_of_them() -> None:
    """No node has the label: no room would help, and one pod that selects another node is not enough."""
    several = tried(three_nodes(), ring(3, cpu="100m", node_selector={"pool": "gold"}), least=3)
    verified = [one for one in several if one.status == "verified"]
    (dropped,) = [one for one in verified if one.code == "DROP_SELECTOR_TERM"]
    assert {one.object for one in dropped.edits} == {f"v1/Pod/{one.key}" for one in ring(3)}
    assert verified[0].code in ("LABEL_NODE", "DROP_SELECTOR_TERM")


def test_a_branch_of_a_remedy_begins_with_all_pods_changed() -> None:
    trials = gang_trials(three_nodes(), [*solos(), *ring(10)])
    text = by_code([one.remedy for one in search(trials, "default/p").tried])["REQUEST_LESS"].text
    answer = single_remedy(trials, "default/p", text).trial
    assert answer.remedy is not None
    assert answer.remedy.status == "verified"
    assert len(answer.changes) == 10
