"""What is generated is what was asked for, valid, and the same bytes for the same description."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter

import msgspec
import pytest

from scheduler_core.manifests import dump_yaml, load_manifests
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession, timeline_from_raw
from scheduler_core.workloads.generator.generate import ObjectsAndEntries, generate
from tests.scheduler_core.workloads.generator.texts import described, random_text

N_CASES = int(os.environ.get("TEST_GENERATED", "25"))


def test_nodes_and_pods_are_written_as_described() -> None:
    made = generate(
        described("""
            pools: [{name: big, nodes: 12, resources: {cpu: 8, memory: 32Gi}, reserved: {cpu: 500m}, zones: [x, y],
                     labels: {disk: ssd}, taints: [{key: a, effect: NoSchedule}], unschedulable: true}]
            workloads: [{name: web, pods: 1, namespace: shop, sizes: {cpu: 250m, example.com/chip: 2}, priority: 7,
                         nodeSelector: {disk: ssd}, apartBy: kubernetes.io/hostname}]
            """)
    )
    namespace, priority, *nodes, pod = made.manifests
    assert namespace["metadata"]["name"] == "shop"
    assert (priority["metadata"]["name"], priority["value"]) == ("priority-7", 7)
    assert [node["metadata"]["name"] for node in nodes] == [f"big-{i:02d}" for i in range(12)]
    assert nodes[3] == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "big-03",
            "labels": {
                "kubernetes.io/hostname": "big-03",
                "node-pool": "big",
                "topology.kubernetes.io/zone": "y",
                "disk": "ssd",
            },
        },
        "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}], "unschedulable": True},
        "status": {
            "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
            "allocatable": {"cpu": "7500m", "memory": "32Gi", "pods": "110"},
        },
    }
    assert pod["metadata"] == {"name": "web-0", "namespace": "shop", "labels": {"app": "web"}}
    assert pod["spec"]["priorityClassName"] == "priority-7"
    assert pod["spec"]["nodeSelector"] == {"disk": "ssd"}
    (container,) = pod["spec"]["containers"]
    assert container["resources"] == {
        "requests": {"cpu": "250m", "example.com/chip": "2"},
        "limits": {"example.com/chip": "2"},
    }
    (term,) = pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term == {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    assert made.entries == []


def test_arrivals_and_ends_are_entries_by_time() -> None:
    made = generate(
        described("""
            workloads: [{name: job, pods: 2, sizes: {cpu: 1}}]
            arrivals: {process: list, times: [1.25, 2m]}
            lifetime: 3m
            """)
    )
    assert made.manifests == []
    assert [(entry["at"], entry["action"], entry["object"]["metadata"]["name"]) for entry in made.entries] == [
        ("1.25s", "add", "job-0"),
        ("120s", "add", "job-1"),
        ("181.25s", "delete", "job-0"),
        ("300s", "delete", "job-1"),
    ]
    assert set(made.entries[2]["object"]) == {"apiVersion", "kind", "metadata"}


def test_pods_of_the_start_leave_by_the_timeline() -> None:
    made = generate(described("{workloads: [{name: a, pods: 3, sizes: {cpu: 1}, lifetime: 60s}]}"))
    assert len(made.manifests) == 3
    assert [(entry["at"], entry["action"]) for entry in made.entries] == [("60s", "delete")] * 3


@pytest.mark.parametrize("case", range(N_CASES))
def test_any_description_gives_valid_objects_in_the_numbers_asked_for(case: int) -> None:
    description = described(random_text(case))
    made = generate(description)
    result = load_manifests(made.manifests)
    assert [finding.text() for finding in result.findings] == []
    kinds = Counter(manifest["kind"] for manifest in made.manifests)
    assert kinds["Node"] == description.n_nodes
    added = [entry["object"] for entry in made.entries if entry["action"] == "add"]
    pods = [m for m in made.manifests if m["kind"] == "Pod"] + added
    assert Counter((p["metadata"]["namespace"], p["metadata"]["labels"]["app"]) for p in pods) == Counter(
        {(one.namespace, one.name): one.pods for one in description.workloads if one.pods}
    )
    timeline = timeline_from_raw({"entries": made.entries}, made.manifests)
    assert [entry.at for entry in timeline.entries] == sorted(entry.at for entry in timeline.entries)
    assert_each_end_follows_its_arrival(made)


def assert_each_end_follows_its_arrival(made: ObjectsAndEntries) -> None:
    there = {(m["metadata"]["namespace"], m["metadata"]["name"]) for m in made.manifests if m["kind"] == "Pod"}
    for entry in made.entries:
        key = (entry["object"]["metadata"]["namespace"], entry["object"]["metadata"]["name"])
        if entry["action"] == "add":
            assert key not in there
            there.add(key)
        else:
            there.remove(key)


@pytest.mark.parametrize("case", range(5))
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(case: int) -> None:
    description = described(random_text(case + 100))
    first, second = generate(description), generate(description)
    assert dump_yaml([*first.manifests, first.entries]) == dump_yaml([*second.manifests, second.entries])


def test_another_seed_gives_other_sizes_and_times() -> None:
    description = described("""
        workloads: [{name: a, pods: 50, sizes: {cpu: {median: 1}}}]
        arrivals: {process: poisson, over: 1h}
        """)
    first, second = (generate(msgspec.structs.replace(description, seed=seed)) for seed in (1, 2))
    assert [e["at"] for e in first.entries] != [e["at"] for e in second.entries]
    assert sorted(_cpu(e) for e in first.entries) != sorted(_cpu(e) for e in second.entries)


def _cpu(entry: dict) -> str:
    return entry["object"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]


def test_an_edit_of_one_workload_leaves_the_sizes_of_the_others() -> None:
    text = "{{workloads: [{{name: a, pods: {n}, sizes: {{cpu: {{median: 1}}}}}}, {{name: b, pods: 9, sizes: openb}}]}}"
    few, many = (generate(described(text.format(n=n))) for n in (3, 30))

    def sizes(made: ObjectsAndEntries) -> dict[str, object]:
        return {m["metadata"]["name"]: m["spec"] for m in made.manifests if m["metadata"]["labels"]["app"] == "b"}

    assert sizes(few) == sizes(many)


def test_the_bytes_are_those_of_every_version_of_python() -> None:
    """The hash was computed on Python 3.11; of its generators only Random.random is used, which keeps its sequence."""
    made = generate(described(random_text(7)))
    text = dump_yaml([*made.manifests, {"entries": made.entries}])
    assert hashlib.sha256(text.encode()).hexdigest() == GOLDEN


GOLDEN = "a76f0886e722ed2d2d4e722f3536dfb1490d3636e564881af3bd316e23f677f8"


def test_a_run_takes_what_was_generated() -> None:
    made = generate(
        described("""
            pools: [{name: n, nodes: 3, shape: scheduler-perf}]
            workloads: [{name: p, pods: 20, sizes: scheduler-perf}]
            arrivals: {process: poisson, over: 1m}
            """)
    )
    timeline = timeline_from_raw({"entries": made.entries}, made.manifests)
    inputs = RunInputs(objects=load_manifests(made.manifests).objects, timeline=timeline, schedule="timeline")
    session = RunSession.start(inputs)
    bound: set[str] = set()
    session.observe(lambda _, event: bound.add(event.pod) if isinstance(event, ev.Bound) else None)
    session.advance()
    assert len(bound) == 20


def test_deployments_have_the_pods_of_their_workload_and_the_engine_makes_and_binds_them() -> None:
    made = generate(
        described("""
            pools: [{name: n, nodes: 5, shape: m5.large}]
            workloads:
              - {name: web, pods: 7, replicas: 3, sizes: {cpu: {from: 100m, to: 300m}}, apartBy: kubernetes.io/hostname}
              - {name: one, pods: 2, replicas: 5, sizes: {cpu: 100m}, labels: {tier: back}}
            """)
    )
    deployments = made.manifests[5:]
    names = [(one["metadata"]["name"], one["spec"]["replicas"]) for one in deployments]
    assert names == [("web-0", 3), ("web-1", 3), ("web-2", 1), ("one", 2)]
    template = deployments[0]["spec"]["template"]
    assert template["metadata"]["labels"] == {"app": "web", "app.kubernetes.io/instance": "web-0"}
    assert deployments[0]["spec"]["selector"] == {"matchLabels": {"app.kubernetes.io/instance": "web-0"}}
    assert deployments[3]["spec"]["template"]["metadata"]["labels"]["tier"] == "back"
    loaded = load_manifests(made.manifests)
    assert loaded.findings == []
    session = RunSession.start(RunInputs(objects=loaded.objects))
    bound: Counter[str] = Counter()
    workload_of = re.compile(r".*/(web|one)-")

    def note(_, event: ev.Event) -> None:
        if isinstance(event, ev.Bound):
            bound.update(workload_of.findall(event.pod))

    session.observe(note)
    session.advance()
    # Five nodes hold five pods of "web", which keep apart over all its Deployments.
    assert bound == {"one": 2, "web": 5}
