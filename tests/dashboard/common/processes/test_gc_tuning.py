"""What a cache keeps is left out of the collector's passes, and still freed by its last reference."""

from __future__ import annotations

import gc
import weakref

import pytest

from dashboard.common.processes import gc_tuning


class Thing:
    pass


@pytest.fixture(autouse=True)
def as_before():
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def test_what_exists_is_left_out_of_the_passes():
    things = [Thing() for _ in range(100)]
    gc_tuning.freeze_gc()
    assert gc.get_freeze_count() >= 100
    assert not any(one is things for one in gc.get_objects())


def test_it_is_freed_with_its_last_reference():
    thing = Thing()
    watch = weakref.ref(thing)
    gc_tuning.freeze_gc()
    del thing
    assert watch() is None


def test_a_web_process_collects_less_often():
    gc_tuning.tune_gc()
    assert gc.get_threshold() == gc_tuning.THRESHOLDS
