"""Collections that were broken off: what was seen is known again, cut lines are read again, and nothing comes twice."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from scheduler_core.collect.collection import Collection
from scheduler_core.collect.journal import Journal
from scheduler_core.manifests.bundle.model import CHANGES, OBJECTS, STATE
from scheduler_core.manifests.model import LoadError
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


class BrokenOffError(Exception):
    """The process ends here."""


async def until_synced(folder, server) -> None:
    """Return when the state on the disk has the server's last change: who ends before lists a kind again."""
    journal = Journal(plan_in(folder).folder)
    while True:
        versions = journal.state().versions
        if all(int(versions.get(f"{name}/", 0)) >= newest for name, newest in server.newest.items()):
            return
        await asyncio.sleep(0.02)


def broken_off(tmp_path, server, *changes, pseudonyms=False) -> None:
    """Collect until these changes were written, and end as a killed process does."""

    async def script(collection: Collection):
        for change, one in changes:
            server.apply(change, one)
        await until_level(collection, server)
        await until_synced(tmp_path, server)
        raise BrokenOffError

    with pytest.raises(BrokenOffError):
        run_collection(plan_in(tmp_path, pseudonyms=pseudonyms), DirectWay(server.address), script)


def resumed(tmp_path, server, *changes) -> int:
    async def script(collection: Collection):
        await until_level(collection, server)
        for change, one in changes:
            server.apply(change, one)
        await until_level(collection, server)

    return run_collection(plan_in(tmp_path, resumes=True), DirectWay(server.address), script)


@pytest.mark.slow
@pytest.mark.parametrize("expires", [False, True])
def test_it_goes_on_where_it_was_broken_off(tmp_path, expires):
    server = few_kinds()
    with serving_live([node("a"), pod("web-1"), pod("goes")], server):
        broken_off(tmp_path, server, ("MODIFIED", pod("web-1", "a")))
        server.apply("DELETED", pod("goes"))
        server.apply("ADDED", pod("web-2"))
        if expires:
            server.compact()
        assert resumed(tmp_path, server, ("MODIFIED", pod("web-2", "a"))) == 3
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    states = [state[:2] for state in bundle.states("Pod")]
    assert sorted(states) == [("ADDED", "web-2"), ("DELETED", "goes"), ("MODIFIED", "web-1"), ("MODIFIED", "web-2")]
    assert {name for _, _, name in bundle.folded()} == {"a", "web-1", "web-2"}
    codes = {code for code, _ in bundle.codes}
    assert codes == ({"STOPPED", "WATCH_EXPIRED"} if expires else {"STOPPED"})
    (gap,) = [gap for gap in bundle.meta.gaps if gap.code == "STOPPED"]
    assert gap.since <= (gap.until or 0)


@pytest.mark.slow
def test_a_line_that_was_cut_off_is_read_again(tmp_path):
    server = few_kinds()
    with serving_live([node("a"), pod("web-1")], server):
        broken_off(tmp_path, server, ("ADDED", pod("web-2")), ("ADDED", pod("web-3")))
        path = tmp_path / "bundle.tar.gz.partial" / CHANGES
        whole = path.read_bytes()
        path.write_bytes(whole[:-20])
        # The state reaches the disk after the lines that it rests on: a line that is cut off is newer.
        state = tmp_path / "bundle.tar.gz.partial" / STATE
        newest = server.newest["pods"]
        state.write_bytes(state.read_bytes().replace(b'"pods/":"%d"' % newest, b'"pods/":"%d"' % (newest - 1)))
        resumed(tmp_path, server)
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert {code for code, _ in bundle.codes} >= {"CUT", "STOPPED"}
    assert [name for _, name, _ in bundle.states("Pod")] == ["web-2", "web-3"]


