"""Pods: names, status, the node they are on."""

from __future__ import annotations

from tests.scheduler_core.manifests.manifest_helpers import NODE, load, objects, pod_text


def test_status_of_a_pod_is_read():
    text = pod_text("nodeName: node-a") + "status: {phase: Failed, startTime: 2024-05-01T10:00:00Z}\n"
    (pod,) = objects(NODE + "---\n" + text).pods
    assert (pod.node_name, pod.is_terminal, pod.start_time) == ("node-a", True, 1714557600.0)


def test_a_generated_name_is_made_up_and_stays_the_same():
    text = pod_text("restartPolicy: Never").replace("name: web-0", "generateName: web-")
    names = {objects(text).pods[0].name for _ in range(2)}
    assert len(names) == 1
    assert names.pop().startswith("web-")


def test_two_pods_with_one_prefix_get_two_names():
    text = pod_text("restartPolicy: Never").replace("name: web-0", "generateName: web-")
    assert len({p.name for p in objects(text + "---\n" + text).pods}) == 2


def test_pods_on_unknown_nodes_are_one_warning():
    pods = "---\n".join(pod_text("nodeName: gone", f"p{i}") for i in range(3))
    (finding,) = load(NODE + "---\n" + pods).findings
    assert (finding.severity, finding.field) == ("warning", "spec.nodeName")
    assert "3 pods" in finding.message
    assert load(pods).findings == []
