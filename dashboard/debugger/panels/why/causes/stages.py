"""The stage at which the pod is held: the ten stages of the scheduling framework, with that of the cause lit."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.why.causes.short_words import head_of

NAMES = {
    "admission": "Admission",
    "queue": "Queue",
    "prefilter": "PreFilter",
    "filter": "Filter",
    "postfilter": "PostFilter",
    "reserve": "Reserve",
    "permit": "Permit",
    "prebind": "PreBind",
    "bind": "Bind",
    "outside": "Outside",
}
STAGES = tuple(NAMES)
MEANINGS = {
    "GATED": "gated",
    "BACKING_OFF": "backoff",
    "NOT_TRIED_YET": "queue",
    "NOMINATED_WAITS": "nomin",
    "OTHER_SCHEDULER": "none",
}


@dataclass(frozen=True)
class StageStep:
    """A stage: `look` is here, passed, ran (PostFilter, which ends nothing) or skip."""

    name: str
    word: str
    meaning: str
    look: str


def stage_strip(stage: str, code: str, n_nodes: int, *, is_post_filtered: bool) -> tuple[StageStep, ...]:
    """Return the stages of a pod that is held at one of them, by an obstacle of the code ("" while it is unknown)."""
    here = STAGES.index(stage) if stage in STAGES else STAGES.index("filter")
    return tuple(
        _here(STAGES[here], code, n_nodes)
        if place == here
        else _other(one, place, here, is_post_filtered=is_post_filtered)
        for place, one in enumerate(STAGES)
    )


def placed_strip(node: str) -> tuple[StageStep, ...]:
    """Return the stages of a pod that is on a node."""
    bind = STAGES.index("bind")
    steps = [_other(stage, place, bind, is_post_filtered=False) for place, stage in enumerate(STAGES)]
    steps[bind] = StageStep(NAMES["bind"], node, "bound", "here")
    return tuple(steps)


def _here(stage: str, code: str, n_nodes: int) -> StageStep:
    word = f"0 of {grouped(n_nodes)} fit" if stage == "filter" else head_of(code)
    return StageStep(NAMES[stage], word, _meaning(code), "here")


def _meaning(code: str) -> str:
    """The style of the state that holds the pod."""
    if code in MEANINGS:
        return MEANINGS[code]
    return "wait" if code.endswith("_WAITS") else "error" if code.endswith("_FAILED") else "unsched"


def _other(stage: str, place: int, here: int, *, is_post_filtered: bool) -> StageStep:
    if stage == "postfilter" and here <= place and is_post_filtered:
        return StageStep(NAMES[stage], "ran", "none", "ran")
    is_passed = place < here < STAGES.index("outside") and stage != "postfilter"
    if is_passed:
        return StageStep(NAMES[stage], "passed", "bound", "passed")
    return StageStep(NAMES[stage], "not run", "none", "skip")
