"""One object by itself."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import AdmissionContext, node_from_raw, pod_from_raw
from scheduler_core.manifests.single_object import InvalidObject


def test_single_objects_raise_with_the_field():
    raw = {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c"}], "priorityClassName": "system-node-critical"},
    }
    assert pod_from_raw(raw, AdmissionContext()).priority == 2_000_001_000
    with pytest.raises(InvalidObject, match=r"spec\.priority"):
        pod_from_raw({**raw, "spec": {**raw["spec"], "priority": "high"}})
    with pytest.raises(InvalidObject, match=r"metadata\.name"):
        node_from_raw({"metadata": {}})
