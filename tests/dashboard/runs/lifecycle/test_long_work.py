"""The lease while a run is at work that takes long and tells nobody: large keyframes, and the chunk after a resume."""

from __future__ import annotations

import pytest
from django.db.models.functions import Now

from dashboard.runs import committing, execution, sessions
from dashboard.runs.lifecycle.leases import LEASE
from dashboard.runs.lifecycle.reconcile import reconcile
from dashboard.runs.models import RunHead
from scheduler_core.simulate import RunSession
from tests.dashboard.runs.slices import die_at, one_slice_at_a_time

pytestmark = pytest.mark.django_db


@pytest.fixture
def cuts(monkeypatch):
    """(has a keyframe, the lease lasts longer than usual) of each cut of a chunk; slices of few cycles."""
    cut, noted = RunSession.cut_chunk, []

    def noting(session, keyframe=True):
        noted.append((keyframe, RunHead.objects.filter(lease_until__gt=Now() + 2 * LEASE).exists()))
        return cut(session, keyframe)

    monkeypatch.setattr(RunSession, "cut_chunk", noting)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 40)
    one_slice_at_a_time(monkeypatch, cycles=7)
    return noted


@pytest.mark.parametrize("is_large", [True, False])
def test_it_lasts_while_a_keyframe_as_large_as_the_last_one_is_cut(launch, monkeypatch, cuts, is_large):
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 1)
    monkeypatch.setattr(committing, "LARGE_KEYFRAME_BYTES", 1 if is_large else 1 << 30)
    launch()
    assert execution.work()
    # The size of the first one is not known before, and the end has none.
    assert cuts == [(True, False), *[(True, is_large)] * (len(cuts) - 2), (False, False)]
    assert len(cuts) > 3


def test_it_lasts_while_a_resumed_run_executes_again_what_lay_after_its_keyframe(launch, monkeypatch, cuts):
    launch()
    with pytest.raises(die_at(monkeypatch, "after", 2)):
        execution.work()
    sessions.forget()
    RunHead.objects.update(lease_until=None)
    reconcile()
    cuts.clear()
    assert execution.work()
    assert [lasts for _, lasts in cuts] == [True, *[False] * (len(cuts) - 1)]
