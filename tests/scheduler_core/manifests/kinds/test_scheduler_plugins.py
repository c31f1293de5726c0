"""Elastic quotas (scheduler-plugins' CapacityScheduling)."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.manifest_helpers import load, objects

QUOTA = "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: q, namespace: a}, spec: {%s}}"


def test_amounts_are_read_as_canonical_integers():
    (quota,) = objects(
        QUOTA % "min: {cpu: 4, memory: 1Gi}, max: {cpu: 6500m, memory: 2Gi, example.com/gpu: 2}"
    ).elastic_quotas
    assert (quota.key, quota.min) == ("a/q", {"cpu": 4000, "memory": 1 << 30})
    assert quota.max == {"cpu": 6500, "memory": 2 << 30, "example.com/gpu": 2}


def test_a_list_that_is_not_given_is_not_an_empty_one():
    (quota,) = objects(QUOTA % "min: {}").elastic_quotas
    assert (quota.min, quota.max) == ({}, None)


@pytest.mark.parametrize(
    ("spec", "field"),
    [("max: {cpu: -1}", "spec.max.cpu"), ("min: {memory: much}", "spec.min.memory"), ("max: 3", "spec.max")],
)
def test_wrong_amounts_are_refused_at_their_field(spec, field):
    errors = load(QUOTA % spec).errors
    assert [finding.field for finding in errors] == [field]


def test_a_resource_that_is_not_named_counts_as_none_and_is_warned_of():
    warnings = {finding.field: finding.message for finding in load(QUOTA % "min: {memory: 0}, max: {cpu: 6}").warnings}
    assert warnings["spec.max"].startswith("memory not named counts as 0, so the plugin CapacityScheduling refuses")
    assert warnings["spec.min"].startswith("cpu not named counts as 0, so nothing of it is guaranteed")


def test_unbounded_lists_and_lists_that_name_both_are_not_warned_of():
    bounded = load(QUOTA % "max: {cpu: 6, memory: 1Gi}")
    assert bounded.warnings == []


GROUP = "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {%s}}"


def test_the_least_number_of_members_is_read():
    (group,) = objects(GROUP % "minMember: 3").pod_groups
    assert group.min_member == 3


@pytest.mark.parametrize("spec", ["minMember: -1", "minMember: three"])
def test_a_wrong_number_of_members_is_refused_at_its_field(spec):
    (error,) = load(GROUP % spec).errors
    assert error.field == "spec.minMember"
