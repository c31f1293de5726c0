"""Measurements are run by hand, so nothing else would notice that one cannot be started."""

from __future__ import annotations

from importlib import import_module
from inspect import isfunction

import pytest

from tests.bench import engine
from tests.bench.__main__ import TOPICS
from tests.bench.workloads import WORKLOADS


@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_a_topic_can_be_started(topic):
    module, _ = TOPICS[topic]
    assert isfunction(import_module(module).lines)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WORKLOADS))
def test_a_workload_is_checked_and_measured(name, monkeypatch):
    monkeypatch.setattr(engine, "calibration", lambda: {"calibration_ns": 1.0, "calibration_cpython_s": 1.0})
    checked = "preemption" not in name  # whose plain engine takes long
    figures = engine.measure(name, 100, 100, cached=True, checked=checked)
    assert figures["cycles"] >= 100
    assert (figures["checked_cycles"] >= 1) is checked
