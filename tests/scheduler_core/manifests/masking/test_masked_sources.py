"""Files with their secrets masked: the text keeps its lines, and nothing that is given back holds a secret."""

from __future__ import annotations

import gzip
import json

import pytest

from scheduler_core.manifests import ManifestSource, load_cluster, masked_source
from scheduler_core.manifests.model import LoadError

YAML = """\
# the password: hunter2
apiVersion: v1
kind: Pod
metadata:
  name: p   # plain
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"password": "hunter2",
       "more": "hunter2"}
    example.org/note: "it's # no comment"
spec:
  containers:
  - name: c
    command: [sh, -c, "echo hunter2"]
    args:
    - >-
      folded
      hunter2
    env:
    - name: A
      value: "hunter2"
    - {name: B, value: hunter2}
    # - {name: C, value: hunter2}
    resources: {requests: {cpu: 4 cores}}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData:
  k: hunter2
"""
ALIASED = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - {name: c, env: &env [{name: A, value: hunter2}]}
  - {name: d, env: *env}
"""


def text_of(data: bytes) -> str:
    return masked_source(ManifestSource("f", data)).source.data.decode()


def test_yaml_keeps_its_lines_and_what_is_no_secret() -> None:
    masked, counts = masked_source(ManifestSource("f", YAML.encode()))
    text = masked.data.decode()
    assert "hunter2" not in text
    assert text.count("\n") == YAML.count("\n")
    assert counts == {
        "annotations": 1,
        "commands and arguments": 4,
        "environment variables": 2,
        "objects of other kinds": 1,
    }
    for kept in ("name: p   # plain", '"it\'s # no comment"', "{name: B, value: '***'}", "cpu: 4 cores"):
        assert kept in text


def test_findings_name_the_lines_of_the_file_that_was_sent() -> None:
    before, after = (
        load_cluster([one])
        for one in (ManifestSource("f", YAML.encode()), ManifestSource("f", text_of(YAML.encode()).encode()))
    )
    assert [finding.text() for finding in after.findings] == [finding.text() for finding in before.findings]
    assert after.errors[0].line == YAML.splitlines().index("    resources: {requests: {cpu: 4 cores}}") + 1


@pytest.mark.parametrize("indent", [None, 4])
def test_a_json_list_is_masked_entry_by_entry(indent: int | None) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "annotations": {}}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}
    pod["spec"]["containers"][0]["env"] = [{"name": "A", "value": "hunter2"}]  # type: ignore[index]
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": "hunter2"}}
    escaped = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q", "annotations": {"ex.org/cert": "hunter2"}}}
    whole = {"apiVersion": "v1", "kind": "List", "items": [node, pod, secret, node, escaped], "metadata": {}}
    data = json.dumps(whole, indent=indent).encode()
    text = text_of(data)
    assert "hunter2" not in text
    assert text.count("\n") == data.count(b"\n")
    assert [item["metadata"]["name"] for item in json.loads(text)["items"]] == ["n", "p", "s", "n", "q"]
    assert json.loads(text)["items"][0] == node


@pytest.mark.parametrize(
    "text",
    [
        ALIASED,
        '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": "hunter2"}}',
        "- {apiVersion: v1, kind: Secret, data: {k: hunter2}}\n- {apiVersion: v1, kind: Secret, data: {k: hunter2}}\n",
        "apiVersion: v1\nkind: Secret\ndata: &d\n  k: &v hunter2\nmore: *d\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {? ex.org/token : hunter2}}\n",
        "kind: Node\napiVersion: v1\nmetadata: {name: n}\n# token: hunter2\n",
        '{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"p"},"spec":{"containers":['
        '{"name":"c","\\u0065nv":[{"name":"A","value":"hunter2"}]}]}}]}',
    ],
)
def test_no_way_of_writing_keeps_a_secret(text: str) -> None:
    written = text_of(text.encode())
    assert "hunter2" not in written
    assert text_of(written.encode()) == written
    before, after = (
        load_cluster([ManifestSource("f", text.encode())]),
        load_cluster([ManifestSource("f", written.encode())]),
    )
    assert [one.name for one in after.manifests] == [one.name for one in before.manifests]
    assert after.passed_over == before.passed_over


def test_a_file_without_secrets_is_given_back_as_it_is() -> None:
    source = ManifestSource("f", gzip.compress(b"apiVersion: v1\nkind: Node\nmetadata: {name: n} # plain\n"))
    assert masked_source(source).source is source


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("kind: Node\napiVersion: v1\nmetadata: {name: [}\n", True),
        ("kind: Node\napiVersion: v1\nmetadata: {name: [}\n---\nkind: Secret\ndata: {k: v}\n", False),
        ("kind: Pod\napiVersion: v1\nspec: {args: [}\n", False),
        ('kind: Pod\n"\\x65nv": [\n', False),
        ("kind: Service\napiVersion: serving.knative.dev/v1\nspec: {a: [}\n", False),
        ("data: [\n", False),
    ],
)
def test_of_broken_files_only_those_without_a_word_of_a_secret_are_kept(text: str, is_kept: bool) -> None:
    source = ManifestSource("f", text.encode())
    if is_kept:
        assert masked_source(source).source is source
    else:
        with pytest.raises(LoadError):
            masked_source(source)


def test_a_packed_file_is_masked() -> None:
    assert "hunter2" not in text_of(gzip.compress(YAML.encode()))


@pytest.mark.parametrize("text", ["kind: [\nenv: hunter2\n", "{", "\x00", "kind: Pod\nkind: Pod\nenv: hunter2\n"])
def test_what_cannot_be_read_to_its_end_is_not_given_back(text: str) -> None:
    with pytest.raises(LoadError):
        masked_source(ManifestSource("f", text.encode()))
