"""Measurements are run by hand, so nothing else would notice that one cannot be started.

mypy reads all of them (``make types``).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench import engine
from tests.bench.__main__ import TOPICS
from tests.bench.workloads import WORKLOADS
from tests.patience import PATIENCE
from tests.seeds import long_but

ROOT = Path(__file__).parents[2]
SMALL: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "growth": ({"MANY_TEMPLATES": 30}, [10, 20]),
    "preemption-budgets": ({"PLAIN_CYCLES": 5}, [30, 12]),
    "reading": ({"READS": {"cold": 5, "warm": 10}, "CHECKED": 5}, [40, 60]),
    "ingest": ({"SHARES": {"json": 1}}, [20, 0]),
    "drafts": ({"EDITS": 2, "SAVES": 1, "READINGS": 1}, [20, 0]),
    "whole-path": ({}, [20, 60, ["sqlite"]]),
    "page": ({"STEPS": 2, "SORTED_CYCLES": 1, "WARM_UP": 1, "LOADS": 2, "WORKLOADS": ["mix"]}, [60, 8]),
    "map": ({"STEPS": 2, "JUMPS": 1, "WARM_UP": 1}, [200, 20]),
    "cluster-page": ({"OPENED": 1, "HOVERS": 4, "DRAGS": 4}, [60, 200]),
    "editor": ({"OPENED": 1, "EDITS": 1, "BULKS": 1, "BULK": 20}, [60, 200]),
    "search": ({"RUNS": 3, "NAMES": 1, "TYPED": ["4001", "theme"]}, [20, 50]),
    "steps": ({"STEPS": 2, "JUMPS": 1, "WARM_UP": 1, "PRESSES": 100}, [200, 150]),
    "answer-worker": (
        {
            **{"RUNS": 2, "QUESTIONS": 6, "REFUSED_EVERY": 8, "ROUND_TRIPS": 3, "COLD": 2, "WARM": 2},
            **{"PEOPLE": 2, "ASKED_EACH": 1, "HOG_THREADS": 2},
        },
        [40, 60],
    ),
    "extenders": ({}, [40, 20]),
    "fit": ({"KEYS": 3, "WARM_UP": 1}, [20, 0]),
    "queries": ({"JUMPS": 2, "GARBAGE": 5}, [30, 60]),
    "query-rows": ({"RUNS": 3, "CYCLES_OF_OTHERS": 20, "REQUESTS": 1}, [30, 60]),
    "watches": ({}, [30, 60]),
    "compare": ({"TIMES": 1}, [30, 60]),
    "compare-page": ({"TIMES": 1, "STEPS": 2}, [30, 60]),
    "answers": ({"COLD": 1, "WARM": 2, "EVERY": 20}, [30, 80]),
    "breakpoints": ({}, [20, 60]),
    "branches": ({"TIMES": 1}, [20, 60]),
    "presence": ({"PEOPLE": 2, "SECONDS": 2, "EVENTS_PER_SECOND": 100}, [20, 60, ["sqlite"]]),
    "team": ({"PEOPLE": 2, "EVENTS_PER_SECOND": 100}, [20, 60, ["sqlite"]]),
    "live": ({"SOCKETS": 2, "EVENTS_PER_SECOND": 100}, [20, 60, ["sqlite"]]),
}
"""Of each topic what is set smaller in its module, and what its ``lines`` are called with."""
IN_A_BROWSER = {"map", "steps", "cluster-page", "editor", "fit", "search"}
_RUN = """
import json, sys
from importlib import import_module
from tests.bench import engine
engine.calibration = lambda: {"calibration_ns": 1.0, "calibration_cpython_s": 1.0}
name, constants, arguments = json.loads(sys.argv[1])
module = import_module(name)
vars(module).update(constants)
for line in module.lines(*arguments):
    print(json.dumps(line))
"""


def lines_of(topic: str) -> list[dict[str, Any]]:
    """What a topic prints at a small size, in a process of its own: some set Django up for themselves."""
    (constants, arguments), (module, _) = SMALL[topic], TOPICS[topic]
    command = [sys.executable, "-c", _RUN, json.dumps([module, constants, arguments])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_topic_has_a_small_size():
    assert SMALL.keys() == TOPICS.keys()


def test_make_and_the_page_on_performance_name_each_topic():
    makefile, page = (ROOT / "Makefile").read_text(), (ROOT / "docs/performance.md").read_text()
    of_make = re.search(r"^BENCH_TOPICS := (.*)$", makefile, re.MULTILINE)
    of_page = re.search(r"what is around the engine \(([^)]*)\)", page)
    assert set(of_make[1].split() if of_make else ()) == TOPICS.keys()
    assert set(re.split(r",\s+", of_page[1]) if of_page else ()) == TOPICS.keys()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("topic", sorted(TOPICS.keys() - IN_A_BROWSER))
def test_a_topic_is_measured(topic):
    lines = lines_of(topic)
    assert lines
    assert all(any(isinstance(figure, float) for figure in line.values()) for line in lines)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium to measure with")
@pytest.mark.parametrize("topic", sorted(IN_A_BROWSER))
def test_a_topic_is_measured_in_a_browser(topic):
    (line,) = lines_of(topic)
    assert line["workload"].startswith(topic)


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(sorted(WORKLOADS), ("basic", "mixed", "preemption")))
def test_a_workload_is_checked_and_measured(name, monkeypatch):
    monkeypatch.setattr(engine, "calibration", lambda: {"calibration_ns": 1.0, "calibration_cpython_s": 1.0})
    checked = "preemption" not in name  # whose plain engine takes long
    figures = engine.measure(name, 100, 100, cached=True, checked=checked)
    assert figures["cycles"] >= 100
    assert (figures["checked_cycles"] >= 1) is checked
