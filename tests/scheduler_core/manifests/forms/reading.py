"""What a rewritten file holds."""

from __future__ import annotations

import json

from scheduler_core.manifests import ManifestSource, load_cluster, rewritten


def items(data: bytes) -> list[dict]:
    source = rewritten(ManifestSource("f", data))
    assert load_cluster([source]).errors == []
    whole = json.loads(source.data)
    assert whole["kind"] == "List"
    return whole["items"]
