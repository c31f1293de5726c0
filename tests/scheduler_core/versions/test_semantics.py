"""A version and its gates say which behaviours hold; what cannot be played is refused by name."""

from __future__ import annotations

import pytest

from scheduler_core.versions.behaviours import BEHAVIOURS, Behaviours
from scheduler_core.versions.gates import GateError
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import NAMES, TRAINS, VersionError


def test_the_table_has_each_behaviour_once_and_says_where_it_holds():
    assert list(BEHAVIOURS) == list(Behaviours.__struct_fields__)
    for row in BEHAVIOURS.values():
        assert bool(row.holds_in) != bool(row.gate)
        assert set(row.holds_in) <= set(NAMES)
        assert row.change
        assert row.sentence.endswith(".")


def test_without_a_version_all_is_as_it_was_before_runs_named_one():
    assert behaviours_of("").names() == {
        "devices",
        "merged_selector_stays",
        "pod_level_resources",
        "too_small_is_unresolvable",
    }


@pytest.mark.parametrize(
    ("older", "newer", "differences"),
    [
        (
            "1.34.1",
            "1.35",
            {
                "taint_is_named",
                "device_ranks_score",
                "failure_clears_nomination",
                "binding_sends_no_delete",
                "class_config_names_requests",
                "pools_counted_whole",
            },
        ),
        (
            "1.34",
            "1.34.1",
            {"taint_is_named", "terminating_victims_deleted_again", "class_config_names_requests"},
        ),
        (
            "1.35",
            "1.36",
            {
                "balance_by_change",
                "image_volumes_count",
                "declared_features",
                "affinity_hints_see_more",
                "all_in_later_alternatives",
                "device_taints",
                "device_counters",
                "device_capacity",
                "device_extended_resources",
                "device_binding_conditions",
            },
        ),
        ("1.36", "1.37", {"preemption_names_placement"}),
    ],
)
def test_versions_differ_in_the_changes_between_them(older, newer, differences):
    assert set(behaviours_of(older).difference(behaviours_of(newer))) == differences


def test_a_gate_switches_its_behaviour_in_the_versions_that_know_it():
    assert behaviours_of("1.36").declared_features
    assert not behaviours_of("1.36", "NodeDeclaredFeatures=false").declared_features
    assert behaviours_of("1.35", "NodeDeclaredFeatures=true").declared_features
    assert behaviours_of("1.36", "NodeDeclaredFeatures=true") == behaviours_of("1.36")


@pytest.mark.parametrize(
    ("version", "gates", "problem"),
    [
        ("1.37", "NodeDeclaredFeatures=false", "NodeDeclaredFeatures is locked to true in 1.37"),
        ("1.36", "NoSuchGate=true", "kube-scheduler 1.36 has no feature gate NoSuchGate"),
        ("1.33", "NodeDeclaredFeatures=true", "kube-scheduler 1.33 has no feature gate NodeDeclaredFeatures"),
        ("1.36", "OpportunisticBatching=false", "OpportunisticBatching=false is not played"),
        ("", "NodeDeclaredFeatures=true", "feature gates need the version"),
    ],
)
def test_gates_that_cannot_be_followed_are_refused_by_name(version, gates, problem):
    with pytest.raises(GateError, match=problem):
        behaviours_of(version, gates)


def test_single_behaviours_are_switched_whatever_the_version():
    old = behaviours_of("1.34", switched="balance_by_change=true")
    assert old.difference(behaviours_of("1.34")) == ("balance_by_change",)
    with pytest.raises(GateError, match="there is no behaviour balanced"):
        behaviours_of("1.34", switched="balanced=true")
    with pytest.raises(VersionError):
        behaviours_of("newest")


def test_every_gate_of_a_behaviour_is_known_to_some_version():
    for row in BEHAVIOURS.values():
        if row.gate:
            assert any(row.gate in train.gates for train in TRAINS.values()), row.gate
