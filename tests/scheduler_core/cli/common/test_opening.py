"""Paths of a command line: files, folders with their folders, archives; what cannot be read is named."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from scheduler_core.cli.common.opening import BadInput, opened
from scheduler_core.cli.files.validate import run as validate
from scheduler_core.manifests import load_cluster
from tests.scheduler_core.manifests.forms.reading import node
from tests.scheduler_core.manifests.parsing.test_archives import tarred, zipped


def _node(name: str) -> bytes:
    return json.dumps(node(name)).encode()


def test_a_folder_gives_the_manifests_of_its_folders_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    for name in ("b/c/n.json", "a.yaml", "b/d.yml", ".git/x.yaml", "b/README.md"):
        (tmp_path / name).write_bytes(_node(name[-6].replace("/", "x").replace(".", "y")))
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [Path(source.name).relative_to(tmp_path).as_posix() for source in opened(tmp_path)] == [
        "a.yaml",
        "b/c/n.json",
        "b/d.yml",
    ]


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar.gz"])
def test_an_archive_is_opened(tmp_path: Path, pack) -> None:
    path = tmp_path / "dump"
    path.write_bytes(pack(("a/n.json", _node("n")), ("a/logs.txt", b"started\n")))
    assert [one.name for one in load_cluster(opened(path)).manifests] == ["n"]


def test_standard_input_is_a_file(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(_node("n"))))
    assert validate(["-"]) == 0
    assert "1 object read" in capsys.readouterr().err


def test_what_cannot_be_read_is_named(tmp_path: Path, capsys) -> None:
    for path in (tmp_path, tmp_path / "none.yaml"):
        with pytest.raises(BadInput, match=str(path)):
            opened(path)
    assert validate([str(tmp_path / "none.yaml")]) == 1
    assert capsys.readouterr().out.startswith(f"{tmp_path}/none.yaml: cannot be read: ")


def test_findings_are_in_the_order_of_their_lines(tmp_path: Path, capsys) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: x}}\n---\n"
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n---\n"
        "apiVersion: v1\nkind: Node\nmetadata: {name: B}\n"
    )
    assert validate([str(path)]) == 1
    lines = [int(line.removeprefix("warning: ").split(":")[1]) for line in capsys.readouterr().out.splitlines()]
    assert lines == sorted(lines)
    assert len(lines) >= 3


def test_pods_without_a_node_are_warned_of(tmp_path: Path, capsys) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}")
    assert validate([str(path)]) == 0
    assert capsys.readouterr().out.startswith("warning: the input holds no Node")
