"""Changes of what a claim asks for: what each edits, and that the least change is tried."""

from __future__ import annotations

from scheduler_core.api.devices import DeviceClass
from scheduler_core.api.objects import OwnerReference, PodResourceClaim
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.explain.diagnosis.device_clusters import (
    BIG,
    CLASS,
    GPU,
    SICK,
    DeviceCluster,
    claim,
    gpu,
    held,
    holder,
    pool_of,
    request,
    same,
)

CODE = "CHANGE_DEVICE_REQUEST"
REQUEST = "/spec/devices/requests/0/exactly"


def changes(cluster: DeviceCluster, code: str = CODE) -> list[tuple[str, str, object]]:
    """(operation, path, value) of each verified change of a claim's request."""
    return [(e.op, e.path, e.value) for one in cluster.remedies().verified if one.code == code for e in one.edits]


def test_as_many_devices_as_are_free_and_as_many_as_are_together() -> None:
    four = [gpu(i) for i in range(4)]
    two_held = (held("h", "q", ("n1", "gpu-0")), holder("q", "n1", "h"))
    cluster = DeviceCluster(pool_of("n1", *four), *two_held, claim(request(count=4)))
    assert changes(cluster) == [("set", f"{REQUEST}/count", 3)]
    matching = DeviceCluster(pool_of("n1", *four), *two_held, claim(request(count=3), constraints=[same()]))
    assert changes(matching)[:2] == [("set", f"{REQUEST}/count", 2), ("remove", "/spec/devices/constraints/0", None)]


def test_the_claim_of_a_template_is_changed_there() -> None:
    owner = (OwnerReference("Pod", "p", "uid-default-p", controller=True),)
    entry = PodResourceClaim("g", template_name="t", generated="c")
    made = claim(request(count=2))
    made = type(made)(name="c", uid="c", spec=made.spec, owner_references=owner)
    cluster = DeviceCluster(pool_of("n1", gpu(0)), made, pod=make_pod("p", resource_claims=(entry,)))
    (remedy,) = [one for one in cluster.remedies().verified if one.code == CODE]
    assert [(e.object, e.path, e.value) for e in remedy.edits] == [
        ("resource.k8s.io/v1/ResourceClaimTemplate/default/t", "/spec/spec/devices/requests/0/exactly/count", 1)
    ]


def test_a_selector_asks_for_the_most_that_is_free_before_it_is_dropped() -> None:
    cluster = DeviceCluster(pool_of("n1", gpu(0, "24Gi"), gpu(1, "32Gi")), claim(request(selectors=(BIG,))))
    first, *_, last = changes(cluster)
    assert first == ("set", f"{REQUEST}/selectors/0/cel/expression", BIG.replace("40Gi", "32Gi"))
    assert last == ("remove", f"{REQUEST}/selectors/0", None)


def test_a_taint_is_tolerated_alone() -> None:
    cluster = DeviceCluster(pool_of("n1", gpu(0, taints=[SICK])), claim(request()))
    toleration = {"key": "sick", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}
    assert changes(cluster, "TOLERATE") == [("add", f"{REQUEST}/tolerations/-", toleration)]


def test_a_selector_that_fails_on_some_devices_asks_first() -> None:
    model = f"device.attributes['{GPU}'].model == 'x'"
    plain, named = gpu(0), gpu(1, attributes={"model": "x"})
    cluster = DeviceCluster(pool_of("n1", plain, named), claim(request(selectors=(model,))))
    guarded = f"'model' in device.attributes['{GPU}'] && {model}"
    assert changes(cluster)[0] == ("set", f"{REQUEST}/selectors/0/cel/expression", guarded)


def test_less_of_a_capacity() -> None:
    shared = held("h", "q", ("n1", "gpu-0"), share_id="any", consumed={"memory": "60Gi"})
    cluster = DeviceCluster(
        pool_of("n1", gpu(0, shared=True)), shared, holder("q", "n1", "h"), claim(request(capacity={"memory": "40Gi"}))
    )
    assert changes(cluster) == [("set", f"{REQUEST}/capacity/requests/memory", "20Gi")]


def test_a_class_of_nearly_the_name_comes_first() -> None:
    other = DeviceClass(name="any.example.com")
    cluster = DeviceCluster(pool_of("n1", gpu(0)), claim(request(class_name="gpu.exmple.com")), classes=(other, CLASS))
    assert [value for _, _, value in changes(cluster)] == [GPU, "any.example.com"]


def test_a_claim_of_33_devices_asks_for_32() -> None:
    cluster = DeviceCluster(pool_of("n1", *(gpu(i) for i in range(40))), claim(request(count=33)))
    assert changes(cluster) == [("set", f"{REQUEST}/count", 32)]
