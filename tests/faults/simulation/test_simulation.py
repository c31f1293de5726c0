"""Seeds of the simulation find nothing, planted faults are found, and a seed repeats exactly in another process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.lengths import length
from tests.faults.simulation.__main__ import MODULE

pytestmark = [pytest.mark.slow, pytest.mark.essential]

ROOT = Path(__file__).parents[3]
SEEDS = length(short=9, long=1_000)
# Of each theme one: a run, a task, a feed, questions.
FEW = 8


def lines(*arguments):
    """Return the lines of JSON of a simulation in a process of its own, whose hashes of strings are its own too."""
    command = [sys.executable, "-m", MODULE, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_no_seed_finds_a_fault():
    *wrong, figures = lines("--seeds", SEEDS)
    assert wrong == [], "the product has a fault, or the simulation: `again` is the command that repeats it"
    assert (figures["seeds"], figures["failed"]) == (SEEDS, [])
    assert figures["steps"] > 100 * SEEDS


@pytest.mark.long
def test_a_seed_repeats_exactly_in_another_process_and_after_other_seeds():
    together = lines("--seeds", FEW)[-1]
    alone = lines("--seed", FEW)[-1]
    assert alone["last"] == together["last"]


@pytest.mark.long
def test_each_planted_fault_is_found_within_its_seeds():
    outcomes = lines("--plants")
    assert len(outcomes) >= 10
    assert [one["plant"] for one in outcomes if one["seed"] is None] == []
