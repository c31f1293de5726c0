"""What is refused, with line, field and advice. Rules: core/v1 validation.go; the inputs are written here."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.manifest_helpers import NODE, load, only, pod_text

AFFINITY = """
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: zone, %s}
"""
TERM = (
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]"
)
ANTI = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [%s]}}"
ANTI_PATH = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"

SPEC_ERRORS = [
    (AFFINITY % "operator: Inn, values: [a]", f"{TERM}.operator", "Write In"),
    (AFFINITY % "operator: In", f"{TERM}.values", "at least one value"),
    (AFFINITY % "operator: Exists, values: [a]", f"{TERM}.values", "takes no values"),
    (AFFINITY % "operator: Gt, values: ['1', '2']", f"{TERM}.values", "exactly one value"),
    (ANTI % "{labelSelector: {}}", f"{ANTI_PATH}.topologyKey", "is missing"),
    (
        ANTI % "{topologyKey: z, labelSelector: {matchLabels: [a]}}",
        f"{ANTI_PATH}.labelSelector.matchLabels",
        "no mapping",
    ),
    (
        ANTI % "{topologyKey: z, labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}}",
        f"{ANTI_PATH}.labelSelector.matchExpressions[0].operator",
        "In, NotIn, Exists, DoesNotExist",
    ),
    (ANTI % "{topologyKey: z, matchLabelKeys: [a]}", f"{ANTI_PATH}.matchLabelKeys", "labelSelector"),
    ("tolerations: [{key: a, operator: Exist}]", "spec.tolerations[0].operator", "Write Exists"),
    ("tolerations: [{operator: Equal, value: x}]", "spec.tolerations[0].operator", "must be Exists"),
    ("tolerations: [{key: a, effect: NoScheduled}]", "spec.tolerations[0].effect", "NoSchedule"),
    ("tolerations: [{key: a, operator: Exists, value: x}]", "spec.tolerations[0].value", "takes no value"),
    ("priority: 99999999999", "spec.priority", "out of range"),
    ("preemptionPolicy: Sometimes", "spec.preemptionPolicy", "PreemptLowerPriority"),
    ("nodeSelector: {gpu: yes}", "spec.nodeSelector.gpu", 'Write it in quotes, such as "yes"'),
    ("nodeSelector: {gpu: 1.10}", "spec.nodeSelector.gpu", "is read as the number 1.1"),
    ("nodeName: node-a\nschedulingGates: [{name: a/b}]", "spec.nodeName", "cannot be bound"),
]


@pytest.mark.parametrize(("spec", "field", "advice"), SPEC_ERRORS)
def test_a_wrong_pod_spec_names_field_and_advice(spec, field, advice):
    finding = only(load(pod_text(spec)))
    assert (finding.severity, finding.object, finding.field) == ("error", "Pod default/web-0", field)
    assert advice in finding.message


CONSTRAINT = "topologySpreadConstraints: [{maxSkew: %s, topologyKey: zone, whenUnsatisfiable: %s, labelSelector: {}%s}]"


@pytest.mark.parametrize(
    ("skew", "when", "more", "field"),
    [
        ("0", "DoNotSchedule", "", "maxSkew"),
        ("1", "DoNotSchedul", "", "whenUnsatisfiable"),
        ("1", "ScheduleAnyway", ", minDomains: 2", "minDomains"),
        ("1", "DoNotSchedule", ", minDomains: 0", "minDomains"),
        ("1", "DoNotSchedule", ", nodeTaintsPolicy: Maybe", "nodeTaintsPolicy"),
    ],
)
def test_a_wrong_spread_constraint_is_refused(skew, when, more, field):
    finding = only(load(pod_text(CONSTRAINT % (skew, when, more))))
    assert (finding.severity, finding.field) == ("error", f"spec.topologySpreadConstraints[0].{field}")


def test_two_constraints_for_one_key_and_action_are_refused():
    one = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}"
    finding = only(load(pod_text(f"topologySpreadConstraints: [{one}, {one}]")))
    assert finding.field == "spec.topologySpreadConstraints[1]"


@pytest.mark.parametrize(
    ("amount", "advice"),
    [
        ("1.5.5", "is no quantity"),
        ("-1", "negative"),
        ("NaN", "is no quantity"),
        ("'4 cores'", "Write 4"),
        ("[1]", "a list"),
        ("true", "true"),
        ("''", "is no quantity"),
        ("'\uff11'", "is no quantity"),
        ("1:30", "is no quantity"),
        ("'1e1000000000'", "is no quantity"),
    ],
)
def test_a_wrong_quantity_is_refused(amount, advice):
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec:
          containers:
          - name: c
            resources:
              requests:
                memory: 64Mi
                cpu: {amount}
        """
    finding = only(load(text))
    assert (finding.line, finding.field) == (10, "spec.containers[0].resources.requests.cpu")
    assert advice in finding.message


