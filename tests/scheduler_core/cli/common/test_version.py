"""The version that a command follows: named, or what the files say the cluster runs; refused by name."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.cli.runs import compare, simulate

NODE = """
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: "4", memory: 4Gi, pods: "9"}, nodeInfo: {kubeletVersion: KUBELET}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
"""
COMMANDS = {
    "runs.simulate": ["--json"],
    "runs.search": ["outcome:scheduled", "--json"],
    "runs.compare": ["--json"],
    "answers.why": ["--pod", "a/p", "--json"],
    "answers.agree": ["--json"],
}


def called(capsys: Any, command: str, *argv: str) -> tuple[int, str]:
    """Return exit status and what was said on standard error."""
    module = importlib.import_module(f"scheduler_core.cli.{command}")
    try:
        status = module.run([*argv[:1], *COMMANDS[command], *argv[1:]])
    except SystemExit as end:
        status = int(str(end.code))
    return status, capsys.readouterr().err


@pytest.fixture
def dump(tmp_path: Path) -> str:
    path = tmp_path / "dump.yaml"
    path.write_text(NODE.replace("KUBELET", "v1.35.2-eks-473151a"))
    return str(path)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_runs_a_cluster_says_once_what_it_follows(command: str, dump: str, capsys: Any) -> None:
    status, said = called(capsys, command, dump)
    line = "kube-scheduler 1.35, measured against 1.35.6; the newest kubelet is 1.35.2\n"
    assert (status, said.count("kube-scheduler "), line in said) == (0, 1, True)
    status, said = called(capsys, command, dump, "--kubernetes", "1.37", "--feature-gates", "NodeDeclaredFeatures=true")
    assert status == 0
    assert said.startswith("kube-scheduler 1.37, derived from sources, with NodeDeclaredFeatures=true; ")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--kubernetes", "newest"], '"newest" is no version of Kubernetes'),
        (["--feature-gates", "A"], '"A" is no feature gate'),
        (["--feature-gates", "NoSuchGate=true"], "kube-scheduler 1.35 has no feature gate NoSuchGate"),
        (["--kubernetes", "1.37", "--feature-gates", "NodeDeclaredFeatures=false"], "is locked to true in 1.37"),
        (["--feature-gates", "OpportunisticBatching=false"], "OpportunisticBatching=false is not played"),
    ],
)
def test_what_cannot_be_followed_is_a_wrong_command_line(
    command: str, options: list[str], problem: str, dump: str, capsys: Any
) -> None:
    status, said = called(capsys, command, dump, *options)
    assert status == 2
    assert problem in said


def test_the_version_decides_and_a_policy_names_it_too(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "dump.yaml"
    taints = "spec: {taints: [{key: k, effect: NoSchedule}]}\nstatus:"
    tainted = NODE.replace("KUBELET", "v1.34.1").replace("status:", taints)
    path.write_text(tainted)
    named = "{k: }"

    def message(*options: str) -> bool:
        assert simulate.run([str(path), "--json", *options]) == 0
        return named in json.loads(capsys.readouterr().out)["pending"]["a/p"]

    assert message()
    assert not message("--kubernetes", "1.34")
    assert not message("--policy", "kubernetes=1.36")
    assert not message("--policy", "kubernetes=")
    assert message("--policy", "taint_message=named")


def test_the_two_sides_of_a_comparison_have_a_version_each(dump: str, capsys: Any) -> None:
    assert compare.run([dump, "--kubernetes", "1.34", "1.36", "--json"]) == 0
    captured = capsys.readouterr()
    assert [line.partition(",")[0] for line in captured.err.splitlines() if line.startswith("kube-")] == [
        "kube-scheduler 1.34.2 and later",
        "kube-scheduler 1.36",
    ]
    assert any("policies" in json.dumps(one) for one in json.loads(captured.out)["inputs"])


def test_the_report_of_a_run_says_the_version_too(dump: str, capsys: Any) -> None:
    assert simulate.run([dump, "--json"]) == 0
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert report["version"] == "kube-scheduler 1.35, measured against 1.35.6; the newest kubelet is 1.35.2"
    assert report["version"] in captured.err
