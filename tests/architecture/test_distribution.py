"""How the tests are shared among processes. Where pytest-xdist does not follow, it says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.distribution import parts, place
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
FILE = """
import os, time
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range(45))
def test(number):
    with Path("ran").open("a") as file:
        file.write(f"{os.environ['PYTEST_XDIST_WORKER']} {Path(__file__).name} {number}\\n")
"""


def test_files_are_given_out_in_parts_and_services_one_by_one():
    ids = [f"tests/a.py::test[{number}]" for number in range(41)] + ["tests/services/b.py::x", "tests/services/b.py::y"]
    part = parts(ids)
    assert [part[ids[number]] for number in (0, 39, 40)] == ["tests/a.py/0", "tests/a.py/0", "tests/a.py/1"]
    assert [part[nodeid] for nodeid in ids[41:]] == ["tests/services/b.py/0", "tests/services/b.py/1"]


def test_the_repetition_follows_what_it_repeats_and_its_parts_are_apart():
    repeated = "tests/services/test_dashboard_on_postgres.py::test_repeated"
    in_order = [
        item_of("tests/services/test_servers.py::test"),
        item_of("tests/faults/test_kills.py::test", "slow", "long"),
        item_of("tests/browser/test_page.py::test", "long"),
        item_of("tests/architecture/test_pictures.py::test", "slow", "long"),
        item_of("tests/dashboard/test_slow.py::test", "slow"),
        item_of("tests/dashboard/test_short.py::test"),
        item_of("tests/conformance/test_recorded.py::test", "slow"),
        item_of(f"{repeated}[all but runs]", "slow", part=0),
        item_of("tests/scheduler_core/test_slow.py::test", "slow"),
        item_of(f"{repeated}[runs]", "slow", part=1),
        item_of("tests/scheduler_core/test_short.py::test"),
    ]
    backward = in_order[::-1]
    assert sorted(backward, key=place) == in_order
    assert place(item_of("tests/services/test_dashboard_on_postgres.py::test_of_the_choice")) == place(in_order[0])


def item_of(nodeid, *marks, part=None):
    return SimpleNamespace(
        nodeid=nodeid,
        get_closest_marker=lambda name: name if name in marks else None,
        callspec=None if part is None else SimpleNamespace(indices={"part": part}),
    )


@pytest.mark.slow
def test_the_tests_of_a_part_run_in_one_process_and_those_with_processes_first(tmp_path):
    for name in ("faults/test_kills.py", "common/test_quick.py"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(FILE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    faults: f\n    slow: s\n    long: l\n")
    arguments = ["-p", "xdist", "-p", "tests.distribution", "-n2", "--dist", "loadfile", "-q"]
    arguments += ["-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ran = [line.split() for line in (tmp_path / "ran").read_text().splitlines()]
    workers: dict[tuple[str, bool], set[str]] = {}
    for worker, file, number in ran:
        workers.setdefault((file, int(number) < 40), set()).add(worker)
    assert [len(part) for part in workers.values()] == [1] * 4
    for worker in {worker for worker, _file, _number in ran}:
        files = [file for one, file, _number in ran if one == worker]
        assert files == sorted(files)  # kills before quick
