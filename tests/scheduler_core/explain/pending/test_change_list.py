"""Changes tried together, compared with the branch that begins with them."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.api.taints import Taint
from scheduler_core.engine.branches.whole_objects import WholeObjectChange
from scheduler_core.engine.inputs import InputChange
from scheduler_core.explain.pending.change_list import ListEntry, TriedTogether, try_together
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod

P = make_pod("p", cpu="3")
INPUTS = RunInputs(
    objects=ClusterObjects(
        nodes=[
            make_node("n", cpu="2"),
            make_node("t", cpu="2", taints=[Taint("gpu", "yes")]),
            msgspec.structs.replace(make_node("c", cpu="8"), unschedulable=True),
        ],
        pods=[make_pod("placed", cpu="1", node_name="n"), P],
    )
)
TEXTS = ("request cpu=2", "tolerate gpu", "delete-pod default/placed", "grow-node n cpu=4", "uncordon-node c")


def head() -> int:
    session = RunSession.start(INPUTS)
    session.advance(max_cycles=1)
    return session.head_seq


def together(*entries: ListEntry) -> TriedTogether:
    session, _ = RunSession.branch(INPUTS, head(), ())
    return try_together(session.simulation, 0, "default/p", entries)


def branched(tried: TriedTogether, entries: tuple[ListEntry, ...]) -> str:
    """The node that the pod gets in a branch with what was made of the entries, "" for none."""
    changes: list[InputChange] = []
    for made, entry in zip(tried.entries, entries, strict=True):
        changes += [one.at(head()) for one in made.objects] or entry.changes
    changes = [msgspec.structs.replace(one, seq=head()) for one in changes]
    session, point = RunSession.branch(INPUTS, head(), changes)
    nodes = []
    session.observe(lambda _, event: nodes.append(event.node) if isinstance(event, ev.HostSelected) else None)
    while session.now_us < point.at + 400_000_000 and session.simulation.step():
        pass
    return nodes[0] if nodes else ""


@pytest.mark.parametrize("texts", [*itertools.permutations(TEXTS, 2)], ids=" + ".join)
def test_what_is_tried_together_is_what_the_branch_decides(texts):
    entries = tuple(ListEntry(texts=(text,)) for text in texts)
    tried = together(*entries)
    assert (tried.can_be_made, tried.problem, tried.node) == (True, "", branched(tried, entries))
    assert [len(made.objects) for made in tried.entries] == [1, 1]


def test_changes_of_one_object_add_up_in_the_order_of_the_list():
    first, second = ListEntry(texts=("request cpu=2",)), ListEntry(texts=("tolerate gpu",))
    assert [together(first).node, together(second).node, together(first, second).node] == ["", "", "t"]
    assert together(second, first).node == "t"


def remedy(text: str, pod: object) -> ListEntry:
    """What a remedy gives: the whole pod as it was tried alone, and its edit in words."""
    whole = WholeObjectChange.of("put", pod)
    return ListEntry(texts=(text,), changes=(whole.at(0),))


def test_a_whole_object_takes_back_nothing_that_an_earlier_entry_did():
    tolerant = together(ListEntry(texts=("tolerate gpu",))).entries[0].objects[0].at(0).object
    smaller = together(ListEntry(texts=("request cpu=2",))).entries[0].objects[0].at(0).object
    tried = together(remedy("tolerate gpu", tolerant), remedy("request cpu=2", smaller))
    assert (tried.node, tried.can_be_made) == ("t", True)
    assert tried.entries[0].objects == (WholeObjectChange.of("put", tolerant),)
    both = tried.entries[1].objects[0].at(0).object
    assert (both.tolerations, both.containers) == (tolerant.tolerations, smaller.containers)


def test_settings_and_deleted_nodes_are_tried_too():
    gone = InputChange(seq=0, action="delete", object=make_node("n"))
    settings = InputChange(seq=0, action="set_policies", object=Policies(draw="smallest"))
    entries = (ListEntry(texts=("request cpu=1",)), ListEntry(changes=(gone,)), ListEntry(changes=(settings,)))
    tried = together(*entries)
    assert (tried.n_nodes, tried.n_fit, tried.node) == (2, 0, "")
    assert together(entries[0]).node == "n"
    assert branched(tried, entries) == ""


@pytest.mark.parametrize(
    ("texts", "is_made"),
    [
        (("request cpu=2", "request cpu=2"), [True, False]),
        (("delete-pod default/placed", "delete-pod default/placed"), [True, False]),
        (("grow-node nowhere cpu=4", "request cpu=1"), [False, True]),
    ],
)
def test_an_entry_that_cannot_be_made_has_its_problem_and_the_others_are_tried(texts, is_made):
    tried = together(*[ListEntry(texts=(text,)) for text in texts])
    assert [not made.problem for made in tried.entries] == is_made
    assert not tried.can_be_made


def test_victims_are_named_and_a_pod_that_goes_is_not_tried():
    priority = ListEntry(changes=(InputChange(seq=0, action="put", object=msgspec.structs.replace(P, priority=10)),))
    tried = together(priority, ListEntry(texts=("request cpu=2",)))
    assert (tried.nominated, tried.victims, tried.node) == ("n", ("default/placed",), "")
    gone = ListEntry(changes=(InputChange(seq=0, action="delete", object=P),))
    assert [bool(together(gone).problem), together().n_fit_before, together().problem] == [True, 0, ""]
