"""Pods of Rollouts, RayClusters and SparkApplications: how many, what they request, and never twice."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from scheduler_core.api.resources import PODS, pod_requests
from scheduler_core.collect.fields.allowed import PlainNames, projected
from scheduler_core.explain.doubts.answer import doubts_of_run
from scheduler_core.manifests import Limits, LoadResult, ManifestSource, load_cluster, load_manifests
from scheduler_core.manifests.kinds.makers import MAKERS
from scheduler_core.manifests.kinds.registry import CUSTOM_MAKERS
from scheduler_core.manifests.masking.secrets import mask
from scheduler_core.simulate import RunInputs, RunSession, timeline_from_raw
from tests.scheduler_core.manifests.expansion.made_cases import CASES, changed, made, ray, rollout, spark, template

if TYPE_CHECKING:
    from scheduler_core.api.objects import Pod

Raw = dict[str, Any]


def loaded(*raws: Raw) -> LoadResult:
    return load_manifests(raws)


def pods_of(*raws: Raw) -> list[Pod]:
    result = loaded(*raws)
    assert result.errors == []
    return result.objects.pods


def counts(pods: list[Pod], stems: set[str]) -> dict[str, int]:
    """How many names begin with each of these; "" for none."""
    return dict(Counter(next((stem for stem in stems if pod.name.startswith(stem)), "") for pod in pods))


def doubts(result: LoadResult) -> list[str]:
    answers = doubts_of_run(RunInputs(objects=result.objects, unplayed=result.unplayed), waits=True)
    return [one.text for one in answers if one.code == "NOT_PLAYED"]


def running(pod: Pod, **metadata: Any) -> Raw:
    """The manifest of a pod that is there and was made for an object of a custom kind."""
    owners = [{"kind": one.kind, "name": one.name, "controller": one.controller, "apiVersion": one.api_version}
              for one in pod.owner_references]  # fmt: skip
    meta = {"name": f"{pod.name}-there", "namespace": "a", "labels": pod.labels, "ownerReferences": owners, **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.mark.parametrize("name", CASES)
def test_the_pods_are_those_that_the_source_says_and_the_twin_ends_otherwise(name: str) -> None:
    case = CASES[name]
    twin = (changed(case.raws[0], *case.change), *case.raws[1:])
    assert case.source.startswith("https://")
    for raws, right, requests in (
        (case.raws, case.pods, case.requests),
        (twin, case.twin_pods, case.twin_requests),
    ):
        pods = pods_of(*raws)
        assert counts(pods, {*case.pods, *case.twin_pods}) == right
        last = [pod for pod in pods if pod.name.startswith(list(right)[-1])] if right else []
        for pod in last:
            asks = pod_requests(pod)
            assert {key: value for key, value in asks.items() if key != PODS} == requests
    assert (case.pods, case.requests) != (case.twin_pods, case.twin_requests)


def test_pods_name_what_made_them() -> None:
    owners = {
        pod.name.rpartition("-")[0]: pod.owner_references for pod in pods_of(rollout(), ray({"replicas": 1}), spark())
    }
    assert {stem: [(one.kind, one.controller) for one in named] for stem, named in owners.items() if "-" in stem} == {
        "c-head": [("RayCluster", True)],
        "c-g-worker": [("RayCluster", True)],
        "s-exec": [("Pod", True), ("SparkApplication", False)],
        **{stem: [("ReplicaSet", True)] for stem in owners if stem.startswith("r-")},
    }
    (of_rollout,) = {one.owner for one in loaded(rollout()).objects.workloads}
    assert (of_rollout.kind, of_rollout.api_version) == ("Rollout", "argoproj.io/v1alpha1")


def test_labels_that_operators_give_are_there_and_templates_cannot_change_them() -> None:
    group = {"replicas": 1, "template": {**template(), "metadata": {"labels": {"ray.io/group": "x", "team": "t"}}}}
    (worker,) = [pod for pod in pods_of(ray(group)) if "worker" in pod.name]
    assert worker.labels.items() >= {"ray.io/cluster": "c", "ray.io/group": "g", "team": "t"}.items()
    assert [container.requests["cpu"] for container in worker.init_containers] == [200]
    executor = pods_of(spark(executor={"labels": {"team": "t"}}))[-1]
    assert (
        executor.labels.items() >= {"spark-role": "executor", "sparkoperator.k8s.io/app-name": "s", "team": "t"}.items()
    )


def test_fields_of_spark_become_those_of_the_pod() -> None:
    fields: Raw = {
        "nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "k", "operator": "Exists"}], "schedulerName": "other",
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "k", "operator": "Exists"}]}]}}},
        "gpu": {"name": "nvidia.com/gpu", "quantity": 2}, "coreLimit": "2", "hostNetwork": True,
        "sidecars": [{"name": "log", "image": "l", "resources": {"requests": {"cpu": "250m"}}}],
        "initContainers": [{"name": "i", "image": "l"}], "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    }  # fmt: skip
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "p"}}, {"name": "w", "emptyDir": {}}]
    conf = {"spark.kubernetes.node.selector.zone": "z"}
    raw = spark(driver=fields, volumes=volumes, nodeSelector={"pool": "spark"}, sparkConf=conf)
    driver, executor = pods_of(raw)[:2]
    assert driver.node_selector == {"disk": "ssd", "pool": "spark", "zone": "z"}
    assert executor.node_selector == {"pool": "spark", "zone": "z"}
    assert [(one.key, driver.scheduler_name) for one in driver.tolerations] == [("k", "other")]
    assert driver.affinity is not None
    assert executor.affinity is None
    assert pod_requests(driver)["nvidia.com/gpu"] == 2
    assert [one.requests["cpu"] for one in driver.containers] == [1000, 250]
    assert [(one.name, one.claim_name) for one in driver.volumes] == [("v", "p")]
    assert {port.host_port for port in driver.containers[0].ports} == {7078, 7079, 4040}
    assert pods_of(changed(raw, ("spec", "batchScheduler"), "volcano"))[0].scheduler_name == "volcano"
    without = {
        "template": {"spec": {"containers": []}},
        **{name: fields[name] for name in ("nodeSelector", "tolerations")},
    }
    assert pods_of(spark(driver=without))[0].tolerations == ()


# --- what is there ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "raw", [rollout(), ray({"replicas": 3}), spark(executor={"instances": 3})], ids=lambda raw: raw["kind"]
)
def test_pods_that_the_input_holds_are_not_made_again(raw: Raw) -> None:
    pods = pods_of(raw)
    there = [running(pod) for pod in pods]
    assert len(pods_of(raw, *there)) == len(there)
    result = loaded(raw, *there[:-1])
    assert len(result.objects.pods) == len(there)
    assert [one.severity for one in result.findings if "missing ones are added" in one.message] == ["warning"]


def test_after_the_driver_ended_nothing_is_made() -> None:
    driver = pods_of(spark())[0]
    ended = running(driver, name="s-driver") | {"status": {"phase": "Succeeded"}}
    assert len(pods_of(spark(), ended)) == 1


def test_a_rollout_under_way_makes_no_more_and_is_named() -> None:
    def of_set(code: str) -> list[Raw]:
        labels = {"app": "x", "rollouts-pod-template-hash": code}
        one = made("apps/v1", "ReplicaSet", f"r-{code}", {
            "replicas": 2, "selector": {"matchLabels": labels},
            "template": {**template(), "metadata": {"labels": labels}}})  # fmt: skip
        owner = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": "r", "controller": True}
        one["metadata"]["ownerReferences"] = [owner]
        return [one]

    result = loaded(rollout(), *of_set("old"), *of_set("new"))
    assert len(result.objects.pods) == 4
    (text,) = doubts(loaded(rollout(), *of_set("old"), *of_set("new"), *[
        running(pod) for pod in result.objects.pods]))  # fmt: skip
    assert text.startswith("rollout of Rollout a/r is not played")
    assert {one.owner_replicas for one in result.objects.workloads} == {3}


def test_the_sets_of_a_rollout_that_a_dump_lacks_are_not_missed() -> None:
    pods = pods_of(rollout())
    text = json.dumps({"kind": "List", "apiVersion": "v1", "items": [rollout(), *[running(one) for one in pods]]})
    result = load_cluster([ManifestSource("f.json", text.encode())])
    assert (len(result.objects.pods), result.findings) == (len(pods), [])


def test_a_rollout_replaces_pods_of_a_lost_node_and_a_cluster_of_ray_does_not() -> None:
    room = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}
    nodes = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": room} for name in ("one", "two")
    ]
    gone = [
        {"at": f"{at}s", "action": action, "object": node}
        for at, action, node in ((5, "add", nodes[1]), (9, "delete", nodes[0]))
    ]
    result = loaded(nodes[0], rollout(replicas=1), ray({"replicas": 1}))
    timeline = timeline_from_raw({"entries": gone})
    session = RunSession.start(RunInputs(objects=result.objects, schedule="timeline", timeline=timeline))
    session.advance()
    world = session.simulation.world
    assert [(pod.labels.get("ray.io/group"), pod.node_name) for pod in world.pods.values()] == [(None, "two")]


# --- doubts ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("raw", "named"),
    [
        (rollout(), []),
        (ray({"replicas": 1}), []),
        (spark(), []),
        (CASES["rollout-reference"].raws[0], ["Rollout a/r is", "Deployment", "not in the input"]),
        (ray({"replicas": 1}, enableInTreeAutoscaling=True), ["Ray's autoscaler of RayCluster a/c"]),
        (ray(enableInTreeAutoscaling=True), []),
        (spark(dynamicAllocation={"enabled": True}), ["dynamic allocation of SparkApplication a/s"]),
        (spark(sparkConf={"spark.kubernetes.executor.podTemplateFile": "f"}), ["sparkConf", "podTemplateFile"]),
        (spark(sparkConf={"spark.eventLog.enabled": "true"}), []),
        (spark(mode="client"), ["the driver of SparkApplication a/s"]),
        (changed(ray(), ("apiVersion",), "ray.io/v9"), ["RayCluster a/c is not played"]),
        (made("ray.io/v1", "RayJob", "j", {"rayClusterSpec": {}}), ["RayJob a/j is not played"]),
    ],
)  # fmt: skip
def test_what_is_not_played_is_named_and_nothing_else(raw: Raw, named: list[str]) -> None:
    result = loaded(raw)
    texts = doubts(LoadResult(objects=result.objects, unplayed=result.unplayed))
    assert len(texts) == bool(named)
    assert all(part in texts[0] for part in named)


def test_many_that_lack_a_part_are_one_doubt() -> None:
    borrower = CASES["rollout-reference"].raws[0]
    named = [
        changed(changed(borrower, ("metadata", "name"), f"r{i}"), ("spec", "workloadRef", "name"), f"d{i}")
        for i in range(5)
    ]
    (text,) = doubts(loaded(*named))
    assert text.startswith("5 Rollouts")
    assert "and 2 more" in text


def test_a_rollout_without_its_lender_is_a_warning_of_a_whole_cluster_and_one_with_two_templates_an_error() -> None:
    borrower, lender = CASES["rollout-reference"].raws
    whole = load_cluster([ManifestSource("f.json", json.dumps(borrower).encode())])
    assert [(one.severity, one.field) for one in whole.findings] == [("warning", "spec.workloadRef")]
    assert loaded(borrower).findings == []
    both = changed(borrower, ("spec", "template"), template())
    assert [one.field for one in loaded(both, lender).errors] == ["spec.template"]


def test_what_owns_a_cluster_that_is_played_is_no_doubt() -> None:
    owned = ray({"replicas": 1})
    owned["metadata"]["ownerReferences"] = [{"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "j"}]
    jobs = [made("ray.io/v1", "RayJob", name, {"rayClusterSpec": {}}) for name in ("j", "k")]
    (text,) = doubts(loaded(owned, *jobs))
    assert text.startswith("RayJob a/k is not played")


# --- what is wrong ---------------------------------------------------------------------------------------------------
_HUGE = 10**9
_TEMPLATE = "spec.driver.template"
_GROUP = "spec.workerGroupSpecs[0]"


@pytest.mark.parametrize(
    ("raw", "path", "value", "field"),
    [
        (rollout(), ("spec", "template"), [], "spec.template"),
        (rollout(), ("spec", "replicas"), "x", "spec.replicas"),
        (rollout(), ("spec", "replicas"), -1, "spec.replicas"),
        (rollout(), ("spec", "replicas"), _HUGE, "spec.replicas"),
        (rollout(), ("spec", "selector"), None, "spec.selector"),
        (ray({}), ("spec", "headGroupSpec"), [], "spec.headGroupSpec.template"),
        (ray({}), ("spec", "workerGroupSpecs"), {"a": 1}, "spec.workerGroupSpecs"),
        (ray({}), ("spec", "workerGroupSpecs", 0, "replicas"), "x", f"{_GROUP}.replicas"),
        (ray({}), ("spec", "workerGroupSpecs", 0, "replicas"), _HUGE, f"{_GROUP}.replicas"),
        (ray({"replicas": 1}), ("spec", "workerGroupSpecs", 0, "numOfHosts"), _HUGE, f"{_GROUP}.replicas"),
        (ray({"maxReplicas": 1}), ("spec", "workerGroupSpecs", 0, "minReplicas"), 2, f"{_GROUP}.minReplicas"),
        (ray({}), ("spec", "workerGroupSpecs", 0, "template"), 3, f"{_GROUP}.template"),
        (ray({}), ("spec", "workerGroupSpecs", 0, "template", "spec", "tolerations"), "x",
         f"{_GROUP}.template.spec.tolerations"),
        (ray({}), ("spec", "workerGroupSpecs", 0, "groupName"), None, f"{_GROUP}.groupName"),
        (spark(), ("spec", "driver"), None, "spec.driver"),
        (spark(), ("spec", "driver"), [], "spec.driver"),
        (spark(), ("spec", "executor", "instances"), "x", "spec.executor.instances"),
        (spark(), ("spec", "executor", "instances"), _HUGE, "spec.executor.instances"),
        (spark(), ("spec", "executor", "memory"), "8Gi", "spec.executor.memory"),
        (spark(), ("spec", "driver", "memory"), {}, "spec.driver.memory"),
        (spark(), ("spec", "memoryOverheadFactor"), "lots", "spec.memoryOverheadFactor"),
        (spark(), ("spec", "sparkConf"), {"spark.executor.cores": "two"}, "spec.sparkConf[spark.executor.cores]"),
        (spark(), ("spec", "sparkConf"), ["a"], "spec.sparkConf"),
        (spark(), ("spec", "driver", "coreRequest"), "much", "spec.driver.coreRequest"),
        (spark(), ("spec", "driver", "tolerations"), [{"operator": "Is"}], "spec.driver.tolerations[0].operator"),
        (spark(), ("spec", "driver", "sidecars"), [{"image": "x"}], "spec.driver.sidecars[0].name"),
        (spark(), ("spec", "driver", "template"), [], "spec.driver.template"),
        (spark(), ("spec", "driver", "template"), {"spec": {"containers": "x"}}, f"{_TEMPLATE}.spec.containers"),
        (spark(), ("spec", "driver", "template"), {"spec": {"tolerations": 1}}, f"{_TEMPLATE}.spec.tolerations"),
        (spark(), ("spec", "type"), "Ruby", "spec.type"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_an_error_of_its_field(raw: Raw, path: tuple[str | int, ...], value: Any, field: str) -> None:
    wrong = changed(raw, path, value)
    result = loaded(wrong)
    errors = {(one.field, one.object) for one in result.errors}
    assert (field, f"{raw['kind']} a/{raw['metadata']['name']}") in errors
    assert len(result.objects.pods) < 10
    mask(wrong)
    load_manifests([wrong], expand=False)


HOSTILE: tuple[Any, ...] = (
    [],
    {},
    "x",
    -1,
    _HUGE,
    1 << 70,
    True,
    0.5,
    "***",
    ["x"],
    [[]],
    [{"a": [1]}],
    {"a": {"b": []}},
    "9" * 400,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values below."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [one for key, inner in entries for one in ((*path, key), *places(inner, (*path, key)))]


@pytest.mark.parametrize("raw", [one for case in CASES.values() for one in case.raws[:1]], ids=CASES)
def test_whatever_stands_in_a_field_is_read_or_refused_by_its_name(raw: Raw) -> None:
    random = Random(raw["metadata"]["name"])
    of_spec = [path for path in places(raw) if path[0] in ("spec", "status")]
    for _ in range(40):
        hostile = changed(raw, random.choice(of_spec), random.choice(HOSTILE))
        result = load_cluster([ManifestSource("f.json", json.dumps(hostile).encode())], Limits(max_pods_expanded=50))
        assert len(result.objects.pods) <= 50
        assert all(one.object and one.line for one in result.errors)
        for masks in (hostile, projected(raw["kind"], raw["apiVersion"], hostile, PlainNames())):
            mask(masks)


# --- what leaves -----------------------------------------------------------------------------------------------------
SECRET = "hunter2"
HIDDEN: dict[str, Raw] = {
    "Rollout": {"strategy": {"canary": {"analysis": {"args": [{"name": "t", "value": SECRET}]}}}},
    "RayCluster": {"gcsFaultToleranceOptions": {"redisPassword": {"value": SECRET}}, "rayVersion": SECRET},
    "SparkApplication": {
        "arguments": [SECRET], "hadoopConf": {"fs.s3a.secret.key": SECRET}, "proxyUser": SECRET,
        "sparkConf": {"spark.hadoop.fs.s3a.secret.key": SECRET, "spark.executor.memory": "8g",
                      "spark.kubernetes.driver.label.team": "t"},
    },
}  # fmt: skip


@pytest.mark.parametrize("raw", [one for case in CASES.values() for one in case.raws[:1]], ids=CASES)
def test_masking_and_collecting_keep_what_is_read_and_hide_the_rest(raw: Raw) -> None:
    kind = raw["kind"]
    whole = {**raw, "spec": {**raw["spec"], **HIDDEN[kind]}}
    for part in ("headGroupSpec", "driver"):
        if part in whole["spec"]:
            hidden = {"rayStartParams": {"redis-password": SECRET}, "envVars": {"A": SECRET}, "javaOptions": SECRET}
            whole["spec"][part] = {**whole["spec"][part], **hidden}
    others = [one for case in CASES.values() for one in case.raws[1:]]
    masked = json.loads(json.dumps(whole))
    mask(masked)
    left = projected(kind, raw["apiVersion"], whole, PlainNames())
    assert SECRET in json.dumps(whole)
    for one in (masked, left):
        assert SECRET not in json.dumps(one)
        assert loaded(one, *others).objects.pods == loaded(whole, *others).objects.pods


def test_the_table_has_each_kind_with_a_source() -> None:
    assert MAKERS.keys() == CUSTOM_MAKERS
    assert all(row.source.startswith("https://") for row in MAKERS.values())
