"""Files of archives and folders that hold no objects are passed over, and named in one sentence."""

from __future__ import annotations

import json

from scheduler_core.manifests import ManifestSource, load_cluster, unpacked, without_others
from tests.scheduler_core.manifests.forms.reading import node
from tests.scheduler_core.manifests.parsing.test_archives import PACKS, tarred, zipped

NODE = json.dumps(node("n")).encode()
OTHERS = [("x/logs.txt", b"kind of log: a\nI0101 started\n"), ("x/version.json", b'{"v": 1}'), ("x/empty.yaml", b"")]


def test_an_archive_gives_its_objects_and_names_the_rest_once() -> None:
    for pack in PACKS:
        contents = unpacked(ManifestSource("dump", pack(("x/node.json", NODE), *OTHERS, ("x/a.png", b"1"))))
        result = load_cluster(contents.files)
        assert result.errors == []
        assert [one.name for one in result.manifests] == ["n"]
        (said,) = [one for one in result.warnings if "passed over" in one.message]
        assert all(name in said.message for name, _ in OTHERS)
        assert contents.n_others == len(OTHERS) + 1


def test_a_wrong_file_of_a_folder_is_an_error_of_that_file() -> None:
    files = [
        ManifestSource("d/a.yaml", NODE),
        ManifestSource("d/kustomization.yaml", b"resources: [a.yaml]\n"),
        ManifestSource("d/b.yaml", b"kind: Pod\n  a: b: c\n"),
    ]
    taken, n_others = without_others("d", files)
    result = load_cluster(taken)
    assert [one.source for one in result.errors] == ["d/kustomization.yaml", "d/b.yaml"]
    assert ([one.name for one in result.manifests], n_others) == (["n"], 0)


def test_what_holds_nothing_at_all_is_left_to_the_reader() -> None:
    assert without_others("d", [ManifestSource("d/a.txt", b"x")])[0] == [ManifestSource("d/a.txt", b"x")]


def test_archives_in_archives_are_opened_within_the_limits() -> None:
    inner = tarred(
        ("config/node/n.json", json.dumps({k: v for k, v in node("n").items() if k in ("metadata", "status")}).encode())
    )
    contents = unpacked(
        ManifestSource("dump", zipped(("a/inner.tar.gz", inner), ("a/b.yaml", NODE.replace(b'"n"', b'"m"'))))
    )
    assert [file.name for file in contents.files] == ["dump/a/inner.tar.gz/config/node/n.json", "dump/a/b.yaml"]
    assert sorted(one.name for one in load_cluster(contents.files).manifests) == ["m", "n"]
