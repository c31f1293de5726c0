"""What the strip says of the cycle under the pointer."""

from __future__ import annotations

import json

import pytest

from dashboard.common.pages.numbers import virtual_time
from dashboard.debugger.panels.scrubber.preview import preview_of
from dashboard.runs.models import Cycle

pytestmark = pytest.mark.django_db


def test_a_cycle_is_told_with_its_time_pod_and_outcome(run, cycle_of):
    small = cycle_of("small-0")
    preview = preview_of(run, small.number)
    assert (preview.pod, preview.namespace, preview.meaning) == ("small-0", "default", "bound")
    assert preview.time == virtual_time(small.at_us, 1_000_000)
    assert preview.outcome.startswith(f"→ {small.node}")


def test_a_draw_says_from_how_many(run, cycle_of):
    small = cycle_of("small-0")
    Cycle.objects.filter(pk=small.pk).update(tie_count=31)
    assert preview_of(run, small.number).outcome == f"→ {small.node}, drawn from 31"


def test_a_failure_says_whether_it_preempts(run, cycle_of):
    assert preview_of(run, cycle_of("big-0").number).outcome == "unschedulable, preempts"
    assert preview_of(run, cycle_of("never-0").number).outcome == "unschedulable"


def test_there_is_no_preview_of_a_cycle_that_is_not_there(run, look):
    assert look(run, name="debugger:preview", cycle=9999).status_code == 404
    assert json.loads(look(run, name="debugger:preview", cycle=1).content)["cycle"] == 1
