"""Memory of the process."""

from __future__ import annotations

import gc
import weakref

import pytest

from dashboard.common.processes import memory
from dashboard.common.processes.gc_tuning import freeze_gc
from tests.patience import until


@pytest.mark.slow
def test_what_is_taken_counts_and_what_is_let_go_is_given_back():
    memory.give_back()
    before = memory.resident_bytes()
    block = bytearray(b"x" * (64 << 20))
    taken = memory.resident_bytes()
    assert taken - before > 48 << 20
    block.clear()
    memory.give_back()
    assert taken - memory.resident_bytes() > 48 << 20


def test_where_the_system_does_not_say_it_is_the_most_there_ever_was(monkeypatch, tmp_path):
    now = memory.resident_bytes()
    monkeypatch.setattr(memory, "_STATM", tmp_path / "missing")
    assert memory.resident_bytes() > now / 2


class Node:
    def __init__(self) -> None:
        self.itself = self


@pytest.mark.slow
def test_a_cycle_that_was_left_out_of_the_passes_is_freed():
    node = Node()
    alive = weakref.ref(node)
    freeze_gc()
    del node
    gc.collect()
    assert alive() is not None
    memory.give_back()
    assert alive() is None
    assert gc.get_freeze_count() > 0


@pytest.mark.slow
def test_memory_is_given_back_where_the_process_has_grown(monkeypatch):
    calls, resident = [], [100 << 20]
    monkeypatch.setattr(memory, "resident_bytes", lambda: resident[0])
    monkeypatch.setattr(memory, "GROWN_BYTES", 4 << 20)
    memory.give_back()
    give_back = memory.give_back
    monkeypatch.setattr(memory, "give_back", lambda: (calls.append(resident[0]), give_back()))
    for resident[0] in (103 << 20, 105 << 20, 108 << 20, 110 << 20):
        memory.give_back_if_grown()
    assert calls == [105 << 20, 110 << 20]


def test_a_process_that_serves_frees_younger_cycles_every_now_and_then(monkeypatch):
    monkeypatch.setattr(memory, "TIDY_SECONDS", 0.01)
    full = []
    monkeypatch.setattr(memory, "give_back_if_grown", lambda: full.append(True))
    node = Node()
    alive = weakref.ref(node)
    gc.disable()
    try:
        del node
        ends = memory.keep_tidy()
        until(lambda: alive() is None)
    finally:
        gc.enable()
    until(lambda: len(full) > 1)  # It goes on.
    ends.set()
