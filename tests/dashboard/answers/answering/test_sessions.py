"""What is kept between questions: by least recent use, while the process is under its limit."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dashboard.answers.answering.sessions import Sessions
from dashboard.common.processes import memory
from tests.patience import PATIENCE

MIB = 1024 * 1024
# Makes twelve sessions of 16 MiB where there is room for four; prints the bytes by which the process grew at most, and
# how many sessions are left.
FILLED = """
import numpy as np
from dashboard.common.processes import memory
from dashboard.answers.answering.sessions import Sessions

MIB = 1024 * 1024
before = memory.resident_bytes()
sessions, grown = Sessions(before + 64 * MIB), []
for n in range(12):
    sessions.get(("run", 1, "state", n), 1, lambda: np.ones(2 * MIB, dtype=np.int64))
    sessions.shrink()
    grown.append(memory.resident_bytes() - before)
print(max(grown), len(sessions))
"""


class Process:
    """A process that is as large as what its sessions hold."""

    def __init__(self, limit):
        self.sessions = Sessions(limit, self.forget, self.resident)
        self.cached = 0
        self.making = 0

    def resident(self):
        """Return its size; what is being made counts already."""
        return 100 + self.cached + self.making + sum(entry.value for entry in self.sessions.held.values())

    def forget(self):
        """Drop what other modules keep."""
        self.cached = 0

    def get(self, name, size, n_objects=1):
        """Return a value of that size under the key."""

        def make():
            self.making = size
            return size

        session = self.sessions.get(("run", 1, "state", name), n_objects, make)
        self.making = 0
        return session

    @property
    def names(self):
        """Return what is kept, that used longest ago first."""
        return [key[3] for key in self.sessions.held]


@pytest.fixture(autouse=True)
def _no_collection(monkeypatch):
    """The process is only a number here."""
    monkeypatch.setattr(memory, "give_back", lambda: None)


def test_what_was_used_longest_ago_is_forgotten_first():
    process = Process(limit=400)
    for name in ("a", "b", "c", "a", "d"):
        process.get(name, 100)
    assert process.names == ["c", "a", "d"]
    assert process.sessions.made == 4


def test_room_is_made_before_something_is_made():
    process = Process(limit=400)
    process.get("small", 100, n_objects=10)
    sizes = []
    make = process.sessions.get
    make(("run", 1, "state", "large"), 25, lambda: sizes.append(process.resident()) or 250)
    assert sizes == [100]  # 25 objects of 10 each will need 250, so the small one went before.
    assert process.resident() == 350


def test_the_largest_size_of_an_object_that_was_seen_counts():
    process = Process(limit=400)
    process.get("large", 100, n_objects=10)
    process.get("small", 10, n_objects=10)
    sizes = []
    process.sessions.get(("run", 1, "state", "next"), 25, lambda: sizes.append(process.resident()) or 0)
    assert sizes == [110]  # 25 objects may need 250, as those of the first needed 10 each: it went


def test_caches_of_others_go_before_sessions():
    process = Process(limit=400)
    process.get("a", 100)
    process.cached = 150
    process.get("b", 100)
    assert process.names == ["a", "b"]
    assert process.cached == 0


def test_everything_goes_where_nothing_else_does():
    process = Process(limit=50)
    process.get("a", 100)
    process.sessions.shrink()
    assert len(process.sessions) == 0


def test_what_could_not_be_made_is_not_kept():
    process = Process(limit=400)
    with pytest.raises(ZeroDivisionError):
        process.sessions.get(("run", 1, "state", "a"), 1, lambda: 1 // 0)
    assert process.get("a", 7) == 7


@pytest.mark.slow
def test_a_process_gets_smaller_when_its_sessions_go():
    """In a process of its own: one that ran other tests gives back what those left, and has room for more sessions."""
    done = subprocess.run([sys.executable, "-c", FILLED], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    largest, n_kept = map(int, done.stdout.split())
    assert largest <= 64 * MIB
    assert 1 <= n_kept <= 4
