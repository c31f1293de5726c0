"""What a server serves, in which version, and what may be done with it."""

from __future__ import annotations

import asyncio

import pytest

from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.server.discovery import (
    GROUPS,
    ServedKind,
    rights_of,
    served_kinds,
    server_version,
)
from scheduler_core.collect.server.requests import Requester
from scheduler_core.manifests.cluster_dump.kubectl import DEVICES, OPTIONAL, RESOURCES, SEPARATE
from tests.api_server.serving import serving_live
from tests.scheduler_core.collect.collecting import QUICK, DirectWay, few_kinds, node


def on(server, ask):
    async def run():
        way = DirectWay(server.address)
        await way.start()
        try:
            return await ask(Requester(way, QUICK, GapLedger()))
        finally:
            await way.close()

    return asyncio.run(run())


def test_the_kinds_are_those_of_a_dump():
    assert set(GROUPS) == {*RESOURCES, *OPTIONAL}


def test_every_kind_that_is_served_has_its_address():
    with serving_live() as server:
        served = on(server, lambda requester: served_kinds(requester, 1.0))
    assert set(served) == set(GROUPS) - set(SEPARATE)
    assert served["Deployment"] == ServedKind("Deployment", "apps/v1", "deployments", True)
    assert served["Deployment"].path("a") == "/apis/apps/v1/namespaces/a/deployments"
    assert served["Node"].path() == "/api/v1/nodes"


@pytest.mark.parametrize("versions", [(), ("v1beta1",), ("v1beta1", "v1beta2"), ("v1beta1", "v1"), ("v1alpha3",)])
def test_devices_are_followed_in_the_newest_version_that_is_read(versions):
    newest = max((one for one in versions if one != "v1alpha3"), key=("v1beta1", "v1beta2", "v1").index, default="")

    async def ask(requester):
        value = requester.value

        async def other(path, params=None, patience=0):
            if path == "/apis":
                listed = [{"version": one, "groupVersion": f"resource.k8s.io/{one}"} for one in versions]
                group = {"name": "resource.k8s.io", "versions": listed, "preferredVersion": dict(*listed[-1:])}
                return {"groups": [group] if versions else []}
            if path.startswith("/apis/resource.k8s.io/"):
                return {"resources": [{"name": DEVICES[kind], "kind": kind, "namespaced": True} for kind in DEVICES]}
            return await value(path, params, patience)

        requester.value = other
        return await served_kinds(requester, 1.0)

    with serving_live() as server:
        served = on(server, ask)
    assert {kind: one.api_version for kind, one in served.items() if kind in DEVICES} == (
        dict.fromkeys(DEVICES, f"resource.k8s.io/{newest}") if newest else {}
    )


@pytest.mark.parametrize(
    "entries", [[{"name": "../x", "kind": "Node"}], [{"name": 5, "kind": "Node"}], [{"kind": "Node"}], "x", [None]]
)
def test_resources_of_odd_names_are_not_asked_for(entries, monkeypatch):
    with serving_live([], few_kinds()) as server:

        async def ask(requester):
            value = requester.value

            async def other(path, params=None, patience=0):
                return {"resources": entries} if path == "/api/v1" else await value(path, params, patience)

            requester.value = other
            return await served_kinds(requester, 1.0)

        assert "Node" not in on(server, ask)


def test_rights_are_checked_by_what_they_allow_and_no_object_is_read_for_a_watch():
    server = few_kinds()
    server.denied |= {("pods", "list"), ("services", "watch")}
    with serving_live([node("a")], server):

        async def ask(requester):
            served = await served_kinds(requester, 1.0)
            kinds = [(served[kind], "") for kind in ("Node", "Pod", "Service")]
            return await rights_of(requester, kinds, 1.0)

        nodes, pods, services = on(server, ask)
    assert nodes[:2] == (True, True)
    assert pods[:2] == (False, False)
    assert services[:2] == (True, False)
    assert "forbidden" in pods.reason
    assert [path for path in server.asked if "watch=true" in path and "resourceVersion=" not in path] == []
    assert {path.partition("?")[2] for path in server.asked if "limit" in path} == {"limit=1"}


def test_the_version_is_what_the_server_says():
    with serving_live([], few_kinds(version="v1.36.2+k3s1")) as server:
        assert on(server, server_version) == "v1.36.2+k3s1"
