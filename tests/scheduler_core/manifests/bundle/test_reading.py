"""Bundles as they are opened: whole, as a folder, cut at every place, and hostile."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from functools import cache

import msgspec
import pytest

from scheduler_core.manifests import ManifestSource, load_cluster, unpacked
from scheduler_core.manifests.bundle.packing import LEVEL, archived
from scheduler_core.manifests.bundle.reading import BundleLimits, is_bundle, is_meta, open_bundle, open_files
from scheduler_core.manifests.model import LoadError
from tests.live_cluster.history import BEGAN, Plan, Step, Truth, delivered, files_of, gap, history, meta_of


@cache
def small() -> Truth:
    return history(Plan(seed=2, n_nodes=3, n_pods=8, seconds=30, node_changes=1))


@cache
def files() -> dict[str, bytes]:
    return files_of(small(), delivered(small().steps, 1))


def packed(given: dict[str, bytes]) -> bytes:
    return archived(given.items(), LEVEL)


def opened(given: dict[str, bytes] | None = None, limits: BundleLimits | None = None):
    return open_bundle(ManifestSource("b.tar.gz", packed(given or files())), limits)


def change(name: str, rv: str, t: float = 1.0, kind: str = "ADDED", **more: object) -> bytes:
    raw = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    return msgspec.json.encode({"t": t, "rv": rv, "type": kind, "object": raw, **more}) + b"\n"


def test_an_archive_and_a_folder_give_the_same() -> None:
    one, other = opened(), open_files("b", files())
    assert is_bundle(packed(files()))
    assert is_meta(files()["meta.json"])
    assert list(one.changes) == list(other.changes)
    assert one.at_end().objects == other.at_end().objects
    assert [one.is_cut, other.is_cut] == [False, False]
    assert one.n_objects == len(small().objects)


def test_the_objects_at_the_end_are_those_of_the_history() -> None:
    there = {(raw["kind"], raw["metadata"]["name"]): raw for raw in small().objects}
    for step in small().steps:
        if step.is_event:
            continue
        key = step.object["kind"], step.object["metadata"]["name"]
        there.pop(key, None) if step.type == "DELETED" else there.update({key: step.object})
    folded = {(name.kind, name.name): msgspec.json.decode(raw) for name, raw in opened().at_end().objects.items()}
    assert folded == there


@pytest.mark.parametrize("seed", range(3))
def test_changes_are_in_the_order_of_their_versions_whatever_came_first(seed: int) -> None:
    received = delivered(small().steps, seed, mean_delay=20.0)
    bundle = open_files("b", files_of(small(), received))
    versions = [int(one.rv) for one in bundle.changes]
    assert versions == sorted(versions)
    assert versions != [step.rv for step in received if not step.is_event]


def test_a_change_without_a_version_stays_after_what_was_received_before() -> None:
    lines = change("a", "9") + change("b", "") + change("c", "5") + change("d", "7", kind="DELETED", relisted=True)
    bundle = open_files("b", {**files(), "changes.jsonl": lines})
    names = [msgspec.json.decode(one.object)["metadata"]["name"] for one in bundle.changes]
    assert names == ["c", "a", "b", "d"]
    assert [bundle.changes.line_number(at) for at in range(4)] == [3, 1, 2, 4]


def test_a_folder_that_was_begun_has_no_gap() -> None:
    bundle = open_files("b", {"meta.json": files()["meta.json"]})
    assert (len(bundle.changes), bundle.gaps) == (0, ())


# ---------------------------------------------------------------- cut


@pytest.mark.parametrize("part", range(30, 100, 8))
def test_a_cut_archive_is_read_to_its_last_whole_line(part: int) -> None:
    data = packed(files())
    source = ManifestSource("b.tar.gz", data[: len(data) * part // 100])
    bundle = open_bundle(source)
    assert [one.code for one in bundle.gaps][-1:] == ["CUT"]
    whole = open_files("b", files())
    in_file = [whole.changes.decoded(index) for index in range(len(bundle.changes))]
    assert [bundle.changes.decoded(index) for index in range(len(bundle.changes))] == in_file


def test_an_archive_that_ends_before_its_meta_is_whole_is_refused() -> None:
    with pytest.raises(LoadError):
        open_bundle(ManifestSource("b.tar.gz", packed(files())[:100]))


def test_a_cut_line_is_named_with_its_file() -> None:
    lines = files()["changes.jsonl"]
    count = lines.count(b"\n")
    bundle = open_files("b", {**files(), "changes.jsonl": lines[:-30]})
    assert len(bundle.changes) == count - 1
    assert f"changes.jsonl is cut off in line {count}" in bundle.gaps[0].text
    assert bundle.gaps[0].since >= BEGAN


def test_a_last_line_without_its_end_counts_where_it_is_whole() -> None:
    bundle = open_files("b", {**files(), "changes.jsonl": files()["changes.jsonl"].rstrip(b"\n")})
    assert not bundle.is_cut


# ---------------------------------------------------------------- refused


def archive(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for info, data in entries:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def entry(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type = kind
    return info, data


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (entry("../objects.jsonl"), "leads out"),
        (entry("/etc/passwd"), "absolute"),
        (entry("objects.jsonl", kind=tarfile.SYMTYPE), "a link"),
        (entry("changes.jsonl", kind=tarfile.CHRTYPE), "special file"),
        (entry("meta.json"), "given twice"),
        (entry("virus.exe"), "no file of a bundle"),
    ],
)
def test_entries_that_are_no_part_of_a_bundle_refuse_it(more, named: str) -> None:
    data = archive(entry("meta.json", files()["meta.json"]), more)
    with pytest.raises(LoadError) as problem:
        open_bundle(ManifestSource("b.tar.gz", data))
    assert problem.value.message.startswith("b.tar.gz")
    assert named in problem.value.message


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b"nonsense\n", "no line of a bundle"),
        (b'{"t": 1, "type": "ADDED", "object": {"kind": "Node"}}\n', "metadata.name"),
        (b'{"t": 1, "type": "RENAMED", "object": {}}\n', "no line of a bundle"),
        (b'{"t": -5, "type": "ADDED", "object": {"kind": "N", "metadata": {"name": "a"}}}\n', "1970"),
        (b'{"t": 1, "type": "ADDED", "object": ' + b"[" * 5_000 + b"\n", "no line of a bundle"),
        (b"\xff\n", "no UTF-8"),
        (b'{"t": 1, "type": "ADDED", "object": {"a": "' + b"x" * (5 << 20) + b'"}}\n', "longer than 4 MiB"),
    ],
)
def test_a_wrong_line_is_refused_with_file_and_line(line: bytes, named: str) -> None:
    with pytest.raises(LoadError) as problem:
        opened({**files(), "changes.jsonl": change("a", "1") + line + change("b", "2")})
    assert problem.value.message.startswith("b.tar.gz/changes.jsonl:2: ")
    assert named in problem.value.message


@pytest.mark.parametrize(
    ("meta", "named"),
    [
        ({"format": 2}, "format 2"),
        ({"kind": "Pod"}, "kind"),
        ({"began": -1.0}, "1970"),
        ({"gaps": [{"code": "CUT", "text": "", "since": 1.0}] * 10_001}, "10,001"),
    ],
)
def test_a_wrong_meta_is_refused(meta, named: str) -> None:
    said = {**json.loads(files()["meta.json"]), **meta}
    with pytest.raises(LoadError) as problem:
        opened({**files(), "meta.json": json.dumps(said).encode()})
    assert "/meta.json: " in problem.value.message
    assert named in problem.value.message


def test_a_bomb_gets_no_memory() -> None:
    bomb = gzip.compress(b"\0" * (40 << 20), 9)
    with pytest.raises(LoadError, match="250 times"):
        open_bundle(ManifestSource("b.tar.gz", bomb))


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (BundleLimits(max_changes=3), "/changes.jsonl:4: "),
        (BundleLimits(max_objects=2), "/objects.jsonl:3: "),
        (BundleLimits(max_events=1), "/events.jsonl:2: "),
        (BundleLimits(max_bytes=1_000), "larger than"),
        (BundleLimits(max_packed=1_000), "larger than"),
        (BundleLimits(max_entries=2), "more than 2 entries"),
    ],
)
def test_limits_count_things_and_bytes(limits: BundleLimits, named: str) -> None:
    with pytest.raises(LoadError) as problem:
        opened(limits=limits)
    assert named in problem.value.message


# ---------------------------------------------------------------- as an input


def test_a_bundle_is_read_as_the_cluster_as_of_its_end_with_its_gaps() -> None:
    meta = meta_of(
        small(),
        gaps=(
            gap("NO_RIGHTS", "CSINode may not be listed", kind="CSINode"),
            gap("SERVER_AWAY", "no answer", until=BEGAN + 1),
        ),
    )
    (file,) = unpacked(ManifestSource("b.tar.gz", packed({**files(), "meta.json": msgspec.json.encode(meta)}))).files
    loaded = load_cluster([file])
    assert loaded.ok
    assert len(loaded.objects.nodes) == 3
    assert [(one.code, one.kind) for one in loaded.unplayed.gaps] == [("BUNDLE_KIND_MISSING", "CSINode")]


def test_an_event_of_the_real_scheduler_comes_with_the_objects() -> None:
    raw = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "p"},
        "reason": "FailedScheduling",
        "message": "0/3 nodes are available: 3 Insufficient cpu.",
    }
    steps = [*small().steps, Step(BEGAN + 40, 99_999, "ADDED", raw)]
    (file,) = unpacked(ManifestSource("b.tar.gz", packed(files_of(small(), steps)))).files
    assert [one["reason"] for one in load_cluster([file]).events] == ["FailedScheduling"]
