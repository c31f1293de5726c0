"""Pod specs, rule by rule: what the API server refuses is refused at that field, what it admits is read."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import load_manifests
from scheduler_core.testing import scheduling_scenarios
from tests.scheduler_core.manifests.judging import judge
from tests.scheduler_core.manifests.manifest_helpers import load, only, pod_text
from tests.scheduler_core.manifests.rules import PODS


@pytest.mark.parametrize(("source", "spec", "field"), PODS)
def test_a_pod_gets_the_api_servers_verdict(source, spec, field):
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
    judge(text + "".join(f"  {line}\n" for line in spec.split("\n")), field)


def test_a_rule_names_the_line_also_in_a_template_that_many_pods_share():
    pods = [
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p-{i}}}\nspec:\n  containers:\n  - name: app\n    image: app:1\n"
        "    resources:\n      requests:\n        example.com/gpu: 1\n"
        for i in range(2)
    ]
    places = [(e.object, e.line) for e in load("---\n".join(pods)).errors]
    assert places == [("Pod default/p-0", 8), ("Pod default/p-1", 19)]


def test_a_pod_that_differs_from_its_priority_class_is_a_doubt():
    text = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 5\n---\n"
    finding = only(load(text + pod_text("priorityClassName: high\npriority: 7")))
    assert (finding.severity, finding.field) == ("warning", "spec.priority")
    assert all(part in finding.message for part in ("the 5 of", '"high"', "7 counts"))
    same = load(text + pod_text("priorityClassName: high\npriority: 5"))
    assert same.findings == []


def test_what_no_api_server_has_to_admit_is_read_for_recordings_of_the_reference():
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    pod["spec"] = {"containers": [{"name": "c", "image": "c", "resources": {"requests": {"example.com/gpu": 1}}}]}
    assert [e.field for e in load_manifests([pod]).errors] == ["spec.containers[0].resources.limits[example.com/gpu]"]
    assert load_manifests([pod], as_posted=False).errors == []
    objects = scheduling_scenarios._objects([pod])
    assert objects.pods[0].containers[0].requests == {"example.com/gpu": 1}
