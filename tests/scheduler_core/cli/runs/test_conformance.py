"""``conformance PATHS``: one line of JSON per file, or with --check of what differs; a bad file does not silence the
others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from scheduler_core.cli.runs import conformance
from scheduler_core.cli.runs.conformance import execute
from scheduler_core.compiled import without_kernel
from tests.scheduler_core.decided import HERE, node, pod


@pytest.fixture
def good(tmp_path: Path) -> str:
    path = tmp_path / "good.json"
    path.write_text(json.dumps({"name": "a/good", "objects": [node("n1")], "pods": [pod("p")]}))
    return str(path)


@pytest.mark.parametrize("engine", [None, *HERE])
def test_each_engine_executes_a_file(engine: str | None, good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert conformance.run([good, *(["--engine", engine] if engine else [])]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["name"], printed["expected"]["final"]["bindings"]) == ("a/good", {"default/p": "n1"})


BAD_FILES = {
    "no JSON": b"{",
    "no object": b"[1]",
    "no gzip": b"\x1f\x8bxx",
    "no name": b'{"objects": [], "pods": []}',
    "objects that are no list": b'{"name": "a/b", "objects": 5, "pods": []}',
    "a pod that is refused": b'{"name": "a/b", "objects": [], "pods": [{"apiVersion": "v1", "kind": "Pod"}]}',
    "an unknown operation": b'{"name": "a/b", "ops": [{"op": "dance"}]}',
    "a configuration that cannot work": b'{"name": "a/b", "objects": [], "pods": [], "config": {"kind": "Pod"}}',
}


@pytest.mark.parametrize("content", BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_bad_file_is_one_line_and_the_others_are_executed(
    content: bytes, good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    assert conformance.run([good, str(bad), str(tmp_path / "missing.json"), good]) == 1
    captured = capsys.readouterr()
    assert [json.loads(line)["name"] for line in captured.out.splitlines()] == ["a/good", "a/good"]
    problems = captured.err.splitlines()
    assert [line.split(": ")[0] for line in problems] == [str(bad), str(tmp_path / "missing.json")]


def test_a_folder_stands_for_its_files(good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    below = tmp_path / "b" / "c"
    below.mkdir(parents=True)
    (below / "packed.json.gz").write_bytes(gzip.compress(Path(good).read_bytes().replace(b"a/good", b"a/packed")))
    (tmp_path / "README.md").write_text("no scenario")
    assert conformance.run([str(tmp_path)]) == 0
    assert [json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()] == ["a/packed", "a/good"]


def test_a_folder_without_scenarios_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert conformance.run([str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path}: ValueError: ")


def test_compare_and_check_compare_with_what_was_recorded(
    good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conformance.run(["--check", good]) == 1, "nothing was recorded"
    assert "KeyError: 'expected'" in capsys.readouterr().err
    scenario = json.loads(Path(good).read_text())
    scenario["expected"] = execute(scenario)
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    right.write_text(json.dumps(scenario))
    scenario["expected"]["final"]["bindings"] = {"default/p": "n2"}
    wrong.write_text(json.dumps(scenario))
    for option in ("--check", "--compare"):
        assert conformance.run([option, str(right)]) == 0
        assert capsys.readouterr().out.startswith("1 of 1 ")
    assert conformance.run(["--check", str(right), str(wrong)]) == 1
    differs, end = capsys.readouterr().out.splitlines()
    assert differs == f"{wrong}: .final.bindings.default/p: expected n2, got n1"
    assert end == "1 of 2 files agree"


def test_the_compiled_engine_is_not_replaced_in_silence(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    with without_kernel():
        assert conformance.run(["--engine", "compiled", good]) == 2
    assert "not built" in capsys.readouterr().err
