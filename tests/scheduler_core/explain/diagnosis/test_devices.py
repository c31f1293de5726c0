"""Why a pod gets no devices: each code on a small cluster with its right answer, and a twin that ends otherwise."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.api.devices import (
    ALL,
    CounterSet,
    DeviceClass,
    DeviceConstraint,
    DeviceRequest,
    DeviceToleration,
    ResourceSlice,
)
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.explain.diagnosis.device_clusters import (
    BIG,
    CLASS,
    GPU,
    SICK,
    DeviceCluster,
    claim,
    counted,
    gpu,
    held,
    holder,
    pool_of,
    request,
    same,
    waiting,
)

FOUR = tuple(gpu(i) for i in range(4))
NIC = DeviceClass(name="nic.example.com", selectors=("device.driver == 'nic.example.com'",))
TAKEN = (held("h", "q", ("n1", "gpu-0")), holder("q", "n1", "h"))
ALSO_TAKEN = (held("h2", "q2", ("n1", "gpu-2")), holder("q2", "n1", "h2"))
UNKNOWN = f"device.attributes['{GPU}'].model == 'x'"
COUNTERS = ResourceSlice(
    name="n1-counters", driver=GPU, pool="n1", generation=1, slice_count=2, node_name="n1",
    shared_counters=(CounterSet("m", {"mem": "8"}),),
)  # fmt: skip
PARTS = pool_of(
    "n1", counted("whole", CounterSet("m", {"mem": "8"})), counted("half", CounterSet("m", {"mem": "4"})), slice_count=2
)
SHARED = pool_of("n1", gpu(0, shared=True))
SIXTY = held("h", "q", ("n1", "gpu-0"), share_id="any", consumed={"memory": "60Gi"})


CASES: dict[str, tuple[DeviceCluster, dict[str, Any]]] = {
    "the only device is held": (
        DeviceCluster(pool_of("n1", gpu(0)), *TAKEN, claim(request()), nodes=("n1", "n2")),
        {"codes": ("DEVICE_IN_USE",), "also": {"DEVICE_NONE"}, "opens": ("n1",), "actor": "cluster",
         "first": "EVICT_POD",
         "needs": {"deviceClassName": GPU, "count": "1"}, "says": ("default/q", "default/h", "gpu-0")},
    ),
    "the only device is held by a claim that nobody reserves": (
        DeviceCluster(pool_of("n1", gpu(0)), held("h", "", ("n1", "gpu-0")), claim(request())),
        {"codes": ("DEVICE_IN_USE",), "opens": ("n1",), "first": "ADD_NODE_LIKE", "then": "REMAKE_CLAIM",
         "says": ("default/h", "no pod reserves")},
    ),
    "two devices are free, none beside the other": (
        DeviceCluster(pool_of("n1", *FOUR), *TAKEN, *ALSO_TAKEN, claim(request(count=2), constraints=[same()])),
        {"codes": ("DEVICE_CONSTRAINT",), "either": {"DEVICE_IN_USE"}, "opens": ("n1",), "actor": "workload",
         "needs": {"matchAttribute": f"{GPU}/numa"}, "first": "CHANGE_DEVICE_REQUEST",
         "says": ("2 of 4 are free", "at most 1 on one NUMA node", "needs 2")},
    ),
    "one device is free of the two asked for": (
        DeviceCluster(pool_of("n1", gpu(0), gpu(1)), *TAKEN, claim(request(count=2), constraints=[same()])),
        {"codes": ("DEVICE_IN_USE",), "opens": ("n1",), "first": "CHANGE_DEVICE_REQUEST", "says": ("1 of 2 is free",)},
    ),
    "no NUMA node has as many devices": (
        DeviceCluster(pool_of("n1", *FOUR), claim(request(count=3), constraints=[same()])),
        {"codes": ("DEVICE_CONSTRAINT",), "opens": ("n1",), "says": ("4 of 4 are free", "at most 2 on one NUMA node")},
    ),
    "the constraint spans two requests": (
        DeviceCluster(pool_of("n1", gpu(0), gpu(2)), claim(request("a"), request("b"), constraints=[same()])),
        {"codes": ("DEVICE_CONSTRAINT",), "opens": ("n1",), "needs": {"matchAttribute": f"{GPU}/numa"}},
    ),
    "values have to differ": (
        DeviceCluster(
            pool_of("n1", gpu(0), gpu(1)),
            claim(request("a"), request("b"), constraints=[DeviceConstraint(distinct_attribute=f"{GPU}/numa")]),
        ),
        {"codes": ("DEVICE_CONSTRAINT",), "opens": ("n1",), "needs": {"distinctAttribute": f"{GPU}/numa"}},
    ),
    "the device is tainted": (
        DeviceCluster(pool_of("n1", gpu(0, taints=[SICK])), claim(request())),
        {"codes": ("DEVICE_TAINTED",), "opens": ("n1",), "actor": "workload", "first": "TOLERATE",
         "says": ("sick=yes:NoSchedule", "1 of 1")},
    ),
    "one device is tainted, the other is held": (
        DeviceCluster(pool_of("n1", gpu(0), gpu(1, taints=[SICK])), *TAKEN, claim(request())),
        {"codes": ("DEVICE_IN_USE",), "either": {"DEVICE_TAINTED"}, "opens": ("n1",), "says": ("1 is tainted",)},
    ),
    "no device has the memory": (
        DeviceCluster(pool_of("n1", gpu(0, "24Gi"), gpu(1, "32Gi")), claim(request(selectors=(BIG,)))),
        {"codes": ("DEVICE_SELECTOR",), "opens": ("n1",), "actor": "workload", "first": "CHANGE_DEVICE_REQUEST",
         "says": ("memory at least 40Gi", "none of them matches")},
    ),
    "one device has the memory, and it is held": (
        DeviceCluster(pool_of("n1", gpu(0), gpu(1, "32Gi")), *TAKEN, claim(request(selectors=(BIG,)))),
        {"codes": ("DEVICE_IN_USE",), "either": {"DEVICE_SELECTOR"}, "says": ("memory at least 40Gi: 0 of 1",)},
    ),
    "more devices than a node has": (
        DeviceCluster(pool_of("n1", *FOUR), claim(request(count=5))),
        {"codes": ("DEVICE_TOO_MANY",), "opens": ("n1",), "actor": "workload", "first": "CHANGE_DEVICE_REQUEST",
         "says": ("needs 5", "4 devices")},
    ),
    "more devices than a claim can have": (
        DeviceCluster(pool_of("n1", *(gpu(i) for i in range(40))), claim(request(count=33)), nodes=("n1", "n2")),
        {"codes": ("DEVICE_TOO_MANY",), "opens": ("n1",), "first": "CHANGE_DEVICE_REQUEST", "says": ("33", "32")},
    ),
    "no driver publishes devices of the class": (
        DeviceCluster(claim(request()), nodes=("n1", "n2")),
        {"codes": ("DEVICE_NONE",), "opens": ("n1", "n2"), "actor": "hardware", "says": (GPU, "no device of it")},
    ),
    "only another class has devices": (
        DeviceCluster(pool_of("n1", gpu(0)), claim(request(class_name=NIC.name)), classes=(CLASS, NIC)),
        {"codes": ("DEVICE_NONE",), "first": "CHANGE_DEVICE_REQUEST",
         "needs": {"deviceClassName": NIC.name, "count": "1"}},
    ),
    "one of two slices is there": (
        DeviceCluster(pool_of("n1", gpu(0), slice_count=2), claim(request())),
        {"codes": ("DEVICE_POOL_INCOMPLETE",), "opens": ("n1",), "actor": "hardware", "first": "MEND_DEVICES",
         "says": ("1 of 2 slices", f"{GPU}/n1")},
    ),
    "all of an incomplete pool, by 1.34": (
        DeviceCluster(pool_of("n1", gpu(0), slice_count=2), claim(request(mode=ALL)), version="1.34"),
        {"codes": ("DEVICE_POOL_INCOMPLETE",), "first": "MEND_DEVICES",
         "needs": {"deviceClassName": GPU, "count": "All"}},
    ),
    "a pool with two devices of one name": (
        DeviceCluster(pool_of("n1", gpu(0), gpu(0)), claim(request())),
        {"codes": ("DEVICE_POOL_INCOMPLETE",), "says": ("duplicate device name gpu-0",)},
    ),
    "too little is left of the counters": (
        DeviceCluster(COUNTERS, PARTS, held("h", "q", ("n1", "half")), holder("q", "n1", "h"), claim(
            request(selectors=("device.attributes['gpu.example.com'].?x.orValue(0) == 0",), count=1))),
        {"codes": ("DEVICE_COUNTERS",), "either": {"DEVICE_IN_USE"}, "first": "EVICT_POD", "says": ("default/q",)},
    ),
    "a part of a device that is shared": (
        DeviceCluster(SHARED, SIXTY, holder("q", "n1", "h"), claim(request(capacity={"memory": "40Gi"}))),
        {"codes": ("DEVICE_CAPACITY",), "opens": ("n1",), "actor": "workload", "first": "CHANGE_DEVICE_REQUEST",
         "says": ("memory 40Gi", "memory 20Gi")},
    ),
    "a selector reads what a device lacks": (
        DeviceCluster(pool_of("n1", gpu(0)), claim(request(selectors=(UNKNOWN,))), nodes=("n1", "n2")),
        {"codes": ("DEVICE_SELECTOR_ERROR",), "opens": ("n1",), "actor": "workload", "first": "CHANGE_DEVICE_REQUEST",
         "says": (UNKNOWN, "no such key: model", "gpu-0")},
    ),
    "a selector that is no expression": (
        DeviceCluster(pool_of("n1", gpu(0)), claim(request(selectors=("device.driver ==",)))),
        {"codes": ("DEVICE_SELECTOR_ERROR",), "first": "CHANGE_DEVICE_REQUEST"},
    ),
    "a class that nearly exists": (
        DeviceCluster(pool_of("n1", gpu(0)), claim(request(class_name="gpu.exmple.com"))),
        {"codes": ("DEVICE_CLASS_MISSING",), "opens": ("n1",), "stage": "prefilter", "first": "CHANGE_DEVICE_REQUEST",
         "object": "resource.k8s.io/v1/DeviceClass//gpu.exmple.com", "says": ("there is a class gpu.example.com",)},
    ),
    "a class of another name": (
        DeviceCluster(pool_of("n1", gpu(0)), claim(request(class_name="accelerators")), classes=()),
        {"codes": ("DEVICE_CLASS_MISSING",), "first": "CREATE_CLASS", "actor": "cluster"},
    ),
    "the claim has devices of a full node": (
        DeviceCluster(
            pool_of("n1", gpu(0)), pool_of("n2", gpu(0)), held("c", "q", ("n1", "gpu-0")),
            holder("q", "n1", "c", cpu="3"),
            nodes=(make_node("n1", cpu="4"), make_node("n2", cpu="4")), pod=waiting(cpu="2"),
        ),
        {"codes": ("SHORT_CPU",), "also": {"DEVICE_CLAIM_ELSEWHERE"}},
    ),
    "the claim has devices of a node that is too small": (
        DeviceCluster(
            pool_of("n1", gpu(0)), pool_of("n2", gpu(0)), held("c", "q", ("n1", "gpu-0")), holder("q", "n1", "c"),
            nodes=(make_node("n1", cpu="1"), make_node("n2", cpu="4"), make_node("n3", cpu="4")), pod=waiting(cpu="2"),
        ),
        {"codes": ("DEVICE_CLAIM_ELSEWHERE",), "also": {"TOO_LARGE"}, "opens": ("n2", "n3"), "first": "EVICT_POD",
         "needs": {"metadata.name": "n1"}, "says": ("n1 alone",),
         "object": "resource.k8s.io/v1/ResourceClaim/default/c"},
    ),
    "GPUs are held and there is no NIC": (
        DeviceCluster(
            pool_of("n1", gpu(0)), *TAKEN, claim(request(), request("nic", class_name=NIC.name)), classes=(CLASS, NIC)
        ),
        {"codes": ("DEVICE_IN_USE", "DEVICE_NONE"), "opens": ("n1",)},
    ),
    "each of two alternatives is held": (
        DeviceCluster(
            pool_of("n1", gpu(0)), *TAKEN,
            claim(DeviceRequest(name="g", alternatives=(request("first", selectors=(BIG,)), request("second")))),
        ),
        {"codes": ("DEVICE_IN_USE",), "opens": ("n1",), "first": "EVICT_POD"},
    ),
    "cpu is short where devices are free": (
        DeviceCluster(
            pool_of("n1", gpu(0)), pool_of("n2", gpu(0)), *TAKEN, claim(request()),
            nodes=(make_node("n1", cpu="4"), make_node("n2", cpu="1")), pod=waiting(cpu="2"),
        ),
        {"codes": ("DEVICE_IN_USE",), "either": {"TOO_LARGE"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_cause_and_the_first_remedy_are_right(name: str) -> None:
    cluster, right = CASES[name]
    diagnosis = cluster.diagnosis()
    assert diagnosis is not None, "it fits"
    cause = diagnosis.cause
    answer = {
        "codes": tuple(sorted(cause.codes)),
        "opens": cause.opens.names,
        "actor": cause.actor,
        "stage": cause.stage,
        "needs": cause.obstacles[0].needs,
        "object": cause.obstacles[0].object,
        "also": {code for one in cause.also for code in one.codes},
        "either": {code for one in cause.either for code in one.codes},
    }
    expected = {field: value for field, value in right.items() if field in answer}
    assert {field: answer[field] for field in expected} == expected
    missing = [part for part in right.get("says", ()) if part not in cause.text]
    assert not missing, cause.text
    verified = [one.code for one in cluster.remedies().verified]
    if "first" in right:
        assert verified[:1] == [right["first"]]
    assert right.get("then") is None or right["then"] in verified


TWINS: dict[str, DeviceCluster] = {
    "another device is free": DeviceCluster(pool_of("n1", gpu(0), gpu(1)), *TAKEN, claim(request())),
    "the two free devices are of one NUMA node": DeviceCluster(
        pool_of("n1", *FOUR), held("h", "q", ("n1", "gpu-0"), ("n1", "gpu-1")),
        claim(request(count=2), constraints=[same()]),
    ),
    "the constraint is met across two requests": DeviceCluster(
        pool_of("n1", gpu(0), gpu(1)), claim(request("a"), request("b"), constraints=[same()])
    ),
    "the constraint is of one request alone": DeviceCluster(
        pool_of("n1", gpu(0), gpu(2)),
        claim(request("a"), request("b"), constraints=[msgspec.structs.replace(same(), requests=("a",))]),
    ),
    "the taint is tolerated": DeviceCluster(
        pool_of("n1", gpu(0, taints=[SICK])), claim(request(tolerations=(DeviceToleration(operator="Exists"),)))
    ),
    "1.34 knows no taints of devices": DeviceCluster(
        pool_of("n1", gpu(0, taints=[SICK])), claim(request()), version="1.34"
    ),
    "the memory is there": DeviceCluster(pool_of("n1", gpu(0, "40Gi")), claim(request(selectors=(BIG,)))),
    "as many devices as there are": DeviceCluster(pool_of("n1", *FOUR), claim(request(count=4))),
    "32 devices": DeviceCluster(pool_of("n1", *(gpu(i) for i in range(40))), claim(request(count=32))),
    "both slices are there": DeviceCluster(
        pool_of("n1", gpu(0), slice_count=2), pool_of("n1", gpu(1), slice_count=2, name="n1-more"), claim(request())
    ),
    "1.34 takes devices of an incomplete pool": DeviceCluster(
        pool_of("n1", gpu(0), slice_count=2), claim(request()), version="1.34"
    ),
    "nobody has counters": DeviceCluster(COUNTERS, PARTS, claim(request())),
    "the part is left": DeviceCluster(
        SHARED, SIXTY, holder("q", "n1", "h"), claim(request(capacity={"memory": "20Gi"}))
    ),
    "the class is there": DeviceCluster(
        pool_of("n1", gpu(0)), claim(request(class_name="accelerators")),
        classes=(DeviceClass(name="accelerators"),),
    ),
    "an administrator takes a held device": DeviceCluster(
        pool_of("n1", gpu(0)), *TAKEN, claim(request(admin_access=True))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_the_twin_fits(name: str) -> None:
    assert TWINS[name].diagnosis() is None
    assert TWINS[name].remedies().fits
