"""Lines of fields in JSON lists."""

from __future__ import annotations

import json

from tests.scheduler_core.manifests.manifest_helpers import load, only


def test_lines_are_right_in_json_lists():
    items = [
        {"metadata": {"name": f"n{i}"}, "status": {"allocatable": {"cpu": "x" if i == 7 else "1"}}} for i in range(9)
    ]
    text = json.dumps({"apiVersion": "v1", "kind": "NodeList", "items": items}, indent=1)
    finding = only(load(text))
    line = text.split("\n").index('     "cpu": "x"') + 1
    assert (finding.line, finding.object, finding.field) == (line, "Node n7", "status.allocatable.cpu")
