"""What editors and differences fold of an object."""

from __future__ import annotations

from dashboard.clusters.yaml_folds import find_folds
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node, pod

MANAGED = [{"manager": "kubelet", "operation": "Update", "fieldsV1": {"f:status": {"f:phase": {}}}}]


def folded(*objects):
    """Return the folded parts of these objects' YAML by their first line, with the line behind each."""
    text = dump_yaml(list(objects))
    lines = [*text.split("\n"), ""]
    return [(lines[fold.first - 1].strip(), lines[fold.last]) for fold in find_folds(text)]


def test_managed_fields_and_status_of_a_pod():
    one = pod("web")
    one["metadata"]["managedFields"] = MANAGED
    one["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False"}], "qosClass": "x"}
    assert folded(one) == [("managedFields:", "spec:"), ("status:", "")]


def test_of_a_node_what_can_be_requested_stays_open():
    one = node("n")
    one["status"]["conditions"] = [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "False"}]
    one["status"]["images"] = [{"names": ["a", "b"], "sizeBytes": 1}]
    assert [key for key, _ in folded(one)] == ["conditions:", "images:"]


def test_the_devices_that_a_claim_has_stay_open():
    results = [{"request": "r", "driver": "a.example", "pool": "p", "device": "d"}]
    claim = {
        "kind": "ResourceClaim",
        "metadata": {"name": "c"},
        "status": {"allocation": {"devices": {"results": results}}},
    }
    assert folded(claim) == []


def test_each_object_of_a_text_counts_for_itself():
    first, second = pod("a"), node("n")
    first["status"] = {"phase": "Running", "hostIP": "1", "podIP": "2", "qosClass": "x"}
    second["status"]["nodeInfo"] = {"a": "1", "b": "2", "c": "3"}
    assert [key for key, _ in folded(first, second)] == ["status:", "nodeInfo:"]


def test_a_few_lines_and_keys_of_other_places_are_not_folded():
    one = pod("a")
    one["status"] = {"phase": "Pending"}
    one["metadata"]["annotations"] = {"status": "x", "managedFields": "y"}
    assert folded(one) == []
    assert find_folds("not: [yaml\n  status:\n    - a") == []
    assert find_folds("") == []
