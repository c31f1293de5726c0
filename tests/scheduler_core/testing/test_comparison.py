from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.testing.comparison import difference


@pytest.mark.parametrize(
    ("expected", "decided"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"t": 3}, {"t": 3.0}),
        ({"reasons": ["b", "a"]}, {"reasons": ["a", "b"]}),
    ],
)
def test_what_agrees_has_no_difference(expected: Any, decided: Any) -> None:
    assert difference(expected, decided) == ""


@pytest.mark.parametrize(
    ("expected", "decided", "text"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ".a[1].b: expected 2, got 3"),
        ({"a": 1}, {}, ".a: expected 1, got (missing)"),
        ({}, {"a": 1}, ".a: expected (missing), got 1"),
        ({"a": [1]}, {"a": [1, 2]}, ".a: expected [1], got [1, 2]"),
        ({"nodes": ["b", "a"]}, {"nodes": ["a", "b"]}, ".nodes[0]: expected b, got a"),
        ({"a": 1.5}, {"a": 1}, ".a: expected 1.5, got 1"),
        ({"a": {"b": 1}}, {"a": None}, ".a: expected {'b': 1}, got None"),
        ({"a": "x" * 400}, {"a": ""}, f".a: expected {'x' * 300} ..., got "),
    ],
)
def test_the_first_difference_is_told(expected: Any, decided: Any, text: str) -> None:
    assert difference(expected, decided) == text
