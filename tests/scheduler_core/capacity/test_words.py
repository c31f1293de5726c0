"""What an autoscaler said of a pod: the last of its events, with its time, and of no other pod."""

from __future__ import annotations

import pytest

from scheduler_core.capacity.words import autoscaler_words
from scheduler_core.explain.agreement.events import SchedulerEvent
from tests.scheduler_core.capacity.inputs import inputs, node, pod

PODS = inputs(node("n"), pod("p")).objects.pods


def event(reason: str, message: str = "m", at: float | None = 0.0, uid: str = "u-p", of: str = "d/p") -> SchedulerEvent:
    return SchedulerEvent(pod=of, reason=reason, uid=uid, message=message, at=at)


@pytest.mark.parametrize(
    ("said", "who"),
    [
        (event("NotTriggerScaleUp"), "the cluster autoscaler said at 1970-01-01T00:00:00Z: NotTriggerScaleUp: m"),
        (event("TriggeredScaleUp", "", None), "the cluster autoscaler said: TriggeredScaleUp"),
        (event("Nominated"), "Karpenter said at 1970-01-01T00:00:00Z: Nominated: m"),
        (event("FailedScheduling", "Failed to schedule pod, x"), "Karpenter said at 1970-01-01T00:00:00Z: "),
    ],
)
def test_words_name_speaker_and_time(said, who):
    assert autoscaler_words([said], PODS)["d/p"].startswith(who)


def test_the_last_word_counts():
    events = [event("NotTriggerScaleUp", at=5.0), event("TriggeredScaleUp", at=9.0), event("Nominated", at=7.0)]
    assert "TriggeredScaleUp" in autoscaler_words(events, PODS)["d/p"]


def test_other_words_are_nobody_s():
    others = event("FailedScheduling", "0/3 nodes"), event("Nominated", uid="old"), event("Nominated", of="d/q", uid="")
    assert autoscaler_words(others, PODS) == {}
