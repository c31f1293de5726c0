"""What is stored of a run's outcomes."""

from __future__ import annotations

import pytest

from scheduler_core.explain.outcomes.model import Line, PodOutcome, decode_outcomes


def test_a_margin_needs_a_runner_up():
    assert PodOutcome("a/b", 0, 0, 0, total=450, second=449).margin == 1
    assert PodOutcome("a/b", 0, 0, 0, total=450).margin is None
    assert PodOutcome("a/b", 0, 0, 0).margin is None


def test_the_share_of_a_resource_that_no_node_has_is_unknown():
    assert Line("cpu", [1, 2], [4, 4], 0.0).share == 0.5
    assert Line("cpu", [1], [0], 0.0).share is None


def test_bytes_that_are_no_summary_are_refused():
    with pytest.raises(ValueError, match="cannot be read"):
        decode_outcomes(b"nothing")