@pytest.mark.parametrize(
    ("amount", "milli"),
    [("1e3", 1_000_000), ("'1E'", 10**21), ("'1e999'", 10**30), ("250m", 250), ("0.1", 100), ("2", 2000)],
)
def test_odd_but_valid_quantities_are_read(amount, milli):
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec: {{containers: [{{name: c, resources: {{requests: {{cpu: {amount}}}}}}}]}}
        """
    result = load(text)
    assert result.objects.pods[0].containers[0].requests["cpu"] == min(milli, (1 << 63) - 1)


@pytest.mark.parametrize(
    ("requests", "limits", "field"),
    [
        ("{cpu: 2}", "{cpu: 1}", "cpu"),
        ("{nvidia.com/gpu: 2}", "{nvidia.com/gpu: 4}", "[nvidia.com/gpu]"),
    ],
)
def test_requests_above_limits_are_refused(requests, limits, field):
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec: {{containers: [{{name: c, resources: {{requests: {requests}, limits: {limits}}}}}]}}
        """
    joint = "" if field.startswith("[") else "."
    assert only(load(text)).field == f"spec.containers[0].resources.requests{joint}{field}"


OBJECT_ERRORS = [
    ("{apiVersion: apps/v1, kind: Node, metadata: {name: n}}", "apiVersion", "Write v1"),
    ("{apiVersion: v1, kind: Deployment, metadata: {name: d}}", "apiVersion", "Write apps/v1"),
    ("{apiVersion: v1, kind: pod, metadata: {name: d}}", "kind", "Write Pod"),
    ("{apiVersion: v1, metadata: {name: d}}", "kind", "is missing"),
    ("{apiVersion: v1, kind: List, items: {a: 1}}", "items", "is no list"),
    ("{apiVersion: v1, kind: Namespace, metadata: node-a}", "metadata", "no mapping"),
    ("{apiVersion: v1, kind: Namespace, metadata: {}}", "metadata.name", "is missing"),
    ("{apiVersion: v1, kind: Namespace, metadata: {name: Web_0}}", "metadata.name", "lower case"),
    ("{apiVersion: v1, kind: Namespace, metadata: {name: ../../etc}}", "metadata.name", "no valid name"),
    (
        "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: ../x}}",
        "metadata.namespace",
        "no valid namespace",
    ),
    ("{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {t: <b>}}}", "metadata.labels.t", "no valid label"),
    (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 0.5}}",
        "spec.minAvailable",
        "Write 2 or 50%",
    ),
    (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: -1}}",
        "spec.maxUnavailable",
        "Write 2 or 50%",
    ),
    (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1, "
        "maxUnavailable: 1}}",
        "spec.maxUnavailable",
        "exclude each other",
    ),
    (
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-x}, value: 1}",
        "metadata.name",
        "reserved",
    ),
    (
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: x}, value: 2000000000}",
        "value",
        "1000000000",
    ),
    ("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}", "spec.containers", "at least one"),
    ("{apiVersion: v1, kind: Pod, metadata: {name: p}}", "spec.containers", "at least one"),
    ("{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}", "kind", "configuration"),
]


@pytest.mark.parametrize(("text", "field", "advice"), OBJECT_ERRORS)
def test_a_wrong_object_names_field_and_advice(text, field, advice):
    finding = only(load(NODE + "---\n" + text))
    assert (finding.severity, finding.line, finding.field) == ("error", 6, field)
    assert advice in finding.message


@pytest.mark.parametrize(
    ("taint", "field"),
    [
        ("{key: a, effect: noschedule}", "effect"),
        ("{key: team/<script>, effect: NoSchedule}", "key"),
        ("{key: a, value: 'a&b', effect: NoSchedule}", "value"),
    ],
)
def test_a_wrong_taint_is_refused(taint, field):
    finding = only(load(NODE.rstrip() + f"\nspec: {{taints: [{taint}]}}\n"))
    assert (finding.line, finding.field) == (5, f"spec.taints[0].{field}")


def test_a_misspelt_field_is_a_warning_with_the_right_name():
    finding = only(load(pod_text("affinity: {podAntiAfinity: {}}")))
    assert (finding.severity, finding.field) == ("warning", "spec.affinity.podAntiAfinity")
    assert "podAntiAffinity" in finding.message


def test_a_planned_affinity_form_is_refused_as_never_built():
    finding = only(load(pod_text("affinity: {nodeAffinity: {requiredDuringSchedulingRequiredDuringExecution: {}}}")))
    assert "never had" in finding.message


def test_custom_kinds_are_one_warning_and_counted():
    documents = "---\n".join(
        f"{{apiVersion: example.io/v1, kind: Widget, metadata: {{name: w{i}}}}}\n" for i in range(50)
    )
    result = load(documents)
    assert result.passed_over == {"Widget": 50}
    assert (only(result).severity, result.manifests) == ("warning", [])


