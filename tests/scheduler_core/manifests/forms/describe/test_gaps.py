"""What a text lacks depends on what it shows: its pods, the tables of its nodes, what the scheduler saw."""

from __future__ import annotations

from scheduler_core.manifests import load_cluster
from scheduler_core.manifests.model import ManifestSource
from tests.scheduler_core.manifests.forms.describe.test_nodes import TEXT as NODE
from tests.scheduler_core.manifests.forms.describe.test_pods import PLAIN
from tests.scheduler_core.manifests.forms.describe.test_pods import TEXT as POD


def gaps(text: str) -> dict[str, str]:
    loaded = load_cluster([ManifestSource("t", text.encode())])
    assert loaded.errors == []
    return {gap.code: gap.kind for gap in loaded.unplayed.gaps}


def test_a_pod_alone_lacks_its_fields_its_claims_and_the_nodes() -> None:
    message = "0/7 nodes are available: 7 Insufficient cpu."
    assert gaps(POD.format(**{**PLAIN, "message": message})) == {
        "DESCRIBE_POD_FIELDS": "Pod",
        "DESCRIBE_CLAIMS": "PersistentVolumeClaim",
        "DESCRIBE_NODES": "Node",
    }


def test_a_node_s_table_lacks_fields_pods_and_whose_the_devices_are() -> None:
    assert gaps(NODE) == {"DESCRIBE_PODS_ON_NODES": "Pod", "DESCRIBE_TABLE_CUT": "Node", "DESCRIBE_SUMS": "Pod"}
