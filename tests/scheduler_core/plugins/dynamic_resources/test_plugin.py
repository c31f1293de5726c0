"""DynamicResources as far as it is mirrored: gates and refusals by claims, hints, and the messages of PostFilter.

Texts are those of resourceclaim.Name and IsForPod (dynamic-resource-allocation v0.34) and of the plugin's claim cache;
tests/conformance/cases/differences has a recorded gate.
"""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.devices import Allocation
from scheduler_core.api.objects import OwnerReference, Pod, PodResourceClaim, ResourceClaim
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, Hint, Resource
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, error, unresolvable, unschedulable
from scheduler_core.plugins.dynamic_resources import DynamicResources
from scheduler_core.plugins.dynamic_resources.args import DynamicResourcesArgs
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import NODE_ADD, ask

CLAIM_ADD = (Resource.RESOURCE_CLAIM, ActionType.ADD)
CLAIM_UPDATE = (Resource.RESOURCE_CLAIM, ActionType.UPDATE)
POD_CLAIMS = (Resource.POD, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM)
NAMED = PodResourceClaim("gpu", claim_name="g")
GENERATED = PodResourceClaim("nic", template_name="t", generated="p-nic-x")
MINE = (OwnerReference("Pod", "p", "uid-default-p", controller=True),)
G, NIC = ResourceClaim(name="g"), ResourceClaim(name="p-nic-x", owner_references=MINE)


def pod_with(*entries: PodResourceClaim) -> Pod:
    return make_pod("p", resource_claims=entries)


def plugin_with(*claims: ResourceClaim) -> DynamicResources:
    return DynamicResources(DynamicResourcesArgs(), FakeHandle(make_cluster([make_node("n")], objects=claims)))


@pytest.mark.parametrize(
    ("claims", "entry", "problem"),
    [
        pytest.param([], NAMED, 'could not find ResourceClaim "default/g"', id="a missing claim"),
        pytest.param(
            [ResourceClaim(name="g", namespace="other")], NAMED, 'could not find ResourceClaim "default/g"',
            id="a claim of another namespace",
        ),
        pytest.param(
            [ResourceClaim(name="g", deletion_timestamp=1.0)], NAMED, 'resourceclaim "g" is being deleted',
            id="a claim on its way out",
        ),
        pytest.param(
            [], PodResourceClaim("nic", template_name="t"), 'pod "default/p": ResourceClaim not created yet',
            id="a template of which nothing was generated yet",
        ),
        pytest.param([], GENERATED, 'could not find ResourceClaim "default/p-nic-x"', id="a missing generated claim"),
        pytest.param(
            [ResourceClaim(name="p-nic-x")], GENERATED,
            "ResourceClaim default/p-nic-x was not created for pod default/p (pod is not owner)",
            id="another pod's generated claim",
        ),
        pytest.param(
            [], PodResourceClaim("gpu"),
            'pod "default/p", spec.resourceClaim "gpu": none of the supported fields are set',
            id="neither claim nor template",
        ),
    ],
)  # fmt: skip
def test_a_pod_is_gated_until_it_has_its_claims(
    claims: list[ResourceClaim], entry: PodResourceClaim, problem: str
) -> None:
    plugin, pod = plugin_with(*claims), pod_with(entry)
    assert plugin.pre_enqueue(pod) == unresolvable(problem)
    cluster = plugin.handle.cluster
    assert plugin.pre_filter(CycleState(), cluster.info(pod)).status == unresolvable(problem), "it went meanwhile"


def test_a_pod_that_has_its_claims_is_let_through_and_refused_then() -> None:
    plugin, pod = plugin_with(G, NIC), pod_with(NAMED, GENERATED)
    assert plugin.pre_enqueue(pod) == SUCCESS
    refused = plugin.pre_filter(CycleState(), plugin.handle.cluster.info(pod)).status
    assert (refused.code, refused.message.endswith(": gpu, nic")) == (unresolvable("").code, True)


@pytest.mark.parametrize("entries", [(), (PodResourceClaim("nic", template_name="t", generated=""),)])
def test_a_pod_that_needs_no_claim_is_skipped(entries: tuple[PodResourceClaim, ...]) -> None:
    plugin, pod = plugin_with(), pod_with(*entries)
    assert plugin.pre_enqueue(pod) == SUCCESS
    assert plugin.pre_filter(CycleState(), plugin.handle.cluster.info(pod)).status == SKIP


def test_hints() -> None:
    pod = pod_with(NAMED)
    taken = msgspec.structs.replace(G, allocation=Allocation())
    other = ResourceClaim(name="other")
    assert ask(plugin_with(G), CLAIM_ADD, pod, None, G) is Hint.QUEUE
    assert ask(plugin_with(G), CLAIM_ADD, pod, None, other) is Hint.SKIP
    assert ask(plugin_with(), CLAIM_ADD, pod, None, other) is Hint.SKIP, "its claim is still missing"
    assert ask(plugin_with(taken), CLAIM_UPDATE, pod, G, taken) is Hint.QUEUE
    assert ask(plugin_with(G), CLAIM_UPDATE, pod, G, G) is Hint.SKIP
    freed = msgspec.structs.replace(other, allocation=Allocation())
    assert ask(plugin_with(G), CLAIM_UPDATE, pod, freed, other) is Hint.QUEUE, "devices became free"
    waiting, with_claim = pod_with(PodResourceClaim("nic", template_name="t")), pod_with(GENERATED)
    assert ask(plugin_with(NIC), POD_CLAIMS, waiting, waiting, with_claim) is Hint.QUEUE
    assert ask(plugin_with(), POD_CLAIMS, waiting, waiting, with_claim) is Hint.SKIP
    assert ask(plugin_with(G), NODE_ADD, pod, None, make_node("m")) is Hint.QUEUE


def test_post_filter_has_nothing_to_do_and_fails_without_its_pre_filter() -> None:
    cluster = make_cluster([make_node("n")])
    handle = FakeHandle(cluster)
    plugin, pod, cycle = DynamicResources(DynamicResourcesArgs(), handle), cluster.info(make_pod("p")), CycleState()
    outcome = FilterOutcome(cluster, handle.run.reasons, [])
    assert plugin.post_filter(cycle, pod, outcome).status == error("not found")
    assert plugin.pre_filter(cycle, pod).status.is_skip
    cycle.skip_filter.add(plugin.name)  # as the runtime does
    result = plugin.post_filter(cycle, pod, outcome)
    assert (result.status, result.nominated_node) == (unschedulable("no new claims to deallocate"), None)
