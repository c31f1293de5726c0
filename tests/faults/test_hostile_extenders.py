"""Extenders recorded from servers that wish their callers ill, in a network of two namespaces and a cable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import NamedTuple

import pytest

from tests.dashboard.run_helpers import cluster_of
from tests.faults.hostile_server import KINDS, METADATA, PORT, SECRET
from tests.faults.lengths import LONG
from tests.faults.processes import ROOT
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(not LONG, reason="needs root for networks of its own: make faults"),
]

HERE, THERE = "10.99.0.1", "10.99.0.2"
TIMEOUT = 2
PODS = 2
MOST_MIB = 400
# Each pod is tried a few times at most; beside that Python is started.
MOST_SECONDS = 60.0


class Network(NamedTuple):
    """The prefix of a command that runs on our side, and the log of what the server was asked."""

    enter: list[str]
    log: str


def _namespace(stack):
    """Begin a namespace of networks and mounts; return the prefix of commands within it, and its process."""
    command = ["unshare", "--net", "--mount", "sleep", "infinity"]
    holder = stack.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    stack.callback(holder.kill)
    time.sleep(0.3)
    if holder.poll() is not None:
        pytest.skip(f"needs root for a network of its own: {holder.stderr.read().strip()}")
    return ["nsenter", "--target", str(holder.pid), "--net", "--mount", f"--wd={ROOT}"], holder.pid


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """Our side, and the server's with the metadata service, joined by a pair of devices."""
    folder = tmp_path_factory.mktemp("hostile")
    with ExitStack() as stack:
        ours, _our_pid = _namespace(stack)
        theirs, their_pid = _namespace(stack)
        run = lambda *command: subprocess.run(command, check=True)  # noqa: E731
        run(*ours, "ip", "link", "add", "cable0", "type", "veth", "peer", "name", "cable1", "netns", str(their_pid))
        sides = ((ours, "cable0", [f"{HERE}/24"]), (theirs, "cable1", [f"{THERE}/24", METADATA]))
        for side, device, addresses in sides:
            run(*side, "ip", "link", "set", "lo", "up")
            for address in addresses:
                run(*side, "ip", "addr", "add", address, "dev", device)
            run(*side, "ip", "link", "set", device, "up")
        run(*ours, "ip", "route", "add", METADATA, "via", THERE)
        (folder / "resolv.conf").write_text(f"nameserver {THERE}\noptions timeout:1 attempts:1\n")
        run(*ours, "mount", "--bind", str(folder / "resolv.conf"), "/etc/resolv.conf")
        log = folder / "log"
        server = stack.enter_context(
            subprocess.Popen(
                [*theirs, sys.executable, "-m", "tests.faults.hostile_server", str(log), THERE],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(server.kill)
        assert server.stdout.readline() == "listening\n"
        log.touch()
        yield Network(ours, str(log))


def configuration(path, prefix, **fields):
    """Write a configuration with one extender, whose filter is asked with names."""
    extender = {"urlPrefix": prefix, "filterVerb": "filter", "nodeCacheCapable": True, "httpTimeout": f"{TIMEOUT}s"}
    document = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    path.write_text(json.dumps(document | {"extenders": [extender | fields]}))
    return path


class Recording(NamedTuple):
    """How a command of ours ended: its status, words, seconds, and the most memory that it had."""

    status: int
    said: str
    seconds: float
    mebibytes: float


def simulated(network, folder, *arguments):
    """Run `simulate` on our side."""
    (folder / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster_of(2, PODS)}))
    command = [*network.enter, sys.executable, "-m", "scheduler_core", "simulate", str(folder / "cluster.json")]
    began = time.monotonic()
    with (folder / "said").open("w") as said:
        process = subprocess.Popen([*command, *arguments], cwd=ROOT, stdout=said, stderr=said)
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    return Recording(process.returncode, (folder / "said").read_text(), seconds, usage.ru_maxrss / 1024)


def metadata_asked(network):
    """The requests that reached the metadata service."""
    with open(network.log) as log:
        return [line for line in log if line.startswith((METADATA, f"::ffff:{METADATA}"))]


def recorded(network, folder, prefix):
    """Record a run; return it, once it is seen to be bounded, and to repeat from its tape."""
    config, tape = configuration(folder / "config.json", prefix), folder / "run.tape"
    run = simulated(network, folder, "--config", str(config), "--record-extenders", str(tape))
    print(round(run.seconds, 1), round(run.mebibytes), run.said[-300:])
    assert "Traceback" not in run.said, run.said
    assert run.status == 0, run.said
    assert run.seconds < MOST_SECONDS
    assert run.mebibytes < MOST_MIB
    again = simulated(network, folder, "--config", str(config), "--tape", str(tape))
    hashes = [next(line for line in one.said.splitlines() if "hash" in line) for one in (run, again)]
    assert hashes[0] == hashes[1]
    assert SECRET.encode() not in tape.read_bytes()
    return run


@pytest.mark.parametrize("kind", KINDS)
def test_a_recording_ends_in_time_and_memory_and_asks_no_metadata_service(network, tmp_path, kind):
    before = len(metadata_asked(network))
    recorded(network, tmp_path, f"http://{THERE}:{PORT}/{kind.replace(' ', '%20')}")
    assert len(metadata_asked(network)) == before


def test_a_name_that_moves_to_the_metadata_service_is_not_followed_there(network, tmp_path):
    before = len(metadata_asked(network))
    run = recorded(network, tmp_path, f"http://rebinding.test:{PORT}/closed%20before")
    assert "rebinding.test" in run.said
    assert len(metadata_asked(network)) == before


def test_an_address_that_the_configuration_names_is_called(network, tmp_path):
    before = len(metadata_asked(network))
    config = configuration(tmp_path / "config.json", f"http://{METADATA}:{PORT}/fair")
    simulated(network, tmp_path, "--config", str(config), "--record-extenders", str(tmp_path / "run.tape"))
    assert len(metadata_asked(network)) > before


def test_a_cable_that_is_pulled_out_in_the_middle_is_a_time_out(network, tmp_path):
    config = configuration(tmp_path / "config.json", f"http://{THERE}:{PORT}/silence")
    pull = subprocess.Popen([*network.enter, "sh", "-c", "sleep 2; ip link set cable0 down"])
    try:
        run = simulated(network, tmp_path, "--config", str(config), "--record-extenders", str(tmp_path / "run.tape"))
    finally:
        pull.wait(PATIENCE)
        subprocess.run([*network.enter, "ip", "link", "set", "cable0", "up"], check=True)
        subprocess.run([*network.enter, "ip", "route", "add", METADATA, "via", THERE], check=True)
    assert (run.status, "Traceback" in run.said) == (0, False), run.said
    assert run.seconds < MOST_SECONDS
