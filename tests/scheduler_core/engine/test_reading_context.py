"""Of the namespaces and priority classes of a cluster an object is read beside those alone that reading it looks at."""

from __future__ import annotations

import time

from scheduler_core.engine.reading_context import ReadingContext, class_names, default_class, object_name
from scheduler_core.engine.timelines import timeline_from_raw


def priority_class(name, value, **more):
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    } | more


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def pod(**spec):
    return {"kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


HIGH, LOW, LOWER = priority_class("high", 9), priority_class("low", 2, globalDefault=True), priority_class("lower", 1)
CLUSTER = ReadingContext([HIGH, LOW, LOWER, namespace("shop"), {"kind": "Node", "metadata": {"name": "n"}}])


def test_a_pod_is_read_beside_its_class_and_the_default():
    assert CLUSTER.of(pod(priorityClassName="high")) == [HIGH, LOW]
    assert CLUSTER.of(pod(priorityClassName="low")) == [LOW]
    assert CLUSTER.of(pod(priorityClassName="other")) == [LOW]
    assert CLUSTER.of(pod()) == [LOW]
    assert CLUSTER.classes == {"high": 9, "low": 2, "lower": 1}


def test_an_object_that_the_cluster_has_is_among_what_it_is_read_beside():
    assert CLUSTER.of(namespace("shop")) == [namespace("shop"), LOW]
    assert CLUSTER.of(namespace("other")) == [LOW]


def test_of_several_defaults_the_lowest_counts():
    classes = [LOW, priority_class("d", 1, globalDefault=True), priority_class("e", "x", globalDefault="true")]
    assert default_class(classes) is classes[1]
    assert default_class([HIGH]) is None


def test_templates_name_classes_too_and_what_is_no_object_names_none():
    template = {"spec": {"priorityClassName": "low"}}
    assert class_names({"spec": {"priorityClassName": "high", "template": template}}) == ["high", "low"]
    assert class_names({"spec": [1]}) == class_names({"spec": {"template": 3, "priorityClassName": 1}}) == []
    assert (object_name({"metadata": 5}), object_name({"metadata": {"name": 5}})) == ("", "")


def test_a_timeline_costs_the_same_however_many_namespaces_the_cluster_has():
    entries = {"entries": [{"at": "1s", "object": pod(containers=[{"name": "a", "image": "b"}])}] * 200}
    for entry in entries["entries"]:
        entry["object"]["apiVersion"] = "v1"

    def seconds(n):
        begun = time.process_time()
        timeline_from_raw(entries, [namespace(f"n{i}") for i in range(n)])
        return time.process_time() - begun

    assert seconds(2_000) < 10 * max(seconds(1), 0.01)
