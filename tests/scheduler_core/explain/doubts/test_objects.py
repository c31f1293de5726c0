"""Each kind that is not played has its doubt where it may falsify something, and none elsewhere."""

from __future__ import annotations

import pytest

from scheduler_core.explain.doubts.answer import doubts_about, doubts_of_run
from scheduler_core.manifests.kinds.registry import CUSTOM_MAKERS
from scheduler_core.manifests.kinds.unplayed import UNPLAYED
from tests.scheduler_core.explain.doubts.inputs import Raw, inputs, made, owner, pod

KUEUE = {"labels": {"kueue.x-k8s.io/queue-name": "q"}, "schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}
TARGET = {"kind": "StatefulSet", "name": "s"}
SET = made(
    "apps/v1",
    "StatefulSet",
    "s",
    "a",
    spec={
        "serviceName": "s",
        "selector": {"matchLabels": {"x": "y"}},
        "template": {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    },
)


def named(answers) -> set[str]:
    return {name for doubt in answers for name in doubt.objects.names}


def an_object(kind: str) -> Raw:
    """An object of a kind of the table, so that it concerns pod a/p as ``concerned`` has it."""
    short, _, group = kind.partition(".")
    version = f"{group}/{'v0' if short in CUSTOM_MAKERS else 'v1'}" if group else "v1"
    row = UNPLAYED[kind]
    spec: Raw = {"template": {"spec": {"containers": []}}} if row.role == "maker" else {}
    if row.role == "scaler":
        spec = {"scaleTargetRef": TARGET, "targetRef": TARGET}
    if kind == "Workload.kueue.x-k8s.io":
        spec = {"queueName": "q"}
    return made(version, short, "q", "a" if row.namespaced else "", spec=spec)


def concerned(kind: str) -> Raw:
    """A pod that an object of the kind concerns."""
    if "kueue" in kind:
        return pod(**KUEUE)
    if "volcano.sh" in kind and UNPLAYED[kind].role != "maker":
        return pod(schedulerName="volcano")
    return pod(owners=[owner("StatefulSet", "s")] if UNPLAYED[kind].role == "scaler" else [])


PASSED_OVER = [kind for kind, row in UNPLAYED.items() if row.role != "rollout"]


@pytest.mark.parametrize("kind", PASSED_OVER)
def test_each_kind_has_its_doubt_for_a_run_and_for_the_pod_that_it_concerns(kind):
    given = inputs(an_object(kind), concerned(kind), SET)
    waiting = next(one for one in given.objects.pods if one.key == "a/p")
    about_run, about_pod = doubts_of_run(given, waits=True), doubts_about(given, waiting, waits=True)
    raw = an_object(kind)
    reference = f"{raw['apiVersion']}/{raw['kind']}/{raw['metadata'].get('namespace', '')}/q"
    assert reference in named(about_run)
    assert (reference in named(about_pod)) == (kind != "CronJob.batch")
    assert {one.code for one in about_run if reference in one.objects.names} == {"NOT_PLAYED"}


@pytest.mark.parametrize("kind", [kind for kind, row in UNPLAYED.items() if row.role in ("admission", "gang", "queue")])
def test_it_says_nothing_of_a_pod_of_another_namespace(kind):
    given = inputs(an_object(kind), concerned(kind), pod("b", "other"))
    other = next(one for one in given.objects.pods if one.key == "b/other")
    assert named(doubts_about(given, other, waits=True)) - {"v1/Pod/a/p"} == set()


@pytest.mark.parametrize("kind", ["ResourceQuota", "LimitRange", "NodePool.karpenter.sh", "Rollout.argoproj.io"])
def test_it_says_nothing_of_a_pod_that_is_on_its_node(kind):
    given = inputs(an_object(kind), pod(node="n"), pod("b", "waits"))
    there = next(one for one in given.objects.pods if one.key == "a/p")
    assert doubts_about(given, there, waits=False) == ()


def test_a_quota_says_nothing_of_a_run_that_decides_nothing_in_its_namespace():
    given = inputs(an_object("ResourceQuota"), pod(node="n"), pod("b", "waits"))
    assert named(doubts_of_run(given, waits=False)) == set()


def test_node_pools_say_nothing_where_no_pod_waits():
    given = inputs(an_object("NodePool.karpenter.sh"), pod())
    assert named(doubts_of_run(given, waits=False)) == set()


def test_a_maker_whose_pods_are_there_concerns_its_own_pods_only():
    rollout = an_object("Rollout.argoproj.io")
    own = pod(name="own", owners=[owner("Rollout", "q", "argoproj.io/v0")])
    given = inputs(rollout, own, pod(name="other"))
    answers = {one.name: named(doubts_about(given, one, waits=True)) for one in given.objects.pods}
    assert answers == {"own": {"argoproj.io/v0/Rollout/a/q"}, "other": set()}


def test_a_custom_kind_with_a_pod_template_makes_pods():
    spec = {"groups": [{"template": {"spec": {"containers": [{"name": "c"}]}}}]}
    answers = doubts_of_run(inputs(made("acme.io/v1", "Fleet", "f", "a", spec=spec), pod()), waits=False)
    assert named(answers) == {"acme.io/v1/Fleet/a/f"}


def test_other_custom_kinds_decide_nothing():
    assert doubts_of_run(inputs(made("acme.io/v1", "Widget", "w", "a", spec={"size": 1}), pod()), waits=False) == ()


def test_a_rollout_under_way_is_named_with_its_strategy():
    def of_set(name: str) -> Raw:
        labels = {"app": "shop", "pod-template-hash": name}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        one = made("apps/v1", "ReplicaSet", f"shop-{name}", "a", spec=spec)
        one["metadata"]["ownerReferences"] = [owner("Deployment", "shop")]
        return one

    def of_pod(name: str, node: str = "") -> Raw:
        labels = {"app": "shop", "pod-template-hash": name}
        return pod(name=f"shop-{name}-1", node=node, labels=labels, owners=[owner("ReplicaSet", f"shop-{name}")])

    spec = {
        "replicas": 1,
        "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "selector": {"matchLabels": {"app": "shop"}},
        "template": {"metadata": {"labels": {"app": "shop"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }
    deployment = made("apps/v1", "Deployment", "shop", "a", spec=spec)
    given = inputs(deployment, of_set("old"), of_set("new"), of_pod("old", "n"), of_pod("new"), pod("a", "other"))
    answers = {one.name: doubts_about(given, one, waits=True) for one in given.objects.pods}
    assert named(answers["shop-new-1"]) == {"apps/v1/Deployment/a/shop"}
    assert given.unplayed.rollouts[0].facts == {"maxSurge": "1", "maxUnavailable": "0"}
    assert answers["other"] == ()


def test_groups_and_elastic_quotas_need_a_profile_that_honours_them():
    group = made("scheduling.x-k8s.io/v1alpha1", "PodGroup", "g", "a", spec={"minMember": 2})
    quota = made("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", "e", "a", spec={"max": {"cpu": "1", "memory": "1Gi"}})
    member = pod(labels={"scheduling.x-k8s.io/pod-group": "g"})
    given = inputs(group, quota, member, pod("b", "other"))
    answers = {one.key: named(doubts_about(given, one, waits=True)) for one in given.objects.pods}
    version = "scheduling.x-k8s.io/v1alpha1"
    assert answers == {"a/p": {f"{version}/PodGroup/a/g", f"{version}/ElasticQuota/a/e"}, "b/other": set()}


def test_names_are_bounded_and_all_are_counted():
    quotas = [made("v1", "ResourceQuota", f"q{i:03}", "a") for i in range(300)]
    (doubt,) = doubts_of_run(inputs(*quotas, pod()), waits=True)
    assert (doubt.objects.count, len(doubt.objects.names)) == (300, 50)
