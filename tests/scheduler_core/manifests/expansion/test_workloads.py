"""Workloads to pods: how many, how named, and never twice (rules: pkg/controller of each kind)."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import JobSpec
from tests.scheduler_core.manifests.expansion.workload_texts import TEMPLATE, node, workload
from tests.scheduler_core.manifests.manifest_helpers import load, objects, only

SELECTOR = "selector: {matchLabels: {app: web}}"


def test_match_label_keys_see_the_hash_of_a_deployment():
    constraint = "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}, "
    constraint += "matchLabelKeys: [pod-template-hash]}"
    spread = f"spec: {{topologySpreadConstraints: [{constraint}], containers"
    text = workload("Deployment", SELECTOR).replace("spec: {containers", spread)
    (pod,) = objects(text).pods
    requirement = pod.topology_spread_constraints[0].label_selector.requirements[0]
    assert requirement.values == (pod.labels["pod-template-hash"],)


@pytest.mark.parametrize(
    ("spec", "field", "advice"),
    [
        (f"replicas: -3, {SELECTOR}", "spec.replicas", "out of range"),
        (f"replicas: 1000000000, {SELECTOR}", "spec.replicas", "too many"),
        ("selector: {matchLabels: {app: other}}", "spec.selector", "does not match"),
        ("paused: false", "spec.selector", "is missing"),
    ],
)
def test_a_wrong_workload_names_the_field(spec, field, advice):
    finding = only(load(workload("Deployment", spec)))
    assert (finding.severity, finding.object, finding.field) == ("error", "Deployment shop/web", field)
    assert advice in finding.message


def test_an_error_in_the_template_is_named_once_with_its_path():
    finding = only(load(workload("Deployment", f"replicas: 5, {SELECTOR}").replace("{cpu: 1}", "{cpu: x}")))
    assert finding.field == "spec.template.spec.containers[0].resources.limits.cpu"


def test_old_versions_are_read_with_a_warning():
    result = load(workload("Deployment", "replicas: 2", version="extensions/v1beta1"))
    assert (only(result).severity, only(result).field, len(result.objects.pods)) == ("warning", "apiVersion", 2)


def test_selectors_of_services_and_sets_are_kept():
    text = "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}\n---\n"
    text += "{apiVersion: v1, kind: Service, metadata: {name: none}}\n---\n" + workload("StatefulSet", SELECTOR)
    selectors = {s.key: s.selector for s in objects(text).workload_selectors}
    assert selectors["Service/default/none"] is None
    assert selectors["Service/default/s"].matches({"app": "web"})
    assert selectors["StatefulSet/shop/web"].matches({"app": "web"})


def test_workloads_are_kept_with_what_they_ask_for():
    claim = "volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]"
    stateful = f"replicas: 2, podManagementPolicy: Parallel, ordinals: {{start: 4}}, {claim}, {SELECTOR}"
    text = workload("StatefulSet", stateful, "db") + "---\n" + workload("Deployment", f"replicas: 3, {SELECTOR}")
    by_kind = {w.kind: w for w in objects(text).workloads}
    db, web = by_kind["StatefulSet"], by_kind["ReplicaSet"]
    assert (db.key, db.replicas, db.first_ordinal, db.is_parallel) == ("StatefulSet/shop/db", 2, 4, True)
    assert (db.claims, db.template.name, db.template.labels) == (("data",), "", {"app": "web"})
    assert (web.title, web.replicas) == ("Deployment shop/web", 3)
    assert web.template.labels["pod-template-hash"] in web.name


def test_a_deployment_keeps_the_sets_of_the_input_and_one_for_what_is_missing():
    meta = "{name: web-5d4f8, namespace: shop, ownerReferences: [{kind: Deployment, name: web, controller: true}]}"
    spec = f"{{replicas: 1, {SELECTOR}, {TEMPLATE}}}"
    text = f"{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {meta}, spec: {spec}}}\n---\n"
    deployments = objects(text + workload("Deployment", f"replicas: 3, {SELECTOR}")).workloads
    assert [(w.title, w.replicas) for w in deployments] == [("Deployment shop/web", 1), ("Deployment shop/web", 2)]


def test_a_job_keeps_its_spec_and_how_far_it_is():
    spec = "completions: 6, parallelism: 2, completionMode: Indexed, podReplacementPolicy: Failed, "
    spec += "podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}, "
    status = "{succeeded: 3, failed: 1, completedIndexes: '0,2-3'}"
    meta = "metadata: {name: j, namespace: shop}"
    text = f"{{apiVersion: batch/v1, kind: Job, {meta}, spec: {{{spec}{TEMPLATE}}}, status: {status}}}"
    cluster = objects(text)
    assert cluster.workloads[0].job == JobSpec(
        completions=6,
        parallelism=2,
        is_indexed=True,
        on_disruption="Ignore",
        replaces_failed_only=True,
        succeeded=3,
        failed=1,
        completed_indexes=((0, 0), (2, 3)),
    )
    assert [(p.name.rsplit("-", 1)[0], p.labels["batch.kubernetes.io/job-completion-index"]) for p in cluster.pods] == [
        ("j-1", "1"),
        ("j-4", "4"),
    ]


def test_a_daemon_set_keeps_its_template_unbound():
    cluster = objects(workload("DaemonSet", SELECTOR, "agent") + node("a"))
    (daemon_set,) = cluster.workloads
    assert daemon_set.template.affinity is None
    assert daemon_set.template.tolerations == cluster.pods[0].tolerations
