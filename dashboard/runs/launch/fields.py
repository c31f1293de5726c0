"""Fields of the launch form: their labels and hints, those that are policies of a run, and virtual time (24:00:00)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from django import forms

from dashboard.runs.policies import POLICIES, plain_rules

LABELS = {
    "cluster": "Cluster",
    "r": "Revision",
    "config": "Scheduler configuration",
    "config_r": "Revision of the configuration",
    "kubernetes": "Kubernetes",
    "gates": "Feature gates",
    "leave_out": "Leave out what is not installed",
    "serve_others": "Pods of other schedulers",
    "answers": "What answers for the extenders",
    "answers_r": "Revision of what answers",
    "schedule": "What is scheduled",
    "timeline": "Timeline",
    "timeline_r": "Revision of the timeline",
    "node_search": "Nodes examined",
    "draw": "Among equals",
    "preemption_candidates": "Preemption candidates",
    "victims": "Victims",
    "attempt_order": "Order of attempts",
    "queue": "Queue",
    "event_names": "Names of events",
    "terminating": "Terminating pods",
    "owners": "Owners of lost pods",
    "node_loss": "When a node is deleted",
    "decided": "Pods that wait for volumes",
    "claims": "Claims for devices",
    "quotas": "Resource quotas",
    "limit_ranges": "Limit ranges and runtime classes",
    "rollouts": "Rollouts of workloads",
    "kubelets": "Rules of kubelets",
    "job_s": "A pod of a Job runs for",
    "max_replacements": "Stop after replacements",
    "stay_s": "Longest unschedulable stay",
    "cycle_ms": "A scheduling cycle takes",
    "binding_ms": "A binding takes",
    "seed": "Seed",
    "name": "Name",
    "max_cycles": "Stop after cycles",
    "max_time": "Stop at virtual time",
    "background": "Queue of the workers",
}
# Hints under the fields.
HINTS = {
    "gates": "As kube-scheduler takes them: NAME=true,OTHER=false. Empty: as usual in that version.",
    "seed": "Decides ties and preemption offsets. A random one is proposed.",
    "name": "Shown in lists beside the run's number.",
    "stay_s": "Then a pod is tried again anyway. Empty: 300 s, or 60 s in the queue of 2021.",
    "job_s": "Virtual time from its binding to its success. Empty: forever.",
    "kubelets": "When pods become Ready, succeed, fail, and are gone, in seconds of virtual time: ready_after, "
    "succeed_after, fail_after, grace, ready_gap. For pods by image, labels, node or index; of several rules the last "
    "one counts. Empty: Ready once bound. Only where rollouts are played.",
    "cycle_ms": "Virtual time.",
    "binding_ms": "Virtual time.",
    "max_time": "Hours, minutes and seconds.",
    "max_replacements": "For each pod that a workload wants: an endless loop of evictions ends there.",
}


class PolicyFields(forms.Form):
    """One field for each policy that people choose; `dashboard.runs.policies` has their values and units."""

    node_search = forms.ChoiceField(choices=POLICIES["node_search"])
    draw = forms.ChoiceField(choices=POLICIES["draw"])
    preemption_candidates = forms.ChoiceField(choices=POLICIES["preemption_candidates"])
    victims = forms.ChoiceField(choices=POLICIES["victims"])
    attempt_order = forms.ChoiceField(choices=POLICIES["attempt_order"])
    queue = forms.ChoiceField(choices=POLICIES["queue"])
    event_names = forms.ChoiceField(choices=POLICIES["event_names"])
    terminating = forms.ChoiceField(choices=POLICIES["terminating"])
    owners = forms.ChoiceField(choices=POLICIES["owners"])
    node_loss = forms.ChoiceField(choices=POLICIES["node_loss"])
    decided = forms.ChoiceField(choices=POLICIES["decided"])
    claims = forms.ChoiceField(choices=POLICIES["claims"])
    quotas = forms.ChoiceField(choices=POLICIES["quotas"])
    limit_ranges = forms.ChoiceField(choices=POLICIES["limit_ranges"])
    rollouts = forms.ChoiceField(choices=POLICIES["rollouts"])
    kubelets = forms.CharField(
        max_length=10_000,
        required=False,
        widget=forms.Textarea(
            {
                "class": "textarea mono",
                "rows": 3,
                "spellcheck": "false",
                "placeholder": '[{"labels": {"app": "web"}, "ready_after": 30}]',
            }
        ),
    )
    job_s = forms.DecimalField(min_value=Decimal("0.001"), max_value=86_400, decimal_places=3, required=False)
    max_replacements = forms.IntegerField(min_value=0, max_value=100_000)
    stay_s = forms.DecimalField(min_value=Decimal("0.001"), max_value=86_400, decimal_places=3, required=False)
    cycle_ms = forms.DecimalField(min_value=Decimal("0.001"), max_value=60_000, decimal_places=3)
    binding_ms = forms.DecimalField(min_value=Decimal("0.001"), max_value=600_000, decimal_places=3)

    def clean_kubelets(self) -> list[dict[str, Any]]:
        """Return the rules as plain values; what is wrong with one is said with its number."""
        try:
            return plain_rules(self.cleaned_data["kubelets"])
        except ValueError as problem:
            raise forms.ValidationError(f"{problem}."[:1].upper() + f"{problem}."[1:]) from problem


_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{2})", re.ASCII)


def parse_clock(text: str) -> int | None:
    """Return the microseconds of H:MM:SS or MM:SS; None for any other text."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None or int(match[3]) > 59 or (match[1] and int(match[2]) > 59):
        return None
    return (int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3])) * 1_000_000


def format_clock(micros: int) -> str:
    """Return microseconds as H:MM:SS, at least one second."""
    minutes, seconds = divmod(max(1, round(micros / 1e6)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
