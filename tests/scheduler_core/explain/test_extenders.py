"""What is said of extenders: who refused a node in which words, what they gave, how they chose victims."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.explain.cause import diagnosis_at
from scheduler_core.explain.facts import node_facts
from scheduler_core.explain.pending import attempt_history
from scheduler_core.explain.preemption import BY_EXTENDER, why_no_preemption
from scheduler_core.explain.rivals.answer import node_choice
from scheduler_core.explain.rivals.compare import NOT_ON_TAPE as UNKNOWN_SCORES
from scheduler_core.explain.rivals.compare import REPLACED, compare
from scheduler_core.explain.sessions import TrialsOf, at_cycle, differs
from scheduler_core.extenders.calls import NOT_ON_TAPE, ExtenderReply
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import URL, ExtendedRun, extended_run, extender, passes

NAME = f"Extender {URL}"


@pytest.fixture(scope="module")
def refusing() -> ExtendedRun:
    """n1 is refused, n2 left out, n3 refused by a taint."""
    nodes = [make_node("n1"), make_node("n2"), make_node("n3", taints=["a=b:NoSchedule"])]
    return extended_run([extender(filter_verb="f")], {(0, "filter"): passes(FailedNodes={"n1": "busy"})}, nodes)


@pytest.fixture(scope="module")
def scoring() -> ExtendedRun:
    scores = [{"Host": "n1", "Score": 1}, {"Host": "n2", "Score": 4}]
    return extended_run([extender(prioritize_verb="p", weight=3)], {(0, "prioritize"): scores})


def test_the_extender_is_an_obstacle_of_the_nodes_that_it_refuses_or_leaves_out(refusing: ExtendedRun) -> None:
    reader, inputs = refusing.reader, refusing.session.inputs
    history = attempt_history(reader, inputs, "default/p", reader.head_seq())
    diagnosis = diagnosis_at(TrialsOf(reader, inputs, refusing.source), history, history.attempts[-1])
    assert diagnosis is not None
    by_extender, tainted = diagnosis.groups
    assert [key.code for key in by_extender.obstacles] == ["EXTENDER_REFUSED"]
    assert (by_extender.nodes, by_extender.counted, tainted.nodes) == (("n1", "n2"), NAME, ("n3",))
    assert URL in by_extender.texts[0]
    assert "busy" in by_extender.texts[0]
    assert (diagnosis.cause.codes, diagnosis.cause.actor) == (("EXTENDER_REFUSED",), "other")


def test_facts_on_a_node_have_a_row_for_each_extender(refusing: ExtendedRun) -> None:
    trials = at_cycle(refusing.reader, refusing.session.inputs, 1, extenders=refusing.source)
    facts = node_facts(trials.simulation, "default/p", ["n1", "n2", "n3"], refusing.frame())
    rows = [one.filters[-1] for one in facts]
    assert [(row.plugin, row.verdict) for row in rows] == [
        (NAME, "refused"), (NAME, "refused"), (NAME, "not asked"),
    ]  # fmt: skip
    assert [row.text for row in rows] == [
        "refused by extender http://ext.example/v1: busy",
        "left out by extender http://ext.example/v1 without a reason",
        "",
    ]


def test_points_of_an_extender_stand_beside_those_of_plugins(scoring: ExtendedRun) -> None:
    trials = at_cycle(scoring.reader, scoring.session.inputs, 1, extenders=scoring.source)
    (facts,) = node_facts(trials.simulation, "default/p", ["n2"], scoring.frame())
    row = facts.scores[-1]
    assert (row.plugin, row.raw, row.weight, row.points) == (NAME, 4, 30, 120)
    assert facts.total == scoring.frame().totals()[1]


def test_the_choice_between_two_nodes_names_the_extender(scoring: ExtendedRun) -> None:
    trials = at_cycle(scoring.reader, scoring.session.inputs, 1, extenders=scoring.source)
    choice = node_choice(scoring.reader, trials, 1, ["n2", "n1"], lambda: True)
    assert NAME in str(choice)


def test_a_trial_without_changes_decides_as_recorded(scoring: ExtendedRun) -> None:
    trials = at_cycle(scoring.reader, scoring.session.inputs, 1, extenders=scoring.source)
    assert differs(scoring.reader, 1, trials.attempt("default/p")) == ""


def test_an_extender_that_never_binds_the_pod_is_the_cause_in_its_own_words() -> None:
    run = extended_run([extender(bind_verb="b")], {(0, "bind"): {"Error": "device vanished"}}, [make_node("n1")])
    reader, inputs = run.reader, run.session.inputs
    history = attempt_history(reader, inputs, "default/p", reader.head_seq())
    diagnosis = diagnosis_at(TrialsOf(reader, inputs, run.source), history, history.attempts[-1])
    assert diagnosis is not None
    assert (diagnosis.cause.codes, diagnosis.cause.stage) == (("BIND_FAILED",), "bind")
    assert diagnosis.cause.obstacles[0].needs == {"node": "n1"}
    assert "device vanished" in diagnosis.cause.text


FULL = [make_node("n1", cpu="1"), make_node("n2", cpu="1")]
CROWD = [
    make_pod("a", cpu="1", node_name="n1"),
    make_pod("b", cpu="1", node_name="n2"),
    make_pod("big", cpu="1", priority=10),
]


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [
        ({"NodeNameToMetaVictims": {}}, ()),
        (ExtenderReply(500), (f"failed e with extender at URL {URL}/e, code 500",)),
    ],
    ids=["answer without nodes", "error"],
)
def test_candidates_that_an_extender_took_away_are_told_apart(answer: Any, reasons: tuple[str, ...]) -> None:
    run = extended_run([extender(preempt_verb="e")], {(0, "preempt"): answer}, FULL, CROWD)
    trials = at_cycle(run.reader, run.session.inputs, 1, extenders=run.source)
    (group,) = why_no_preemption(trials, "default/big").groups
    assert (group.why, group.reasons, [one.node for one in group.nodes]) == (BY_EXTENDER, reasons, ["n1", "n2"])


def test_a_node_that_only_an_extender_refuses_needs_no_victim() -> None:
    roomy = [make_node("n1")]
    answers = {(0, "filter"): passes(FailedNodes={"n1": "busy"})}
    pods = [make_pod("a", node_name="n1"), make_pod("big", priority=10)]
    run = extended_run([extender(filter_verb="f")], answers, roomy, pods)
    trials = at_cycle(run.reader, run.session.inputs, 1, extenders=run.source)
    answer = why_no_preemption(trials, "default/big")
    assert (answer.message, answer.groups) == ('expected at least one victim pod on node "n1"', ())


def test_a_node_that_an_extender_refuses_is_scored_beside_the_winner_as_if_it_were_let_through() -> None:
    def scores(call: Any) -> Any:
        return [{"Host": name, "Score": 7 if name == "n1" else 2} for name in call.request["NodeNames"]]

    answers = {(0, "filter"): passes("n2", "n3", FailedNodes={"n1": "busy"}), (0, "prioritize"): scores}
    run = extended_run([extender(filter_verb="f", prioritize_verb="p", weight=1)], answers)
    trials = at_cycle(run.reader, run.session.inputs, 1, extenders=run.source)
    winner, refused = compare(trials, "default/p", ["n2", "n1"]).rivals
    assert [one.plugin for one in refused.refusals] == [NAME]
    assert (winner.points[-1].raw, refused.points[-1].raw) == (2, 7)
    assert refused.is_computed


def test_what_a_tape_or_an_answer_with_nodes_of_its_own_does_not_say_of_a_node_is_unknown() -> None:
    def only(*names: str) -> Any:
        return lambda call: {
            "Nodes": {"items": [one for one in call.request["Nodes"]["items"] if name_of(one) in names]}
        }

    def name_of(item: Any) -> str:
        return item["metadata"]["name"]

    taken = extended_run([extender(filter_verb="f", node_cache_capable=False)], {(0, "filter"): only("n2", "n3")})
    missing = ExtenderReply(fault=f"{NOT_ON_TAPE}that one")
    beside = extended_run(
        [extender(prioritize_verb="p", weight=1)],
        {(0, "prioritize"): missing},
        [*FULL, make_node("n3", taints=["a=b:NoSchedule"])],
    )
    for run, node, said in ((taken, "n1", REPLACED), (beside, "n3", UNKNOWN_SCORES)):
        trials = at_cycle(run.reader, run.session.inputs, 1, extenders=run.source)
        (_, other) = compare(trials, "default/p", ["n2", node]).rivals
        assert other.total is None
        assert said in other.unknown
