"""Watches under each fault of a server: nothing is lost that it still has, and without the handling something is."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import msgspec
import pytest

from scheduler_core.collect import listing, watching
from scheduler_core.collect.fields.allowed import PlainNames
from scheduler_core.collect.gaps import GapLedger
from scheduler_core.collect.recording import ChangeRecorder
from scheduler_core.collect.server import requests
from scheduler_core.collect.server.requests import Requester
from scheduler_core.collect.watching import KindWatch, WatchShared
from tests.api_server.live import Faults, LiveServer
from tests.api_server.serving import serving_live
from tests.scheduler_core.collect.collecting import (
    QUICK,
    DirectWay,
    few_kinds,
    node,
    plan_in,
    pod,
    read_bundle,
    run_collection,
    until_level,
)
from tests.scheduler_core.collect.faulty import lost_under, target_of
from tests.scheduler_core.collect.server.test_requests import ScriptedWay
from tests.scheduler_core.collect.test_recording import Lines
from tests.seeds import long_after

# ------------------------------------------------------------ what each fault is without its handling


def no_second_list(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(listing, "Gone", KeyError)


def no_list_after_expiry(patch: pytest.MonkeyPatch) -> None:
    async def nothing(self: KindWatch) -> None:
        await asyncio.sleep(0.01)

    patch.setattr(KindWatch, "_after_expiry", nothing)


def errors_pass(patch: pytest.MonkeyPatch) -> None:
    take = KindWatch._take
    patch.setattr(KindWatch, "_take", lambda self, event: None if event.type == "ERROR" else take(self, event))


def nothing_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(requests, "_AGAIN", frozenset())


def broken_is_over(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(watching, "_BROKEN", ())


def one_watch_only(patch: pytest.MonkeyPatch) -> None:
    watch = KindWatch._watch

    async def once(self: KindWatch) -> None:
        sleep = asyncio.create_task(asyncio.sleep(600))
        stream = self._shared.requester.stream(self.target.path, self._params(self.target.version), silence=5)
        async with stream as response:
            async for event in watching._events(response):
                self._take(event)
        await sleep

    assert watch
    patch.setattr(KindWatch, "_watch", once)


def chunks_are_lines(patch: pytest.MonkeyPatch) -> None:
    async def events(response: Any) -> Any:
        async for chunk in response.aiter_bytes():
            for line in chunk.split(b"\n"):
                if line:
                    try:
                        yield watching._decode(line)
                    except msgspec.MsgspecError:
                        continue

    patch.setattr(watching, "_events", events)


def stream_is_tried_for_ever(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(watching, "_AT_ONCE", 0)


FAULTS = {
    "page_gone": (Faults(page_gone=1), no_second_list),
    "watch_gone": (Faults(watch_gone=1), no_list_after_expiry),
    "error_event": (Faults(error_event=0.5), errors_pass),
    "too_many": (Faults(too_many=0.3, retry_after="0"), nothing_again),
    "failing": (Faults(failing=0.3), nothing_again),
    "reset": (Faults(reset=0.6), broken_is_over),
    "silent_end": (Faults(silent_end=1), one_watch_only),
    "slow": (Faults(slow=1), chunks_are_lines),
    "no_initial_events": (Faults(no_initial_events=True), stream_is_tried_for_ever),
}
"""{switch: (it alone, what takes its handling out)}"""


def old_way(name: str) -> LiveServer | None:
    """Pages are tested on a server that does not stream lists."""
    return few_kinds(version="v1.30.0") if name == "page_gone" else None


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after(list(FAULTS), 2))
def test_nothing_is_lost_that_the_server_still_has(name, tmp_path, monkeypatch):
    faults, _ = FAULTS[name]
    assert lost_under(faults, tmp_path, monkeypatch, server=old_way(name)) == []


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
def test_without_its_handling_something_is_lost(name, tmp_path, monkeypatch):
    faults, take_out = FAULTS[name]
    take_out(monkeypatch)
    try:
        lost = lost_under(
            faults, tmp_path, monkeypatch, seconds=3, server=old_way(name), steps=80, compacts=name == "error_event"
        )
    except Exception as problem:
        lost = [repr(problem)]
    assert lost != []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_all_faults_together_lose_nothing(seed, tmp_path, monkeypatch):
    faults = Faults(
        seed=seed,
        page_gone=0.2,
        watch_gone=0.05,
        error_event=0.05,
        too_many=0.1,
        failing=0.1,
        reset=0.2,
        silent_end=0.3,
        slow=0.3,
        no_initial_events=seed % 2 == 0,
        no_bookmarks=seed % 5 == 0,
        retry_after="0",
    )
    assert lost_under(faults, tmp_path, monkeypatch, steps=400, seconds=60, compacts=seed % 3 == 0) == []


# ------------------------------------------------------------ bookmarks


def expired_after_quiet(tmp_path, server: LiveServer) -> set[tuple[str, str]]:
    """The gaps after only pods changed for a while, and the server forgot what was before."""
    with serving_live([node("a"), pod("web-1")], server):

        async def script(collection):
            for turn in range(5):
                server.apply("MODIFIED", pod("web-1", priority=turn))
            await asyncio.sleep(0.6)
            server.compact()
            # All watches end by their timeoutSeconds and begin again.
            await asyncio.sleep(2.5)
            server.apply("MODIFIED", node("a", turn="1"))
            await until_level(collection, server)

        run_collection(plan_in(tmp_path), DirectWay(server.address), script)
    return read_bundle(tmp_path / "bundle.tar.gz").codes


@pytest.mark.long
def test_bookmarks_keep_the_versions_of_quiet_kinds_new(tmp_path, monkeypatch):
    assert expired_after_quiet(tmp_path, few_kinds()) == set()
    (tmp_path / "bundle.tar.gz").unlink()
    codes = expired_after_quiet(tmp_path, few_kinds(faults=Faults(no_bookmarks=True)))
    assert ("WATCH_EXPIRED", "Node") in codes


# ------------------------------------------------------------ relists


def test_changes_while_a_list_is_streamed_are_part_of_it():
    def event(change: str, name: str, version: int, **spec: Any) -> bytes:
        one = pod(name, **spec)
        one["metadata"] |= {"resourceVersion": str(version), "uid": name}
        return msgspec.json.encode({"type": change, "object": one}) + b"\n"

    metadata = {"resourceVersion": "20", "annotations": {"k8s.io/initial-events-end": "true"}}
    end = msgspec.json.encode({"type": "BOOKMARK", "object": {"metadata": metadata}}) + b"\n"
    bookmark = b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":5}}}\n'
    body = [event("ADDED", "stays", 3), event("ADDED", "goes", 4), event("ADDED", "changes", 5), bookmark,
            event("MODIFIED", "changes", 12, node_name="a"), event("DELETED", "goes", 13), end]  # fmt: skip
    lines, target, ledger = Lines(), target_of("Pod"), GapLedger()
    recorder = ChangeRecorder(lines, PlainNames())

    async def ask() -> bool:
        way = ScriptedWay(httpx.Response(200, content=b"".join(body)))
        shared = WatchShared(Requester(way, QUICK, ledger), recorder, ledger, None, QUICK, 5)
        return await KindWatch(target, shared)._list_by_stream()

    assert asyncio.run(ask())
    assert (target.version, target.is_listed) == ("20", True)
    assert {name for _, name in target.seen.objects} == {"stays", "changes"}
    assert [row[1:3] for row in lines.rows] == [
        ("", "stays"), ("", "goes"), ("", "changes"), ("MODIFIED", "changes"), ("DELETED", "goes"),
    ]  # fmt: skip


@pytest.mark.slow
def test_what_changed_while_the_watch_was_lost_is_found_by_a_list(tmp_path):
    server = few_kinds()
    with serving_live([node("a"), pod("stays"), pod("changes"), pod("goes"), pod("again")], server):

        async def script(collection):
            server.longest_watch = 0
            server.faults.watch_gone = 1
            await asyncio.sleep(0.2)
            for change, one in (
                ("MODIFIED", pod("changes", "a")),
                ("DELETED", pod("goes")),
                ("DELETED", pod("again")),
                ("ADDED", pod("again")),
                ("ADDED", pod("new")),
                ("ADDED", pod("came-and-went")),
                ("DELETED", pod("came-and-went")),
            ):
                server.apply(change, one)
            server.compact()
            server.faults.watch_gone, server.longest_watch = 0, 600
            await until_level(collection, server)

        assert run_collection(plan_in(tmp_path), DirectWay(server.address), script) == 3
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    by_name: dict[str, list[str]] = {}
    for change, name, _ in bundle.states("Pod"):
        by_name.setdefault(name, []).append(change)
    assert set(by_name) - {"came-and-went"} == {"changes", "goes", "again", "new"}
    assert (by_name["changes"], by_name["new"]) == (["MODIFIED"], ["ADDED"])
    assert (by_name["goes"], by_name["again"]) == (["DELETED"], ["DELETED", "ADDED"])
    assert ("WATCH_EXPIRED", "Pod") in bundle.codes


@pytest.mark.slow
def test_rights_that_are_taken_away_are_a_gap_that_ends(tmp_path):
    server = few_kinds(longest_watch=0.3)
    with serving_live([node("a"), pod("web-1")], server):

        async def script(collection):
            server.denied.add(("pods", "watch"))
            await asyncio.sleep(0.7)
            server.apply("MODIFIED", pod("web-1", "a"))
            server.denied.clear()
            await until_level(collection, server)

        assert run_collection(plan_in(tmp_path), DirectWay(server.address), script) == 3
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    (gap,) = [gap for gap in bundle.meta.gaps if gap.code == "NO_RIGHTS"]
    assert gap.kind == "Pod"
    assert gap.since < (gap.until or 0)
    assert bundle.states("Pod")[-1][:2] == ("MODIFIED", "web-1")


@pytest.mark.slow
def test_rights_of_one_namespace_do_not_end_the_gap_of_another(tmp_path):
    server = few_kinds(longest_watch=0.3)
    with serving_live([node("a"), pod("web-1")], server):

        async def script(collection):
            server.denied |= {("default/pods", "watch"), ("shop/pods", "watch")}
            await asyncio.sleep(0.7)
            server.denied.remove(("shop/pods", "watch"))
            await asyncio.sleep(0.7)

        plan = plan_in(tmp_path, namespaces=("default", "shop"))
        assert run_collection(plan, DirectWay(server.address), script) == 3
    gaps = read_bundle(tmp_path / "bundle.tar.gz").meta.gaps
    ends = {gap.namespace: gap.until for gap in gaps if (gap.code, gap.kind) == ("NO_RIGHTS", "Pod")}
    assert ends.keys() == {"default", "shop"}
    assert ends["default"] is None
    assert ends["shop"] is not None
