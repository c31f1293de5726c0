"""What the command line does, whatever the command."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from scheduler_core.__main__ import ADDED_COMMANDS, main
from tests.interrupts import interrupted


@pytest.mark.slow
@pytest.mark.parametrize("module", ["scheduler_core.cli.runs.simulate", "numpy"])
def test_ctrl_c_is_one_line_from_the_first_import_on(tmp_path, module):
    done = interrupted(tmp_path, ["-m", "scheduler_core", "simulate", "--help"], module)
    assert (done.stderr, done.returncode) == ("stopped\n", -signal.SIGINT)


CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "1", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: wide, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
"""
COMMANDS = {
    "why": ["why", "FILE", "--pod", "default/wide"],
    "why as JSON": ["why", "FILE", "--pod", "default/wide", "--json"],
    "agree": ["agree", "FILE"],
    "simulate": ["simulate", "FILE"],
    "validate": ["validate", "FILE"],
    "the list of commands": ["--help"],
}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_reader_that_went_away_ends_the_command_without_a_word(tmp_path, arguments):
    path = tmp_path / "cluster.yaml"
    path.write_text(CLUSTER)
    line = [sys.executable, "-m", "scheduler_core", *(str(path) if word == "FILE" else word for word in arguments)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.close()
        assert "Traceback" not in command.stderr.read()
        assert command.wait(60) in (-signal.SIGPIPE, 0)  # 0: it had nothing to say on standard output


def test_a_command_of_another_distribution_gets_the_words_and_its_status_is_returned(monkeypatch):
    points = EntryPoints([EntryPoint("quit", "builtins:len", ADDED_COMMANDS)])
    monkeypatch.setattr("scheduler_core.__main__.entry_points", lambda **of: points.select(**of))
    assert main(["quit", "now"]) == 2
    assert main(["quit"]) == 1


def test_added_commands_are_listed_and_an_unknown_one_is_refused(monkeypatch, capsys):
    points = EntryPoints([EntryPoint("quit", "builtins:len", ADDED_COMMANDS)])
    monkeypatch.setattr("scheduler_core.__main__.entry_points", lambda **of: points.select(**of))
    assert main(["--help"]) == 0
    assert "also installed: quit\n" in capsys.readouterr().out
    assert main(["leave"]) == 2
