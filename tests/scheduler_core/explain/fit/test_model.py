"""What can be asked of an answer: its counts, each node, the points behind a total."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.explain.fit import Fit, FitPoints, RefusalGroup, SieveStep

ANSWER = Fit(
    pod="default/web",
    nodes=("a", "b", "c"),
    group_of=(-1, 0, -1),
    totals=(130, -1, 90),
    groups=(RefusalGroup(plugin="NodeResourcesFit", reasons=("Insufficient cpu",), nodes=1, resolvable=True),),
    scores=(FitPoints("NodeResourcesFit", 1, (50, 30)), FitPoints("TaintToleration", 2, (40, 30))),
)


def test_nodes_are_counted_and_each_has_a_total_or_a_refusal() -> None:
    assert (ANSWER.n_fits, ANSWER.n_nodes) == (2, 3)
    assert [(one.node, one.fits, one.total) for one in ANSWER.each()] == [
        ("a", True, 130),
        ("b", False, None),
        ("c", True, 90),
    ]


def test_the_points_of_a_node_add_up_to_its_total() -> None:
    assert ANSWER.points("c") == {"NodeResourcesFit": 30, "TaintToleration": 60}
    assert ANSWER.points("b") == {}


def test_it_is_the_same_after_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(ANSWER), type=Fit) == ANSWER


@pytest.mark.parametrize("part", [ANSWER, *ANSWER.groups, *ANSWER.scores, SieveStep("NodeName", 0, 3)])
def test_an_answer_that_was_given_does_not_change(part: msgspec.Struct) -> None:
    with pytest.raises(AttributeError):
        setattr(part, part.__struct_fields__[0], "other")
