"""What extenders say of nodes as verdicts of the cycle, in its frame and in its message."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.extenders.calls import ExtenderReply
from scheduler_core.recording import events as ev
from scheduler_core.recording.frames.frame import Cell
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import URL, ExtendedRun, extended_run, extender, passes

NAME = f"Extender {URL}"
FILTER = extender(filter_verb="f")
TAINTED = [make_node("n1"), make_node("n2", taints=["a=b:NoSchedule"]), make_node("n3")]


def cells(run: ExtendedRun, plugin: str = NAME) -> list[tuple[str, tuple[str, ...]]]:
    frame = run.frame()
    verdicts = [frame.verdict(plugin, row) for row in range(frame.n_rows)]
    return [(one.cell.value, one.reasons) for one in verdicts]


def test_a_node_is_refused_by_the_extender_that_named_it() -> None:
    run = extended_run([FILTER], {(0, "filter"): passes("n2", "n3", FailedNodes={"n1": "busy"})})
    assert cells(run) == [(Cell.DECISIVE, ("busy",)), (Cell.PASSED, ()), (Cell.PASSED, ())]
    assert run.frame().feasible().tolist() == [1, 2]
    assert run.one(ev.NodesFiltered).feasible == 2


def test_a_node_left_out_without_a_word_is_refused_without_a_reason() -> None:
    run = extended_run([FILTER], {(0, "filter"): passes()})
    assert cells(run) == [(Cell.DECISIVE, ())] * 3
    assert run.message.startswith("0/3 nodes are available: no new claims to deallocate, preemption: ")
    assert run.one(ev.CycleFinished).plugins == ("Extender",)


def test_a_node_that_a_plugin_refused_was_not_shown() -> None:
    run = extended_run([FILTER], {(0, "filter"): passes("n1", "n3")}, TAINTED)
    assert cells(run)[1] == (Cell.NOT_EVALUATED, ())
    assert cells(run, "TaintToleration")[1][0] == Cell.DECISIVE


def test_a_status_of_the_extender_takes_the_place_of_a_plugin_s() -> None:
    run = extended_run([FILTER], {(0, "filter"): passes(FailedNodes={"n2": "busy", "n1": "x", "n3": "x"})}, TAINTED)
    assert cells(run)[1] == (Cell.DECISIVE, ("busy",))
    assert cells(run, "TaintToleration")[1][0] == Cell.BEHIND
    assert run.message.startswith("0/3 nodes are available: 1 busy, 2 x.")


def test_a_node_that_is_returned_is_feasible_although_it_is_named_or_was_refused() -> None:
    items = [
        {"metadata": {"name": name}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}} for name in ("n1", "n2")
    ]
    answer = {"Nodes": {"items": items}, "FailedNodes": {"n1": "doubtful"}}
    run = extended_run([extender(filter_verb="f", node_cache_capable=False)], {(0, "filter"): answer}, TAINTED)
    assert run.frame().feasible().tolist() == [0, 1]
    assert cells(run)[0] == (Cell.BEHIND, ("doubtful",))
    assert cells(run, "TaintToleration")[1][0] == Cell.BEHIND


def test_unknown_names_count_in_the_message() -> None:
    answer = passes(FailedNodes={"n1": "busy", "n2": "busy", "ghost": "busy"})
    run = extended_run([FILTER], {(0, "filter"): answer})
    assert run.message.startswith("0/3 nodes are available: 3 busy.")


def test_a_later_extender_s_status_takes_the_place_of_an_earlier_one_s() -> None:
    answers = {
        (0, "filter"): passes("n1", FailedNodes={"n2": "a"}),
        (1, "filter"): passes(FailedNodes={"n1": "b", "n2": "c"}),
    }
    extenders = [FILTER, extender(filter_verb="f", url_prefix="http://other.example")]
    run = extended_run(extenders, answers)
    assert run.message.startswith("0/3 nodes are available: 1 b, 1 c.")


class TestNominated:
    """The pod ``big`` is nominated to n1 by preemption, and tried again."""

    NODES = [make_node("n1", cpu="1"), make_node("n2", cpu="1")]
    PODS = [
        make_pod("a", cpu="1", node_name="n1"),
        make_pod("b", cpu="1", node_name="n2", priority=20),
        make_pod("big", cpu="1", priority=10),
    ]

    def run(self, *replies: object) -> ExtendedRun:
        left = iter(replies)
        return extended_run(
            [FILTER], {(0, "filter"): lambda call: next(left)}, self.NODES, self.PODS, victims="at_once"
        )

    def test_that_node_alone_is_shown_first(self) -> None:
        run = self.run(passes("n1"))
        (call,) = run.one(ev.ExtendersFiltered).calls
        assert (call.nominated, call.given.row_numbers) == (True, [0])
        assert run.all(ev.NodesFiltered)[-1].nominated_only

    def test_an_error_there_is_dropped_and_all_nodes_are_shown(self) -> None:
        run = self.run(ExtenderReply(500), passes("n1"))
        first, second = run.one(ev.ExtendersFiltered).calls
        assert (bool(first.error), second.nominated) == (True, False)
        assert run.ends[-1][:2] == ("scheduled", "n1")

    def test_where_it_does_not_pass_its_status_stays(self) -> None:
        run = self.run(passes(FailedNodes={"n1": "busy"}), passes(), passes(), passes(), passes())
        frame = run.frame(run.all(ev.CycleStarted)[1].cycle)
        verdict = frame.verdict(NAME, 0)
        assert (verdict.cell, verdict.reasons) == (Cell.DECISIVE, ("busy",))


@pytest.mark.parametrize(
    ("fields", "visited"),
    [({"bind_verb": "b"}, 1), ({"filter_verb": "f"}, 100), ({"prioritize_verb": "p", "weight": 1}, 100)],
)
def test_a_search_looks_at_more_than_one_node_where_extenders_filter_or_score(fields: Any, visited: int) -> None:
    """Without score plugins one feasible node is enough, unless an extender filters or scores (hasExtenderFilters)."""
    nodes = [make_node(f"n{i:03}") for i in range(200)]
    profile = {"plugins": {"score": {"disabled": [{"name": "*"}]}}}
    answers = {(0, "bind"): {}, (0, "prioritize"): [], (0, "filter"): lambda call: passes(*call.request["NodeNames"])}
    run = extended_run([extender(**fields)], answers, nodes, config={"profiles": [profile]}, node_search="configured")
    assert run.one(ev.NodesFiltered).visited == visited
