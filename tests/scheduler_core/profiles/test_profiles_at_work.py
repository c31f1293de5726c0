"""Profiles and pods that recorded cases hardly have: what is decided, in every setting of the engine."""

from __future__ import annotations

import pytest

from tests.scheduler_core.decided import config, decided, disabled, enabled, node, pod, verdicts

ZONE = "topology.kubernetes.io/zone"
A, B = node("a1", labels={ZONE: "a"}), node("b1", labels={ZONE: "b"})
WEB = {"app": "web"}


def tainted(name: str):
    return node(name, taints=[{"key": "k", "effect": "NoSchedule"}])


def with_args(plugin: str, **args):
    return config(pluginConfig=[{"name": plugin, "args": args}])


# --- plugins that a profile lacks at one point ----------------------------------------------------------------------
def test_a_disabled_filter_refuses_no_node_and_still_scores():
    (step,) = decided([tainted("n1"), node("n2")], [pod("p")], config(plugins={"filter": disabled("TaintToleration")}))
    assert step["feasible"] == ["n1", "n2"]
    assert "TaintToleration" in step["score"]


FULL = [A, pod("low", cpu="4", nodeName="a1", priority=-1)]


def test_without_default_preemption_nothing_is_evicted():
    (step,) = decided(FULL, [pod("p", cpu="2")], config(plugins={"postFilter": disabled("DefaultPreemption")}))
    assert step["fitError"] == "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate"
    assert step["postFilter"]["code"] == "NoNomination"


def test_without_any_post_filter_the_failure_is_that_of_the_filters():
    (step,) = decided(FULL, [pod("p", cpu="2")], config(plugins={"postFilter": disabled("*")}))
    assert step["fitError"] == "0/1 nodes are available: 1 Insufficient cpu."
    assert "postFilter" not in step


def test_with_default_preemption_the_lower_pod_is_evicted():
    first, second = decided(FULL, [pod("p", cpu="2")])
    assert (first["postFilter"]["victims"], second["node"]) == (["default/low"], "a1")


def test_scheduling_gates_disabled_at_pre_enqueue_hold_nobody_back():
    gated = pod("p", schedulingGates=[{"name": "g"}])
    (step,) = decided([A], [gated])
    assert (step["result"], step["preEnqueue"]["plugin"]) == ("gated", "SchedulingGates")
    (step,) = decided([A], [gated], config(plugins={"preEnqueue": disabled("SchedulingGates")}))
    assert step["node"] == "a1"


def test_volume_binding_disabled_at_reserve_lets_pods_be_scheduled():
    (step,) = decided([A, B], [pod("p")], config(plugins={"reserve": disabled("VolumeBinding")}))
    assert step["node"] == "a1"


def test_multi_point_with_a_weight_weighs_the_scores():
    taint = {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]}
    weighty = {"multiPoint": {"enabled": [{"name": "TaintToleration", "weight": 11}]}}
    (step,) = decided([node("n1", **taint), node("n2")], [pod("p")], config(plugins=weighty))
    assert (step["score"]["TaintToleration"]["weight"], step["score"]["TaintToleration"]["norm"]) == (11, [0, 100])
    assert step["total"][1] - step["total"][0] == 11 * 100


def test_two_profiles_decide_with_their_own_plugins():
    second = {"schedulerName": "second", "plugins": {"filter": disabled("TaintToleration")}}
    both = config()
    both["profiles"].append(second)
    steps = decided([tainted("n1")], [pod("p"), pod("q", schedulerName="second")], both)
    assert [step["result"] for step in steps] == ["unschedulable", "scheduled"]


# --- arguments ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ignored", [{"ignoredResources": ["acme.org/fpga"]}, {"ignoredResourceGroups": ["acme.org"]}])
def test_ignored_resources_are_not_looked_at(ignored):
    container = {"name": "c", "image": "x", "resources": {"limits": {"acme.org/fpga": "2"}}}
    wants = pod("p", containers=[container])
    (step,) = decided([A], [wants])
    assert list(verdicts(step)) == [("a1", "NodeResourcesFit", "Insufficient acme.org/fpga")]
    (step,) = decided([A], [wants], with_args("NodeResourcesFit", **ignored))
    assert step["node"] == "a1"


def zone_is(zone: str):
    return {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}


def test_added_affinity_refuses_nodes_to_every_pod():
    added = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [zone_is("b")]}}
    (step,) = decided([A, B], [pod("p")], with_args("NodeAffinity", addedAffinity=added))
    assert step["node"] == "b1"
    assert list(verdicts(step)) == [("a1", "NodeAffinity", "node(s) didn't match scheduler-enforced node affinity")]


