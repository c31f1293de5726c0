"""A full disk: nothing is lost that the server still has, and the bundle says for how long it was."""

from __future__ import annotations

import asyncio

import pytest

from tests.api_server.serving import serving_live
from tests.scheduler_core.collect.collecting import (
    DirectWay,
    few_kinds,
    node,
    plan_in,
    pod,
    read_bundle,
    run_collection,
    until_level,
)
from tests.scheduler_core.collect.test_journal import FullDisk


@pytest.mark.slow
def test_what_did_not_fit_is_read_again(tmp_path):
    server = few_kinds()
    with serving_live([node("a")], server):

        async def script(collection):
            disk = FullDisk(300)
            collection.journal._write = disk
            for n in range(20):
                server.apply("ADDED", pod(f"web-{n}"))
            await asyncio.sleep(0.5)
            assert collection._room.is_full
            disk.room = 1 << 30
            await until_level(collection, server)

        assert run_collection(plan_in(tmp_path), DirectWay(server.address), script) == 3
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert [name for _, name, _ in bundle.states("Pod")] == [f"web-{n}" for n in range(20)]
    gaps = [gap for gap in bundle.meta.gaps if gap.code == "DISK_FULL"]
    assert [gap.until is not None for gap in gaps] == [True]
