"""The hostile corpus, the public manifests and the real dumps of the shared folder, where it is present."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scheduler_core.manifests import Finding, ManifestSource, load_cluster, load_config

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
INDEX = DATA / "malformed" / "index.json"
CASES = json.loads(INDEX.read_text())["files"] if INDEX.is_file() else []
pytestmark = pytest.mark.skipif(not CASES, reason="the shared data folder is not here")

OUR_FIELD = {
    # More exact than the index: the resource itself, the second of the two fields, the label's key.
    "pdb-both-fields.yaml": "spec.maxUnavailable",
    "qty-gpu-request-not-limit.yaml": "spec.containers[0].resources.requests[nvidia.com/gpu]",
    "qty-request-over-limit.yaml": "spec.containers[0].resources.requests.cpu",
    "y11-norway-zone.yaml": "metadata.labels[topology.kubernetes.io/region]",
}


def findings_of(path: Path, kind: str) -> list[Finding]:
    source = ManifestSource(path.name, path.read_bytes())
    return load_config(source)[1] if kind == "config" else load_cluster([source]).findings


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.slow] if "bomb" in case["file"] else []) for case in CASES],
    ids=lambda case: case["file"],
)
def test_a_file_gets_the_verdict_of_its_index(case):
    findings = findings_of(INDEX.parent / case["file"], case["as"])
    text = "\n".join(f.text() for f in findings)
    refused = any(f.severity == "error" for f in findings)
    if case["verdict"] == "reject":
        assert refused
    if case["verdict"] == "accept":
        assert not refused, text
    if case["verdict"] == "warn":
        assert findings
    if case["verdict"] in ("reject", "warn"):
        expected_field = OUR_FIELD.get(case["file"], case.get("field"))
        assert expected_field is None or expected_field in [f.field for f in findings], text
        assert case.get("line") is None or any(abs((f.line or 0) - case["line"]) <= 1 for f in findings), text
        required_words = case.get("message_should_contain") or []
        assert all(word.lower() in text.lower() for word in required_words)


def _files(folder: str, *patterns: str) -> list[Path]:
    return sorted(p for pattern in patterns for p in (DATA / folder).glob(pattern) if p.name != "index.json")


@pytest.mark.parametrize(
    "path",
    [p for p in _files("manifests", "*.y*ml") if not p.name.startswith("schedconfig")]
    + _files("cluster-dumps", "*.json"),
    ids=lambda path: path.name,
)
def test_real_files_load_without_errors(path):
    result = load_cluster([ManifestSource(path.name, path.read_bytes())])
    assert result.errors == []
    assert result.manifests or result.passed_over


@pytest.mark.slow
def test_the_trace_cluster_loads_whole():
    names = ("nodes.json.gz", "pods-gpushare.json.gz", "priorityclasses.json.gz")
    result = load_cluster([ManifestSource(name, (DATA / "openb" / name).read_bytes()) for name in names])
    assert result.findings == []
    assert (len(result.objects.nodes), len(result.objects.pods)) == (1523, 8152)
    assert {p.priority for p in result.objects.pods} == {100, 500, 900, 1000}


def test_the_real_dump_keeps_its_bound_pods():
    path = DATA / "cluster-dumps" / "openshift-2node-list.json"
    result = load_cluster([ManifestSource(path.name, path.read_bytes())])
    assert len(result.objects.nodes) == 2
    assert all(p.node_name for p in result.objects.pods if not p.is_terminal)