@pytest.mark.slow
def test_a_list_that_was_broken_off_is_read_to_its_end(tmp_path):
    server = few_kinds(version="v1.30.0")
    with serving_live([node("a"), node("b")], server):
        broken_off(tmp_path, server)
        folder = tmp_path / "bundle.tar.gz.partial"
        path = folder / OBJECTS
        first = path.read_bytes().split(b"\n")[0]
        path.write_bytes(first + b"\n")
        state = (folder / STATE).read_bytes().replace(b'"nodes/":', b'"none/":').replace(b'"nodes/"', b'"none/"')
        (folder / STATE).write_bytes(state)
        resumed(tmp_path, server)
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert sorted(name for _, _, name in bundle.folded()) == ["a", "b"]
    assert len(bundle.objects) == 2
    assert bundle.changes == []


@pytest.mark.slow
def test_what_was_not_listed_whole_is_a_gap_from_the_beginning_until_it_is(tmp_path):
    server = few_kinds()
    with serving_live([node("a"), pod("web-1")], server):
        broken_off(tmp_path, server)
        path = tmp_path / "bundle.tar.gz.partial" / STATE
        path.write_bytes(path.read_bytes().replace(b'"pods/', b'"none/'))
        server.apply("ADDED", pod("web-2"))
        resumed(tmp_path, server)
    meta = read_bundle(tmp_path / "bundle.tar.gz").meta
    whole, of_pods = [gap for gap in meta.gaps if gap.code == "STOPPED"]
    assert (whole.kind, of_pods.kind, of_pods.since) == ("", "Pod", meta.began)
    assert whole.until is not None
    assert of_pods.until is not None
    assert of_pods.until > whole.until


@pytest.mark.slow
def test_killed_before_anything_was_known_to_be_listed_nothing_that_came_again_goes(tmp_path):
    server = few_kinds()
    with serving_live([node("a"), pod("web-1")], server):
        broken_off(tmp_path, server, ("DELETED", pod("web-1")))
        path = tmp_path / "bundle.tar.gz.partial" / STATE
        state = msgspec.json.decode(path.read_bytes())
        path.write_bytes(msgspec.json.encode(state | {"listed": [], "versions": {}}))
        server.apply("ADDED", pod("web-1"))
        resumed(tmp_path, server)
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert {name for _, _, name in bundle.folded()} == {"a", "web-1"}
    (gap,) = [gap for gap in bundle.meta.gaps if gap.code == "STOPPED"]
    assert (gap.kind, gap.since) == ("", bundle.meta.began)


@pytest.mark.slow
def test_pseudonyms_stay_the_same_and_sentences_have_none_of_the_names(tmp_path):
    server = few_kinds()
    with serving_live([node("bignode"), pod("web-1")], server):
        broken_off(tmp_path, server, pseudonyms=True)
        said = {"conditions": [{"type": "PodScheduled", "status": "False", "message": "volumes stay on bignode alone"}]}
        resumed(tmp_path, server, ("MODIFIED", pod("web-1") | {"status": said}))
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert len(bundle.folded()) == 2
    assert len([name for _, name, _ in bundle.states("Pod")]) == 1
    assert b"bignode" not in b"".join(bytes(one.object) for one in (*bundle.objects, *bundle.changes))
    assert bundle.meta.pseudonyms


def test_a_state_that_is_none_is_refused(tmp_path):
    folder = tmp_path / "bundle.tar.gz.partial"
    folder.mkdir()
    (folder / STATE).write_text("{}")
    with pytest.raises(LoadError, match="state"):
        run_collection(plan_in(tmp_path, resumes=True), DirectWay("http://127.0.0.1:9"))


@pytest.mark.slow
def test_a_line_that_is_none_of_a_bundle_is_named(tmp_path):
    server = few_kinds()
    with serving_live([node("a")], server):
        broken_off(tmp_path, server, ("ADDED", node("b")))
        with (tmp_path / "bundle.tar.gz.partial" / CHANGES).open("ab") as file:
            file.write(b"[1]\n")
        with pytest.raises(LoadError, match=CHANGES) as refusal:
            resumed(tmp_path, server)
    assert refusal.value.line == 2
