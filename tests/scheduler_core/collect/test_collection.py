"""A collection as a whole: what is in the bundle, and with which status it ends."""

from __future__ import annotations

import asyncio

import pytest

from scheduler_core.collect.collection import Collection
from scheduler_core.collect.preparing import HeldConfiguration, NothingToCollect
from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, META, OBJECTS
from tests.api_server.serving import serving_live
from tests.scheduler_core.collect.collecting import (
    QUICK,
    DirectWay,
    event,
    few_kinds,
    node,
    plan_in,
    pod,
    read_bundle,
    run_collection,
    until_level,
)
from tests.scheduler_core.collect.fields.marked import NEVER, marked, not_allowed

CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


@pytest.mark.slow
def test_a_bundle_has_what_was_there_and_what_changed(tmp_path):
    with serving_live([node("a"), pod("web-1")]) as server:

        async def script(collection):
            server.apply("MODIFIED", node("a"))  # A heartbeat: nothing that leaves is another.
            server.apply("MODIFIED", pod("web-1", "a"))
            server.apply("ADDED", pod("web-2"))
            server.apply("DELETED", pod("web-2"))
            server.apply("ADDED", event("e1", "Scheduled", "web-1", "Successfully assigned default/web-1 to a"))
            server.apply("ADDED", event("e2", "Pulled", "web-1"))
            await until_level(collection, server)

        said: list[str] = []
        assert run_collection(plan_in(tmp_path), DirectWay(server.address), script, said=said) == 0
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert bundle.names == [META, OBJECTS, EVENTS, CHANGES]
    assert bundle.states("Node") == []
    assert [state[:2] for state in bundle.states("Pod")] == [
        ("MODIFIED", "web-1"), ("ADDED", "web-2"), ("DELETED", "web-2"),
    ]  # fmt: skip
    assert bundle.folded()["Pod", "default", "web-1"]["spec"]["nodeName"] == "a"
    (only,) = bundle.events
    assert (only.type, b'"Scheduled"' in bytes(only.object)) == ("ADDED", True)
    meta = bundle.meta
    assert (meta.server_version, meta.namespaces, meta.pseudonyms) == ("v1.34.1", (), False)
    assert {one.kind: one.listed for one in meta.kinds if one.listed} == {"Node": 1, "Pod": 1}
    assert meta.began < (meta.ended or 0)
    assert bundle.codes == set()
    assert not (tmp_path / "bundle.tar.gz.partial").exists()
    assert any("requests" in line for line in said)


def test_without_time_to_watch_it_is_the_lists_alone(tmp_path):
    server = few_kinds()
    with serving_live([node("a")], server):
        assert run_collection(plan_in(tmp_path, seconds=0), DirectWay(server.address)) == 3
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert list(bundle.folded()) == [("Node", "", "a")]
    watches = [path for path in server.asked if "watch=true" in path and "timeoutSeconds=1&" not in path]
    assert [path for path in watches if "sendInitialEvents" not in path] == []


def test_rights_that_are_missing_are_gaps_by_kind_and_the_rest_is_collected(tmp_path):
    server = few_kinds()
    server.denied |= {("pods", "list"), ("services", "watch")}
    with serving_live([node("a"), pod("web-1")], server):
        said: list[str] = []
        assert run_collection(plan_in(tmp_path, seconds=0), DirectWay(server.address), said=said) == 3
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert bundle.codes == {("NO_RIGHTS", "Pod"), ("NO_RIGHTS", "Service")}
    assert [gap.until for gap in bundle.meta.gaps if gap.code == "NO_RIGHTS"] == [None, None]
    # The server's sentence names who asked: it is said, and does not leave.
    assert any("someone" in line for line in said)
    assert not [gap for gap in bundle.meta.gaps if "someone" in gap.text]
    assert {one.kind: one.can_watch for one in bundle.meta.kinds} == {"Node": True, "Event": True, "Service": False}


@pytest.mark.slow
def test_a_kind_for_which_the_server_fails_is_a_gap_and_the_rest_is_collected(tmp_path):
    server = few_kinds()
    server.broken.add("services")
    with serving_live([node("a")], server):
        pace = QUICK._replace(start=0.3)
        assert run_collection(plan_in(tmp_path, seconds=0), DirectWay(server.address), pace=pace) == 3
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert bundle.codes == {("LIST_FAILED", "Service")}
    assert list(bundle.folded()) == [("Node", "", "a")]


