"""What is said of pods that no node refused: gated, foreign, replaced, failed, gone."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import PersistentVolumeClaim, Volume
from scheduler_core.explain.outcomes import (
    COMPLETED,
    LOST,
    PENDING,
    PREEMPTED,
)
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE
from scheduler_core.profiles.registry import in_tree
from scheduler_core.simulate import Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import case, everything
from tests.scheduler_core.engine.test_plugins_that_raise import Brittle, configuration
from tests.scheduler_core.explain.outcomes.runs import group_of, said, summed_up
from tests.scheduler_core.explain.outcomes.summed_runs import inputs_of


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


def test_pods_that_the_input_has_decided_are_a_group_and_bound_by_the_run_once_they_have_their_volumes():
    claim = PersistentVolumeClaim(name="c", annotations={SELECTED_NODE: "a"})
    inputs = inputs_of([make_node("a")], [make_pod("d-0", volumes=(Volume(name="c", claim_name="c"),))])
    inputs = msgspec.structs.replace(
        inputs, objects=msgspec.structs.replace(inputs.objects, persistent_volume_claims=[claim])
    )
    group = group_of(summed_up(inputs), "default/d-0")
    assert (group.kind, said(group)) == (PENDING, "Their room is held on a.")
    entry = TimelineEntry(1_000_000, "put", msgspec.structs.replace(claim, volume_name="v"))
    inputs = msgspec.structs.replace(inputs, timeline=Timeline.of([entry]), schedule="timeline")
    assert group_of(summed_up(inputs), "default/d-0").title == "Bound"


def test_victims_that_were_made_anew_are_apart_from_those_that_were_not():
    outcomes = summed_up(case("deployment", "deployment-timeline"))
    victims = [group for group in outcomes.groups if group.kind == PREEMPTED]
    assert {group.title for group in victims} == {"Preempted, replaced by their owners"}
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
    titles = {group.title: group.n_pods for group in outcomes.groups if group.kind == LOST}
    assert titles == {"Lost with their node, replaced by their owners": 2, "Lost with their node and not replaced": 2}
