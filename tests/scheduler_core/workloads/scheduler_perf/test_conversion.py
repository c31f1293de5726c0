"""Operations become the cluster and the timeline that scheduler_perf's own rules say."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from scheduler_core.manifests.model import LoadError
from tests.scheduler_core.workloads.scheduler_perf.texts import made

NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {generateName: x, labels: {a: b}}}"
PRIORITY = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: c-{{.Index}}}
value: {{ .size }}
"""
NODES = "- {opcode: createNodes, count: 3}\n"


def names(objects: list[Any]) -> list[str]:
    return [one["metadata"]["name"] for one in objects]


def times(entries: list[Any], kind: str = "Pod", action: str = "add") -> list[tuple[str, str]]:
    return [
        (one["at"], one["object"]["metadata"]["name"])
        for one in entries
        if (one["object"]["kind"], one["action"]) == (kind, action)
    ]


def test_nodes_are_the_cluster_and_pods_come_one_wait_after_the_other() -> None:
    done = made(
        NODES + "- {opcode: createPods, countParam: $first}\n- {opcode: createPods, count: 1, namespace: mine}",
        "{first: 2}",
    )
    assert names(done.made.manifests) == ["scheduler-perf-0", "scheduler-perf-1", "scheduler-perf-2", "namespace-1"]
    assert times(done.made.entries) == [("0s", "light-0"), ("0s", "light-1"), ("10s", "light-0")]
    assert times(done.made.entries, "Namespace") == [("10s", "mine")]
    assert [
        one["object"]["metadata"].get("namespace") for one in done.made.entries if one["object"]["kind"] == "Pod"
    ] == [
        "namespace-1",
        "namespace-1",
        "mine",
    ]
    assert (done.waits, done.length) == (2, 20_000_000)


def test_barriers_wait_and_sleeps_take_their_time() -> None:
    done = made("""
        - {opcode: createPods, count: 1, skipWaitToCompletion: true}
        - {opcode: sleep, durationParam: $pause}
        - {opcode: createPods, count: 1, skipWaitToCompletion: true, namespace: b}
        - {opcode: barrier}
        - {opcode: createPods, count: 1, skipWaitToCompletion: true, namespace: c}
        """, "{pause: 1500ms}")  # fmt: skip
    assert [at for at, _ in times(done.made.entries)] == ["0s", "1.5s", "11.5s"]


def test_namespaces_and_sets_of_pods_in_each() -> None:
    done = made("""
        - {opcode: createNamespaces, prefix: team, count: 2, namespaceTemplatePath: ns.yaml}
        - {opcode: createPodSets, count: 2, namespacePrefix: team, createPodsOp: {opcode: createPods, count: 2}}
        """, templates={"ns.yaml": NAMESPACE})  # fmt: skip
    assert [one["metadata"] for one in done.made.manifests] == [
        {"name": "team-0", "labels": {"a": "b"}},
        {"name": "team-1", "labels": {"a": "b"}},
    ]
    pods = Counter(one["object"]["metadata"]["namespace"] for one in done.made.entries)
    assert pods == {"team-0": 2, "team-1": 2}
    assert done.waits == 1


def test_pods_are_deleted_by_label_at_their_rate() -> None:
    done = made("""
        - {opcode: createPods, count: 4, namespace: a}
        - opcode: deletePods
          namespace: a
          labelSelector: {app: light}
          deletePodsPerSecond: 4
          skipWaitToCompletion: true
        - {opcode: deletePods, namespace: a, labelSelector: {app: other}}
        - {opcode: createPods, count: 1, namespace: b}
        """)  # fmt: skip
    assert [at for at, _ in times(done.made.entries, action="delete")] == ["10.25s", "10.5s", "10.75s", "11s"]
    assert times(done.made.entries)[-1][0] == "10s"


def test_churn_creates_to_the_end_or_creates_and_deletes_in_turn() -> None:
    create = "- {opcode: churn, mode: create, intervalMilliseconds: 4000, templatePaths: [light.yaml]}\n"
    done = made(NODES + create + "- {opcode: createPods, count: 1}")
    churned = [(at, name) for at, name in times(done.made.entries) if at != "0s"]
    assert churned == [("4s", "light-0"), ("8s", "light-1")]
    recreate = create.replace("create,", "recreate, number: 1,", 1)
    done = made(recreate + "- {opcode: createPods, count: 1}\n- {opcode: createPods, count: 1}")
    assert [at for at, _ in times(done.made.entries) if at not in ("0s", "10s")] == ["4s", "12s", "20s"]
    assert [at for at, _ in times(done.made.entries, action="delete")] == ["8s", "16s"]


@pytest.mark.parametrize(
    ("operations", "message"),
    [
        ("- {opcode: createPods, count: 1, podTemplatePath: none.yaml}", '[0]: "none.yaml": is not there'),
        ("- {opcode: createPods, count: 1, podTemplatePath: two.yaml}", '"two.yaml": one object'),
        ("- {opcode: createPods, count: 1, podTemplatePath: wrong.yaml}", '"wrong.yaml": spec.containers'),
        ("- {opcode: createPods, count: 1, podTemplatePath: node.yaml}", 'holds a "Node". A Pod is needed'),
        ("- {opcode: createNodes, count: 2, nodeTemplatePath: node.yaml}", '2 nodes would all be named "only"'),
        ("- {opcode: createPods, count: 1, podTemplatePath: action.yaml}", '"{{range .Pods}}" is not filled in'),
        ("- {opcode: createNodes, count: 30000}", "30,000 nodes in all"),
        ("- {opcode: createPods, count: 1, templateParams: {a: $b}}", 'templateParams.a: "b" is no parameter'),
    ],
)  # fmt: skip
def test_what_cannot_be_made_names_operation_and_file(operations: str, message: str) -> None:
    templates = {
        "two.yaml": "a: 1\n---\nb: 1",
        "wrong.yaml": "{kind: Pod, metadata: {generateName: a-}, spec: {containers: 7}}",
        "node.yaml": "{apiVersion: v1, kind: Node, metadata: {name: only}}",
        "action.yaml": "{kind: Pod, metadata: {name: '{{range .Pods}}'}}",
    }
    with pytest.raises(LoadError) as refused:
        made(operations, templates=templates)
    assert message in refused.value.message


def test_actions_of_templates_are_filled_in() -> None:
    done = made(
        "- {opcode: createAny, count: 2, templatePath: class.yaml, templateParams: {size: $size}}",
        "{size: 7}",
        {"class.yaml": PRIORITY},
    )  # fmt: skip
    assert [(one["metadata"]["name"], one["value"]) for one in done.made.manifests] == [("c-0", 7), ("c-1", 7)]
