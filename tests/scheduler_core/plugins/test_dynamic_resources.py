"""DynamicResources as far as it is mirrored: pods without claims, and the messages of PostFilter."""

from __future__ import annotations

from scheduler_core.framework.cycle import Cycle, FilterOutcome
from scheduler_core.framework.interface import NoArgs
from scheduler_core.framework.status import SKIP, error, unresolvable, unschedulable
from scheduler_core.plugins.dynamic_resources import DynamicResources
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle


def test_pods_without_claims_are_skipped_and_pods_with_claims_refused() -> None:
    cluster = make_cluster([make_node("n")])
    plugin = DynamicResources(NoArgs(), FakeHandle(cluster))
    assert plugin.pre_filter(Cycle(), cluster.info(make_pod("p"))).status == SKIP
    refused = plugin.pre_filter(Cycle(), cluster.info(make_pod("q", resource_claims=("gpu", "nic"))))
    assert refused.status == unresolvable("resource claims are not simulated: gpu, nic")


def test_post_filter_has_nothing_to_do_and_fails_without_its_pre_filter() -> None:
    cluster = make_cluster([make_node("n")])
    handle = FakeHandle(cluster)
    plugin, pod, cycle = DynamicResources(NoArgs(), handle), cluster.info(make_pod("p")), Cycle()
    outcome = FilterOutcome(cluster, handle.reasons, [])
    assert plugin.post_filter(cycle, pod, outcome).status == error("not found")
    assert plugin.pre_filter(cycle, pod).status.is_skip
    cycle.skip_filter.add(plugin.name)  # as the runtime does
    result = plugin.post_filter(cycle, pod, outcome)
    assert (result.status, result.nominated_node) == (unschedulable("no new claims to deallocate"), None)
