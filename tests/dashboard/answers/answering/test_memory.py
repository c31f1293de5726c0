"""Memory of the process."""

from __future__ import annotations

import pytest

from dashboard.answers.answering import memory


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
