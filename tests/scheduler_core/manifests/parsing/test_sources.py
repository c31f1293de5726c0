"""Bytes to documents: syntax, encodings, bombs; errors with the right line."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.manifests import (
    Limits,
    ManifestSource,
    config_from_raw,
    dump_yaml,
    load_cluster,
    load_config,
    load_manifests,
)
from tests.scheduler_core.manifests.manifest_helpers import NODE, load, only
from tests.seeds import how_many

SYNTAX = [
    ("a:\n\tb: 1\n", 2, "tab"),
    ("kind: Node\nmetadata: {name: *nowhere}\n", 2, "nowhere"),
    ("kind: Node\nnote: value: again\n", 2, "no YAML"),
    ("kind: Node\nmetadata:\n  name: !!python/object/apply:os.getcwd []\n", 3, "tag"),
    ("kind: Node\nmetadata: &m\n  labels: *m\n", 3, "contains itself"),
    ("kind: Node\nspec:\n  a: 1\n  a: 2\n", 4, "given twice"),
    ("name: x\nspec:\n  name: {{ .Values.name }}\n", 3, "template"),
    ("NAME     STATUS   ROLES\nnode-a   Ready    <none>\n", 1, "-o yaml"),
    ("name,cpu\nnode-a,4\n", 1, "CSV"),
    ("<!DOCTYPE html>\n<html></html>\n", None, ""),
]


@pytest.mark.parametrize(("text", "line", "advice"), SYNTAX)
def test_syntax_errors_name_the_line_and_the_reason(text, line, advice):
    errors = load(text).errors
    assert len(errors) == 1
    assert line is None or errors[0].line == line
    assert advice in errors[0].message


def test_a_duplicate_key_names_its_path_in_yaml_and_json():
    document = '{"kind": "Node",\n "metadata": {"name": "a",\n "labels": [{"x": 1}, {"y": 1,\n "y": 2}]}}'
    yaml_text = "kind: Node\nmetadata:\n  labels:\n  - x: 1\n  - y: 1\n    y: 2\n"
    for text, line in ((document, 4), (yaml_text, 6)):
        finding = only(load(text))
        assert (finding.line, finding.field) == (line, "metadata.labels[1].y")


@pytest.mark.parametrize(
    "data",
    [
        NODE.encode(),
        b"\xef\xbb\xbf" + NODE.encode(),
        NODE.replace("\n", "\r\n").encode(),
        gzip.compress(NODE.encode()),
        gzip.compress(NODE[:30].encode()) + gzip.compress(NODE[30:].encode()),
        ("---\n" * 500 + NODE).encode(),
        f"- {NODE}".replace("\n", "\n  ").encode(),
    ],
    ids=["plain", "byte order mark", "crlf", "gzip", "gzip in two parts", "empty documents", "bare list"],
)
def test_forms_of_one_file_read_alike(data):
    result = load(data)
    assert result.findings == []
    assert [n.allocatable["cpu"] for n in result.objects.nodes] == [4000]


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (NODE.replace("z1", "ü").encode("latin-1"), "UTF-8"),
        (NODE.encode("utf-16"), "UTF-16"),
        (NODE.encode() + b"x: \0", "NUL"),
        (gzip.compress(NODE.encode())[:-12], "ends too early"),
        (b"\x1f\x8bnonsense", "damaged"),
    ],
)
def test_what_is_no_text_is_refused(data, advice):
    assert advice in only(load(data)).message


MANY = 600
KEYS = {f"k{i}": 1 for i in range(MANY)}
SMALL = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "small"}, "status": {"allocatable": {"cpu": "4"}}}
LARGE = {
    "keys": {**SMALL, **KEYS},
    "labels": {**SMALL, "metadata": {"name": "large", "labels": KEYS}},
    "a list": {**SMALL, "note": [1] * 2 * MANY},
    "lists in lists": {**SMALL, "note": [[[], []]] * MANY},
    "objects in a list": {**SMALL, "spec": {"taints": [{"key": f"k{i}"} for i in range(MANY)]}},
}


def as_json(raw):
    return json.dumps(raw)


def as_json_by_lines(raw):
    return json.dumps(raw, indent=1)


@pytest.mark.parametrize("written", [as_json, as_json_by_lines, dump_yaml])
@pytest.mark.parametrize("around", ["alone", "List", "array", "second"])
@pytest.mark.parametrize("large", LARGE.values(), ids=LARGE)
def test_an_object_of_very_many_values_is_refused_and_many_objects_are_not(large, around, written):
    limits = Limits(max_object_values=1_000)
    others = [{**SMALL, "metadata": {"name": f"node-{i}"}} for i in range(200)]

    def text(raws):
        if written is dump_yaml:
            lists = {"List": [{"apiVersion": "v1", "kind": "List", "items": raws}], "array": [raws]}
            return dump_yaml(lists.get(around, raws))
        if around in ("alone", "second"):
            return "\n".join(map(written, raws))
        return written({"apiVersion": "v1", "kind": "List", "items": raws} if around == "List" else raws)

    assert load_cluster([ManifestSource("f", text(others).encode())], limits).errors == []
    errors = load_cluster(
        [ManifestSource("f", text([large] if around == "alone" else [SMALL, large]).encode())], limits
    ).errors
    assert [e.severity for e in errors] == ["error"]
    assert "1,000 keys" in errors[0].message
    assert errors[0].line is not None


@pytest.mark.slow
def test_a_million_keys_are_refused_and_the_largest_objects_that_there_are_are_read():
    schema = {**SMALL, "kind": "ConfigMap", "data": {f"k{i}": "v" for i in range(90_000)}}
    assert load(json.dumps(schema)).errors == []
    assert "200,000" in only(load(json.dumps({**SMALL, **{f"k{i}": 1 for i in range(1_000_000)}}))).message


def test_an_empty_file_and_an_empty_list_are_warned_of():
    for text in ("", "# only a comment\n", "{apiVersion: v1, kind: List, items: []}"):
        assert "no objects" in only(load(text)).message or "no Kubernetes objects" in only(load(text)).message


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["v1", "Pod", "Node", "a"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "apiVersion",
                    "kind",
                    "metadata",
                    "spec",
                    "items",
                    "containers",
                    "name",
                    "labels",
                    "affinity",
                    "tolerations",
                    "resources",
                    "requests",
                    "template",
                    "replicas",
                    "status",
                    "allocatable",
                    "profiles",
                    "plugins",
                    "score",
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@pytest.mark.slow
@given(JSON_VALUES)
@settings(max_examples=how_many(37, 150), deadline=None)
def test_arbitrary_json_never_raises(value):
    raws = [
        value,
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": value},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": value, "spec": {"template": value}},
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": value},
    ]
    result = load_manifests(raws)
    assert all(f.text().isprintable() for f in result.findings)
    text = json.dumps(raws)
    assert load_cluster([ManifestSource("f.json", text.encode())]).findings
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": value}
    for raw in (value, config, {**config, "apiVersion": "kubescheduler.config.k8s.io/v1beta1"}):
        loaded, findings = config_from_raw(raw)
        assert (loaded is None) == any(f.severity == "error" for f in findings)


@given(st.text(alphabet=st.sampled_from("ab:-{}[]&*!|>'\"\n\t #?,~1.<"), max_size=60) | st.binary(max_size=60))
@settings(max_examples=how_many(75, 300), deadline=None)
def test_arbitrary_text_never_raises(data):
    source = ManifestSource("f.yaml", data.encode() if isinstance(data, str) else data)
    assert all(f.source == "f.yaml" for f in load_cluster([source]).findings)
    assert load_config(source)[1]
