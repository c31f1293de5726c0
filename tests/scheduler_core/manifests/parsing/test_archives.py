"""Archives give the manifests in them, or are refused as a whole with the names of archive and entry."""

from __future__ import annotations

import contextlib
import gzip
import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from random import Random

import pytest

from scheduler_core.manifests import ArchiveLimits, ManifestSource, is_archive, is_manifest_name, unpacked
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing import archives

NODE = b"{apiVersion: v1, kind: Node, metadata: {name: n}}\n"
Pack = Callable[..., bytes]


def zipped(*entries: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return out.getvalue()


def tarred(*entries: tuple[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in entries:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


PACKS: list[Pack] = [zipped, tarred, lambda *entries: tarred(*entries, mode="w:")]
each_form = pytest.mark.parametrize("pack", PACKS, ids=["zip", "tar.gz", "tar"])


def open_(data: bytes, **limits: int) -> dict[str, bytes]:
    contents = unpacked(ManifestSource("dump", data), ArchiveLimits(**limits))
    return {file.name: file.data for file in contents.files}


def refusal(data: bytes, **limits: int) -> str:
    with pytest.raises(LoadError) as refused:
        open_(data, **limits)
    return refused.value.message


@each_form
def test_manifests_are_taken_and_others_counted(pack: Pack) -> None:
    data = pack(
        ("a/nodes.yaml", NODE),
        ("a/b/pods.JSON.gz", gzip.compress(NODE)),
        ("README.md", b"# x"),
        ("a/.git/config.yaml", b"x"),
        ("__MACOSX/a/nodes.yaml", b"\0"),
    )
    assert is_archive(data)
    contents = unpacked(ManifestSource("dump", data))
    assert {file.name: file.data for file in contents.files} == {
        "dump/a/nodes.yaml": NODE,
        "dump/a/b/pods.JSON.gz": NODE,
    }
    assert contents.n_others == 3


def test_other_files_are_no_archives() -> None:
    for data in (b"", NODE, gzip.compress(NODE), b"PK", b"\x1f\x8b", b"\x1f\x8bx", b"x" * 600):
        assert not is_archive(data)


BAD_NAMES = [
    ("/etc/a.yaml", "absolute"),
    ("C:/a.yaml", "absolute"),
    ("\\\\host\\a.yaml", "absolute"),
    ("../a.yaml", "leads out"),
    ("a/../../b.yaml", "leads out"),
    ("a\\..\\b.yaml", "leads out"),
    ("a\nb.yaml", "control characters"),
    ("n" * 1_001 + ".yaml", "has a name of 1,006 characters"),
]


@each_form
@pytest.mark.parametrize(("name", "reason"), BAD_NAMES, ids=[row[1] + row[0][:6] for row in BAD_NAMES])
def test_names_that_could_lead_elsewhere_are_refused(pack: Pack, name: str, reason: str) -> None:
    message = refusal(pack(("good.yaml", NODE), (name, NODE)))
    assert message.startswith("dump: ")
    assert reason in message
    assert message.isprintable()
    assert len(message) < 400


@each_form
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_given_twice_is_refused(pack: Pack) -> None:
    assert refusal(pack(("a/b.yaml", NODE), ("a/./b.yaml", NODE))).startswith("dump: a/./b.yaml: ")
    assert "given twice" in refusal(pack(("a.yaml", NODE), ("a.yaml", NODE)))


@each_form
def test_archives_in_archives_are_opened_to_a_depth(pack: Pack) -> None:
    packed = pack(("a.yaml", NODE), ("b.png", b"x"))
    for depth in range(1, 5):
        packed = pack((f"inner-{depth}.zip", packed), (f"{depth}.tgz", b"no archive"))
        if depth < 4:
            contents = unpacked(ManifestSource("dump", packed))
            assert [file.data for file in contents.files] == [NODE]
            assert contents.n_others == 1 + depth
    assert "more than 3 deep" in refusal(packed)


@each_form
def test_limits_hold_for_archives_in_archives_together(pack: Pack) -> None:
    half = pack(*((f"{n}.yaml", NODE) for n in range(6)))
    both = pack(("a.zip", half), ("b.zip", half))
    assert len(open_(both)) == 12
    assert "4 allowed" in refusal(both, max_files=10)
    assert "entries" in refusal(both, max_entries=10)
    noise = Random(1).randbytes(1 << 20)
    assert "larger than" in refusal(pack(("a.zip", pack(("a.yaml", noise), ("b.yaml", noise)))), max_bytes=3 << 20)


@each_form
def test_an_archive_without_manifests_is_refused(pack: Pack) -> None:
    assert "ends in" in refusal(pack(("a.png", b"x")))
    assert "ends in" in refusal(pack())


@each_form
def test_sizes_and_numbers_are_limited(pack: Pack) -> None:
    many = pack(*((f"{n}.yaml", NODE) for n in range(12)))
    assert all(part in refusal(many, max_files=10) for part in ("12 files", "10 allowed"))
    assert "than 10 entries" in refusal(many, max_entries=10)
    noise = Random(1).randbytes(3 << 20)
    assert "2 MiB" in refusal(pack(("a.yaml", noise)), max_bytes=2 << 20)
    assert "4 MiB" in refusal(pack(("a.yaml", noise), ("b.yaml", noise)), max_bytes=4 << 20)


@pytest.mark.parametrize("pack", PACKS[:2], ids=["zip", "tar.gz"])
def test_bombs_are_refused_by_their_ratio(pack: Pack) -> None:
    bomb = pack(("bomb.yaml", bytes(20 << 20)))
    assert len(bomb) < 100_000
    assert "250 times its" in refusal(bomb)
    inner = pack(("bomb.yaml.gz", gzip.compress(bytes(20 << 20))))
    assert "250 times its" in refusal(inner)
    assert "1 MiB" in refusal(inner, max_bytes=1 << 20)


def test_a_header_that_lies_about_the_size_gives_no_more_than_the_limit() -> None:
    data = bytearray(zipped(("a.yaml", Random(2).randbytes(3 << 20))))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 10)
    message = refusal(bytes(data), max_bytes=2 << 20)
    assert "dump: a.yaml: damaged" in message or "larger than" in message


def test_links_and_devices_in_a_zip_are_refused() -> None:
    for mode, reason in ((stat.S_IFLNK, "is a link"), (stat.S_IFCHR, "is a device"), (stat.S_IFIFO, "is a device")):
        info = zipfile.ZipInfo("odd.yaml")
        info.external_attr = (mode | 0o777) << 16
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(info, "/etc/passwd")
        assert reason in refusal(out.getvalue())


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "is a link"),
        (tarfile.LNKTYPE, "is a link"),
        (tarfile.CHRTYPE, "is a device"),
        (tarfile.BLKTYPE, "is a device"),
        (tarfile.FIFOTYPE, "is a device"),
    ],
)
def test_links_and_devices_in_a_tar_are_refused(kind: bytes, reason: str) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("odd")
        member.type = kind
        member.linkname = "/etc/passwd"
        archive.addfile(member)
    message = refusal(out.getvalue())
    assert message.startswith("dump: odd: ")
    assert reason in message


