"""Who is asked, in which order, and what follows; the recorded decisions of kube-scheduler are in tests/conformance."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.api.config import Extender, ManagedResource
from scheduler_core.api.objects import Container
from scheduler_core.extenders.calls import CLOSED, TIMEOUT, ExtenderReply
from scheduler_core.extenders.chain import extender_names
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.extended import URL, ExtendedRun, Scripted, extended_run, extender, inputs_of, passes

GPU = "example.com/gpu"
ALL = passes("n1", "n2", "n3")
FULL = [make_node("n1", cpu="1"), make_node("n2", cpu="1")]


def victims(*uids: str, violations: int = 0) -> dict[str, Any]:
    return {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": violations}


def crowd() -> list[Any]:
    """Two pods that fill two nodes, and one of higher priority that waits."""
    lower = [make_pod(name, cpu="1", node_name=node) for name, node in (("a", "n1"), ("b", "n2"))]
    return [*lower, make_pod("big", cpu="1", priority=10)]


def test_ignorable_extenders_are_asked_after_all_others() -> None:
    extenders = [extender(filter_verb="f", ignorable=True), extender(filter_verb="f"), extender(filter_verb="f")]
    run = extended_run(extenders, {(i, "filter"): ALL for i in range(3)})
    assert run.source.verbs() == [(1, "filter"), (2, "filter"), (0, "filter")]


def test_each_is_given_what_the_one_before_left_until_nothing_is_left() -> None:
    answers = {(0, "filter"): passes("n2", "n3"), (1, "filter"): passes(), (2, "filter"): ALL}
    run = extended_run([extender(filter_verb="f")] * 3, answers)
    assert [call.request["NodeNames"] for call in run.source.asked] == [["n1", "n2", "n3"], ["n2", "n3"]]


def test_extenders_are_named_by_their_addresses() -> None:
    urls = ["http://user:secret@a.example/x/", "http://a.example/x", "http://b.example"]
    assert extender_names([Extender(url_prefix=url) for url in urls]) == [
        "Extender http://a.example/x",
        "Extender http://a.example/x #2",
        "Extender http://b.example",
    ]


@pytest.mark.parametrize(
    ("containers", "asked"),
    [
        ((Container("c", requests={"cpu": 1}),), False),
        ((Container("c", requests={GPU: 0}),), True),
        ((Container("c", limits={GPU: 1}),), True),
        ((Container("c"), Container("d", requests={GPU: 1})), True),
    ],
    ids=["not named", "quantity 0", "limits", "second container"],
)
def test_an_extender_is_asked_about_pods_that_name_one(containers: Any, asked: bool) -> None:
    managing = extender(filter_verb="f", managed_resources=(ManagedResource(GPU, ignored_by_scheduler=True),))
    run = extended_run([managing], {(0, "filter"): ALL}, pods=[make_pod("p", containers=containers)])
    assert bool(run.source.asked) == asked


def test_an_init_container_counts() -> None:
    managing = extender(bind_verb="b", managed_resources=(ManagedResource(GPU, ignored_by_scheduler=True),))
    pod = make_pod("p", init_containers=(Container("i", requests={GPU: 1}),))
    assert extended_run([managing], {(0, "bind"): {}}, pods=[pod]).source.verbs() == [(0, "bind")]


def test_ignored_resources_take_the_place_of_those_in_the_arguments() -> None:
    """example.com/fpga is listed in NodeResourcesFitArgs, and counts again."""
    managing = extender(managed_resources=(ManagedResource(GPU, ignored_by_scheduler=True),))
    args = {"name": "NodeResourcesFit", "args": {"ignoredResources": ["example.com/fpga"]}}
    pods = [make_pod("gpu", extended={GPU: "1"}), make_pod("fpga", extended={"example.com/fpga": "1"})]
    run = extended_run([managing], {}, pods=pods, config={"profiles": [{"pluginConfig": [args]}]})
    assert [outcome for outcome, _, _ in run.ends][:2] == ["scheduled", "unschedulable"]


def test_a_call_that_fails_ends_the_attempt_as_an_error() -> None:
    run = extended_run([extender(filter_verb="sieve")], {(0, "filter"): ExtenderReply(500)})
    text = f"failed sieve with extender at URL {URL}/sieve, code 500"
    assert run.ends[0] == ("error", "", text)
    (call,) = run.all(ev.ExtendersFiltered)[0].calls
    assert (call.error, call.ignored, call.passed) == (text, False, ev.NO_NODES)
    assert run.all(ev.NodesFiltered) == []


def test_an_ignorable_one_that_fails_leaves_the_nodes_as_they_were() -> None:
    run = extended_run([extender(filter_verb="f", ignorable=True)], {(0, "filter"): ExtenderReply(500)})
    assert run.ends[0][:2] == ("scheduled", "n1")
    assert run.one(ev.ExtendersFiltered).calls[0].ignored


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (ExtenderReply(201, b"{}"), f"failed f with extender at URL {URL}/f, code 201"),
        (
            ExtenderReply(fault=TIMEOUT),
            f'Post "{URL}/f": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
        ),
        (ExtenderReply(fault=CLOSED), f'Post "{URL}/f": EOF'),
        (ExtenderReply(fault="no route"), "no route"),
        (ExtenderReply(200, b""), "EOF"),
        (ExtenderReply(200, b"{"), "unexpected EOF"),
        (ExtenderReply(200, b"<html>"), "invalid character '<' looking for beginning of value"),
        ({"Error": "backend down", "NodeNames": ["n1"]}, "backend down"),
        (
            {"NodeNames": ["n1", "ghost"]},
            f'extender "{URL}" claims a filtered node "ghost" which is not found in the input node list',
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_have_the_reference_s_texts(reply: Any, text: str) -> None:
    assert extended_run([extender(filter_verb="f")], {(0, "filter"): reply}).message == text


def test_a_node_in_both_maps_is_unresolvable() -> None:
    answer = passes(FailedNodes={"n1": "a", "n2": "b"}, FailedAndUnresolvableNodes={"n1": "c", "n3": "d"})
    run = extended_run([extender(filter_verb="f")], {(0, "filter"): answer})
    assert run.message.startswith("0/3 nodes are available: 1 b, 1 c, 1 d.")
    refusals = {(one.plugin, one.code, one.reasons) for one in run.one(ev.NodesFiltered).refusals}
    assert refusals == {
        (f"Extender {URL}", 2, ("b",)),
        (f"Extender {URL}", 3, ("c",)),
        (f"Extender {URL}", 3, ("d",)),
    }


def test_scores_count_ten_times_the_weight() -> None:
    scores = [{"Host": "n1", "Score": 1}, {"Host": "n3", "Score": 3}]
    run = extended_run([extender(prioritize_verb="p", weight=7)], {(0, "prioritize"): scores})
    chosen = run.one(ev.HostSelected)
    assert (chosen.node, chosen.second, chosen.total - chosen.second_total) == ("n3", "n1", 2 * 70)
    (call,) = run.one(ev.ExtendersScored).calls
    assert (call.weight, call.unscored.row_numbers) == (7, [1])


def test_all_are_asked_at_the_same_time() -> None:
    run = extended_run([extender(prioritize_verb="p", weight=1)] * 3, {(i, "prioritize"): [] for i in range(3)})
    assert run.source.n_at_once == [3]


def test_nobody_is_asked_about_a_single_node() -> None:
    answers = {(0, "filter"): passes("n2"), (0, "prioritize"): []}
    run = extended_run([extender(filter_verb="f", prioritize_verb="p", weight=1)], answers)
    assert run.source.verbs() == [(0, "filter")]
    assert run.ends[0][:2] == ("scheduled", "n2")


def test_an_error_is_ignored_whether_the_extender_is_ignorable_or_not() -> None:
    answers = {(0, "prioritize"): [{"Host": "n2", "Score": 5.5}], (1, "prioritize"): [{"Host": "n3", "Score": 1}]}
    run = extended_run([extender(prioritize_verb="p", weight=1)] * 2, answers)
    assert run.ends[0][:2] == ("scheduled", "n3")
    failed, answered = run.one(ev.ExtendersScored).calls
    assert "cannot unmarshal number 5.5" in failed.error
    assert answered.error == ""


@pytest.mark.parametrize(("score", "wrapped"), [(1 << 62, 1 << 62), (-(1 << 63), -(1 << 63))])
def test_scores_wrap_as_go_s_int64_do(score: int, wrapped: int) -> None:
    scores = [{"Host": "n1", "Score": score}, {"Host": "n2", "Score": 0}, {"Host": "n3", "Score": 0}]
    run = extended_run([extender(prioritize_verb="p", weight=1)], {(0, "prioritize"): scores})
    added = (wrapped * 10 + (1 << 63)) % (1 << 64) - (1 << 63)
    totals = run.frame().totals().tolist()
    assert totals[0] - totals[1] == added


def test_without_score_plugins_the_base_is_0_with_any_extender() -> None:
    profile = {"plugins": {"score": {"disabled": [{"name": "*"}]}}}
    run = extended_run([extender(bind_verb="b")], {(0, "bind"): {}}, config={"profiles": [profile]})
    assert run.one(ev.HostSelected).total == 0


def test_what_is_returned_takes_the_place_of_the_candidates() -> None:
    answer = {"NodeNameToMetaVictims": {"n2": victims("uid-default-b", violations=3)}}
    run = extended_run([extender(preempt_verb="p")], {(0, "preempt"): answer}, FULL, crowd())
    asked, decided = run.all(ev.ExtendersPreempted)[0], run.all(ev.PreemptionDecided)[0]
    assert [one.node for one in asked.candidates] == ["n1", "n2"]
    assert [(one.node, one.violations) for one in decided.candidates] == [("n2", 3)]
    assert decided.nominated_node == "n2"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (ExtenderReply(404), f"failed p with extender at URL {URL}/p, code 404"),
        ({"NodeNameToMetaVictims": {"ghost": victims()}}, 'nodeinfo not found for node name "ghost"'),
        ({"NodeNameToMetaVictims": {"n1": victims()}}, 'expected at least one victim pod on node "n1"'),
        (
            {"NodeNameToMetaVictims": {"n1": victims("uid-default-b")}},
            f"extender: {URL} claims to preempt pod (UID: &{{uid-default-b}}) on node: n1, but the pod is not found"
            " on that node",
        ),
        (
            {"NodeNameToMetaVictims": {"n1": None}},
            f'extender "{URL}" answers null in place of the victims on node "n1", at which kube-scheduler panics',
        ),
    ],
    ids=["status", "unknown node", "no victim", "pod of another node", "null"],
)
def test_errors_evict_nobody_unless_the_extender_is_ignorable(answer: Any, text: str) -> None:
    run = extended_run([extender(preempt_verb="p")], {(0, "preempt"): answer}, FULL, crowd())
    assert run.message.endswith(f"preemption: {text}")
    assert run.all(ev.PreemptionDecided)[0].chosen is None
    ignorable = extended_run([extender(preempt_verb="p", ignorable=True)], {(0, "preempt"): answer}, FULL, crowd())
    is_removed = "at least one victim" in text
    assert ignorable.message.endswith("no candidate node for preemption" if is_removed else "2 Insufficient cpu.")


def test_the_first_victim_stands_for_the_highest_priority() -> None:
    """By its first victim n1 has priority 1, n2 has 2; by its highest n1 would have 5."""
    placed = [
        make_pod("low", cpu="500m", node_name="n1", priority=1),
        make_pod("high", cpu="500m", node_name="n1", priority=5),
        make_pod("mid", cpu="1", node_name="n2", priority=2),
    ]
    answer = {
        "NodeNameToMetaVictims": {
            "n1": victims("uid-default-low", "uid-default-high"),
            "n2": victims("uid-default-mid"),
        }
    }
    pods = [*placed, make_pod("big", cpu="1", priority=10)]
    run = extended_run([extender(preempt_verb="p")], {(0, "preempt"): answer}, FULL, pods)
    decided = run.all(ev.PreemptionDecided)[0]
    assert (decided.nominated_node, decided.criterion) == ("n1", "lowest_highest_priority")


def test_nobody_is_asked_without_candidates() -> None:
    pods = [make_pod("big", cpu="2", priority=10)]
    assert extended_run([extender(preempt_verb="p")], {}, FULL, pods).source.asked == []


def test_an_extender_binds_in_place_of_the_plugin() -> None:
    run = extended_run([extender(bind_verb="b")], {(0, "bind"): {"Error": ""}})
    assert run.source.asked[0].request == {
        "PodName": "p", "PodNamespace": "default", "PodUID": "uid-default-p", "Node": "n1",
    }  # fmt: skip
    assert run.one(ev.ExtendersBound).node == run.one(ev.Bound).node == "n1"


def test_where_it_fails_the_pod_loses_its_place_and_waits() -> None:
    run = extended_run([extender(bind_verb="b")], {(0, "bind"): {"Error": "device vanished"}})
    assert run.one(ev.Unreserved).reason == "device vanished"
    assert run.all(ev.Bound) == []
    assert run.all(ev.QueueMove)[-1].target == "error_backoff"
    assert run.session.simulation.context.cluster.pods == {}


def test_where_an_ignorable_one_fails_the_plugin_binds() -> None:
    run = extended_run([extender(bind_verb="b", ignorable=True)], {(0, "bind"): ExtenderReply(500)})
    assert run.one(ev.ExtendersBound).calls[0].ignored
    assert run.one(ev.Bound).node == "n1"


# --- the queue -----------------------------------------------------------------------------------------------------
def test_a_pod_that_an_extender_refused_comes_back_with_any_event() -> None:
    """A pod that is bound elsewhere helps no plugin of these profiles, so only the extender can be who waits for it."""
    inputs = inputs_of([extender(filter_verb="f")], [make_node("n1")], [make_pod("p")])
    other = TimelineEntry(at=60_000_000, action="put", object=make_pod("other", node_name="elsewhere"))
    inputs = msgspec.structs.replace(inputs, timeline=Timeline((other,)), schedule="timeline")
    run = ExtendedRun(inputs, Scripted({(0, "filter"): passes(FailedNodes={"n1": "busy"})}))
    moves = [(move.event, move.plugin) for move in run.all(ev.QueueMove) if move.plugin]
    assert moves == [("AssignedPodAdd", "Extender")]
    assert len(run.ends) == 2
