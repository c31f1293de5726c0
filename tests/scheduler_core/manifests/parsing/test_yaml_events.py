"""YAML to values: bombs, merge keys, plain scalars as Kubernetes reads them."""

from __future__ import annotations

import gzip

import pytest

from scheduler_core.manifests import (
    Limits,
    ManifestSource,
    load_cluster,
)
from scheduler_core.manifests.parsing.yaml_events import plain_scalar
from tests.scheduler_core.manifests.manifest_helpers import NODE, load, only


def test_bombs_are_refused_before_they_cost():
    limits = Limits(max_bytes=1 << 20, max_alias_weight=10_000, max_depth=50, max_yaml_nodes=50_000, max_objects=20)
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
    )
    cases = {
        "inflated": gzip.compress(b" " * (2 << 20)),
        "aliases": laughs.encode(),
        "nested": b"a: " + b"[" * 100_000,
        "nested deeper": b"[" * 50 + b'{"a":' * 100_000,
        "YAML nodes": b"a: [" + b"x," * 60_000 + b"]",
        "objects": b"- {kind: Namespace}\n" * 30,
    }
    for word, data in cases.items():
        findings = load_cluster([ManifestSource("bomb", data)], limits).errors
        assert word in " ".join(f.message for f in findings), word


def test_merge_keys_take_what_is_not_written_out():
    text = (
        "kind: Node\napiVersion: v1\nmetadata:\n  name: n\n  labels: &l {a: x, b: x}\n  annotations: {<<: *l, b: y}\n"
    )
    assert load(text + "status: {capacity: {cpu: 1}}\n").objects.nodes[0].annotations == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("~", None),
        ("1:30", "1:30"),
        ("2024-05-01", "2024-05-01"),
        ("010", 8),
        ("0x10", 16),
        ("1_000", 1000),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("0o17", 15),
        ("08", 8.0),
        ("y", "y"),
        ("1e999", "1e999"),
        ("-", "-"),
    ],
)
def test_plain_scalars_are_read_as_kubernetes_reads_them(text, value):
    read = plain_scalar(text)
    assert (read, type(read)) == (value, type(value))


def test_a_number_in_another_base_is_noted_but_not_in_file_modes():
    text = (
        NODE.replace('"4"', "0x10") + "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, defaultMode: 0644}\n"
    )
    finding = only(load(text))
    assert (finding.severity, finding.line, finding.field) == ("warning", 4, "status.allocatable.cpu")
