"""Whether a gang finds room for as many of its pods as have to start together."""

from __future__ import annotations

import pytest

from scheduler_core.explain.diagnosis.gangs import find_gang, gang_cause, room_for, waiting_members
from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.ganged import gang_trials, ring, three_nodes


def cause(nodes: list, pods: list, least: int = 10, asked: str = "default/p") -> ObstacleSet | None:
    trials = gang_trials(nodes, pods, least)
    pod = trials.pod(asked)
    of = find_gang(trials, pod)
    assert of is not None
    return gang_cause(trials, of, pod)


SOLOS = [make_pod(f"solo{i}", cpu="1", node_name=f"n{i}") for i in range(2)]


def test_room_for_fewer_than_have_to_start_is_counted_node_by_node() -> None:
    """Three nodes of 4 cpu take three pods of 1.3 each, and two where 1 cpu is taken."""
    said = cause(three_nodes(), [*SOLOS, *ring(10)])
    assert said is not None
    assert (said.codes, said.plugins, said.stage, said.actor) == (
        ("GANG_NO_ROOM",), ("Coscheduling",), "permit", "workload",
    )  # fmt: skip
    (obstacle,) = said.obstacles
    assert (obstacle.subject, obstacle.needs) == ("default/ring", {"minMember": "10"})
    assert obstacle.object == "scheduling.x-k8s.io/v1alpha1/PodGroup/default/ring"
    assert obstacle.nodes.names == ("n0", "n1", "n2")


def test_a_gang_of_too_few_pods_says_how_many_there_are() -> None:
    said = cause(three_nodes(), ring(4))
    assert said is not None
    assert (said.codes, said.stage) == (("GANG_TOO_FEW",), "prefilter")


def test_a_gang_that_has_room_has_no_cause_of_its_own() -> None:
    assert cause(three_nodes(), ring(9), least=9) is None
    assert cause([*three_nodes(), make_node("n3", cpu="2")], ring(10)) is None


def test_pods_that_are_on_nodes_count_with_those_that_find_room() -> None:
    pods = [*ring(2, node_name="n0")[1:], *[one for one in ring(9) if one.name != "p1"]]
    assert cause(three_nodes(), pods, least=9) is None


def test_a_pod_that_is_left_over_although_enough_others_fit_has_a_cause() -> None:
    """The tenth pod of a gang of nine that fills the nodes."""
    assert cause(three_nodes(), ring(10), least=9) is None, "it comes first"
    said = cause(three_nodes(), ring(10), least=9, asked="default/p9")
    assert said is not None
    assert said.codes == ("GANG_NO_ROOM",)
    assert "short of" not in said.text


def test_a_pod_without_a_group_is_of_no_gang() -> None:
    trials = gang_trials(three_nodes(), [make_pod("p"), *ring(2)[1:]])
    assert find_gang(trials, trials.pod("default/p")) is None
    of = find_gang(trials, trials.pod("default/p1"))
    assert of is not None
    assert (of.plugin, of.gang.members, of.gang.placed, of.gang.least) == ("Coscheduling", ("default/p1",), (), 10)


def test_members_wait_in_the_order_in_which_they_came_and_the_edited_one_is_taken_as_it_is() -> None:
    trials = gang_trials(three_nodes(), [make_pod("solo"), *ring(3)], least=3)
    pod, of = make_pod("p1", cpu="9", labels={}), find_gang(trials, trials.pod("default/p"))
    assert of is not None
    several = waiting_members(trials, of.gang, pod)
    assert [one.name for one in several] == ["p", "p1", "p2"]
    assert several[1] is pod
    assert set(room_for(trials, several)) == {"default/p", "default/p2"}


@pytest.mark.parametrize(
    ("pods", "text"),
    [
        (
            [*SOLOS, *ring(10)],
            (
                "gang default/ring: it needs 10 pods of 1.3 cpu each at once, and there is room for 7 (2 on n0, "
                "2 on n1 and 3 on n2); it is short of 3 more"
            ),
        ),
        (ring(4), "gang default/ring: it needs 10 pods and has 4"),
    ],
    ids=["no room", "too few"],
)
def test_words(pods: list, text: str) -> None:
    said = cause(three_nodes(), pods)
    assert said is not None
    assert said.obstacles[0].text == text
