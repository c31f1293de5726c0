"""Measurements are run by hand, so nothing else would notice that one cannot be started."""

from __future__ import annotations

from importlib import import_module
from inspect import isfunction

import pytest

from tests.bench.__main__ import TOPICS
from tests.bench.engine import measure
from tests.bench.workloads import WORKLOADS


@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_a_topic_can_be_started(topic):
    module, _ = TOPICS[topic]
    assert isfunction(import_module(module).lines)


@pytest.mark.parametrize("name", sorted(WORKLOADS))
def test_a_workload_is_checked_and_measured(name):
    figures = measure(name, 100, 20, keeping=True, checked="preemption" not in name)
    assert figures["cycles"] >= 20
    assert figures["bound"] > 0
