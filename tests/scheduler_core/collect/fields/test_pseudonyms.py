"""Pseudonyms: the same everywhere, for every key another, and the cluster decides as before."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core.api import objects as k8s
from scheduler_core.collect.fields.allowed import PlainNames, projected
from scheduler_core.collect.fields.pseudonyms import Pseudonyms, new_key
from scheduler_core.manifests import load_manifests
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.generated import NAMESPACES, sample
from tests.scheduler_core.as_manifests import manifests
from tests.scheduler_core.crowded import FIELDS, _admissible

PLAIN = PlainNames()


@pytest.fixture
def names() -> Pseudonyms:
    return Pseudonyms(b"k" * 32)


def test_the_same_name_is_the_same_everywhere_and_another_by_another_key(names):
    again, other = Pseudonyms(b"k" * 32), Pseudonyms(new_key())
    for name in ("web", "ip-10-0-1-23.ec2.internal", "data-db-0"):
        assert names.name(name) == again.name(name) != name
        assert other.name(name) != names.name(name)


def test_what_is_built_of_names_stays_so(names):
    web, rest = names.name("web"), names.name("web-5d4f8-x7k2p")
    assert rest.startswith(f"{names.name('web-5d4f8')}-")
    assert names.name("web-5d4f8") == f"{web}-{names.label('pod-template-hash', '5d4f8')}"
    assert names.name("data-db-0") == f"{names.name('data')}-{names.name('db')}-0"
    assert names.name("quay.io/a/b:1.2").count("/") == 2


@pytest.mark.parametrize("name", ["default", "kube-system", "system-node-critical", "default-scheduler", ""])
def test_names_that_each_cluster_has_stay(names, name):
    assert names.name(name) == name


@pytest.mark.parametrize(
    ("key", "value"), [("a", "12"), ("a", "true"), ("kubernetes.io/arch", "amd64"), ("kubernetes.io/os", "linux")]
)
def test_values_that_are_nobody_s_names_stay(names, key, value):
    assert names.label(key, value) == value


def test_names_of_many_short_words_are_no_longer_than_a_label_may_be(names):
    name = "-".join("abcdefghijklmnopqrstuvwxyz")
    assert len(name) <= 63
    assert len(names.name(name)) <= 63


@pytest.mark.slow
def test_many_names_have_as_many_pseudonyms(names):
    originals = {f"{chance.randrange(1 << 40):x}" for chance in [random.Random(1)] for _ in range(10_000)}
    assert len({names.name(one) for one in originals}) == len(originals)


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("Successfully assigned shop/web-1 to node-7", ["shop", "web-1", "node-7"]),
        ('persistentvolumeclaim "data-db-0" not found', ["data-db-0"]),
        ("1 node(s) had untolerated taint {team: payments}", ["payments"]),
        ("Preempted by pod 11111111-2222-3333-4444-555555555555 on node big", ["big"]),
        ('pods "web-1" is forbidden: exceeded quota: payroll, requested: cpu=1', ["web-1", "payroll"]),
        ("Taint manager: deleting pod shop/web-1", ["shop", "web-1"]),
    ],
)
def test_sentences_have_the_pseudonyms_of_the_names_in_them(names, text, secrets):
    names.name("big")
    written = names.message(text)
    for secret in secrets:
        assert secret not in written.replace("node(s)", "")
        assert names.name(secret) in written


@pytest.mark.parametrize(
    "text",
    [
        "0/5 nodes are available: 1 Insufficient cpu, 2 Insufficient nvidia.com/gpu, 2 node(s) didn't match Pod's node "
        "affinity/selector. preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.",
        "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.",
        "0/3 nodes are available: 1 node(s) had volume node affinity conflict.",
        "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
        "node(s) had untolerated taint {node.kubernetes.io/not-ready: }",
    ],
)
def test_the_scheduler_s_own_words_stay_even_where_they_are_names_too(names, text):
    for word in ("node", "pod", "nodes", "cpu", "available", "gpu", "web"):
        names.name(word)
    assert names.message(text) == text


def manifests_of(seed: int) -> list[dict[str, Any]]:
    """A cluster in which everything that plugins look at occurs, as its manifests."""
    made = sample(seed)
    objects: dict[str, list[Any]] = {}
    claims = [k8s.ResourceClaim(name="claim", namespace=namespace) for namespace in NAMESPACES]
    for one in (*made.objects, *claims):
        objects.setdefault(FIELDS[type(one)], []).append(one)
    placed = [replace(one, node_name=name) for name, pods in made.placed.items() for one in pods]
    pods = [_admissible(one) for one in (*placed, *made.pods)]
    return list(manifests(k8s.ClusterObjects(nodes=list(made.nodes), pods=pods, **objects)))


def placements(raws: list[dict[str, Any]]) -> dict[str, str]:
    """{pod: node} at the end of a run, "" for one without a node."""
    loaded = load_manifests(raws)
    assert [one for one in loaded.findings if one.severity == "error"] == []
    session = RunSession.start(RunInputs(objects=loaded.objects, seed=3, max_cycles=200))
    while not session.advance():
        pass
    cluster = session.simulation.context.cluster
    return {pod.key: cluster.node_of(pod.key) if pod.key in cluster.pods else "" for pod in loaded.objects.pods}


@pytest.mark.slow
def test_decisions_are_the_same_with_and_without_pseudonyms(names):
    n_bound = 0
    for seed in range(4):
        raws = manifests_of(seed)
        plain, hidden = (
            [projected(one["kind"], one["apiVersion"], one, writer) for one in raws] for writer in (PLAIN, names)
        )
        real, under = placements(plain), placements(hidden)
        assert real == placements(raws)
        assert under == {
            "/".join(map(names.name, pod.split("/"))): names.name(node_name) for pod, node_name in real.items()
        }
        n_bound += sum(map(bool, real.values()))
    assert n_bound > 60
