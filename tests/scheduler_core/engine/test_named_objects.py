"""Objects by kind and name alone."""

from __future__ import annotations

import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.engine.named_objects import named_object


@pytest.mark.parametrize("kind", [*k8s.KINDS, "Service", "ReplicaSet"])
def test_every_kind_that_a_run_reads_can_be_named(kind):
    obj = named_object(kind, "", "x")
    if kind == "WorkloadSelector":
        assert obj is None
        return
    assert obj.name == "x"
    assert getattr(obj, "namespace", "default") == "default"


def test_a_kind_that_no_run_reads_has_no_object():
    assert named_object("Secret", "a", "b") is None
