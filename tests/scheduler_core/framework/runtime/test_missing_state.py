"""A plugin at Filter or Score without its PreFilter or PreScore does what upstream's does: it schedules, or it errs."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.plugin import FilterPlugin, PreFilterPlugin, PreScorePlugin, ScorePlugin
from scheduler_core.profiles.registry import IN_TREE
from tests.scheduler_core.decided import config, decided, disabled, node, pod, verdicts

ZONE = "topology.kubernetes.io/zone"
NODES = [node("n1", labels={ZONE: "a"}), node("n2", labels={ZONE: "b"})]
FILTER_ERRORS = {
    "NodePorts": 'reading "PreFilterNodePorts" from cycleState: not found',
    "NodeResourcesFit": 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
    "VolumeRestrictions": 'cannot read "PreFilterVolumeRestrictions" from cycleState',
    "VolumeBinding": "not found",
    "PodTopologySpread": 'reading "PreFilterPodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
    "DynamicResources": "not found",
}
SCORE_ERRORS = {
    "TaintToleration": 'failed to read "PreScoreTaintToleration" from cycleState: not found',
    "PodTopologySpread": 'error reading "PreScorePodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
}


def without(point: str, *plugins: str):
    """A configuration whose profile lacks the plugins at one extension point."""
    return config(plugins={point: disabled(*plugins)})


def both(first: type, second: type) -> list[str]:
    return [plugin.name for plugin in IN_TREE if issubclass(plugin, first) and issubclass(plugin, second)]


@pytest.mark.parametrize("plugin", both(PreFilterPlugin, FilterPlugin))
def test_a_filter_without_its_pre_filter_works_or_ends_the_cycle_with_an_error(plugin):
    (step,) = decided(NODES, [pod("p")], without("preFilter", plugin))
    if plugin not in FILTER_ERRORS:
        assert step["result"] == "scheduled"
        return
    assert step["result"] == "error"
    assert step["error"] == f'running "{plugin}" filter plugin: {FILTER_ERRORS[plugin]}'
    (group,) = step["allFilters"][plugin]
    assert group == {"code": "Error", "nodes": ["n1", "n2"], "reasons": [FILTER_ERRORS[plugin]]}


@pytest.mark.parametrize("plugin", both(PreScorePlugin, ScorePlugin))
def test_a_score_without_its_pre_score_works_or_ends_the_cycle_with_an_error(plugin):
    (step,) = decided(NODES, [pod("p")], without("preScore", plugin))
    assert step["feasible"] == ["n1", "n2"]
    if plugin not in SCORE_ERRORS:
        assert (step["result"], plugin in step["score"]) == ("scheduled", True)
        return
    assert step["result"] == "error"
    assert step["error"] == f'running Score plugins: plugin "{plugin}" failed with: {SCORE_ERRORS[plugin]}'


def test_a_single_feasible_node_needs_no_score():
    (step,) = decided(NODES[:1], [pod("p")], without("preScore", "TaintToleration"))
    assert step["node"] == "n1"


def test_of_several_score_plugins_without_pre_score_the_first_of_the_profile_speaks():
    (step,) = decided(NODES, [pod("p")], without("preScore", "InterPodAffinity", "PodTopologySpread"))
    assert 'plugin "PodTopologySpread" failed' in step["error"]


@pytest.mark.parametrize("plugin", ["NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation"])
def test_scores_worked_out_without_pre_score_are_those_with_it(plugin):
    preferred = {"weight": 7, "preference": {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["b"]}]}}
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}}
    pods = [pod(f"p{i}", cpu="1500m", affinity=affinity) for i in range(2)]
    plain, bare = decided(NODES, pods), decided(NODES, pods, without("preScore", plugin))
    assert [step["score"][plugin] for step in plain] == [step["score"][plugin] for step in bare]


@pytest.mark.parametrize("point", ["preScore", "score"])
def test_preferences_that_cannot_be_parsed_fail_the_cycle_with_or_without_pre_score(point):
    bad = {"weight": 1, "preference": {"matchExpressions": [{"key": "g", "operator": "In", "values": ["a b"]}]}}
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [bad]}}
    profile = without("preScore", "NodeAffinity") if point == "score" else None
    step, other = decided(NODES, [pod("p", affinity=affinity), pod("q")], profile)
    began = {
        "preScore": 'running PreScore plugin "NodeAffinity": [0].matchExpressions',
        "score": 'running Score plugins: plugin "NodeAffinity" failed with: [0].matchExpressions',
    }
    assert step["error"].startswith(began[point])
    assert other["result"] == "scheduled"


def test_balanced_allocation_without_pre_score_gives_best_effort_pods_0():
    (step,) = decided(
        NODES, [pod("p", containers=[{"name": "c", "image": "x"}])],
        without("preScore", "NodeResourcesBalancedAllocation"),
    )  # fmt: skip
    assert step["score"]["NodeResourcesBalancedAllocation"]["raw"] == [0, 0]


def test_a_refusal_before_the_failing_filter_spares_the_node_the_error():
    tainted = [node(name, taints=[{"key": "k", "effect": "NoSchedule"}]) for name in ("n1", "n2")]
    (step,) = decided(tainted, [pod("p")], without("preFilter", "NodeResourcesFit"))
    assert step["result"] == "unschedulable"
    assert {plugin for _, plugin, _ in verdicts(step)} == {"TaintToleration"}


def test_preemption_tells_the_error_of_a_filter_without_its_pre_filter():
    full = [pod(f"low-{name}", nodeName=name, priority=-1, cpu="4") for name in ("n1", "n2")]
    objects, pods = [*NODES, *full], [pod("p", cpu="2")]
    (step,) = decided(objects, pods, without("preFilter", "InterPodAffinity"))
    error = f'running "InterPodAffinity" filter plugin: {FILTER_ERRORS["InterPodAffinity"]}'
    assert (step["result"], step["postFilter"]["code"]) == ("unschedulable", "NoNomination")
    assert step["postFilter"]["message"] == f"preemption: {error}"


DISK = {"name": "d", "gcePersistentDisk": {"pdName": "disk"}}


def test_volume_restrictions_without_pre_filter_still_refuses_nodes_with_the_disk_in_use():
    users = [pod(f"user-{name}", nodeName=name, volumes=[DISK]) for name in ("n1", "n2")]
    profile = without("preFilter", "VolumeRestrictions")
    (step,) = decided([*NODES, *users], [pod("p", volumes=[DISK])], profile)
    assert {reasons for _, _, reasons in verdicts(step)} == {"node(s) had no available disk"}
    (step,) = decided([*NODES, users[0]], [pod("p", volumes=[DISK])], profile)
    assert step["error"] == f'running "VolumeRestrictions" filter plugin: {FILTER_ERRORS["VolumeRestrictions"]}'


def volume(zone: str):
    return {
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v", "labels": {ZONE: zone}},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "storageClassName": "",
            "csi": {"driver": "d", "volumeHandle": "h"}, "claimRef": {"namespace": "default", "name": "c"},
        },
        "status": {"phase": "Bound"},
    }  # fmt: skip


CLAIM = {
    "apiVersion": "v1", "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
    "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "",
        "volumeName": "v",
    },
    "status": {"phase": "Bound"},
}  # fmt: skip
USES_CLAIM = {"name": "c", "persistentVolumeClaim": {"claimName": "c"}}


def test_volume_zone_without_pre_filter_looks_the_volumes_up_itself():
    profile = without("preFilter", "VolumeZone")
    (step,) = decided([*NODES, CLAIM, volume("b")], [pod("p", volumes=[USES_CLAIM])], profile)
    assert step["node"] == "n2"
    assert list(verdicts(step)) == [("n1", "VolumeZone", "node(s) had no available volume zone")]


def test_volume_binding_without_pre_filter_and_filter_fails_at_reserve():
    profile = config(plugins={"preFilter": disabled("VolumeBinding"), "filter": disabled("VolumeBinding")})
    (step,) = decided(NODES, [pod("p")], profile)
    assert (step["result"], step["error"]) == ("error", 'running Reserve plugin "VolumeBinding": not found')


def test_volume_binding_without_filter_reserves_nothing():
    delayed = {
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "late"},
        "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer",
    }  # fmt: skip
    spec = {k: v for k, v in CLAIM["spec"].items() if k != "volumeName"} | {"storageClassName": "late"}
    unbound = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": spec}
    users = [pod(f"p{i}", volumes=[USES_CLAIM], nodeSelector={ZONE: zone}) for i, zone in enumerate("ab")]
    profile = config(plugins={"filter": disabled("VolumeBinding")})
    assert [step["result"] for step in decided([*NODES, delayed, unbound], users)] == ["scheduled", "unschedulable"]
    assert [s["result"] for s in decided([*NODES, delayed, unbound], users, profile)] == ["scheduled", "scheduled"]
