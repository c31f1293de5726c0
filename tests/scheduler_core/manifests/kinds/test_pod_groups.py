"""Pod groups (scheduler-plugins' Coscheduling)."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.manifest_helpers import load, objects

GROUP = "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {%s}}"


def test_the_least_number_of_members_is_read():
    (group,) = objects(GROUP % "minMember: 3").pod_groups
    assert group.min_member == 3


@pytest.mark.parametrize("spec", ["minMember: -1", "minMember: three"])
def test_a_wrong_number_of_members_is_refused_at_its_field(spec):
    (error,) = load(GROUP % spec).errors
    assert error.field == "spec.minMember"
