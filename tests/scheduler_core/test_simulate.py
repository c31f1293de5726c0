"""Same inputs and seed, same history: in one process, in others, whatever the hash seed, and after any interruption."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.resources import files

import pytest

from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunSession
from tests.patience import PATIENCE
from tests.scheduler_core.engine.scenarios import teaching

SCENARIOS = files("scheduler_core.workloads") / "scenarios"


def run_hash(**changes: object) -> str:
    session = RunSession.start(teaching(**changes))
    session.advance()
    return session.recording_hash()


def test_the_same_run_twice_has_one_hash() -> None:
    assert run_hash() == run_hash()


def test_another_seed_has_another_hash() -> None:
    assert run_hash(seed=1) != run_hash(seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_other_processes_and_hash_seeds_agree(hash_seed: str) -> None:
    command = [
        sys.executable, "-m", "scheduler_core", "simulate", str(SCENARIOS / "teaching-cluster.yaml"),
        "--timeline", str(SCENARIOS / "teaching-timeline.yaml"), "--seed", "7", "--kubernetes", "1.36", "--json",
    ]  # fmt: skip
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    assert f'"recording_hash":"{run_hash(policies=Policies(kubernetes="1.36"))}"' in done.stdout


def test_the_seed_draws_among_equals_and_the_tie_set_is_recorded() -> None:
    events: list[ev.AnyEvent] = []
    session = RunSession.start(teaching())
    session.simulation.observers.append(events.append)
    session.advance()
    tied = [e for e in events if isinstance(e, ev.HostSelected) and e.tie_count > 1]
    assert tied
    assert all(e.ties for e in tied)
