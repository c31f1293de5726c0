"""``why``: the answers of one pod on the command line; bad input is one clear line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scheduler_core.cli.why import run

CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
spec: {taints: [{key: gpu, value: "yes", effect: NoSchedule}]}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: first, namespace: default}
spec: {priority: 5, containers: [{name: c, image: x, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: second, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    path = tmp_path / "cluster.yaml"
    path.write_text(CLUSTER)
    return str(path)


def test_a_pending_pod_is_explained(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/second"]) == 0
    told = capsys.readouterr().out
    assert "BECAUSE  No node has enough free: cpu" in told
    assert "NEXT     Ask for 1 cpu instead of 2 (tried: it then fits)" in told
    assert "NodeResourcesFit: 1 node: asks for 2 cpu, 1 free" in told
    assert "REMEDIES that the engine tried" in told
    assert "default/first, priority 5: 1 pod, 3 cpu, cycle 1" in told
    assert "timer: pods that stay unschedulable for 5 min are tried again" in told


def test_a_node_is_told_with_every_plugin_and_its_facts(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/second", "--node", "b"]) == 0
    told = capsys.readouterr().out
    assert "NODE b: refused" in told
    assert "against: no toleration for the taint gpu=yes:NoSchedule" in told
    assert "needs 2 cpu, 8 free" in told


def test_json_has_the_same_answers_typed(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/second", "--node", "a", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pending"]["because"]["plugin"] == "NodeResourcesFit"
    fit = next(one for one in told["node"]["filters"] if one["plugin"] == "NodeResourcesFit")
    cpu = next(one["fact"] for one in fit["facts"] if one["fact"]["resource"] == "cpu")
    assert (cpu["asked"], cpu["requested"], cpu["allocatable"]) == (2000, 3000, 4000)
    assert cpu["holders"][0]["pod"] == "default/first"
    assert told["taken"]["takers"][0]["requested"]["cpu"] == 3000
    assert told["wakes"]["timers"][0]["kind"] == "unschedulable flush"


def test_a_pod_with_a_node_says_so(cluster, capsys) -> None:
    assert run([cluster, "--pod", "default/first"]) == 0
    assert "default/first: placed on a" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--pod", "second"], "--pod: second is not of the form NAMESPACE/NAME"),
        (
            ["--pod", "default/nobody"],
            "--pod: there is no pod default/nobody in these files, nor was one made in the run",
        ),
        (["--pod", "default/second", "--node", "z"], "--node: there is no node z at that time"),
        (["--pod", "default/second", "--attempt", "9"], "--attempt: default/second was tried 2 times, not 9"),
        (["--pod", "default/second", "--preset", "none"], "--preset: "),
    ],
    ids=["form", "pod", "node", "attempt", "preset"],
)
def test_bad_input_is_one_clear_line(cluster, capsys, words, line) -> None:
    assert run([cluster, *words]) == 1
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(line)


def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path, capsys) -> None:
    assert run([str(tmp_path / "none.yaml"), "--pod", "default/p"]) == 1
    assert "cannot be read" in capsys.readouterr().err
