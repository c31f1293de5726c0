"""Descriptions are read whole or refused with the line and field of each error."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import ManifestSource
from scheduler_core.workloads.generator import description as d
from scheduler_core.workloads.generator.reading import read_description
from tests.scheduler_core.workloads.generator.texts import described, read


def test_each_field_is_read() -> None:
    description = described("""
        seed: 9
        namespace: shop
        pools:
          - {name: a, nodes: 2, shape: m5.xlarge, zones: 3, labels: {disk: ssd}}
          - {name: b, nodes: 1, resources: {cpu: 2, memory: 4Gi, pods: 20}, reserved: {cpu: 100m}, zones: [here]}
        workloads:
          - {name: web, pods: 3, sizes: online-boutique, priority: -4, variants: [{percent: 25, nodeSelector: {x: y}}]}
          - {name: job, pods: 4, namespace: batch, sizes: {cpu: 1}, priority: {name: low, value: 1}, arrivals: at-once}
        arrivals: {process: poisson, over: 30m}
        lifetime: {exponential: 10m}
        """)
    assert description.seed == 9
    ready, own = description.pools
    assert ready.resources == {"cpu": 4_000, "memory": 16 << 30, "pods": 110}
    assert ready.labels == {"node.kubernetes.io/instance-type": "m5.xlarge", "disk": "ssd"}
    assert (ready.zones, own.zones) == (("zone-a", "zone-b", "zone-c"), ("here",))
    assert own.allocatable == {"cpu": 1_900, "memory": 4 << 30, "pods": 20}
    web, job = description.workloads
    assert (web.namespace, job.namespace) == ("shop", "batch")
    assert web.priority == d.PriorityOfWorkload("priority-minus-4", -4)
    assert job.priority == d.PriorityOfWorkload("low", 1)
    assert web.variants == (d.PodVariant(0.25, {"x": "y"}),)
    assert (web.arrivals, job.arrivals) == (None, d.AT_START)
    assert description.arrivals.over == 30 * 60 * d.SECOND
    assert description.lifetime == d.PodLifetime("exponential", 600 * d.SECOND)


_RESOURCES = ", ".join(f"a.example/r{i}: {{median: 1, sigma: 1}}" for i in range(11))
_LABELS = ", ".join(f"k{i}: v" for i in range(600))
REFUSED = [
    (
        f"workloads:\n  - name: a\n    pods: 100000\n    sizes: {{{_RESOURCES}}}",
        1,
        "workloads",
        "1,100,000 drawn amounts (pods times the resources of their sizes) are more than the 400,000 allowed",
    ),
    (
        f"pools:\n  - {{name: a, nodes: 20000, shape: m5.large, labels: {{{_LABELS}}}}}",
        1,
        "pools",
        "keys and values in the objects of all pools are more than the 20,000,000 allowed",
    ),
    (
        f"workloads:\n  - {{name: a, pods: 100000, sizes: {{cpu: 1}}, labels: {{{_LABELS}}}}}",
        1,
        "workloads",
        "keys and values in the objects of all workloads are more than the 20,000,000 allowed",
    ),
    ("seed: -1", 1, "seed", "out of range"),
    ("pools:\n  - {name: a, nodes: 1, shape: m5.xlage}", 2, "pools[0].shape", "Did you mean m5.xlarge?"),
    ("pools:\n  - {name: a, nodes: 1}", 2, "pools[0].resources", "write either shape or resources"),
    ("pools:\n  - {name: A, nodes: 1, shape: m5.large}", 2, "pools[0].name", "no valid name"),
    ("pools:\n  - {name: a, shape: m5.large}", 2, "pools[0].nodes", "is missing"),
    ("pools:\n  - {name: a, nodes: 20001, shape: m5.large}", 2, "pools[0].nodes", "out of range"),
    (
        "pools:\n  - {name: a, nodes: 1, shape: m5.large}\n  - name: a\n    nodes: 1\n    shape: m5.large",
        3,
        "pools[1].name",
        "given twice",
    ),
    (
        "pools:\n- {name: a, nodes: 1, resources: {cpu: 1}, reserved: {cpu: 2}}",
        2,
        "pools[0].reserved.cpu",
        "more than a node",
    ),
    (
        "pools:\n- {name: a, nodes: 1, shape: m5.large,\n   taints: [{key: a, effect: Never}]}",
        3,
        "pools[0].taints[0].effect",
        "not allowed",
    ),
    ("pools:\n- {name: a, nodes: 1, shape: m5.large, labels: {a: 1}}", 2, "pools[0].labels.a", "in quotes"),
    ("workloads:\n- {name: w, pods: 1000000000, sizes: {cpu: 1}}", 2, "workloads[0].pods", "out of range"),
    ("workloads:\n- {name: w, pods: 1}", 2, "workloads[0].sizes", "is missing"),
    ("workloads:\n- {name: w, pods: 1, sizes: opnb}", 2, "workloads[0].sizes", "Write openb"),
    ("workloads:\n- {name: w, pods: 1, sizes: {chips: 1}}", 2, "workloads[0].sizes.chips", "no resource"),
    ("workloads:\n- {name: w, pods: 1, sizes: {cpu: {perCpu: 1}}}", 2, "workloads[0].sizes.cpu", "for each CPU"),
    (
        "workloads:\n- {name: w, pods: 1, sizes: {cpu: 1}, lifetme: 1}",
        2,
        "workloads[0].lifetme",
        "Did you mean lifetime?",
    ),
    (
        "workloads:\n- name: w\n  pods: 1\n  sizes: {cpu: 1}\n  tolerations: [{operator: Exist}]",
        5,
        "workloads[0].tolerations[0].operator",
        "Write Exists",
    ),
    ("workloads:\n- {name: w, pods: 1, sizes: {cpu: 1}, apartBy: '!'}", 2, "workloads[0].apartBy", "no valid key"),
    (
        "workloads:\n- {name: w, pods: 1, sizes: {cpu: 1}, variants: [{percent: 60}, {percent: 60}]}",
        2,
        "workloads[0].variants",
        "more than 100 %",
    ),
    (
        "workloads:\n- {name: v, pods: 1, sizes: {cpu: 1}, priority: {name: p, value: 1}}\n"
        "- {name: w, pods: 1, sizes: {cpu: 1}, priority: {name: p, value: 2}}",
        3,
        "workloads[1].priority",
        "another value",
    ),
    (
        "workloads: [{name: w, pods: 3, sizes: {cpu: 1}}]\narrivals: {process: list, times: [1, 2]}",
        2,
        "arrivals.times",
        "2 times for 3 pods",
    ),
    ("arrivals: {process: bursts, over: 1h}", 1, "arrivals.pods", "is missing"),
    ("arrivals: {process: poisson, over: 5 weeks}", 1, "arrivals.over", "no time"),
    ("lifetime: {fixed: 1, exponential: 2}", 1, "lifetime", "write one of"),
    ("a: b: c", 1, "", "YAML"),
    ("- 1", None, "", "one mapping"),
]


@pytest.mark.parametrize(("text", "line", "field", "part"), REFUSED, ids=[row[2] or row[3] for row in REFUSED])
def test_an_error_names_file_line_and_field(text: str, line: int | None, field: str, part: str) -> None:
    description, findings = read(text)
    assert description is None
    errors = [one for one in findings if one.severity == "error"]
    assert (field, line) in [(one.field, one.line) for one in errors]
    assert any(part in one.message for one in errors)
    assert {one.source for one in errors} == {"d.yaml"}


def test_pools_and_workloads_are_limited_in_all() -> None:
    pool = "{{name: p{i}, nodes: 15000, shape: m5.large}}"
    text = "pools:\n" + "".join(f"- {pool.format(i=i)}\n" for i in range(2))
    _, findings = read(text)
    (finding,) = findings
    assert all(part in finding.message for part in ("30,000 nodes", "20,000 allowed"))
    _, findings = read("pools: [" + "{name: a}," * 201 + "]")
    assert any("At most 200" in one.message for one in findings)


def test_hostile_texts_are_findings() -> None:
    for data in (b"\xff\xfe", b"\0", b"", b"x" * (5 << 20), b"[" * 100_000, b"pools: " + b"{a: " * 5_000):
        description, findings = read_description(ManifestSource("x", data))
        assert description is None
        assert findings


@pytest.mark.parametrize(
    ("more", "is_fine"),
    [
        ("", True),
        (", arrivals: at-once, lifetime: forever", True),
        (", arrivals: {process: poisson, over: 5m}", False),
        (", arrivals: {process: at-once, at: 5s}", False),
        (", lifetime: 5m", False),
    ],
)
def test_deployments_are_there_from_the_start_and_stay(more, is_fine) -> None:
    reading = read(f"workloads: [{{name: a, pods: 4, replicas: 3, sizes: {{cpu: 1}}{more}}}]")
    assert [one.field for one in reading.findings] == ([] if is_fine else ["workloads[0].replicas"])
