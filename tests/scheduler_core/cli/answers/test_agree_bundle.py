"""``agree BUNDLE``: figures, differences with causes, gaps, and what is refused."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from scheduler_core.cli.answers.agree import run
from scheduler_core.manifests.bundle.packing import LEVEL, archived
from tests.live_cluster.history import BEGAN, Plan, Truth, delivered, files_of, gap, history, meta_of

CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


@cache
def small() -> Truth:
    return history(Plan(seed=2, n_nodes=3, n_pods=8, seconds=30, node_changes=1))


def bundle(folder: Path, **meta: object) -> str:
    path = folder / "b.tar.gz"
    path.write_bytes(archived(files_of(small(), delivered(small().steps, 1), meta_of(small(), **meta)).items(), LEVEL))
    return str(path)


def test_figures_come_first_and_the_first_divergence_after_them(tmp_path, capsys) -> None:
    assert run([bundle(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    n = len(small().bindings)
    assert lines[0].startswith(f"BINDINGS  {n} of {n} agree: ")
    assert [line.split()[0] for line in lines[:5]] == ["BINDINGS", "MESSAGES", "BUNDLE", "CONFIGURATION", "DECIDED"]
    assert any(line.startswith("FIRST DIVERGENCE") for line in lines)
    assert "assumed" in lines[3]


def test_a_folder_and_an_archive_give_one_object_of_json(tmp_path, capsys) -> None:
    assert run([bundle(tmp_path), "--json"]) == 0
    packed_one = json.loads(capsys.readouterr().out)
    folder = tmp_path / "b"
    folder.mkdir()
    for name, data in files_of(small(), delivered(small().steps, 1), meta_of(small())).items():
        (folder / name).write_bytes(data)
    assert run([str(folder), "--json"]) == 0
    of_folder = json.loads(capsys.readouterr().out)
    assert packed_one["decisions"] == of_folder["decisions"]
    assert len(packed_one["decisions"]) == len(small().bindings)


def test_gaps_are_listed_and_the_configuration_of_the_bundle_is_used(tmp_path, capsys) -> None:
    lost = gap("SERVER_AWAY", "no answer", kind="Pod", since=BEGAN + 1, until=BEGAN + 2)
    path = bundle(tmp_path, gaps=(lost,), configuration=CONFIGURATION, configuration_of="kube-system/scheduler")
    assert run([path]) == 0
    out = capsys.readouterr().out
    assert "SERVER_AWAY Pod" in out
    assert "CONFIGURATION  read from kube-system/scheduler" in out


def test_a_cut_bundle_is_compared_and_says_so(tmp_path, capsys) -> None:
    path = Path(bundle(tmp_path))
    path.write_bytes(path.read_bytes()[:-200])
    assert run([str(path)]) == 0
    said = capsys.readouterr()
    assert "cut off" in said.err
    assert "CUT" in said.out


@pytest.mark.parametrize(
    ("more", "meta", "named"),
    [
        (["--order", "given"], {}, "--order"),
        (["--logs", "x.log"], {}, "--logs"),
        ([], {"configuration": "kind: Nonsense"}, "configuration of the bundle"),
        ([], {"format": 7}, "format 7"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path, capsys, more, meta, named: str) -> None:
    assert run([bundle(tmp_path, **meta), *more]) == 1
    assert named in capsys.readouterr().err
