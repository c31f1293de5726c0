"""Fills the launch form with a run's inputs, so that the new run differs only in what the user changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.inputs import extender_answers
from dashboard.runs.launch.fields import format_clock
from dashboard.runs.launch.forms import OTHERS_BOUND, PRESET
from dashboard.runs.models import Schedule
from dashboard.runs.policies import FIELDS, OF_OLD_RUNS, OTHERS, policy_fields

if TYPE_CHECKING:
    from dashboard.runs.models import Run


def fields_like(run: Run) -> dict[str, str]:
    """Return {field: value} of a run's inputs, without inputs that have no field."""
    policies = {name: value for name, value in {**OF_OLD_RUNS, **run.policies}.items() if value is not None}
    empty = dict.fromkeys(policy_fields({name: 0 for name in run.policies if name not in policies}), "")
    fields = {name: value for name, value in (policy_fields(policies) | empty).items() if name in FIELDS}
    fields |= {
        "cluster": run.revision.cluster.slug,
        "r": str(run.revision.number),
        "schedule": run.schedule,
        "seed": str(run.seed),
        "max_cycles": str(run.max_cycles),
        "max_time": format_clock(run.max_virtual_us),
        "background": "yes" if run.is_background else "no",
    }
    if run.stand_ins:
        fields["serve_others"] = next(iter(run.stand_ins.values()))
    elif policies.get(OTHERS) == "bound":
        fields["serve_others"] = OTHERS_BOUND
    if run.config_revision is not None:
        fields |= {"config": run.config_revision.config.slug, "config_r": str(run.config_revision.number)}
        if run.left_out:
            fields["leave_out"] = "on"
    elif run.preset:
        fields["config"] = f"{PRESET}{run.preset}"
    if run.schedule == Schedule.TIMELINE and run.timeline_revision is not None:
        timeline = run.timeline_revision
        fields |= {"timeline": timeline.timeline.slug, "timeline_r": str(timeline.number)}
    answers = extender_answers(run)
    if answers is not None:
        fields |= {"answers": answers.name, "answers_r": str(answers.revision.number)}
    elif run.left_out:
        fields["answers"] = ""
    return fields


def not_taken_over(run: Run) -> list[str]:
    """Return the inputs of the run that have no field, each as a phrase."""
    phrases = ["the changes of a branch"] if run.is_branch else []
    taken_over = {*FIELDS, OTHERS}
    return phrases + [f"the policy {name}" for name in run.policies if not set(policy_fields({name: 0})) <= taken_over]
