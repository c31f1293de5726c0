"""Claims of a pod: which must exist, and be its own."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.objects import (
    OwnerReference,
)
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.status import SUCCESS, unresolvable
from scheduler_core.plugins.volume_binding.plugin import UNBOUND_IMMEDIATE
from tests.scheduler_core.plugins.volume_binding.volumes_of_a_pod import make, plugin_on
from tests.scheduler_core.plugins.volume_objects import (
    claim,
    ephemeral_pod,
    pod_with,
)


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([], 'persistentvolumeclaim "c" not found', id="a missing claim"),
        pytest.param(
            [claim("c", phase="Lost", volume_name="v")],
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"', id="a lost claim",
        ),
        pytest.param(
            [claim("c", deletion_timestamp=1.0)], 'persistentvolumeclaim "c" is being deleted', id="a claim that goes"
        ),
        pytest.param([claim("c", "immediate")], UNBOUND_IMMEDIATE, id="an unbound claim of an immediate class"),
        pytest.param([claim("c", "nowhere")], UNBOUND_IMMEDIATE, id="an unbound claim of an unknown class"),
        pytest.param([claim("c", volume_name="v")], UNBOUND_IMMEDIATE, id="a claim that is bound from one side only"),
    ],
)  # fmt: skip
def test_claims_that_refuse_the_pod(objects: list[Any], expected: str) -> None:
    cluster = make(*objects)
    assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(pod_with("c"))).status == unresolvable(expected)


def test_ephemeral_claims_must_exist_and_be_the_pods_own() -> None:
    owner = OwnerReference(kind="Pod", name="p", uid="uid-default-p", controller=True)
    cases: list[tuple[list[Any], str]] = [
        ([], 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"'),
        ([claim("p-scratch")], "PVC default/p-scratch was not created for pod default/p (pod is not owner)"),
    ]
    for objects, text in cases:
        cluster = make(*objects)
        assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(ephemeral_pod())).status == unresolvable(text)
    cluster = make(claim("p-scratch", owner_references=(owner,)))
    assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(ephemeral_pod())).status == SUCCESS
