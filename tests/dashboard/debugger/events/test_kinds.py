"""Kinds of events to filter by."""

from __future__ import annotations

from dashboard.debugger.events.kinds import KINDS, QUIET
from dashboard.debugger.events.sentences import words_of
from tests.dashboard.debugger.events.samples import SAMPLES


def test_every_kind_is_in_use_and_has_a_label():
    assert {words_of(sample).about.kind for sample in SAMPLES.values()} == set(KINDS)
    assert set(KINDS) > QUIET
