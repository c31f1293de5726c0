"""``agree``: what a dump says against what the engine decides, on the command line."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from scheduler_core.cli.answers.agree import run

if TYPE_CHECKING:
    from pathlib import Path

DUMP = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
spec: {unschedulable: true}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: early, namespace: default}
spec: {nodeName: b, containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: good, namespace: default}
spec: {nodeName: a, containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: wide, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "6"}}}]}
status:
  conditions:
  - type: PodScheduled
    status: "False"
    message: "0/2 nodes are available: 2 Insufficient cpu."
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    path = tmp_path / "cluster.yaml"
    path.write_text(DUMP)
    return str(path)


def test_differences_come_first_with_reason_and_likely_cause(cluster, capsys) -> None:
    assert run([cluster]) == 0
    output = capsys.readouterr().out
    agree, pending, *_ = lines = output.splitlines()
    assert agree.startswith("AGREE    1 of 2 ")
    assert agree.endswith("1 refused by us")
    assert pending.startswith("PENDING  0 of 1 ")
    refused, counts = (
        next(i for i, line in enumerate(lines) if line.startswith(head)) for head in ("REFUSED", "COUNTS")
    )
    assert lines[refused] == "REFUSED BY US  default/early: really b, ours a"
    assert lines[refused + 1] == "  NodeUnschedulable: node(s) were unschedulable"
    assert "cordon" in lines[refused + 2]
    assert "default/wide" in lines[counts]
    assert lines[counts + 3 : counts + 5] == [
        "  Insufficient cpu: 2 really, 1 by us",
        "  node(s) were unschedulable: 0 really, 1 by us",
    ]
    assert "NOT KNOWN" in output
    assert "default/good" not in output


def test_pods_that_agree_are_named_on_demand(cluster, capsys) -> None:
    assert run([cluster, "--all"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "default/good" in line]
    assert "default/good: a, " in line


def test_json_has_the_same_answer_typed(cluster, capsys) -> None:
    assert run([cluster, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [pod["standing"] for pod in printed["pods"]["bound"]] == ["refused", "only_one"]
    assert printed["pods"]["pending"][0]["compared"]["reasons"][0]["real"] == 2
    assert (printed["logs"], printed["annotations"]) == (None, None)


@pytest.mark.parametrize("write", [bytes, gzip.compress])
def test_scores_of_a_log_are_compared_and_bad_lines_named(cluster, tmp_path, capsys, write) -> None:
    log = tmp_path / "scheduler.log"
    line = '"Plugin scored node for pod" pod="default/good" plugin="NodeResourcesFit" node="a" score={}\n'
    log.write_bytes(write(("I1 starting\n" + line.format(3) + line.format("much")).encode()))
    assert run([cluster, "--logs", str(log)]) == 0
    output = capsys.readouterr().out
    assert "LOG  0 of 0" in output
    assert "default/good: not compared" in output
    assert "cannot be read" in output
    assert "line 3: " in output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"nothing here\n", 'no line says "Plugin scored node for pod"'),
        (b'"Plugin scored node for pod" pod="x"\n', ":1: plugin, node, score is missing"),
        (gzip.compress(b"cut short" * 100, mtime=0)[:-9], "cannot be read: "),
    ],
)
def test_a_log_without_scores_is_refused(cluster, tmp_path, capsys, content, message) -> None:
    log = tmp_path / "scheduler.log"
    log.write_bytes(content)
    assert run([cluster, "--logs", str(log)]) == 1
    assert message in capsys.readouterr().err
    assert run([cluster, "--logs", str(tmp_path / "none")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_bad_input_is_refused(tmp_path, capsys) -> None:
    assert run([str(tmp_path / "no-such-file.json")]) == 1
    with pytest.raises(SystemExit) as stopped:
        run([])
    assert stopped.value.code == 2
    assert "usage: " in capsys.readouterr().err
