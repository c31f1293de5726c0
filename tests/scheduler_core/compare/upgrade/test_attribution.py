"""Trials during one repetition of a run leave the run as it was."""

from __future__ import annotations

from scheduler_core.compare.upgrade.attempts import attempts_of
from scheduler_core.compare.upgrade.attribution import Attribution, StateTrials
from scheduler_core.compare.upgrade.report import versions_of
from scheduler_core.versions.semantics import behaviours_of
from tests.scheduler_core.compare.upgrade.clusters import generated, recorded


def test_every_attempt_of_the_run_is_decided_again_as_recorded_whatever_was_tried_before():
    inputs = versions_of(generated(5), "1.34")
    attempts = {one.cycle: one for one in attempts_of(recorded(inputs))}
    answers = dict(StateTrials(inputs, behaviours_of("1.36")).run(attempts, lambda: False))
    assert answers.keys() == attempts.keys()
    assert all(one.is_reproduced for one in answers.values())
    assert any(one.by for one in answers.values())
    assert any(one.same for one in answers.values())


def test_without_a_difference_all_decide_alike():
    inputs = versions_of(generated(5), "1.34")
    attempts = {one.cycle: one for one in attempts_of(recorded(inputs))}
    answers = dict(StateTrials(inputs, behaviours_of("1.34")).run(attempts, lambda: False))
    assert set(answers.values()) == {Attribution(is_reproduced=True, same=True)}
