"""The collector as a process of its own, through the real kubectl, against a server that fails in every way, with many
changes, and against a real API server where one is at hand (TEST_KUBECONFIG)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scheduler_core.collect.fields.allowed import PlainNames, projected
from tests.api_server.live import Faults, LiveServer
from tests.api_server.serving import serving_live
from tests.kubectl import kubeconfig, kubectl_on_path
from tests.patience import PATIENCE
from tests.scheduler_core.collect.collecting import few_kinds, node, pod, read_bundle
from tests.scheduler_core.collect.faulty import PlayedHistory, first_objects, missing_of

__all__ = ["kubectl_on_path"]
ROOT = Path(__file__).parents[2]
MOST_MEGABYTES = 300


class CollectorProcess:
    """``collect`` with a kubeconfig, and what it says."""

    def __init__(self, folder: Path, config: Path, *options: str) -> None:
        self.out = folder / "bundle.tar.gz"
        self._said = folder / "said"
        command = [sys.executable, "-m", "scheduler_core", "collect", "--kubeconfig", str(config), *options]
        with self._said.open("w") as file:
            self.process = subprocess.Popen([*command, "--out", str(self.out)], cwd=ROOT, stderr=file)

    @property
    def said(self) -> str:
        """Everything that it has said."""
        return self._said.read_text()

    def until_said(self, pattern: str) -> re.Match[str]:
        """Wait until it has said it."""
        deadline = time.monotonic() + PATIENCE
        while not (match := re.search(pattern, self.said)):
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.05)
        return match

    def until_written(self, version: int) -> None:
        """Wait until a change of this version, or a later one, is in its journal."""
        path = self.out.with_name(f"{self.out.name}.partial") / "changes.jsonl"
        deadline = time.monotonic() + PATIENCE
        while f'"rv":"{version}"'.encode() not in _last_bytes(path):
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.1)

    @property
    def most_megabytes(self) -> float:
        """The most memory that it ever had."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", text).group(1)) / 1024  # type: ignore[union-attr]

    def stopped(self) -> int:
        """Stop it as Ctrl-C does; its status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


def _last_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - (1 << 20)))
        return file.read()


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_through_kubectl_all_faults_together_lose_nothing(seed, tmp_path, kubectl_on_path):
    # kubectl answers a reset watch with its end, and passes everything else on.
    faults = Faults(seed=seed, page_gone=0.2, watch_gone=0.1, error_event=0.1, too_many=0.1, failing=0.1, reset=0.2,
                    silent_end=0.3, slow=0.3, no_initial_events=True, retry_after="0")  # fmt: skip
    server = few_kinds(faults=faults, events_at_most=10)
    with serving_live(first_objects(), server):
        collector = CollectorProcess(tmp_path, kubeconfig(tmp_path, server.address))
        collector.until_said("listed")
        history = PlayedHistory(server, seed)
        for _ in range(200):
            history.step()
            time.sleep(0.005)
        last = pod("last-one")
        history.apply("ADDED", last)
        collector.until_written(server.resource_version)
        time.sleep(3)
        assert collector.stopped() == 3, collector.said
    assert missing_of(history, read_bundle(collector.out)) == []


@pytest.mark.long
def test_a_killed_collector_is_resumed(tmp_path, kubectl_on_path):
    server = few_kinds()
    with serving_live(first_objects(), server):
        config = kubeconfig(tmp_path, server.address)
        collector = CollectorProcess(tmp_path, config)
        collector.until_said("listed")
        history = PlayedHistory(server, 3)
        for _ in range(50):
            history.step()
        history.apply("ADDED", pod("first-last"))
        collector.until_written(server.resource_version)
        collector.process.kill()
        collector.process.wait()
        for _ in range(50):
            history.step()
        done = subprocess.run(
            [sys.executable, "-m", "scheduler_core", "collect", "--kubeconfig", str(config), "--resume",
             str(collector.out), "--for", "3s"], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
    assert done.returncode == 3, done.stderr
    bundle = read_bundle(collector.out)
    assert missing_of(history, bundle) == []
    assert "STOPPED" in {code for code, _ in bundle.codes}


def changed_pod(n: int, n_nodes: int) -> dict:
    """The n-th of a history of pods that come, are bound, run and go."""
    turn, at = n % 4, n // 4
    one = pod(f"pod-{at}", f"node-{at % n_nodes}" if turn else "", priority=at % 7)
    one["metadata"]["managedFields"] = [{"manager": "kubelet", "time": f"2026-01-01T00:00:{n % 60:02}Z"}]
    one["spec"]["containers"][0]["env"] = [{"name": f"E{i}", "value": "x" * 40} for i in range(20)]
    one["status"] = {"phase": "Running" if turn > 1 else "Pending", "podIP": "10.0.0.1"}
    return one


@pytest.mark.long
def test_a_thousand_nodes_and_a_hundred_thousand_changes_need_little_memory(tmp_path, kubectl_on_path):
    n_nodes, n_changes = 1_000, 100_000
    server = LiveServer()
    nodes = [node(f"node-{n}", **{"topology.kubernetes.io/zone": f"z{n % 3}"}) for n in range(n_nodes)]
    with serving_live(nodes, server):
        collector = CollectorProcess(tmp_path, kubeconfig(tmp_path, server.address), "--for", "1d")
        collector.until_said("listed 1,000 objects")
        began = time.monotonic()
        for n in range(n_changes):
            change = ("ADDED", "MODIFIED", "MODIFIED", "DELETED")[n % 4]
            server.apply(change, changed_pod(n, n_nodes))
        played = time.monotonic() - began
        collector.until_written(server.resource_version)
        seconds, megabytes = time.monotonic() - began, collector.most_megabytes
        assert collector.stopped() == 0, collector.said
    bundle = read_bundle(collector.out)
    truth = {
        ("Node", "", one["metadata"]["name"]): projected("Node", "v1", one, PlainNames())
        for one in server.of_kind("Node")
    }
    assert bundle.folded() == truth
    assert [change.rv for change in bundle.changes] == [str(1001 + n_nodes + n) for n in range(n_changes)]
    rate = re.search(r"([\d.,]+) a minute", collector.said).group(1)  # type: ignore[union-attr]
    print(f"{megabytes:.0f} MB, {seconds:.0f} s ({played:.0f} s to play {n_changes:,} changes), {rate} requests/min")
    assert megabytes < MOST_MEGABYTES


@pytest.mark.long
def test_a_real_api_server_is_collected(tmp_path, kubectl_on_path):
    if "TEST_KUBECONFIG" not in os.environ:
        pytest.skip("TEST_KUBECONFIG names no kubeconfig of a real API server")
    collector = CollectorProcess(tmp_path, Path(os.environ["TEST_KUBECONFIG"]), "--for", "10s")
    assert collector.process.wait(PATIENCE) in (0, 3), collector.said
    bundle = read_bundle(collector.out)
    assert bundle.meta.server_version.startswith("v1.")
    assert {kind for kind, _, _ in bundle.folded()} >= {"Namespace"}
