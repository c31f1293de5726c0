"""``generate performance-config.yaml`` lists test cases, makes one as files, and says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.cli.files.generate import run
from tests.scheduler_core.workloads.scheduler_perf.texts import LIGHT_POD

TEXT = """\
- name: Basic
  defaultPodTemplatePath: ../templates/light.yaml
  workloadTemplate:
  - {opcode: createNodes, countParam: $nodes}
  - {opcode: createPods, count: 2}
  workloads:
  - {name: small, params: {nodes: 1}}
  - {name: large, params: {nodes: 300}}
- name: Devices
  schedulerConfigPath: config.yaml
  workloadTemplate: [{opcode: createResourceDriver, driverName: d}]
  workloads: [{name: only}]
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    (tmp_path / "templates").mkdir()
    (tmp_path / "misc").mkdir()
    (tmp_path / "templates/light.yaml").write_text(LIGHT_POD)
    (tmp_path / "misc/performance-config.yaml").write_text(TEXT)
    return str(tmp_path / "misc/performance-config.yaml")


def test_cases_are_listed_with_what_cannot_be_made(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([config]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Basic"
    assert lines[1].split() == ["small", "nodes", "1"]
    assert lines[3].startswith("Devices (cannot be made: createResourceDriver: dynamic resource allocation")


def test_a_case_is_written_as_files_that_simulate_takes(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run([config, "--test", "Basic", "--workload", "small", "--pause", "3s", "--out", str(out)]) == 0
    assert capsys.readouterr().out == (
        "Basic, small: 1 Node, 1 Namespace in the cluster\n"
        "2 Pods come within 3 s\n"
        "scheduler_perf waits 1 time until pods are bound; 3 s stand in for each wait\n"
    )
    assert (out / "cluster.yaml").read_text().count("kind: Node\n") == 1
    assert (out / "timeline.yaml").read_text().count("kind: Pod\n") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test", "Basics"], '--test: there is no test case "Basics". There are Basic, Devices'),
        (["--test", "Basic"], "--workload is missing. Basic has small, large"),
        (
            ["--test", "Basic", "--workload", "x"],
            '--workload: there is no workload of Basic "x". There are small, large',
        ),
        (["--test", "Devices"], "dynamic resource allocation is not there yet"),
        (["--out", "x"], "--test is missing. Without options the test cases are listed"),
        (["--test", "Basic", "--workload", "small", "--pause", "soon"], '--pause: "soon" is no time'),
        (["--seed", "3"], "--seed: nothing is drawn at random"),
    ],
)
def test_wrong_options_are_refused_with_words(
    config: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([config, *options]) == 1
    assert message in capsys.readouterr().err


def test_a_missing_template_is_named(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    (Path(config).parent / "../templates/light.yaml").unlink()
    assert run([config, "--test", "Basic", "--workload", "small"]) == 1
    error = capsys.readouterr().err
    assert f"{config}: Basic: workloadTemplate[1]" in error
    assert "light.yaml" in error
    assert "No such file" in error


def test_options_of_test_cases_are_refused_for_a_description(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    description = tmp_path / "d.yaml"
    description.write_text("pools: []")
    assert run([str(description), "--test", "x"]) == 1
    assert f"--test: {description} " in capsys.readouterr().err
