"""In every form values that may be secret are masked before anything is stored: a marker stands in each place."""

from __future__ import annotations

import gzip
import json
from typing import Any

import msgspec
import pytest

from scheduler_core.manifests import ManifestSource, load_cluster, masked_source

_CONTAINER = {"name": "c", "image": "i", "args": ["--x=MARKER"], "env": [{"name": "A", "value": "MARKER"}]}
_METADATA = {"name": "p", "namespace": "a", "annotations": {"vault.example.org/token": "MARKER"}}
_PART = {"metadata": _METADATA, "spec": {"containers": [_CONTAINER]}}
_POD = {"apiVersion": "v1", "kind": "Pod", **_PART}
_SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "a"}, "data": {"k": "MARKER"}}
_LOG = "==== START logs for container c of pod a/p ====\nMARKER\n==== END logs for container c of pod a/p ====\n"
_EVENT = {"ts": 1, "applied_objs": [_POD, _SECRET], "deleted_objs": []}
_TRACE = {"version": 2, "config": {}, "index": {}, "events": [_EVENT]}


def _list(*items: Any, kind: str = "List") -> str:
    return json.dumps({"kind": kind, "apiVersion": "v1", "metadata": {}, "items": items}, indent=4)


def _rows(*rows: Any) -> str:
    return "\n".join(json.dumps(row) for row in rows)


_WATCHED = _rows({"type": "ADDED", "object": _POD}, {"type": "ADDED", "object": _SECRET})
FORMS = {
    "watch events": ("f", _WATCHED),
    "watch events, cut": ("f", f"{_WATCHED}\n{_rows({'type': 'MODIFIED', 'object': _POD})}"[:-40]),
    "cluster-info dump": ("f", f"{_list(_POD, kind='PodList')}\n{_list(_SECRET, kind='SecretList')}\n{_LOG}"),
    "export of the simulator": ("f", json.dumps({"pods": [_POD], "nodes": []})),
    "recording of the simulator": (
        "f",
        _rows(*({"time": "t", "event": "Add", "resource": one} for one in (_POD, _SECRET))),
    ),
    "list that was cut": ("f", _list(_POD, _SECRET, _POD)[:-60]),
    "folder that says the kind": ("x/pods/p.json", json.dumps(_PART)),
    "lists in a list": ("f", _list({"kind": "List", "apiVersion": "v1", "items": [_POD]}, _SECRET)),
    "trace of SimKube": ("f", msgspec.msgpack.encode(_TRACE)),
}


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", FORMS)
def test_no_marker_is_stored(name: str, pack: Any) -> None:
    file, text = FORMS[name]
    data = text if isinstance(text, bytes) else text.encode()
    masked = masked_source(ManifestSource(file, pack(data)))
    stored = masked.source.data
    assert b"MARKER" in data
    assert b"MARKER" not in (gzip.decompress(stored) if stored[:2] == b"\x1f\x8b" else stored)
    assert [pod.key for pod in load_cluster([masked.parsed or masked.source]).objects.pods] == ["a/p"]
