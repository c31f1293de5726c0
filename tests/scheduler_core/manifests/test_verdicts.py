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


def test_a_planned_affinity_form_is_refused_as_never_built():
    finding = only(load(pod_text("affinity: {nodeAffinity: {requiredDuringSchedulingRequiredDuringExecution: {}}}")))
    assert "never had" in finding.message


@pytest.mark.parametrize("form", ["required", "preferred"])
@pytest.mark.parametrize("kind", ["nodeAffinity", "podAffinity", "podAntiAffinity"])
def test_affinity_required_during_execution_never_existed(form, kind):
    """Seed 004, section nodeAffinity, names these forms; the message says what there is instead."""
    name = f"{form}DuringSchedulingRequiredDuringExecution"
    finding = only(load(pod_text(f"affinity: {{{kind}: {{{name}: {{}}}}}}")))
    assert finding.field.endswith(name)
    assert finding.message.endswith(f"Write {form}DuringSchedulingIgnoredDuringExecution")


def test_an_object_of_a_name_that_was_given_is_judged_as_any_other():
    loaded = load(pod_text("") + "\n---\n" + pod_text(AFFINITY % "operator: Inn, values: [a]"))
    assert [finding.field for finding in loaded.errors] == ["metadata.name", f"{TERM}.operator"]
    assert len(loaded.objects.pods) == 1