@pytest.mark.parametrize("what", ["no server", "no rights", "no token"])
def test_nothing_that_can_be_collected_is_said_and_leaves_no_file(tmp_path, what):
    server = few_kinds(token="t" if what == "no token" else "")
    if what == "no rights":
        server.denied |= {(resource, "list") for resource in ("nodes", "pods", "events", "services")}
    with serving_live([node("a")], server):
        address = "http://127.0.0.1:9" if what == "no server" else server.address
        pace = QUICK._replace(start=0.2)
        word = {"no server": "does not answer", "no rights": "--role", "no token": "401"}[what]
        with pytest.raises(NothingToCollect, match=word):
            run_collection(plan_in(tmp_path), DirectWay(address), pace=pace)
    assert list(tmp_path.iterdir()) == []


def test_only_the_namespaces_that_are_asked_for_are_read(tmp_path):
    other = pod("far-1") | {"metadata": {"name": "far-1", "namespace": "other"}}
    server = few_kinds()
    with serving_live([node("a"), pod("web-1"), other], server):
        plan = plan_in(tmp_path, seconds=0, namespaces=("default",))
        run_collection(plan, DirectWay(server.address))
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert set(bundle.folded()) == {("Node", "", "a"), ("Pod", "default", "web-1")}
    assert bundle.meta.namespaces == ("default",)
    assert [path for path in server.asked if path.startswith("/api/v1/pods")] == []


@pytest.mark.slow
def test_the_configuration_is_that_of_the_file_or_of_the_one_config_map(tmp_path):
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "scheduler", "namespace": "kube-system"},
        "data": {"config.yaml": CONFIGURATION + "clientConnection: {kubeconfig: /etc/x}\nprofiles: []\n"},
    }
    server = few_kinds()
    server.missing -= {"configmaps"}
    way = DirectWay
    with serving_live([node("a"), config_map], server):
        run_collection(
            plan_in(tmp_path, "map.tar.gz", seconds=0, config_map=("kube-system", "scheduler")), way(server.address)
        )
        given = HeldConfiguration(CONFIGURATION, "c.yaml")
        run_collection(plan_in(tmp_path, "file.tar.gz", seconds=0, given=given), way(server.address))
        run_collection(
            plan_in(tmp_path, "lost.tar.gz", seconds=0, config_map=("kube-system", "none")), way(server.address)
        )
    of_map, of_file, of_none = (read_bundle(tmp_path / f"{name}.tar.gz").meta for name in ("map", "file", "lost"))
    assert "profiles" in of_map.configuration
    assert "clientConnection" not in of_map.configuration
    assert of_map.configuration_of == "ConfigMap kube-system/scheduler"
    assert of_file.configuration_of == "c.yaml"
    assert {gap.code for gap in of_none.gaps} >= {"OTHER", "NO_CONFIGURATION"}


@pytest.mark.slow
def test_the_control_plane_may_become_another_version(tmp_path):
    server = few_kinds()
    with serving_live([node("a")], server):

        async def script(collection):
            server.version = "v1.35.0"
            while not collection._about.versions:
                await asyncio.sleep(0.02)

        run_collection(plan_in(tmp_path), DirectWay(server.address), script)
    meta = read_bundle(tmp_path / "bundle.tar.gz").meta
    assert (meta.server_version, [one for _, one in meta.versions]) == ("v1.34.1", ["v1.35.0"])


@pytest.mark.slow
def test_of_objects_with_markers_everywhere_the_bundle_has_the_allowed_ones(tmp_path):
    whole = [marked("Pod", "v1"), marked("Node", "v1"), marked("Service", "v1")]
    server = few_kinds()
    with serving_live(whole, server):

        async def script(collection):
            server.apply("MODIFIED", whole[0] | {"spec": {**whole[0]["spec"], "priority": "MARK<spec.priority>2"}})
            await until_level(collection, server)

        run_collection(plan_in(tmp_path), DirectWay(server.address), script)
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    folded = bundle.folded()
    assert {kind for kind, _, _ in folded} == {"Pod", "Node", "Service"}
    assert {path for (kind, _, _), one in folded.items() for path in not_allowed(kind, one)} == set()
    text = b"".join(bytes(one.object) for one in (*bundle.objects, *bundle.changes)).decode()
    assert not [name for name in NEVER if f".{name}>" in text]


@pytest.mark.slow
def test_a_broken_journal_ends_it_with_what_is_wrong(tmp_path):
    server = few_kinds()
    with serving_live([node("a")], server):
        plan = plan_in(tmp_path)

        async def script(collection: Collection):
            def broken(file: int, data: bytes) -> int:
                raise OSError(5, "Input/output error")

            collection.journal._write = broken
            server.apply("ADDED", node("b"))
            await asyncio.sleep(5)

        with pytest.raises(OSError, match="Input/output"):
            run_collection(plan, DirectWay(server.address), script)
    assert plan.folder.exists()
