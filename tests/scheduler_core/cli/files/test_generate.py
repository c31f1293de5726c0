"""The generate command: files that other commands take, a summary, and clear errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scheduler_core.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
seed: 3
pools: [{name: n, nodes: 3, shape: m5.xlarge, zones: 2}]
workloads: [{name: w, pods: 5, sizes: online-boutique, priority: 10}]
arrivals: {process: poisson, over: 60s}
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    path = tmp_path / "d.yaml"
    path.write_text(TEXT)
    return path


def generate(*arguments: object) -> int:
    return main(["generate", *map(str, arguments)])


def test_the_files_are_taken_by_the_other_commands(description: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "new" / "folder"
    assert generate(description, "--out", out) == 0
    said = capsys.readouterr().out
    for part in ("3 nodes in", "2 zones, ", "5 pods", "pods 5 of"):
        assert part in said
    assert main(["validate", str(out / "cluster.yaml")]) == 0
    assert main(["simulate", str(out / "cluster.yaml"), "--timeline", str(out / "timeline.yaml")]) == 0
    assert "default/w-4" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == ["cluster.yaml", "timeline.yaml"]


def test_json_and_yaml_hold_the_same(description: Path, tmp_path: Path, capsys) -> None:
    hashes = []
    for end in ("yaml", "json"):
        cluster, timeline = tmp_path / f"c.{end}", tmp_path / f"t.{end}"
        assert generate(description, "--cluster", cluster, "--timeline", timeline) == 0
        assert main(["simulate", str(cluster), "--timeline", str(timeline)]) == 0
        hashes.append(capsys.readouterr().out.rpartition("hash ")[2])
    assert hashes[0] == hashes[1]


def test_the_same_seed_writes_the_same_bytes(description: Path, tmp_path: Path) -> None:
    for name, more in (("a", ()), ("b", ()), ("c", ("--seed", "4"))):
        assert generate(description, "--out", tmp_path / name, *more) == 0
    first, second, other = ((tmp_path / name / "timeline.yaml").read_bytes() for name in "abc")
    assert first == second != other


def test_errors_name_file_line_and_field(description: Path, tmp_path: Path, capsys) -> None:
    description.write_text("pools:\n- {name: n, nodes: 1, shape: nothing}\n")
    assert generate(description, "--out", tmp_path / "out") == 1
    assert capsys.readouterr().err.startswith(f"{description}:2: Description: pools[0].shape: ")
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_read_or_written_is_said(description: Path, tmp_path: Path, capsys) -> None:
    assert generate(tmp_path / "absent.yaml") == 1
    assert "cannot be read" in capsys.readouterr().err
    assert generate(description, "--out", description) == 1
    assert "cannot be written" in capsys.readouterr().err
    assert generate(description, "--cluster", tmp_path / "c.yaml") == 1
    assert "--timeline" in capsys.readouterr().err
    assert generate(description, "--seed", "-1") == 1
    assert "--seed" in capsys.readouterr().err


def test_a_wrong_command_line_ends_with_2(capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        generate()
    assert ended.value.code == 2
    assert "DESCRIPTION" in capsys.readouterr().err


def test_the_ready_lists_are_printed_with_their_sources(capsys) -> None:
    assert generate("--lists") == 0
    said = capsys.readouterr().out
    assert "openb-g2-8-96" in said
    assert "https://aws.amazon.com/ec2/instance-types/" in said
