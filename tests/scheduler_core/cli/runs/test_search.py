"""``search``: hits of a query on the command line; a query that is not understood is marked under its column."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from scheduler_core.cli.runs.search import run

if TYPE_CHECKING:
    from pathlib import Path

NODE = '{allocatable: {cpu: "1", memory: 4Gi, pods: "10"}}'
CLUSTER = f"""
apiVersion: v1
kind: Node
metadata: {{name: a}}
status: {NODE}
---
apiVersion: v1
kind: Node
metadata: {{name: b}}
spec: {{taints: [{{key: gpu, value: "yes", effect: NoSchedule}}]}}
status: {NODE}
---
apiVersion: v1
kind: Pod
metadata: {{name: first, namespace: shop}}
spec: {{containers: [{{name: c, image: x, resources: {{requests: {{cpu: 800m}}}}}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: second, namespace: shop}}
spec: {{containers: [{{name: c, image: x, resources: {{requests: {{cpu: 800m}}}}}}]}}
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    path = tmp_path / "cluster.yaml"
    path.write_text(CLUSTER)
    return str(path)


def test_hits_are_lines_with_time_and_cycle_and_a_count(cluster, capsys) -> None:
    assert run([cluster, "cell verdict:refused and decisive and pod:second and attempt:1", "--group", "plugin"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "       0.001 s  cycle 2        seq 10        TaintToleration refuses b: node(s) had untolerated taint(s)",
        "       0.001 s  cycle 2        seq 10        NodeResourcesFit refuses a: Insufficient cpu",
        "2 cells",
        "         1  NodeResourcesFit",
        "         1  TaintToleration",
    ]


def test_a_limit_shows_some_and_counts_all_and_backward_begins_at_the_end(cluster, capsys) -> None:
    assert run([cluster, "move", "--limit", "1"]) == 0
    first, count = capsys.readouterr().out.splitlines()
    assert first.endswith("shop/first: outside to active, UnschedulablePodAdd")
    assert count.endswith(" moves; 1 are shown")
    assert run([cluster, "outcome:unschedulable", "--limit", "1", "--backward"]) == 0
    assert "attempt 2" in capsys.readouterr().out.splitlines()[0]


def test_json_is_one_object_with_the_same(cluster, capsys) -> None:
    assert run([cluster, "outcome:scheduled", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["subject"], report["counts"]["total"], report["counts"]["ended"]) == ("cycle", 1, "end")
    assert report["hits"][0]["pod"] == "shop/first"
    fields = report["hits"][0]["fields"]
    assert {name: fields[name] for name in ("attempt", "outcome", "feasible")} == {
        "attempt": 1,
        "outcome": "scheduled",
        "feasible": 1,
    }


def test_a_cell_has_its_verdict_or_points_as_fields(cluster, capsys) -> None:
    assert run([cluster, "cell plugin:TaintToleration and pod:first", "--json"]) == 0
    by_node = {hit["node"]: hit["fields"] for hit in json.loads(capsys.readouterr().out)["hits"]}
    assert (by_node["b"]["verdict"], by_node["b"]["decisive"]) == ("refused", True)
    assert by_node["b"]["reason"].startswith("node(s)")
    assert by_node["a"]["verdict"] == "passed"


def test_a_query_without_hits_is_an_answer(cluster, capsys) -> None:
    assert run([cluster, "outcome:error"]) == 0
    assert capsys.readouterr().out == "0 cycles\n"


def test_time_that_runs_out_is_said(cluster, capsys) -> None:
    assert run([cluster, "cell", "--seconds", "-1"]) == 0
    assert "time ran out" in capsys.readouterr().out


def test_what_is_wrong_with_a_query_is_marked_under_its_column(cluster, capsys) -> None:
    assert run([cluster, "tie or outcome:unschedulabel"]) == 1
    query, mark, message = capsys.readouterr().err.splitlines()
    assert query[mark.index("^") : mark.rindex("^") + 1] == "unschedulabel"
    assert message.startswith("column 16: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["cycle", "--limit", "10001"], "--limit: 10,001 is not between 0 and 10,000"),
        (["move", "--group", "node"], "--group: moves are counted by plugin, reason, namespace; not by node"),
        (["tie\nand ("], "column 10: "),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_runs(cluster, capsys, options, message) -> None:
    assert run([cluster, *options]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith(message)
