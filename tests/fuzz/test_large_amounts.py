"""Clusters with amounts near the largest int64: each run comes to its end, with one history in all settings."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.manifests import load_manifests
from scheduler_core.simulate import RunInputs
from tests.fuzz.settings import histories
from tests.seeds import long_after

AMOUNTS = (
    *("0", "1", "1n", "1u", "1Ki", "4294967296", "5T", "81Pi", "82Pi", "8191Pi", "1Ei", "3Ei", "4Ei", "7Ei", "8Ei"),
    *("4611686018427387903", "4611686018427387904", "9223372036854775000", "9223372036854775807", "9223372036854775"),
)
WHOLE = tuple(a for a in AMOUNTS if not a.endswith(("n", "u")))
SIZES = (0, 1, 1 << 31, (1 << 63) - 1)


def some_node(random, i):
    allocatable = {
        **{name: random.choice(AMOUNTS) for name in ("cpu", "memory", "ephemeral-storage")},
        "example.com/x": random.choice(WHOLE),
        "pods": random.choice(("0", "1", "10", "110", "9223372036854775807")),
    }
    images = [{"names": ["x:latest"], "sizeBytes": random.choice(SIZES)}]
    meta = {"name": f"n{i}", "labels": {"z": str(i % 2)}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": meta,
        "status": {"allocatable": allocatable, "images": images},
    }


def some_container(random, name):
    requests = {r: random.choice(AMOUNTS) for r in ("cpu", "memory", "ephemeral-storage") if random.random() < 0.4}
    resources = {"requests": requests}
    if random.random() < 0.2:
        requests["example.com/x"] = random.choice(WHOLE)
        resources["limits"] = {"example.com/x": requests["example.com/x"]}
    return {"name": name, "image": "x", "resources": resources}


def some_pod(random, i, n_nodes):
    spec = {"containers": [some_container(random, f"c{j}") for j in range(random.randint(1, 3))]}
    spec["priority"] = random.choice((0, 0, 5, 1_000_000))
    if random.random() < 0.5:
        spec["nodeName"] = f"n{random.randrange(n_nodes)}"
    if random.random() < 0.2:
        constraint = {"maxSkew": (1 << 31) - 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}
        spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": {}}]
    status = {} if "nodeName" in spec or random.random() < 0.9 else {"nominatedNodeName": "n0"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{i}"}, "spec": spec, "status": status}


def some_cluster(seed):
    random = Random(seed)
    nodes = [some_node(random, i) for i in range(random.choice((1, 3, 5, 14)))]
    pods = [some_pod(random, i, len(nodes)) for i in range(random.randint(2, 18))]
    return load_manifests([*nodes, *pods])


@pytest.mark.parametrize("seed", long_after(range(60), 15))
def test_amounts_near_int64_give_one_history(seed):
    result = some_cluster(seed)
    assert {f.field for f in result.errors} <= {"spec.containers"}, "only sums are too large here"
    run_histories = histories(RunInputs(objects=result.objects))
    assert len(set(run_histories.values())) == 1, run_histories


def test_most_of_these_clusters_keep_pods_and_some_sums_are_refused():
    results = [some_cluster(seed) for seed in range(60)]
    assert any(result.errors for result in results)
    assert sum(len(result.objects.pods) >= 2 for result in results) > 45
