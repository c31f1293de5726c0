"""Edited pods and nodes are what the words of the edit say."""

from __future__ import annotations

from scheduler_core.api.objects import Container, ContainerPort
from scheduler_core.api.resources import pod_requests
from scheduler_core.api.taints import Taint
from scheduler_core.explain.edited_objects import (
    another,
    asking_for,
    enlarged,
    free_name,
    tolerating,
    without_host_ports,
)
from scheduler_core.testing.builders import make_node, make_pod


def pod(*cpus, inits=(), **fields):
    containers = tuple(Container(f"c{i}", requests={"cpu": cpu}) for i, cpu in enumerate(cpus))
    before = tuple(Container(f"i{i}", requests={"cpu": cpu}) for i, cpu in enumerate(inits))
    return make_pod("p", containers=containers, init_containers=before, **fields)


def test_a_request_is_lowered_to_exactly_the_amount():
    edited = asking_for(pod(500, 700), "cpu", 900)
    assert [container.requests["cpu"] for container in edited.containers] == [500, 400]
    assert pod_requests(edited)["cpu"] == 900


def test_what_initialises_is_lowered_too():
    assert pod_requests(asking_for(pod(500, inits=(2000,)), "cpu", 800))["cpu"] == 800


def test_overhead_is_counted_and_cannot_be_lowered():
    with_overhead = pod(500, overhead={"cpu": 250})
    assert pod_requests(asking_for(with_overhead, "cpu", 600))["cpu"] == 600
    assert asking_for(with_overhead, "cpu", 200) is None


def test_requests_of_the_pod_as_a_whole_are_left_alone():
    assert asking_for(pod(500, pod_requests={"cpu": 4000}), "cpu", 600) is None


def test_a_toleration_tolerates_its_taint_and_no_other():
    edited = tolerating(make_pod("p"), [Taint("gpu", "t4", "NoSchedule")])
    assert edited.tolerations[0].tolerates(Taint("gpu", "t4", "NoSchedule"))
    assert not edited.tolerations[0].tolerates(Taint("gpu", "a100", "NoSchedule"))
    assert not edited.tolerations[0].tolerates(Taint("gpu", "t4", "NoExecute"))


def test_host_ports_are_given_up_and_left_out_on_the_host_s_network():
    ports = (ContainerPort(80, 8080), ContainerPort(81))
    of_pod = make_pod("p", containers=(Container("c", ports=ports),))
    assert [port.host_port for port in without_host_ports(of_pod).containers[0].ports] == [0, 0]
    of_host = make_pod("p", containers=(Container("c", ports=(ContainerPort(80, 80),)),), host_network=True)
    assert without_host_ports(of_host).containers[0].ports == ()


def test_nodes_grow_and_multiply():
    node = make_node("a", cpu="4", labels={"kubernetes.io/hostname": "a", "zone": "x"})
    assert enlarged(node, {"cpu": 500}).allocatable["cpu"] == 4500
    twin = another(node, "b")
    assert (twin.name, twin.labels) == ("b", {"kubernetes.io/hostname": "b", "zone": "x"})


def test_a_new_name_is_none_of_those_that_are_taken():
    assert [free_name("n", taken) for taken in ((), ("n",), ("n", "n-more", "other"))] == ["n", "n-more", "n-more-more"]
