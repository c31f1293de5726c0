from __future__ import annotations

from scheduler_core.columns.cluster import Cluster
from scheduler_core.extenders.http_extender import LiveLabels
from scheduler_core.testing.builders import make_node, make_pod


def test_labels_are_those_of_the_moment():
    cluster = Cluster()
    labels = LiveLabels(cluster)
    assert labels.of_node("n1") == labels.of_pod("n1", "u") == {}
    cluster.put_node(make_node("n1", labels={"disk": "ssd"}))
    pod = make_pod("p", labels={"app": "web"})
    cluster.put_pod(cluster.info(pod), "n1")
    assert labels.of_node("n1")["disk"] == "ssd"
    assert labels.of_pod("n1", pod.uid) == {"app": "web"}
    assert labels.of_pod("n1", "another") == {}
    cluster.drop_pod(pod.key)
    cluster.drop_node("n1")
    assert labels.of_node("n1") == labels.of_pod("n1", pod.uid) == {}
