"""``upgrade`` on files, as people call it."""

from __future__ import annotations

import json

import pytest

from scheduler_core.cli.answers.upgrade import run
from scheduler_core.manifests.yaml_writer import dump_yaml
from tests.scheduler_core.compare.upgrade.clusters import node, pod


@pytest.fixture
def cluster(tmp_path):
    holder = node("n2")
    holder["status"]["images"] = [{"names": ["model:1"], "sizeBytes": 900 << 20}]
    volumes = [{"name": "v", "image": {"reference": "model:1"}}]
    path = tmp_path / "cluster.yaml"
    path.write_text(dump_yaml([holder, node("n1"), pod("a-0", "1", "1Gi", volumes=volumes)]))
    return str(path)


def test_something_that_differs_ends_with_3(cluster, capsys):
    assert run([cluster, "--from", "1.35", "--to", "1.36", "--seed", "1"]) == 3
    out = capsys.readouterr().out
    assert "shop/a-0, attempt 1: n1 | n2  by image_volumes_count" in out
    assert run([cluster, "--from", "1.35", "--to", "1.36", "--seed", "1", "--json"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert [one["by"] for one in report["pods"]] == [["image_volumes_count"]]
    assert report["b"]["evidence"] == "measured against 1.36.2"


def test_nothing_that_differs_ends_with_0(cluster, capsys):
    assert run([cluster, "--from", "1.35", "--to", "1.35.6"]) == 0
    assert capsys.readouterr().out.startswith("Nothing differs from 1.35 to 1.35.6: 1 attempt decided alike")


def test_wrong_input_ends_with_1(tmp_path, capsys):
    assert run([str(tmp_path / "none.yaml"), "--from", "1.35", "--to", "1.36"]) == 1
    assert "none.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--from", "newest", "--to", "1.36"], '"newest" is no version of Kubernetes'),
        (["--from", "1.35", "--to", "1.36", "--to-gates", "Nope=true"], "has no feature gate Nope"),
        (["--from", "1.35"], "--to"),
    ],
)
def test_a_wrong_command_line_ends_with_2(cluster, capsys, arguments, problem):
    with pytest.raises(SystemExit) as ended:
        run([cluster, *arguments])
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err
