"""Who owns a pod."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import OwnerReference, Pod
from scheduler_core.controllers.owned import is_static, workload_key


@pytest.mark.parametrize(
    ("owners", "key"),
    [
        pytest.param((), "", id="a bare pod"),
        pytest.param((OwnerReference("ReplicaSet", "web", controller=True),), "ReplicaSet/shop/web", id="a set"),
        pytest.param((OwnerReference("ReplicaSet", "web"),), "", id="an owner that does not control"),
        pytest.param(
            (OwnerReference("Thing", "x"), OwnerReference("Job", "j", controller=True)), "Job/shop/j", id="the second"
        ),
        pytest.param((OwnerReference("Node", "n", controller=True),), "", id="a static pod"),
    ],
)
def test_the_workload_of_a_pod(owners: tuple[OwnerReference, ...], key: str) -> None:
    assert workload_key(Pod(name="p", namespace="shop", owner_references=owners)) == key


def test_static_pods_are_told_by_annotation_or_owner() -> None:
    assert is_static(Pod(name="p", annotations={"kubernetes.io/config.mirror": "x"}))
    assert is_static(Pod(name="p", owner_references=(OwnerReference("Node", "n"),)))
    assert not is_static(Pod(name="p"))
