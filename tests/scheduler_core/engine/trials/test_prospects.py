"""Behind the choice of a node: the attempt after a preemption, and extenders that bind."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.prospects import Prospect, find_prospect
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.extenders.calls import NOT_ON_TAPE, ExtenderReply
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import extended_run, extender, passes

FULL = [make_node("n1", cpu="1"), make_node("n2", cpu="1")]
CROWD = [
    make_pod("a", cpu="1", node_name="n1"),
    make_pod("b", cpu="1", node_name="n2"),
    make_pod("big", cpu="1", priority=10),
]
MISSING = ExtenderReply(fault=f"{NOT_ON_TAPE}that one")


def trials_of(answers: dict[tuple[int, str], Any], *, crowded: bool = True, **fields: Any) -> Trials:
    verbs = {f"{verb}_verb": verb for verb in ("filter", "preempt", "bind") if (0, verb) in answers}
    nodes, pods = (FULL, CROWD) if crowded else (FULL, [make_pod("big", cpu="1", priority=10)])
    run = extended_run([extender(**verbs, **fields)], answers, nodes, pods)
    return at_cycle(run.reader, run.session.inputs, 1, extenders=run.source)


def prospect(trials: Trials, changes: Changes = UNCHANGED) -> Prospect:
    trial = trials.attempt("default/big", changes)
    return find_prospect(trials, trial, changes, by_preemption=True)


def test_a_nomination_is_in_vain_where_an_extender_refuses_the_node_afterwards() -> None:
    answers = {(0, "filter"): passes(FailedNodes={"n1": "busy", "n2": "busy"})}
    trials = trials_of(answers)
    assert trials.attempt("default/big").nominated in ("n1", "n2")
    outcome = prospect(trials)
    assert outcome.failure.endswith("available: 2 busy.")
    assert outcome.unanswered == ""


def test_a_nomination_is_worth_what_the_attempt_after_it_finds() -> None:
    answers = {(0, "filter"): lambda call: passes(*call.request["NodeNames"])}
    assert prospect(trials_of(answers)) == Prospect()


def test_a_tape_without_the_attempt_after_it_leaves_the_outcome_unknown() -> None:
    assert prospect(trials_of({(0, "filter"): MISSING})) == Prospect(unanswered="that one")
    assert prospect(trials_of({(0, "filter"): MISSING}, ignorable=True)) == Prospect(unanswered="that one")


def test_an_extender_that_binds_is_asked_about_the_node_found() -> None:
    trials = trials_of({(0, "bind"): {"Error": "no volume is left"}}, crowded=False)
    node = trials.attempt("default/big").node
    outcome = prospect(trials)
    assert (f"to {node}: " in outcome.failure, outcome.unanswered) == (True, "")
    assert outcome.failure.endswith("volume is left")
    assert prospect(trials_of({(0, "bind"): MISSING}, crowded=False)) == Prospect(unanswered="that one")
    assert prospect(trials_of({(0, "bind"): {"Error": ""}}, crowded=False)) == Prospect()
    refusing = trials_of({(0, "bind"): {"Error": "gone"}}, crowded=False, ignorable=True)
    assert prospect(refusing) == Prospect()


def test_the_pod_is_on_its_node_while_the_extender_is_asked_to_bind_it_and_off_it_afterwards() -> None:
    seen = []

    def bind(call: Any) -> dict[str, str]:
        seen.append(call.cluster.of_pod(call.request["Node"], call.request["PodUID"]))
        return {"Error": ""}

    nodes, pod = [make_node("n1", cpu="1")], make_pod("big", cpu="1", labels={"app": "db"})
    run = extended_run([extender(bind_verb="b")], {(0, "bind"): bind}, nodes, [pod])
    trials = at_cycle(run.reader, run.session.inputs, 1, extenders=run.source)
    seen.clear()
    more = Changes(nodes=(msgspec.structs.replace(make_node("n9", cpu="8")),))
    for changes in (UNCHANGED, more):
        before = dict(trials.simulation.context.cluster.pods)
        assert prospect(trials, changes) == Prospect()
        assert trials.simulation.context.cluster.pods == before
    assert seen == [{"app": "db"}, {"app": "db"}]


@pytest.mark.parametrize("by_preemption", [True, False])
def test_where_preemption_does_not_count_the_failure_of_the_attempt_does(by_preemption: bool) -> None:
    trials = trials_of({(0, "filter"): lambda call: passes(*call.request["NodeNames"])})
    trial = trials.attempt("default/big")
    outcome = find_prospect(trials, trial, UNCHANGED, by_preemption=by_preemption)
    assert outcome == (Prospect() if by_preemption else Prospect(trial.failure))
