"""JSON lists read entry by entry give what reading the whole text gives: objects, findings, places, manifests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.manifests import Limits, LoadResult, ManifestSource, load_cluster, loader
from scheduler_core.manifests.model import Manifest, plain
from scheduler_core.manifests.parsing.json_lists import NotPlain
from scheduler_core.manifests.parsing.sources import read_list

if TYPE_CHECKING:
    from scheduler_core.api.objects import ClusterObjects

VALUES = st.sampled_from([
    None, True, 0, -1, 1.5, 10**20, "", "x", "X_y", "high", "100m", "2025-01-01T00:00:00Z", "é<&>\u2028", [], ["a"],
    {}, {"a": "b"}, [{"name": "q"}], [[1]],
])  # fmt: skip
FIELDS = st.sampled_from(["name", "extra", "nodeName", "namee", "hostNetwork", "containers", "priorityClassName"])


def container(name: str, token: str, odd: dict[str, Any]) -> dict[str, Any]:
    mounts = [{"name": token, "mountPath": "/var/run/secrets"}]
    resources = {"requests": {"cpu": "100m"}}
    return {"name": name, "image": f"{name}:1", "resources": resources, "volumeMounts": mounts, **odd}


@st.composite
def pods(draw: st.DrawFn) -> dict[str, Any]:
    """A pod of one of few workloads, sometimes with something odd in it."""
    number, token = draw(st.integers(0, 9)), f"token-{draw(st.integers(0, 99))}"
    labels = {"app": draw(st.sampled_from(["web", "db"]))}
    spec: dict[str, Any] = {
        "containers": [container("app", token, draw(st.dictionaries(FIELDS, VALUES, max_size=1)))],
        "volumes": [{"name": token, "emptyDir": {}}],
        "tolerations": [{"key": "k", "operator": draw(st.sampled_from(["Exists", "Exist"]))}],
        **draw(st.dictionaries(FIELDS, VALUES, max_size=1)),
    }
    metadata = {"name": f"web-{number}", "labels": labels, **draw(st.dictionaries(FIELDS, VALUES, max_size=1))}
    status = {"phase": "Running", "startTime": "2025-01-01T00:00:00Z", "conditions": draw(VALUES)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


ENTRIES = st.one_of(
    pods(),
    st.builds(lambda n: {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{n}"}}, st.integers(0, 5)),
    st.sampled_from([
        {"kind": "ConfigMap", "apiVersion": "v1"},
        {"kind": "Widget", "apiVersion": "example.com/v1"},
        {"kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "inner"}}]},
        {"kind": "PriorityClass", "apiVersion": "scheduling.k8s.io/v1", "metadata": {"name": "high"}, "value": 5},
        {"apiVersion": "v1", "metadata": {"name": "untyped"}},
    ]),
    VALUES,
)  # fmt: skip
WRITERS = st.sampled_from([
    lambda value: json.dumps(value, separators=(",", ":")),
    lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False),
    lambda value: json.dumps(value, indent=4, ensure_ascii=False),
    lambda value: json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026"),
])  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A list as text, sometimes damaged."""
    kind = draw(st.sampled_from(["List", "PodList", "Pod"]))
    text = draw(WRITERS)({"apiVersion": "v1", "items": draw(st.lists(ENTRIES, max_size=5)), "kind": kind})
    at = draw(st.integers(0, len(text)))
    harm = draw(st.sampled_from(["", "", "", "", "twice", "cut", "more", "odd"]))
    if harm == "twice":
        text = text[:at] + text[at:].replace('"name":', '"name":"first","name":', 1)
    elif harm == "cut":
        text = text[:at]
    elif harm == "more":
        text += draw(st.sampled_from([" \n", "{}", "x"]))
    elif harm == "odd":
        text = text[:at] + draw(st.sampled_from(["{", "]", '"', ",", "\\", "\0", "1", "é"])) + text[at:]
    return text.encode()


def shown(result: LoadResult) -> tuple[ClusterObjects, list[str], list[Any], dict[str, int]]:
    """A result to compare."""
    return result.objects, [f.text() for f in result.findings], [whole(m) for m in result.manifests], result.passed_over


def whole(manifest: Manifest) -> tuple[Any, ...]:
    return manifest.kind, manifest.api_version, manifest.name, manifest.namespace, manifest.line, manifest.raw


