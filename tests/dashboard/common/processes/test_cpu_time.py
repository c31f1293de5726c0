"""How much of the processors a process has used."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dashboard.common.processes import cpu_time
from dashboard.common.processes.cpu_time import cpu_seconds, seconds_in


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: the fields of /proc")
def test_the_times_of_proc_are_added_up_whatever_the_name(tmp_path, monkeypatch):
    fields = ["S", *map(str, range(1, 11)), "100", "20", "3", "4", "0"]
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(f"7 (a) b (c)) {' '.join(fields)}\n")
    monkeypatch.setattr(cpu_time, "_PROC", tmp_path)
    monkeypatch.setattr(os, "sysconf", lambda _name: 100)
    assert cpu_seconds(7) == 1.27


def test_it_grows_with_what_the_process_computes():
    before = cpu_seconds(os.getpid())
    while cpu_seconds(os.getpid()) == before:
        sum(range(10_000))
    assert cpu_seconds(os.getpid()) > before


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_process_that_is_gone_has_used_none(platform, monkeypatch):
    done = subprocess.Popen(["true"])
    done.wait()
    monkeypatch.setattr(sys, "platform", platform)
    assert cpu_seconds(done.pid) == 0.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(" 0:01.25\n", 1.25), ("12:03.50", 723.5), ("01:00:02", 3602.0), ("2-03:00:01", 183_601.0)],
    ids=["of macOS", "minutes", "hours", "days"],
)
def test_times_of_ps(text, seconds):
    assert seconds_in(text) == seconds
