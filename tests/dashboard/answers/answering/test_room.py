"""Who took the room on the nodes that a pod may have adds up to what is requested there."""

from __future__ import annotations

from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer
from dashboard.answers.questions import ChainsOf, RoomTaken
from dashboard.runs.models import Cycle
from tests.dashboard.run_helpers import node, pod


def room(run, cycle):
    question = RoomTaken(cycle)
    answer = ask(run, question, answer_deadline(question))
    assert isinstance(answer, Answer), answer
    return answer.value


def chains(run, pod, cycle=None):
    question = ChainsOf(pod, run.head.seq, cycle)
    answer = ask(run, question, answer_deadline(question))
    assert isinstance(answer, Answer), answer
    return [(edge.preemptor, edge.victim, edge.node) for edge in answer.value.edges]


def test_placements_are_summed_by_owner_and_add_up_with_what_was_there(execute):
    fill = pod("fill-0", "1", nodeName="a") | {"status": {"phase": "Running"}}
    pods = [fill, *(pod(f"web-{i}", "1") for i in range(3)), pod("large", "3")]
    run = execute([node("a", "4"), *pods], schedule="pending", slug="one")
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/large").latest("number").number
    room_taken = room(run, cycle)
    (web,) = room_taken.takers
    assert (web.owner, web.pods, web.requested["cpu"]) == ("default/web-*", 3, 3000)
    assert (web.first_cycle, web.last_cycle) == (1, 3)
    assert (
        room_taken.before["cpu"] + web.requested["cpu"] - room_taken.left.get("cpu", 0) == room_taken.now["cpu"] == 4000
    )
    assert room_taken.allocatable["cpu"] == 4000


def test_nodes_that_the_pod_itself_leaves_out_do_not_count(execute):
    nodes = [node("a", "4", model="T4"), node("b", "4", model="G2")]
    pods = [pod(f"web-{i}", "3") for i in range(2)]
    run = execute([*nodes, *pods, pod("large", "3", nodeSelector={"model": "T4"})], schedule="pending", slug="two")
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/large").latest("number").number
    room_taken = room(run, cycle)
    assert room_taken.n_nodes == 1
    assert [one.pods for one in room_taken.takers] == [1]


def test_preemptions_of_those_who_took_the_room_are_followed_with_the_cycle_that_lacks_it(run, cycle_of):
    """never-0 preempts nobody; big-0 did, for room on one of the nodes that never-0 may have."""
    ((preemptor, victim, where),) = chains(run, "default/big-0")
    assert preemptor == "default/big-0"
    assert victim == f"default/fill-{where.removeprefix('full-')}"
    last = Cycle.objects.filter(run_id=run.pk, pod="default/big-0").latest("number")
    assert last.node == where
    assert chains(run, victim) == chains(run, "default/big-0")
    assert chains(run, "default/small-0") == []
    late = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number").number
    took = chains(run, "default/never-0", late)
    assert took == (chains(run, "default/big-0") if late > last.number else [])
    assert chains(run, "default/never-0") == []