def test_encrypted_entries_are_refused() -> None:
    data = bytearray(zipped(("secret.yaml", NODE)))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        data[at + flags] |= 1
    assert refusal(bytes(data)).startswith("dump: secret.yaml: is encrypted")


@each_form
def test_an_archive_cut_off_anywhere_is_refused(pack: Pack) -> None:
    data = pack(("a.yaml", Random(3).randbytes(3_000)), ("b.yaml", Random(4).randbytes(3_000)))
    # A tar is filled up with zeros behind its end, at 7,168 bytes here, which may be cut off.
    end = 7_168 + 511 if pack is PACKS[2] else len(data) - 1
    for length in range(520, end, 487):
        assert refusal(data[:length]).startswith("dump: "), length


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_damaged_gives_files_or_a_refusal(seed: int) -> None:
    random = Random(seed)
    data = bytearray(random.choice(PACKS)(("a.yaml", NODE * 40), ("b/c.json", b"{}" * 90)))
    for _ in range(random.randint(1, 6)):
        data[random.randrange(len(data))] = random.randrange(256)
    if is_archive(bytes(data)):
        with contextlib.suppress(LoadError):
            assert all(name.startswith("dump/") for name in open_(bytes(data)))


def test_a_directory_that_is_too_long_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped(*((f"{n}.yaml", b"") for n in range(30)))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "than 20 entries" in refusal(data, max_entries=20)
    end = data.rfind(b"PK\x05\x06")
    zip64 = data[:end] + b"PK\x06\x07" + bytes(16) + data[end:]
    assert "zip64" in refusal(zip64)
    assert "too early" in refusal(data[:40])


def test_other_compressions_are_refused_or_read() -> None:
    assert open_(zipped(("a.yaml", NODE), compression=zipfile.ZIP_STORED)) == {"dump/a.yaml": NODE}
    data = bytearray(zipped(("a.yaml", NODE)))
    for signature, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = data.find(signature)
        data[start + at : start + at + 2] = struct.pack("<H", 99)
    assert "compressed in" in refusal(bytes(data))


def test_names_of_manifests() -> None:
    for name in ("a.yaml", "dir/a.YML", "a.json.gz", "pods.txt"):
        assert is_manifest_name(name)
    for name in ("a.png", ".hidden/a.yaml", "a/.b.yaml", "__MACOSX/a.yaml", "yaml", "a.gz"):
        assert not is_manifest_name(name)
    assert archives.ArchiveLimits().max_files == 2_000


@pytest.mark.parametrize(
    ("entries", "limits", "text"),
    [
        ((("a.yaml", NODE), ("a.yaml", NODE)), {}, "dump: a.yaml: is given twice. Pack the archive again"),
        ((("a.png", b"x"),), {},
         "dump: no file in it ends in one of .yaml, .yml, .json, .jsonl, .csv, .txt, .sktrace, .msgpack, .mpack "
             "(or these with .gz)"),
        (tuple((f"{n}.yaml", NODE) for n in range(3)), {"max_files": 2},
         "dump: 3 files are more than the 2 allowed. Split it"),
        (tuple((f"{n}.yaml", NODE) for n in range(3)), {"max_entries": 2}, "dump: more than 2 entries. Split it"),
        ((("a.yaml", Random(1).randbytes(2 << 20)),), {"max_bytes": 1 << 20},
         "dump: a.yaml: with it, the archive is larger than 1 MiB unpacked. Split it"),
        ((("a.yaml", bytes(20 << 20)),), {},
         "dump: a.yaml: inflates to more than 250 times its size. Send its files by themselves"),
    ],
    ids=["twice", "no manifests", "too many files", "too many entries", "too large", "a bomb"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_words(entries, limits, text) -> None:
    assert refusal(zipped(*entries), **limits) == text
