"""Files with their secrets masked: the text keeps its lines, and nothing that is given back holds a secret."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from scheduler_core.manifests import ManifestSource, ParsedSource, load_cluster, masked_source
from scheduler_core.manifests.masking.secrets import ANNOTATIONS, ARGUMENTS, ENVIRONMENT, OTHER_KINDS
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
    masked, counts, _ = masked_source(ManifestSource("f", YAML.encode()))
    text = masked.data.decode()
    assert "hunter2" not in text
    n_lines = YAML.count("\n")
    assert text.count("\n") == n_lines
    assert counts == {ANNOTATIONS: 1, ARGUMENTS: 4, ENVIRONMENT: 2, OTHER_KINDS: 1}
    for unchanged in ("name: p   # plain", "it's # no comment", "{name: B, value: '***'}", "cpu: 4 cores"):
        assert unchanged in text


def test_findings_name_the_lines_of_the_file_that_was_sent() -> None:
    before, after = (
        load_cluster([one])
        for one in (ManifestSource("f", YAML.encode()), ManifestSource("f", text_of(YAML.encode()).encode()))
    )
    assert [finding.text() for finding in after.findings] == [finding.text() for finding in before.findings]
    (line,) = [number for number, line in enumerate(YAML.splitlines(), 1) if "cpu: 4 cores" in line]
    assert after.errors[0].line == line


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
    packed = gzip.compress(YAML.encode())
    assert "hunter2" not in text_of(packed)


@pytest.mark.parametrize("text", ["kind: [\nenv: hunter2\n", "{", "\x00", "kind: Pod\nkind: Pod\nenv: hunter2\n"])
def test_what_cannot_be_read_to_its_end_is_not_given_back(text: str) -> None:
    with pytest.raises(LoadError):
        masked_source(ManifestSource("f", text.encode()))


def listed(*items: dict[str, Any], indent: int | None = None) -> bytes:
    return json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=indent).encode()


def pod(name: str, value: Any = "hunter2", **metadata: Any) -> dict[str, Any]:
    env = [{"name": "A", "value": value}]
    spec = {"containers": [{"name": "c", "env": env}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": spec}


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"app": "web"}}


def everything_of(source: ManifestSource | ParsedSource) -> tuple[Any, ...]:
    loaded = load_cluster([source])
    manifests = [(one.kind, one.name, one.line, one.raw) for one in loaded.manifests]
    return [one.text() for one in loaded.findings], manifests, loaded.objects, loaded.passed_over, loaded.events


@pytest.mark.parametrize(
    "data",
    [
        YAML.encode(),
        YAML.replace("\n", "\r\n").encode(),
        b"kind: Pod\napiVersion: v1\nspec: {containers: [{name: c, env: [{name: A, value: 0x1F}]}]}\n",
        b"kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {priority: 0x1F, containers: []}\n---\nkind: Secret\n",
        "kind: ConfigMap\ndata:\n  'a#b': \"it's # é😀\"\n  c: |2-\n     x\n# token: x\n".encode(),
        listed(pod("p"), SECRET, pod("q", value="é😀"), pod("p")),
        listed(pod("p"), SECRET, pod("q"), pod("p"), indent=4),
        listed({"kind": "PodList", "items": [pod("inner")]}, pod("q")),
        json.dumps({"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "p"}}]}).encode(),
        gzip.compress(listed(pod("p", value=""))),
    ],
)
def test_what_is_handed_on_is_what_reading_the_masked_file_gives(data: bytes) -> None:
    masked = masked_source(ManifestSource("f", data))
    if masked.parsed is not None:
        assert everything_of(masked.parsed) == everything_of(masked.source)
        assert "hunter2" not in repr(masked.parsed)


@pytest.mark.parametrize("data", [YAML.encode(), listed(pod("p"), SECRET), listed(pod("p"), indent=4)])
def test_lists_and_plain_yaml_are_read_once(data: bytes) -> None:
    assert masked_source(ManifestSource("f", data)).parsed is not None


@pytest.mark.parametrize("data", [listed(SECRET, pod("p", labels={"app": "web"})), json.dumps([SECRET]).encode()])
def test_equal_parts_of_a_text_are_masked_each_by_its_own_place(data: bytes) -> None:
    labelled = json.dumps(pod("p", labels={"app": "web"})).encode()
    masked = masked_source(ManifestSource("f", data + labelled if data.startswith(b"[") else data))
    loaded = load_cluster([masked.source])
    assert [one.raw["metadata"].get("labels") for one in loaded.manifests] == [{"app": "web"}]
    assert masked.source.data.count(b'"web"') == 1


def test_each_of_two_equal_secrets_in_escaped_text_is_masked() -> None:
    twice = pod("p", value="é"), pod("q", value="é")
    masked = masked_source(ManifestSource("f", listed(*twice)))
    values = [item["spec"]["containers"][0]["env"] for item in json.loads(masked.source.data)["items"]]
    assert values == [[{"name": "A", "value": "***"}]] * 2
    assert masked.counts == {"environment variables": 2}


def test_an_entry_that_cannot_be_read_and_says_nothing_secret_is_left_to_the_loader() -> None:
    node = '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "name": "n"}}'
    data = listed(pod("p")).replace(b'"items": [', f'"items": [{node}, '.encode())
    masked = masked_source(ManifestSource("f", data))
    assert masked.parsed is None
    assert b"hunter2" not in masked.source.data
    assert "given twice" in load_cluster([masked.source]).errors[0].message


@pytest.mark.slow
def test_a_large_yaml_text_keeps_its_lines_too() -> None:
    block = YAML + "---\n" + f"# {'x' * 1_000}\n" * 4_200 + YAML
    text = text_of(block.encode())
    assert "hunter2" not in text
    assert text.count("\n") == block.count("\n")
