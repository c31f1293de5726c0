"""Each kind that decides has a row, marked by whether something of it is missed."""

from __future__ import annotations

from typing import Any

from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.cluster_dump.kind_gaps import kind_gaps

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}


def pod(name: str, **spec: Any) -> dict[str, Any]:
    names = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": names, "spec": {"containers": [{"name": "c"}], **spec}}


def marks(*objects: dict[str, Any]) -> dict[str, str]:
    all_rows = kind_gaps(load_manifests(list(objects), is_whole=True))
    assert all(row.text for row in all_rows)
    return {row.kinds[0]: row.mark for row in all_rows}


def test_what_is_missed_is_marked() -> None:
    with_claim = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])
    rows = marks(with_claim)
    assert (rows["Node"], rows["PersistentVolumeClaim"], rows["CSINode"]) == ("gap", "gap", "gap")
    owned = pod("o")
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "s", "uid": "u", "controller": True}
    owned["metadata"]["ownerReferences"] = [owner]
    assert marks(NODE, owned)["Deployment"] == "gap"


def test_what_no_object_names_is_not_missed() -> None:
    rows = marks(NODE, pod("p"))
    assert (rows["Node"], rows["Pod"]) == ("whole", "whole")
    assert {rows[kind] for kind in ("Deployment", "PersistentVolumeClaim", "Namespace", "Event")} == {"none"}
    assert "CSINode" not in rows
    claim = {"metadata": {"name": "c", "namespace": "default"}, "spec": {}}
    there = marks(NODE, {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **claim})
    assert there["PersistentVolumeClaim"] == "whole"
