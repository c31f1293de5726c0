"""How far a computation is, in words, and how it ended."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.accounts.models import User, Workspace
from dashboard.preview.models import Computation
from dashboard.preview.panel import ProgressPanel
from tests.dashboard.preview.conftest import PACKING


def panel(**fields):
    now = timezone.now()
    fields = {"before_label": "the defaults", "asked_at": now, "claimed_at": now, "starts": 1, **fields}
    return ProgressPanel(Computation(pk=7, workspace=Workspace(slug="team"), **fields))


def test_progress_says_which_step_and_how_far_each_run_is():
    reading = panel(step="reading")
    assert (reading.state, reading.steps_done) == ("waiting", 0)
    assert panel(step="before", before_cycles=1200).steps_done == 1
    after = panel(step="after", before_cycles=1000, after_cycles=250)
    assert after.steps_done == 2.25
    assert panel(step="comparing", before_cycles=10, after_cycles=12).steps_done == 3
    assert panel(step="").steps_done == 0


def test_a_new_one_is_asked_about_oftener():
    assert panel().pause_ms == 250
    assert panel(asked_at=timezone.now() - timedelta(seconds=11)).pause_ms == 1000


def test_how_it_ended_is_said():
    now = timezone.now()
    failed = panel(ended_at=now, error="no plugin..")
    assert (failed.state, failed.text) == ("failed", "No plugin..")
    cancelled = panel(ended_at=now, is_cancelled=True, cancelled_by=User(name="Asha"))
    assert (cancelled.state, cancelled.text) == ("cancelled", "Cancelled by Asha")
    assert panel(ended_at=now, is_cancelled=True).text == "Cancelled by somebody"
    assert panel(ended_at=now).state == "failed"


def test_one_that_waits_says_how_many_are_before_it(ask, no_worker):
    first, second = ask(), ask(f"{PACKING}# 1\n")
    assert "before it" not in ProgressPanel(first).text
    assert ProgressPanel(second).text.endswith("; 1 before it")


STEPS_SAID = [
    ({"step": ""}, "Being computed"),
    ({"step": "reading"}, "Step 1 of 4: the engine reads the cluster"),
    (
        {"step": "reading", "starts": 2},
        "Step 1 of 4: the engine reads the cluster. Begun again, since the worker before ended",
    ),
    ({"step": "before", "before_cycles": 1200}, "Step 2 of 4: run with the defaults, 1,200 cycles so far"),
    (
        {"step": "after", "before_cycles": 1000, "after_cycles": 250},
        "Step 3 of 4: run with this text, 250 cycles so far; the other had 1,000",
    ),
    ({"ended_at": timezone.now()}, "The result is not stored any more: newer ones took its place. Ask again"),
]


@pytest.mark.parametrize(("fields", "sentence"), STEPS_SAID)
def test_words(fields, sentence):
    assert panel(**fields).text == sentence


@pytest.mark.parametrize(
    ("n_before", "starts", "sentence"),
    [
        (0, 0, "Waiting for a worker"),
        (1, 0, "Waiting for a worker; 1 before it"),
        (1, 1, "Waiting for a worker, since the one before ended; 1 before it"),
    ],
)
def test_words_of_one_that_waits(ask, no_worker, n_before, starts, sentence):
    asked = [ask(f"{PACKING}# {n}\n") for n in range(n_before + 1)][-1]
    asked.starts = starts
    assert ProgressPanel(asked).text == sentence
