"""How far a run is and how fast it goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from dashboard.runs.models import Cycle
from dashboard.runs.progress import read_progress

pytestmark = pytest.mark.django_db


def test_progress_tells_rate_and_share(run, launch):
    progress = read_progress(run)
    assert (progress.state, progress.cycles, progress.share) == ("finished", run.head.cycle, 1.0)
    assert progress.rate > 0
    waiting = read_progress(launch(1, 4))
    assert (waiting.rate, waiting.share, waiting.cycles) == (0.0, None, 0)
    assert (run.n_nodes, run.n_pods, run.n_steps, run.head.steps_done) == (2, 10, 8, 7)


def test_progress_in_words_counts_how_cycles_ended(run):
    outcomes = Counter(Cycle.objects.filter(run=run).values_list("outcome", flat=True))
    assert (outcomes["scheduled"], outcomes["error"]) == (7, 0)
    progress = read_progress(run)
    assert progress.in_words == f"7 cycles scheduled a pod, {outcomes['unschedulable']} did not, 0 failed; 1 preemption"
    one = replace(progress, scheduled=1, preemptions=2).in_words
    assert (one.split(",")[0], one.split("; ")[1]) == ("1 cycle scheduled a pod", "2 preemptions")