def by_whole_text(sources: list[ManifestSource], limits: Limits) -> LoadResult:
    """The result of reading each text as one value."""

    def refused(data: bytes, limits: Limits) -> Any:
        raise NotPlain

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "read_list", refused)
        return load_cluster(sources, limits)


@pytest.mark.slow
@given(st.lists(texts(), min_size=1, max_size=2), st.sampled_from([8, 128]), st.sampled_from([2, 1_000]))
def test_the_two_ways_to_read_a_list_agree(datas, depth, findings):
    sources = [ManifestSource(f"{n}.json", data) for n, data in enumerate(datas)]
    limits = Limits(max_depth=depth, max_findings=findings, max_objects=findings + 3)
    assert shown(load_cluster(sources, limits)) == shown(by_whole_text(sources, limits))


@pytest.mark.slow
@given(st.lists(pods(), max_size=5))
def test_pods_read_together_are_those_read_alone(raws):
    for number, raw in enumerate(raws):
        raw["metadata"]["name"] = f"pod-{number}"
    together = load_cluster([ManifestSource("all.json", as_list(raws))])
    alone = [load_cluster([ManifestSource("all.json", as_list([raw]))]) for raw in raws]
    assert together.objects.pods == [pod for one in alone for pod in one.objects.pods]
    assert len(together.errors) == sum(len(one.errors) for one in alone)


def as_list(raws: list[Any]) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": raws}).encode()


def test_what_kubectl_writes_is_read_entry_by_entry():
    raws = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "annotations": {"x": "a<b & é"}}}]
    value = {"apiVersion": "v1", "items": raws, "kind": "List", "metadata": {"resourceVersion": ""}}
    for text in (json.dumps(value), json.dumps(value, indent=4, ensure_ascii=False).replace("<", "\\u003c")):
        for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), b"\n " + text.encode() + b"\n"):
            assert [entry for entry, _ in read_list(data, Limits())] == raws


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"List","items":[]',
        '{"kind":"List","items":[]}{}',
        '{"kind":"List","items":[],"kind":"PodList"}',
        '{"kind":"List","items":[1],"items":[]}',
        '{"kind":"List","items":[],"items":[1]}',
        '{"items":[1],"kind":"List","items":[2]}',
        '{"items":[1,2],"kind":"List"}}',
        '{"kind":"List","items":[],"a":{"b":1,"b":2}}',
        '{"kind":"List","items":{}}',
        '{"kind":"List"}',
        '{"kind":"Pod","items":[]}',
        '{"items":[]}',
        "[]",
        "kind: List",
        "",
    ],
)
def test_other_texts_are_not_read_entry_by_entry(text):
    with pytest.raises(NotPlain):
        read_list(text.encode(), Limits())


@pytest.mark.parametrize(
    "entry",
    [
        '{"a":1,"a":2}',
        '{"a":{"b":[{"c":1,"c":1}]}}',
        '{"a":"\\u0022\\u0022","a":1}',
        '{ "a" : 1 , "a" : "" }',
        '{"a":1e999}',
        '{"a":nan}',
        '"\\ud800"',
        '"\udcff"',
        "[" * 200 + "]" * 200,
    ],
)
def test_entries_that_are_wrong_leave_it_to_the_whole_text(entry):
    data = f'{{"kind":"List","items":[{entry}]}}'.encode("utf-8", "surrogateescape")
    with pytest.raises(NotPlain):
        list(read_list(data, Limits()))


def test_entries_written_unlike_others_are_the_same_values():
    entry = '{ "a" : 1.50 , "b":"\\u00e9\\/", "c": 1E3, "d": -0 }'
    ((value, content),) = read_list(f'{{"kind":"List","items":[{entry}]}}'.encode(), Limits())
    assert (value, plain(content)) == (json.loads(entry), json.loads(entry))


def test_lines_are_found_without_the_rest_of_the_list():
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [], "priority": "x"}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    text = json.dumps({"kind": "List", "items": [node, pod]}, indent=1)
    lines = {
        finding.field: finding.line for finding in load_cluster([ManifestSource("a.json", text.encode())]).findings
    }
    where = {row.strip().split(":")[0].strip('"'): number for number, row in enumerate(text.splitlines(), 1)}
    assert lines["spec.priority"] == where["priority"]
    assert lines["spec.containers"] == where["containers"]
    assert lines["status.allocatable"] == 4
