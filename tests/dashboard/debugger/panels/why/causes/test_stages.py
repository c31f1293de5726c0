"""The stages of a pod's way, with the one that holds it."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.why.causes.stages import STAGES, placed_strip, stage_strip
from scheduler_core.framework.contracts import obstacles


def strip(code, stage, *, ran=False):
    steps = stage_strip(stage, code, 4, is_post_filtered=ran)
    return {stage: step.look for stage, step in zip(STAGES, steps, strict=True)}


def test_the_stages_are_those_of_obstacles():
    assert obstacles.STAGES == STAGES


def test_what_is_before_the_cause_was_passed_and_preemption_ran():
    looks = strip("SHORT_CPU", "filter", ran=True)
    assert [looks[stage] for stage in ("queue", "prefilter", "filter", "postfilter", "reserve")] == [
        *("passed", "passed", "here", "ran", "skip"),
    ]
    assert strip("SHORT_CPU", "filter")["postfilter"] == "skip"
    assert strip("PERMIT_WAITS", "permit", ran=False)["postfilter"] == "skip"


def test_outside_of_the_scheduler_nothing_was_passed():
    assert set(strip("OTHER_SCHEDULER", "outside").values()) == {"here", "skip"}


@pytest.mark.parametrize(
    ("code", "stage", "meaning"),
    [
        ("SHORT_CPU", "filter", "unsched"),
        ("GATED", "queue", "gated"),
        ("PERMIT_WAITS", "permit", "wait"),
        ("BIND_FAILED", "bind", "error"),
    ],
)
def test_the_stage_has_the_style_of_what_holds_the_pod(code, stage, meaning):
    here = next(step for step in stage_strip(stage, code, 4, is_post_filtered=False) if step.look == "here")
    assert here.meaning == meaning
    assert here.word


def test_a_placed_pod_went_all_the_way_to_its_node():
    here = [step for step in placed_strip("n-1") if step.look == "here"]
    assert [(step.name, step.word, step.meaning) for step in here] == [("Bind", "n-1", "bound")]
    assert stage_strip("filter", "", 4, is_post_filtered=False)[3].word == "0 of 4 fit"
