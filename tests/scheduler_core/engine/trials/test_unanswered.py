"""Requests that are not on the tape are told by what would have to be known without them."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.engine.trials.unanswered import Unanswered
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.extenders.calls import NOT_ON_TAPE, ExtenderReply
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import extended_run, extender, passes

MISSING = ExtenderReply(fault=f"{NOT_ON_TAPE}that one")
EXTENDER = extender(filter_verb="f", prioritize_verb="p", weight=1, preempt_verb="e", ignorable=True)
SCORES = [{"Host": "n1", "Score": 1}]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({(0, "filter"): passes("n1", "n2"), (0, "prioritize"): SCORES}, Unanswered()),
        ({(0, "filter"): passes("n1", "n2"), (0, "prioritize"): MISSING}, Unanswered(scoring="that one")),
        ({(0, "filter"): MISSING, (0, "prioritize"): SCORES}, Unanswered(fitting="that one")),
        ({(0, "filter"): ExtenderReply(500), (0, "prioritize"): SCORES}, Unanswered()),
    ],
    ids=["all answered", "scores", "nodes, though the extender is ignorable", "an error that is on the tape"],
)
def test_what_an_attempt_misses(answers: dict[tuple[int, str], Any], expected: Unanswered) -> None:
    run = extended_run([EXTENDER], answers)
    trial = at_cycle(run.reader, run.session.inputs, 1, extenders=run.source).attempt("default/p")
    assert trial.unanswered == expected
    assert trial.unanswered.any == (expected.fitting or expected.scoring)


def test_victims_that_no_answer_chooses() -> None:
    pods = [make_pod("a", cpu="1", node_name="n1"), make_pod("big", cpu="1", priority=10)]
    choosing = extender(preempt_verb="e")
    run = extended_run([choosing], {(0, "preempt"): MISSING}, [make_node("n1", cpu="1")], pods)
    trial = at_cycle(run.reader, run.session.inputs, 1, extenders=run.source).attempt("default/big")
    assert trial.unanswered == Unanswered(fitting="that one")
