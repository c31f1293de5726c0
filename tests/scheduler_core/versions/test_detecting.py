"""A dump of each version chooses its version, by its control plane first and by its kubelets else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scheduler_core.api.objects import Container, Pod
from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.versions.detecting import AS_BEFORE, ClusterVersion, detect, followed
from scheduler_core.versions.trains import NAMES, NEWEST_MEASURED, TRAINS, VersionError

KUBEADM = "registry.k8s.io/{name}:v{version}"


def part(name: str, version: str, image: str = KUBEADM, namespace: str = "kube-system", **fields: Any) -> Pod:
    """Return a pod of the control plane, as kubeadm makes it a static pod."""
    container = Container(name, image.format(name=name, version=version))
    return Pod(name=f"{name}-cp", namespace=namespace, containers=(container,), **fields)


def short(version: ClusterVersion) -> tuple[str, str, str, str]:
    return version.version, version.source, version.train, version.outside


@pytest.mark.parametrize("name", NAMES)
def test_a_dump_of_each_train_chooses_it(name: str) -> None:
    train = TRAINS[name]
    for patch in {train.first, train.last, *train.measured} - {""}:
        version = patch if patch.count(".") == 2 else f"{patch}.0"
        pods = [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": f"{part}-cp", "namespace": "kube-system", "labels": {"component": part}},
                "spec": {"containers": [{"name": part, "image": KUBEADM.format(name=part, version=version)}]},
            }
            for part in ("kube-apiserver", "kube-scheduler")
        ]
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
        node["status"] = {"nodeInfo": {"kubeletVersion": f"v{version}"}, "capacity": {"cpu": "1"}}
        for items, source in ((pods, "kube-scheduler"), (pods[:1], "kube-apiserver"), ([], "kubelet")):
            text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*items, node]}).encode()
            loaded = load_cluster([ManifestSource("dump.json", text)])
            read = detect(loaded.objects.pods, loaded.unplayed.versions)
            assert short(read) == (version, source, name, "")


@pytest.mark.parametrize(
    ("kubelets", "expected"),
    [
        (["v1.33.4-gke.1036000"], ("1.33.4", "1.33", "")),
        (["v1.35.2-eks-473151a", "v1.34.1-eks-5e0fdde"], ("1.35.2", "1.35", "")),
        (["v1.34.1+k3s1"], ("1.34.1", "1.34.0", "")),
        (["v1.34.10+rke2r1", "v1.34.9+rke2r1"], ("1.34.10", "1.34", "")),
        (["v1.29.15"], ("1.29.15", "1.33", "older")),
        (["v1.40.0", "odd"], ("1.40.0", "1.37", "newer")),
    ],
)
def test_kubelets_alone_say_it_without_what_vendors_add(kubelets: list[str], expected: tuple[str, str, str]) -> None:
    read = detect([], kubelets)
    assert (read.version, read.train, read.outside) == expected
    assert read.source == "kubelet"
    assert ("than all that can be followed" in read.text) == bool(read.outside)


@pytest.mark.parametrize(
    "image",
    [
        KUBEADM,
        "registry.k8s.io/kube-scheduler:v{version}@sha256:00ff",
        "index.docker.io/rancher/hardened-kubernetes:v{version}-rke2r1-build20260101",
        "localhost:5000/{name}:{version}",
    ],
)
def test_the_scheduler_counts_before_all_others(image: str) -> None:
    pods = [part("kube-scheduler", "1.35.6", image), part("kube-apiserver", "1.36.0")]
    assert short(detect(pods, ["v1.34.2"], "v1.36.0")) == ("1.35.6", "kube-scheduler", "1.35", "")
    assert short(detect(pods[1:], ["v1.34.2"], "v1.36.1+k3s1")) == ("1.36.1", "server", "1.36", "")
    assert short(detect(pods[1:], ["v1.34.2"])) == ("1.36.0", "kube-apiserver", "1.36", "")


def test_of_several_control_planes_the_newest_counts() -> None:
    pods = [part("kube-scheduler", "1.34.9"), part("kube-scheduler", "1.34.10")]
    assert detect(pods).version == "1.34.10"


@pytest.mark.parametrize(
    "pod",
    [
        part("kube-scheduler", "1.33.1", namespace="team"),
        part("kube-scheduler", "1.33.1", phase="Failed"),
        part("kube-scheduler", "", "registry.k8s.io/kube-scheduler:latest"),
        part("kube-scheduler", "", "registry.k8s.io/kube-scheduler"),
        part("coredns", "1.33.1"),
    ],
)
def test_what_says_nothing_leaves_the_newest_measured(pod: Pod) -> None:
    assert short(detect([pod], ["odd"], "odd")) == ("", "nothing", NEWEST_MEASURED, "")


def test_what_is_followed_is_said_with_its_evidence() -> None:
    assert followed("1.36") == "kube-scheduler 1.36, measured against 1.36.2"
    assert followed("1.34.1") == "kube-scheduler 1.34.0 and 1.34.1, measured against 1.34.1"
    assert followed("1.37").endswith("derived from sources")
    assert followed("") == AS_BEFORE
    with pytest.raises(VersionError):
        followed("newest")
