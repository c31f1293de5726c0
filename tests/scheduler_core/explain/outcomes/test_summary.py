"""The summary of a run: every pod in exactly one group, sums that agree with the run's, reasons in words."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects, OwnerReference
from scheduler_core.explain.outcomes import (
    BOUND,
    COMPLETED,
    GATED,
    KINDS,
    LOST,
    PENDING,
    PREEMPTED,
    decode_outcomes,
    encode_outcomes,
    outcomes_of,
)
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import case, everything, teaching
from tests.scheduler_core.engine.test_plugins_that_raise import Brittle, configuration
from tests.scheduler_core.explain.outcomes.runs import group_of, recorded, said, summed_up, tallied
from tests.scheduler_core.recording.test_against_engine import SEEDS, generated

GPU = "example.com/gpu"
RUNS = [teaching, everything, *(lambda seed=seed: generated(seed) for seed in SEEDS)]


def inputs_of(nodes, pods, **more):
    return RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods), **more)


def gpu_node(name, model, cpu="16", gpus="4"):
    return make_node(name, cpu, "64Gi", labels={"model": model}, extended={GPU: gpus})


def asking(name, gpus="1", cpu="1", **more):
    return make_pod(name, cpu, extended={GPU: gpus}, **more)


# --- every run -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("cycles", [None, 5, 25])
@pytest.mark.parametrize("inputs", RUNS)
def test_every_pod_of_the_run_is_in_exactly_one_group_and_the_sums_agree(inputs, cycles):
    session, reader = recorded(inputs(), cycles)
    _, tally = tallied(inputs(), cycles)
    outcomes = outcomes_of(tally)
    added = [
        (event.key, event.uid)
        for _, event in reader.events(0, reader.head_seq())
        if isinstance(event, ev.ObjectChanged) and event.kind == "Pod" and event.action == "added"
    ]
    expected = Counter([*((key, "") for key in session.simulation.start_pods), *added])
    assert Counter((pod.pod, pod.uid) for pod in outcomes.pods) == expected
    counted = Counter(pod.group for pod in outcomes.pods)
    assert [group.n_pods for group in outcomes.groups] == [counted[i] for i in range(len(outcomes.groups))]
    assert sum(outcomes.counts.values()) == len(outcomes.pods)
    assert len({group.id for group in outcomes.groups}) == len(outcomes.groups)
    assert all(outcomes.pods[group.why].group == i for i, group in enumerate(outcomes.groups))
    assert [KINDS.index(group.kind) for group in outcomes.groups] == sorted(
        KINDS.index(group.kind) for group in outcomes.groups
    )


@pytest.mark.slow
@pytest.mark.parametrize("inputs", RUNS)
def test_bound_and_pending_pods_are_those_that_the_run_counted_at_its_end(inputs):
    session, tally = tallied(inputs())
    outcomes = outcomes_of(tally)
    terminating = sum(pod.by in tally.of_name or record.exists for pod, record in preempted(outcomes, tally))
    waiting = sum(outcomes.counts[kind] for kind in (PENDING, "error", GATED, "permit"))
    assert outcomes.counts[BOUND] + terminating == tally.finished.bound
    assert waiting == tally.finished.pending
    placed = {key for key, pod in session.simulation.world.pods.items() if pod.node_name}
    bound = {pod.pod for pod in outcomes.pods if outcomes.groups[pod.group].kind == BOUND}
    assert bound <= placed


def preempted(outcomes, tally):
    """Pods that are preempted and not gone yet, with their records."""
    pairs = [(pod, tally.of_name[pod.pod]) for pod in outcomes.pods if outcomes.groups[pod.group].kind == PREEMPTED]
    return [(pod, record) for pod, record in pairs if record.uid == pod.uid and record.exists]


def test_a_summary_is_the_same_when_it_was_stored():
    outcomes = summed_up(everything())
    assert decode_outcomes(encode_outcomes(outcomes)) == outcomes
    with pytest.raises(ValueError, match="cannot be read"):
        decode_outcomes(encode_outcomes(outcomes)[:-9])


def test_figures_of_a_run_follow_from_its_events():
    inputs = teaching()
    outcomes = summed_up(inputs)
    _, reader = recorded(inputs)
    events = [event for _, event in reader.events(0, reader.head_seq())]
    decided = [event for event in events if isinstance(event, ev.PreemptionDecided)]
    assert outcomes.evictions.tries == len(decided)
    assert outcomes.evictions.victims == sum(len(one.chosen.victims) for one in decided if one.chosen)
    assert outcomes.cycles == max(event.cycle for event in events if isinstance(event, ev.CycleStarted))
    bound = {event.pod: event.at for event in events if isinstance(event, ev.Bound)}
    came = {}
    for event in events:
        if isinstance(event, ev.QueueMove):
            came.setdefault(event.pod, event.at)
    waits = sorted(bound[pod.pod] - came[pod.pod] for pod in outcomes.pods if outcomes.groups[pod.group].kind == BOUND)
    assert (outcomes.waits.longest, outcomes.waits.p50) == (waits[-1], waits[-(-len(waits) // 2) - 1])


# --- reasons ---------------------------------------------------------------------------------------------------------
def test_the_short_resource_is_told_with_its_share_where_the_selector_allows_and_who_else_has_room():
    nodes = [gpu_node("t-0", "T4"), gpu_node("t-1", "T4"), gpu_node("g-0", "G2")]
    held = [asking(f"held-{i}", "4", node_name=f"t-{i}") for i in range(2)]
    pods = [asking(f"train-{i}", node_selector={"model": "T4"}) for i in range(3)]
    outcomes = summed_up(inputs_of(nodes, [*held, *pods]))
    group = group_of(outcomes, "default/train-0")
    assert (group.kind, group.n_pods, group.plugins[0]) == (PENDING, 3, "NodeResourcesFit")
    assert group.title == "No T4 node has enough gpu free"
    assert said(group) == (
        "2 of 2 T4 nodes had too little, at most 0 of 4 gpu free. They ask 1 gpu each. "
        "1 G2 node has room; model=T4 excludes it."
    )
    assert (group.scarce.resource, group.scarce.where) == (GPU, "T4")
    assert (group.scarce.requested, group.scarce.allocatable) == (8, 8)
    nearest = next(pod.nearest for pod in outcomes.pods if pod.pod == "default/train-0")
    assert (nearest.resource, nearest.missing, nearest.nodes) == (GPU, 1, 2)


def test_resources_that_are_short_on_different_nodes_are_both_named():
    nodes = [gpu_node("a", "P", cpu="2"), gpu_node("b", "P"), gpu_node("c", "P")]
    held = [make_pod("cpu", "2", node_name="a"), *(asking(f"gpu-{n}", "4", node_name=n) for n in "bc")]
    group = group_of(summed_up(inputs_of(nodes, [*held, asking("train-0")])), "default/train-0")
    assert group.title == "The nodes: gpu or cpu is short"
    assert said(group) == "Of 3 nodes, 2 lack gpu and the other 1 cpu."


def test_pods_larger_than_every_node_are_hopeless_and_apart_from_those_that_can_wait():
    nodes = [gpu_node("a", "P"), gpu_node("b", "P")]
    full = [asking(f"full-{n}", "3", node_name=n) for n in "ab"]
    outcomes = summed_up(inputs_of(nodes, [*full, asking("huge-0", "8"), asking("wait-0", "2")]))
    huge, waits = group_of(outcomes, "default/huge-0"), group_of(outcomes, "default/wait-0")
    assert (huge.title, huge.hopeless) == ("Larger than any node", True)
    assert said(huge) == "huge-0 asks 8 gpu, the largest has 4. Waiting does not help."
    assert not waits.hopeless
    assert waits.id != huge.id


def test_a_pod_that_takes_a_whole_node_is_told_that_none_is_empty():
    nodes = [gpu_node("a", "P"), gpu_node("b", "P")]
    held = [make_pod(f"held-{n}", "100m", extended={GPU: "1"}, node_name=n) for n in "ab"]
    group = group_of(summed_up(inputs_of(nodes, [*held, asking("all-0", "4", "16")])), "default/all-0")
    assert group.title == "No node is empty, and each pod takes a whole one"
    assert "2 of 2 nodes hold at least one pod" in said(group)


def test_refusals_of_other_plugins_are_told_by_their_reasons():
    nodes = [make_node("a", taints=["dedicated=gpu:NoSchedule"]), make_node("b", taints=["dedicated=gpu:NoSchedule"])]
    pods = [make_pod("web-0"), make_pod("lost-0", node_selector={"disk": "ssd"})]
    outcomes = summed_up(inputs_of(nodes, pods))
    taints, labels = group_of(outcomes, "default/web-0"), group_of(outcomes, "default/lost-0")
    assert (taints.title, taints.plugins) == ("Taints that the pods do not tolerate", ("TaintToleration",))
    assert said(taints) == "2 of 2: node(s) had untolerated taint(s). They have dedicated=gpu:NoSchedule (2)."
    assert labels.title == "No node has the labels that they ask for"
    assert said(labels).startswith("0 of 2 nodes match disk=ssd.")


def test_pods_of_daemon_sets_that_each_name_their_node_are_one_group():
    pods = [make_pod(f"agent-{n}", "9", node_selector={"kubernetes.io/hostname": n}) for n in "ab"]
    outcomes = summed_up(inputs_of([make_node("a", "10"), make_node("b", "10"), make_node("c", "10")], [
        make_pod("x", "5", node_name="a"), make_pod("y", "5", node_name="b"), *pods,
    ]))  # fmt: skip
    group = group_of(outcomes, "default/agent-a")
    assert (group.n_pods, group.title) == (2, "The one node that each may have lacks cpu")


def test_gated_foreign_and_bound_pods_have_groups_of_their_own():
    pods = [
        make_pod("gated-0", scheduling_gates=("example.com/quota",)),
        make_pod("foreign-0", scheduler_name="other"),
        make_pod("was-0", node_name="a"),
        make_pod("new-0"),
    ]
    outcomes = summed_up(inputs_of([make_node("a")], pods))
    titles = {pod.pod.partition("/")[2]: outcomes.groups[pod.group].title for pod in outcomes.pods}
    assert titles == {
        "gated-0": "Scheduling gate example.com/quota",
        "foreign-0": "No profile schedules for other",
        "was-0": "Bound without this run",
        "new-0": "Bound",
    }


def test_victims_that_were_made_anew_are_apart_from_those_that_were_not():
    outcomes = summed_up(case("deployment", "deployment-timeline"))
    victims = [group for group in outcomes.groups if group.kind == PREEMPTED]
    assert {group.title for group in victims} == {"Preempted, made anew by their owners"}
    assert sum(group.n_pods for group in victims) == outcomes.evictions.victims
    made = [pod for pod in outcomes.pods if outcomes.groups[pod.group].kind == PENDING]
    assert made
    bare = summed_up(inputs_of([make_node("a", "1")], [
        make_pod("low-0", "1", node_name="a", uid="low"), make_pod("high-0", "1", priority=10),
    ]))  # fmt: skip
    group = group_of(bare, "default/low-0")
    assert (group.title, said(group)) == ("Preempted and not replaced", "By high-0, in cycle 1.")


def test_a_pod_whose_plugin_raised_is_an_error_with_the_exception_s_words():
    registry = in_tree().with_plugin("Brittle", Brittle)
    inputs = inputs_of([make_node("a")], [make_pod("bad-0", labels={"break": "Filter"}), make_pod("good-0")])
    inputs = msgspec.structs.replace(inputs, configuration=configuration(), max_virtual_us=20_000_000)
    group = group_of(summed_up(inputs, registry=registry), "default/bad-0")
    assert (group.kind, group.title, group.plugins) == ("error", "Brittle raised ValueError", ("Brittle",))
    assert said(group) == "At Filter: no Filter for Filter"


def test_pods_that_went_with_their_node_and_jobs_that_ran_are_told_apart():
    outcomes = summed_up(everything())
    assert outcomes.counts[LOST]
    assert outcomes.counts[COMPLETED]
    lost = next(group for group in outcomes.groups if group.kind == LOST)
    assert lost.title == "Lost with their node"


def test_a_deleted_pod_is_counted_once_and_its_namesake_on_its_own():
    entries = [
        TimelineEntry(1_000_000, "delete", make_pod("web-0")),
        TimelineEntry(2_000_000, "put", make_pod("web-0", uid="second")),
    ]
    inputs = inputs_of([make_node("a")], [make_pod("web-0")], schedule="timeline", timeline=Timeline.of(entries))
    outcomes = summed_up(inputs)
    assert [(pod.pod, outcomes.groups[pod.group].title) for pod in outcomes.pods] == [
        ("default/web-0", "Bound"),
        ("default/web-0", "Deleted"),
    ]


def test_missing_replicas_are_those_that_the_run_s_end_tells():
    inputs = case("deployment", "deployment-timeline")
    _, tally = tallied(inputs)
    outcomes = outcomes_of(tally)
    assert [(one.workload, one.wanted, one.bound) for one in outcomes.short] == [
        (one.workload, one.wanted, one.bound) for one in tally.finished.missing
    ]
    assert outcomes.n_short == tally.finished.n_short


def test_owners_are_workloads_by_their_title_and_stems_of_names():
    reference = (OwnerReference("Widget", "press", controller=True),)
    pods = [make_pod("train-00017"), make_pod("train-3"), make_pod("solo"), make_pod("w-1", owner_references=reference)]
    outcomes = summed_up(inputs_of([make_node("a")], pods))
    owners = {pod.pod.partition("/")[2]: outcomes.owners[pod.owner] for pod in outcomes.pods}
    assert owners["train-00017"] is owners["train-3"]
    assert [(owners[name].title, owners[name].is_owner) for name in ("train-3", "solo", "w-1")] == [
        ("train-*", False),
        ("solo", False),
        ("Widget press", True),
    ]
    replicas = summed_up(case("deployment", "deployment-timeline"))
    assert any(owner.title.startswith("Deployment ") for owner in replicas.owners)


def test_room_that_is_left_is_told_by_the_label_that_pods_select_on():
    nodes = [gpu_node("t-0", "T4"), gpu_node("g-0", "G2"), gpu_node("g-1", "G2"), make_node("plain")]
    pods = [asking("held", "4", node_name="t-0"), asking("half", "2", node_name="g-0")]
    pods += [asking(f"train-{i}", "2", node_selector={"model": "T4"}) for i in range(3)]
    found = summed_up(inputs_of(nodes, pods)).fragmentation
    assert (found.resource, found.unit, found.label) == (GPU, 2, "model")
    assert [(room.name, room.free, room.fitting, room.nodes, room.waiting) for room in found.rooms] == [
        ("G2", 6, 2, 2, 0),
        ("T4", 0, 0, 1, 3),
    ]


def test_a_run_without_pods_and_one_without_nodes_have_summaries():
    empty = summed_up(inputs_of([], []))
    assert (empty.groups, empty.pods, sum(empty.counts.values())) == ([], [], 0)
    nowhere = summed_up(inputs_of([], [make_pod("a-0")]))
    assert nowhere.counts[PENDING] == 1
    assert nowhere.groups[0].title
