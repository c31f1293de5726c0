"""``compare`` on files, as people call it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scheduler_core.cli.runs.compare import run
from scheduler_core.compare.report import SAME
from tests.scheduler_core.engine.scenarios import SCENARIOS

CLUSTER, TIMELINE = (str(SCENARIOS / f"teaching-{name}.yaml") for name in ("cluster", "timeline"))


def test_two_seeds_of_one_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([CLUSTER, "--timeline", TIMELINE, "--seed", "7", "8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Event 8 is ")
    for part in ("seed: A 7", "; B 8", "pods differ: ", "\ncpu requested"):
        assert part in out


@pytest.mark.slow
def test_the_forms_tell_of_the_same_pods(capsys: pytest.CaptureFixture[str]) -> None:
    said = {}
    for form in ("--json", "--csv", "--markdown"):
        assert run([CLUSTER, CLUSTER, "--timeline", TIMELINE, "--seed", "7", "8", form]) == 0
        said[form] = capsys.readouterr().out
    report = json.loads(said["--json"])
    names = [pod["pod"] for pod in report["pods"]]
    rows = list(csv.DictReader(said["--csv"].splitlines()))
    assert [f"{row['namespace']}/{row['pod']}" for row in rows] == names != []
    assert report["inputs"] == [{"what": "seed", "a": "7", "b": "8"}]
    figures = [figure["name"] for group in report["figures"] for figure in group["figures"]]
    assert [name for name in figures if f"| {name} |" not in said["--markdown"].replace("\\", "")] == []
    assert said["--markdown"].startswith("## Comparison of two runs\n")
    assert said["--markdown"].count("\n| ") > len(names)


def test_a_run_against_itself_and_at_two_cursors(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([CLUSTER, "--timeline", TIMELINE]) == 0
    assert capsys.readouterr().out.startswith(SAME)
    assert run([CLUSTER, "--timeline", TIMELINE, "--at", "100", "300"]) == 0
    first = capsys.readouterr().out.partition("\n")[0]
    assert first.startswith("Event 100 is ")
    assert "cursor of A" in first


def test_two_configurations(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([CLUSTER, "--timeline", TIMELINE, "--preset", "default", "binpacking"]) == 0
    assert "inputs: configuration." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "1", "2", "3"), "--seed: has more than two values; the first is for A, the second for B"),
        (("--at", "0", "99999999"), "--at: event 99999999 is"),
        (("--preset", "default", "none-such"), "--preset: "),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert run([CLUSTER, *arguments]) == 1
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([CLUSTER, str(tmp_path / "none.yaml")]) == 1
    assert "none.yaml: cannot be" in capsys.readouterr().err


def test_pods_of_other_schedulers_are_served_on_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 9}}}\n"
        "---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: p},"
        " spec: {schedulerName: volcano, containers: [{name: c}]}}\n"
    )
    served = [str(cluster), "--seed", "1", "2", "--serve-others"]
    assert run([*served, "default-scheduler"]) == 0
    assert capsys.readouterr().err.count("pods of default-scheduler") == 2
    assert run([*served, "nobody"]) == 1
    assert "no profile nobody" in capsys.readouterr().err


def test_what_is_not_played_is_said_once_for_both(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    maker = "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly, namespace: default}\n"
    file = tmp_path / "cluster.yaml"
    pod = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\nspec: {containers: [{name: c}]}\n"
    file.write_text(Path(CLUSTER).read_text() + maker + pod)
    said = {}
    for form in ("--json", "--markdown"):
        assert run([str(file), "--seed", "7", "8", form]) == 0
        said[form] = capsys.readouterr().out
    doubts = json.loads(said["--json"])["doubts"]
    assert [(one["code"], one["objects"]["names"]) for one in doubts] == [
        ("NOT_PLAYED", ["batch/v1/CronJob/default/nightly"])
    ]
    assert "CronJob default/nightly" in said["--markdown"]