def test_added_preferences_score_together_with_the_pods_own():
    key = "preferredDuringSchedulingIgnoredDuringExecution"
    added = {key: [{"weight": 3, "preference": zone_is("b")}]}
    own = {"nodeAffinity": {key: [{"weight": 2, "preference": zone_is("a")}]}}
    step, other = decided([A, B], [pod("p", affinity=own), pod("q")], with_args("NodeAffinity", addedAffinity=added))
    assert step["score"]["NodeAffinity"]["raw"] == [2, 3]
    assert other["score"]["NodeAffinity"]["raw"] == [0, 3]


# --- pods -----------------------------------------------------------------------------------------------------------
def named(*names: str, operator: str = "In"):
    fields = [{"matchFields": [{"key": "metadata.name", "operator": operator, "values": [name]}]} for name in names]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": fields}}}


def test_match_fields_narrow_the_nodes_to_those_named():
    (step,) = decided([A, B, node("c1")], [pod("p", affinity=named("b1", "gone"))])
    assert (step["node"], step["preFilterNodes"]) == ("b1", ["b1", "gone"])


def test_match_fields_that_exclude_a_node_narrow_nothing():
    (step,) = decided([A, B], [pod("p", affinity=named("a1", operator="NotIn"))])
    assert (step["node"], "preFilterNodes" in step) == ("b1", False)


def test_mismatch_label_keys_keep_teams_apart():
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": WEB}, "mismatchLabelKeys": ["team"]}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    placed = [
        pod("other", labels={**WEB, "team": "y"}, nodeName="a1"),
        pod("own", labels={**WEB, "team": "x"}, nodeName="b1"),
    ]
    (step,) = decided([A, B, *placed], [pod("p", labels={**WEB, "team": "x"}, affinity=apart)])
    assert step["node"] == "b1"
    assert [(name, plugin) for name, plugin, _ in verdicts(step)] == [("a1", "InterPodAffinity")]


def test_a_sidecar_that_grew_counts_with_what_its_status_reports():
    sidecar = {"name": "s", "image": "x", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}
    grown = pod("grown", cpu="1", nodeName="a1", initContainers=[sidecar])
    grown["status"] = {"initContainerStatuses": [{"name": "s", "resources": {"requests": {"cpu": "2500m"}}}]}
    (step,) = decided([A, grown], [pod("p", cpu="1")])
    assert list(verdicts(step)) == [("a1", "NodeResourcesFit", "Insufficient cpu")]


SPREAD = {
    "maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": WEB},
}  # fmt: skip


@pytest.mark.parametrize("full", ["a1", "b1"])
def test_a_spread_over_two_zones_evicts_nobody_in_vain(full):
    """The emptier zone is closed, the fuller one has a lower pod that does not count: its eviction would not help."""
    closed = "b1" if full == "a1" else "a1"
    nodes = [
        node(
            name,
            labels={ZONE: name[0]},
            **({"taints": [{"key": "k", "effect": "NoSchedule"}]} if name == closed else {}),
        )
        for name in ("a1", "b1")
    ]
    placed = [
        pod("web", labels=WEB, cpu="1", nodeName=full, priority=5),
        pod("low", cpu="3", nodeName=full, priority=-1),
    ]
    (step,) = decided([*nodes, *placed], [pod("p", labels=WEB, cpu="2", topologySpreadConstraints=[SPREAD])])
    assert step["result"] == "unschedulable"
    assert "candidates" not in step["postFilter"]


@pytest.mark.parametrize("kind", ["StatefulSet", "ReplicationController"])
def test_pods_of_a_controller_are_spread_by_default(kind):
    version = "apps/v1" if kind == "StatefulSet" else "v1"
    selector = {"matchLabels": WEB} if kind == "StatefulSet" else WEB
    template = {"metadata": {"labels": WEB}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    owner = {
        "apiVersion": version, "kind": kind, "metadata": {"name": "web"},
        "spec": {"replicas": 0, "selector": selector, "template": template, "serviceName": "web"},
    }  # fmt: skip
    if kind == "ReplicationController":
        del owner["spec"]["serviceName"]
    owned = pod("web-1", labels=WEB)
    owned["metadata"]["ownerReferences"] = [
        {"apiVersion": version, "kind": kind, "name": "web", "uid": "u", "controller": True}
    ]
    placed = pod("web-0", labels=WEB, nodeName="a1")
    step, other = decided([A, B, owner, placed], [owned, pod("alone", labels=WEB)])
    # a1 has one pod by hostname (shift 2) and by zone (shift 4), each weighing ln(2 + 2); b1 has the shifts alone
    assert step["score"]["PodTopologySpread"]["raw"] == [9, 6]
    assert step["score"]["PodTopologySpread"]["norm"] == [66, 100]
    assert step["node"] == "b1"
    assert "PodTopologySpread" not in other["score"]


def test_extra_scores_can_be_left_to_single_plugins():
    only = config(plugins={"score": {**disabled("*"), **enabled("ImageLocality")}})
    (step,) = decided([A, B], [pod("p")], only)
    assert list(step["score"]) == ["ImageLocality"]