def test_kinds_without_effect_are_counted_silently():
    result = load(NODE + "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}")
    assert (result.findings, result.passed_over) == ([], {"ConfigMap": 1})


def test_a_kind_of_another_project_is_no_error():
    result = load("{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s}}")
    assert result.ok
    assert result.passed_over == {"Service": 1}


def test_the_same_object_twice_counts_once_and_a_different_one_is_refused():
    same = load(NODE + "---\n" + NODE)
    assert (only(same).severity, only(same).line, len(same.objects.nodes)) == ("warning", 8, 1)
    assert "file.yaml, line 3" in only(same).message
    other = only(load(NODE + "---\n" + NODE.replace('"4"', '"8"')))
    assert (other.severity, other.line) == ("error", 8)


def test_a_name_given_twice_hides_no_other_error_of_the_object():
    first, second = pod_text("priority: 1", "web"), pod_text("priority: no", "web")
    result = load(f"{first}---\n{second}")
    assert {finding.field for finding in result.errors} == {"metadata.name", "spec.priority"}


def test_an_unknown_priority_class_and_many_alike_are_summed_up():
    pods = "---\n".join(pod_text("priorityClassName: not-there", f"p{i}") for i in range(20))
    result = load(pods)
    assert result.ok
    assert len(result.findings) == 4
    assert "17 more objects" in result.findings[-1].message


def test_findings_are_bounded_and_what_is_left_out_is_said():
    pods = "---\n".join(pod_text("priority: no", f"p{i}") for i in range(1500))
    result = load(pods)
    assert len(result.findings) == 1001
    assert result.findings[-1].severity == "error"
    assert "more findings" in result.findings[-1].message


def test_text_escapes_control_and_direction_characters():
    finding = only(load('{apiVersion: v1, kind: Namespace, metadata: {name: "a\\e[31m\\u202Eb\\n"}}'))
    assert finding.text().isprintable()
    assert finding.text().startswith("file.yaml:1: Namespace a\\x1b[31m\\u202eb\\n: metadata.name: ")


@pytest.mark.parametrize("form", ["required", "preferred"])
@pytest.mark.parametrize("kind", ["nodeAffinity", "podAffinity", "podAntiAffinity"])
def test_affinity_required_during_execution_never_existed(form, kind):
    """Seed 004, section nodeAffinity, names these forms; the message says what there is instead."""
    name = f"{form}DuringSchedulingRequiredDuringExecution"
    finding = only(load(pod_text(f"affinity: {{{kind}: {{{name}: {{}}}}}}")))
    assert finding.field.endswith(name)
    assert finding.message == (
        f"Kubernetes never had this form: it was only planned. Write {form}DuringSchedulingIgnoredDuringExecution"
    )


HUGE = "containers:\n- {name: a, image: x, resources: {%s}}\n- {name: b, image: x, resources: {%s}}"
MOST = "requests: {memory: '9223372036854775807'}"
SUMS = [
    (HUGE % (MOST, "requests: {memory: '1'}"), "memory", 1 << 63),
    (HUGE % ("requests: {memory: 8Ei}", "requests: {memory: 8Ei}"), "memory", (1 << 64) - 2),
    (HUGE % ("limits: {example.com/x: 5Ei}", "limits: {example.com/x: 4Ei}"), "example.com/x", 9 << 60),
    (HUGE % ("requests: {cpu: '9223372036854775'}", "requests: {cpu: '1'}"), "cpu", 9223372036854776000),
    (f"overhead: {{memory: '1'}}\n{HUGE % (MOST, '')}", "memory", 1 << 63),
    (f"initContainers: [{{name: i, image: x, restartPolicy: Always, resources: {{{MOST}}}}}]\n{HUGE % (MOST, '')}",
     "memory", (1 << 64) - 2),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "resource", "total"), SUMS)
def test_a_pod_that_asks_for_more_than_an_int64_holds_is_refused(spec, resource, total):
    text = pod_text(spec).rsplit("\n", 2)[0]
    finding = only(load(text + "\n"))
    assert (finding.severity, finding.object, finding.field) == ("error", "Pod default/web-0", "spec.containers")
    assert f"requests of {resource} add up to {total}, more than 9223372036854775807" in finding.message
    assert finding.line is not None


def test_the_largest_sum_that_an_int64_holds_is_read():
    text = pod_text(HUGE % ("requests: {memory: '9223372036854775806'}", "requests: {memory: '1'}")).rsplit("\n", 2)[0]
    assert load(text + "\n").findings == []


def test_an_object_of_a_name_that_was_given_is_judged_as_any_other():
    loaded = load(pod_text("") + "\n---\n" + pod_text(AFFINITY % "operator: Inn, values: [a]"))
    assert [finding.field for finding in loaded.errors] == ["metadata.name", f"{TERM}.operator"]
    assert len(loaded.objects.pods) == 1
