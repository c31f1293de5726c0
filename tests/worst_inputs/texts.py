"""Families of texts that grow with a number: each may cost a reader more than its bytes say."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec

from scheduler_core.simulate import Changed

Family = Callable[[int], str | bytes]
API = "apiVersion: v1"
CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
NAMESPACES = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{i}"}} for i in range(2_000)]
CHANGED = Changed(manifests=NAMESPACES)


def _lines(line: str, n: int, head: str = "items:\n") -> str:
    return head + line * n


YAML: dict[str, Family] = {
    "entries": lambda n: _lines("- a\n", n),
    "empty entries": lambda n: "items: [" + "[]," * n + "]",
    "keys": lambda n: "".join(f"k{i}: 1\n" for i in range(n)),
    "documents": lambda n: "---\na: 1\n" * n,
    "merge keys": lambda n: "a: &a {" + "".join(f"k{i}: 1," for i in range(300)) + "}\nitems:\n" + "- {<<: *a}\n" * n,
    "nested lists": lambda n: _lines("- " * 60 + "a\n", n),
}
JSON: dict[str, Family] = {
    "JSON entries": lambda n: '{"items": [' + "1," * n + "1]}",
    "JSON unequal objects": lambda n: '{"items": [' + "".join(f'{{"a": {i}}},' for i in range(n)) + "{}]}",
    "JSON broken at the end": lambda n: '{"items": [' + "1," * n + "oops]}",
}


def node(name: str) -> str:
    return f"{{{API}, kind: Node, metadata: {{name: {name}}}}}"


def pod(name: str, more: str = "") -> str:
    return f"{{{API}, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: a, image: b}}]{more}}}}}"


def _documents(make: Callable[[str], str]) -> Family:
    return lambda n: "".join(f"---\n{make(f'a{i}')}\n" for i in range(n))


def _terms(n: int) -> str:
    return "[" + f"{{key: k, operator: In, values: [{'v, ' * 20}]}}, " * n + "]"


OBJECTS: dict[str, Family] = {
    "nodes": _documents(node),
    "pods": _documents(pod),
    "pods with a wrong field": _documents(lambda name: pod(name, ", tolerationz: []")),
    "a pod with requirements": lambda n: pod(
        "p",
        ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        f"{{nodeSelectorTerms: [{{matchExpressions: {_terms(n)}}}]}}}}}}",
    ),
    "a node with labels": lambda n: (
        f"{{{API}, kind: Node, metadata: {{name: a, labels: {{{', '.join(f'k{i}: v' for i in range(n))}}}}}}}"
    ),
    "replicas": lambda n: (
        f"{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: a}}, spec: {{replicas: {min(10 * n, 100_000)}, "
        f"selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, "
        "spec: {containers: [{name: a, image: b}]}}}}"
    ),
}


def in_entries() -> dict[str, Family]:
    """Objects as the entries of a timeline."""

    def entries(make: Callable[[str], str], action: str = "add") -> Family:
        return lambda n: "entries:\n" + "".join(f"- {{action: {action}, object: {make(f'a{i}')}}}\n" for i in range(n))

    return {
        "nodes": entries(node),
        "pods": entries(pod),
        "deletions": entries(node, "delete"),
        "one object changed": entries(lambda _: node("same"), "update"),
    }


CONFIGURATIONS: dict[str, Family] = {
    "profiles": lambda n: f"{CONFIGURATION}profiles:\n" + "".join(f"- schedulerName: s{i}\n" for i in range(n)),
    "unknown plugins": lambda n: (
        f"{CONFIGURATION}profiles:\n- plugins:\n    score:\n      enabled:\n"
        + "".join(f"      - name: NodeResourcesFat{i}\n" for i in range(n))
    ),
    "unknown fields": lambda n: CONFIGURATION + "".join(f"profilez{i}: 1\n" for i in range(n)),
    "config maps": lambda n: "".join(
        f"---\n{{kind: ConfigMap, metadata: {{name: a{i}}}, data: {{c: 'kind: KubeSchedulerConfiguration'}}}}\n"
        for i in range(n)
    ),
    "one text many times": lambda n: (
        "kind: ConfigMap\ndata:\n  a: &a |\n    kind: KubeSchedulerConfiguration\n"
        + "    x: 1\n" * n
        + "".join(f"  a{i}: *a\n" for i in range(100))
    ),
    "extenders": lambda n: (
        f"{CONFIGURATION}extenders:\n" + "".join(f"- {{urlPrefix: 'http://a{i}', filterVerb: f}}\n" for i in range(n))
    ),
    "arguments": lambda n: (
        f"{CONFIGURATION}profiles:\n- pluginConfig:\n"
        + "".join(f"  - {{name: NodeResourcesFit, args: {{ignoredResources: [a{i}/b]}}}}\n" for i in range(n))
    ),
}
RULES: dict[str, Family] = {
    "rules": lambda n: _lines("  - {nodes: {matchLabels: {a: b}}, refuse: no}\n", n, "extenders:\n- filter:\n"),
    "wrong rules": lambda n: _lines("  - {nodez: {}}\n", n, "extenders:\n- filter:\n"),
    "values": lambda n: f"extenders:\n- filter:\n  - {{refuse: x, nodes: {{matchExpressions: {_terms(n)}}}}}\n",
    "extenders": lambda n: _lines("- {}\n", n, "extenders:\n"),
}
_LOGNORMAL = "{median: 1, sigma: 0.5}"
DESCRIPTIONS: dict[str, Family] = {
    "pods of many resources": lambda n: (
        f"workloads:\n- name: a\n  pods: {min(n, 100_000)}\n  sizes: {{"
        + ", ".join(f"a.example/r{i}: {_LOGNORMAL}" for i in range(4))
        + "}\n"
    ),
    "resources of many pods": lambda n: (
        f"workloads:\n- name: a\n  pods: {min(1_000 * n, 100_000)}\n  sizes: {{"
        + ", ".join(f"a.example/r{i}: {_LOGNORMAL}" for i in range(n))
        + "}\n"
    ),
    "nodes with labels": lambda n: (
        f"pools:\n- name: a\n  nodes: {min(1_000 * n, 20_000)}\n  shape: m5.large\n  labels: {{"
        + ", ".join(f"k{i}: v" for i in range(n))
        + "}\n"
    ),
    "times": lambda n: (
        f"workloads:\n- {{name: a, pods: {n}, sizes: {{cpu: 1}}}}\narrivals:\n  process: list\n  times: [{'1s,' * n}]\n"
    ),
    "entries": YAML["entries"],
}
_NAMED = "- name: a\n  workloadTemplate:\n"
BENCHMARKS: dict[str, Family] = {
    "pods of a template": lambda n: (
        f"{_NAMED}  - {{opcode: createPods, count: {min(n, 100_000)}, podTemplatePath: pod.yaml}}\n"
        "  workloads:\n  - {name: w, params: {}}\n"
    ),
    "workloads and operations": lambda n: (
        f"{_NAMED}"
        + "  - {opcode: createPods, countParam: $n}\n" * min(n, 200)
        + "  workloads:\n"
        + "".join(f"  - {{name: w{i}, params: {{n: 1}}}}\n" for i in range(min(n, 200)))
    ),
    "entries": lambda n: "- {workloadTemplate: [], workloads: []}\n" * n,
}
QUERIES: dict[str, Family] = {
    "conditions": lambda n: " or ".join(["pod = a"] * n),
    "brackets": lambda n: "(" * n + "pod = a" + ")" * n,
    "stars": lambda n: "pod = " + "*a" * n,
    "a long word": lambda n: "x" * n,
}
MARKDOWN: dict[str, Family] = {
    "brackets": lambda n: "[" * n,
    "links": lambda n: "[a](b" * n,
    "emphasis": lambda n: "*a_" * n,
    "quotes": lambda n: ">" * n,
    "lists": lambda n: "- " * n,
    "code": lambda n: "`" * n + "a" + "``" * n,
    "addresses": lambda n: "http://a.b " * n,
    "tables": lambda n: "|a" * n + "\n" + "|-" * n + "\n",
    "names": lambda n: "@a " * n,
}
CHANGES: dict[str, Family] = {
    "pods": lambda n: json.dumps({"changes": [_put(f"p{i}") for i in range(min(n, 200))]}),
    "a large pod": lambda n: json.dumps({"changes": [_put("p", a="x" * n)]}),
}
PLAIN: dict[str, Family] = {"one long text": lambda n: "x" * n}
IMPORTS: dict[str, Family] = {
    "JSON nodes": lambda n: json.dumps({"kind": "List", "apiVersion": "v1", "items": [_node(i) for i in range(n)]}),
    "JSON pods": lambda n: json.dumps(
        {"kind": "List", "apiVersion": "v1", "items": [_put(f"p{i}")["object"] for i in range(n)]}
    ),
    "YAML nodes": _documents(node),
    "watch events": lambda n: "".join(
        json.dumps({"type": "ADDED", "object": _node(i)}) + json.dumps({"type": "DELETED", "object": _node(i)})
        for i in range(n)
    ),
    "watch events in YAML": lambda n: "---\n".join(f"object: {node('a')}\ntype: MODIFIED\n" for _ in range(n)),
    "states of one object": lambda n: "".join(json.dumps(_state(i)) for i in range(n)),
    "JSON that was cut off": lambda n: "".join(json.dumps(_node(i)) for i in range(n)) + "{",
    "a list that was cut off": lambda n: '{"items": [' + ",".join(json.dumps(_node(i)) for i in range(n)) + ", {",
    "lists and logs": lambda n: (
        '{\n    "kind": "NodeList",\n    "apiVersion": "v1", "items": []}'
        + "\n==== START logs for container a of pod b/c ====\n==== END logs for container a of pod b/c ====" * n
    ),
    "rows of events": lambda n: (
        "LAST SEEN   TYPE      REASON             OBJECT   MESSAGE\n"
        + "5m          Warning   FailedScheduling   pod/p    0/1 nodes are available\n" * n
    ),
    "a header without an end": lambda n: "LAST SEEN" + " TYPE REASON OBJECT " * n,
    "tasks of PAI": lambda n: "4f2a,worker,9,Terminated,10.0,20.5,600.0,29.3,50.0,T4\n" * n,
    "instances of PAI": lambda n: f"4f2a,worker,{min(n, 200_000)},Failed,,,600,29.3,50,T4\n",
    "machines of Azure": lambda n: "x/y=,s,d,0,2591700,99.3,3.4,91.7,Unknown,4,32\n" * n,
    "jobs of Philly": lambda n: json.dumps([_job(i) for i in range(n)]),
    "empty lines": lambda n: "\n" * n + "{{",
    "values of Helm": lambda n: "image: a\n" * n,
    "msgpack": lambda n: b"\x82\xa7version\x02\xa6events\xdd" + n.to_bytes(4, "big") + b"\xc0" * n,
    "objects in msgpack": lambda n: msgspec.msgpack.encode(
        {"version": 2, "events": [{"applied_objs": [_node(i) for i in range(n)], "deleted_objs": []}]}
    ),
}


def _state(i: int) -> dict[str, object]:
    return {**_node(0), "metadata": {"name": "n", "uid": "u", "resourceVersion": str(i)}}


def _job(i: int) -> dict[str, object]:
    attempt = {"detail": [{"ip": "m", "gpus": ["gpu0"]}] * 3}
    return {"status": "Pass", "vc": "v", "jobid": f"j{i}", "attempts": [attempt]}


def _node(i: int) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}", "labels": {"zone": f"z{i}"}}}


def _put(name: str, **annotations: str) -> dict[str, dict[str, object] | str | int]:
    spec = {"containers": [{"name": "a", "image": "b"}]}
    metadata = {"name": name, "annotations": annotations}
    return {"at": 1, "action": "put", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}}


def loaded(data: bytes) -> object:
    """What a JSON text holds."""
    return msgspec.json.decode(data)
