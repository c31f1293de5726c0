"""The collect command: its options, its statuses, and once the way through the real kubectl."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

import pytest
import yaml

from scheduler_core.cli.live.collect import run
from tests.api_server.serving import serving_live
from tests.kubectl import kubeconfig, kubectl_on_path
from tests.patience import PATIENCE
from tests.scheduler_core.collect.collecting import QUICK, DirectWay, few_kinds, node, pod, read_bundle

__all__ = ["kubectl_on_path"]
ROOT = Path(__file__).parents[4]


@pytest.mark.slow
@pytest.mark.essential
def test_through_the_real_kubectl_a_bundle_is_collected(tmp_path, kubectl_on_path):
    server = few_kinds()
    with serving_live([node("a"), pod("web-1")], server):
        command = [
            sys.executable,
            "-m",
            "scheduler_core",
            "collect",
            "--for",
            "1s",
            "--out",
            str(tmp_path / "b.tar.gz"),
        ]
        config = kubeconfig(tmp_path, server.address)
        timer = threading.Timer(0, _bind_when_listed, [server])
        timer.start()
        done = subprocess.run(
            [*command, "--kubeconfig", str(config)], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE
        )
        timer.join()
    assert done.returncode == 3, done.stderr  # Kinds that this server does not know.
    bundle = read_bundle(tmp_path / "b.tar.gz")
    assert set(bundle.folded()) == {("Node", "", "a"), ("Pod", "default", "web-1")}
    assert [state[:2] for state in bundle.states("Pod")] == [("MODIFIED", "web-1")]
    assert bundle.codes == set()


def _bind_when_listed(server) -> None:
    """Change the pod when its watch has begun."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if any("/pods?watch" in path and "allowWatchBookmarks" in path and "resourceVersion=1" in path
               for path in list(server.asked)):  # fmt: skip
            server.apply("MODIFIED", pod("web-1", "a"))
            return
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_bundle(tmp_path, number):
    server = few_kinds()
    with serving_live([node("a")], server):
        stopper = threading.Timer(0, _signal_when_watching, [server, number])
        stopper.start()
        out = tmp_path / "b.tar.gz"
        assert run(["--out", str(out)], DirectWay(server.address), QUICK) == 3
        stopper.join()
    assert read_bundle(out).meta.ended is not None


def _signal_when_watching(server, number: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and not any("/nodes?watch" in one and "Bookmarks" in one for one in server.asked):
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(os.getpid(), number)


def test_a_dry_run_says_what_would_be_written_and_writes_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server = few_kinds()
    with serving_live([node("a"), pod("web-1"), pod("web-2")], server):
        assert run(["--dry-run"], DirectWay(server.address), QUICK) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["Node", "1"], ["Pod", "2"]]
    (of_pods,) = [line for line in lines if line.startswith("Pod: ")]
    assert "spec.containers[].resources.requests" in of_pods
    assert "args" not in of_pods
    assert lines[-1].startswith("3 objects in ")
    assert list(tmp_path.iterdir()) == []


def test_the_role_reads_and_nothing_else(capsys):
    assert run(["--role", "--scheduler-config", "kube-system/scheduler"]) == 0
    of_cluster, of_map = yaml.safe_load_all(capsys.readouterr().out)
    verbs = {verb for rule in of_cluster["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch"}
    resources = {resource for rule in of_cluster["rules"] for resource in rule["resources"]}
    assert {"nodes", "pods", "resourcequotas", "limitranges", "events"} <= resources
    assert not resources & {"secrets", "configmaps", "*"}
    assert (of_map["kind"], of_map["metadata"]["namespace"]) == ("Role", "kube-system")
    assert of_map["rules"] == [
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["scheduler"], "verbs": ["get"]}
    ]


def test_without_a_server_the_status_is_1(tmp_path, capsys):
    out = tmp_path / "b.tar.gz"
    pace = QUICK._replace(start=0.2)
    assert run(["--out", str(out)], DirectWay("http://127.0.0.1:9"), pace) == 1
    assert "nothing was collected" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--for", "soon"], "duration"),
        (["--for", ""], "duration"),
        (["--namespace", "A_b"], "--namespace"),
        (["--scheduler-config", "only-a-name"], "NAMESPACE/NAME"),
        (["--config", "c", "--scheduler-config", "a/b"], "not allowed"),
        (["--config", "missing.yaml"], "missing.yaml"),
        (["--config", "other.yaml"], "KubeSchedulerConfiguration"),
        (["--out", "bundle.zip"], ".tar.gz"),
        (["--out", "there.tar.gz"], "there already"),
        (["--out", "begun.tar.gz"], "--resume"),
        (["--out", "nowhere/b.tar.gz"], "no folder"),
        (["--resume", "none.tar.gz"], "no collection"),
        (["--resume", "begun.tar.gz", "--pseudonyms"], "--pseudonyms"),
        (["--follow", "http://example.org/x"], "https"),
        (["--follow", "https://example.org/x"], "SCHEDSCOPE_TOKEN"),
        (["--follow", "https://example.org/x", "--token-file", "none"], "none"),
        (["--unknown"], "--unknown"),
    ],
)
def test_a_wrong_command_line_is_2_and_says_what_is_wrong(argv, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SCHEDSCOPE_TOKEN", raising=False)
    (tmp_path / "other.yaml").write_text("kind: Other\n")
    (tmp_path / "there.tar.gz").write_text("")
    (tmp_path / "begun.tar.gz.partial").mkdir()
    (tmp_path / "begun.tar.gz.partial" / "state.json").write_text("{}")
    with pytest.raises(SystemExit) as ended:
        run(argv)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_the_token_is_no_part_of_the_command_line(capsys):
    with pytest.raises(SystemExit):
        run(["--help"])
    options = capsys.readouterr().out
    assert "--token-file" in options
    assert "--token " not in options


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["", ".partial/"])
def test_a_collection_that_was_broken_off_is_closed_by_resume(tmp_path, suffix):
    server = few_kinds()
    with serving_live([node("a")], server):
        out = tmp_path / "b.tar.gz"
        assert run(["--out", str(out), "--for", "0"], DirectWay(server.address), QUICK) == 3
        with tarfile.open(out) as archive:
            archive.extractall(tmp_path / "b.tar.gz.partial", filter="data")
        out.unlink()
        state = {"collection": "c", "versions": {}, "listed": ["nodes/"]}
        folder = tmp_path / "b.tar.gz.partial"
        meta = json.loads((folder / "meta.json").read_text())
        (folder / "state.json").write_text(json.dumps(state | {"meta": meta}))
        server.apply("ADDED", node("b"))
        assert run(["--resume", f"{out}{suffix}", "--for", "0"], DirectWay(server.address), QUICK) == 3
    assert {name for _, _, name in read_bundle(out).folded()} == {"a", "b"}
