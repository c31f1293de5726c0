"""Values of node affinity that no label can have: refused, admitted with a warning, or refused by the scheduler."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import config_from_raw
from tests.scheduler_core.decided import config
from tests.scheduler_core.manifests.manifest_helpers import NODE, load, objects, only, pod_text

REQUIRED, PREFERRED = (f"{kind}DuringSchedulingIgnoredDuringExecution" for kind in ("required", "preferred"))
BAD = ["operator: In, values: ['a b']", "operator: NotIn, values: ['-']"]
BAD_NUMBERS = ["operator: Gt, values: ['-1']", "operator: Lt, values: [many]", f"operator: Lt, values: ['{10**19}']"]


def required(requirement: str) -> str:
    terms = f"{{nodeSelectorTerms: [{{matchExpressions: [{{key: g, {requirement}}}]}}]}}"
    return f"affinity: {{nodeAffinity: {{{REQUIRED}: {terms}}}}}"


def preferred(requirement: str) -> str:
    term = f"{{weight: 1, preference: {{matchExpressions: [{{key: g, {requirement}}}]}}}}"
    return f"affinity: {{nodeAffinity: {{{PREFERRED}: [{term}]}}}}"


@pytest.mark.parametrize("requirement", BAD)
def test_a_required_term_with_no_label_value_is_refused(requirement):
    assert only(load(pod_text(required(requirement)))).severity == "error"


@pytest.mark.parametrize("requirement", BAD_NUMBERS)
def test_a_required_term_that_compares_with_no_number_matches_no_node(requirement):
    finding = only(load(pod_text(required(requirement))))
    assert (finding.severity, "No node matches" in finding.message) == ("warning", True)


@pytest.mark.parametrize("requirement", [*BAD, *BAD_NUMBERS])
def test_a_preferred_term_is_admitted_and_said_to_fail_the_pod(requirement):
    text = pod_text(preferred(requirement))
    finding = only(load(text))
    assert (finding.severity, "an error" in finding.message) == ("warning", True)
    (pod,) = objects(NODE + "---\n" + text).pods
    assert len(pod.affinity.node_preferred[0].preference.match_expressions[0].values) == 1


@pytest.mark.parametrize("requirement", ["operator: Gt, values: ['007']", f"operator: Lt, values: ['{2**63 - 1}']"])
def test_whole_numbers_within_int64_are_fine(requirement):
    assert load(pod_text(required(requirement)), pod_text(preferred(requirement), "other")).findings == []


@pytest.mark.parametrize("values", [["-1"], ["many"]])
@pytest.mark.parametrize("kind", [REQUIRED, PREFERRED])
def test_an_added_affinity_that_cannot_be_parsed_is_refused(kind, values):
    term = {"matchExpressions": [{"key": "g", "operator": "Gt", "values": values}]}
    terms = {"nodeSelectorTerms": [term]} if kind == REQUIRED else [{"weight": 1, "preference": term}]
    args = [{"name": "NodeAffinity", "args": {"addedAffinity": {kind: terms}}}]
    _, findings = config_from_raw(config(pluginConfig=args))
    assert [f.severity for f in findings] == ["error"]
