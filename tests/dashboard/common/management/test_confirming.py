"""Only a person at a terminal confirms."""

from __future__ import annotations

import sys

import pytest

from dashboard.common.management.confirming import is_confirmed


@pytest.mark.parametrize(
    ("is_terminal", "answer", "expected"),
    [(False, "y", False), (True, "y", True), (True, " YES ", True), (True, "", False), (True, "yesterday", False)],
)
def test_a_yes_at_a_terminal_confirms(monkeypatch, is_terminal, answer, expected):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.setattr("builtins.input", lambda _question: answer)
    said: list[str] = []
    assert is_confirmed(said.append) == expected
    assert bool(said) != is_terminal
