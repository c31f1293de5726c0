"""Labels and hints of the fields of the launch form."""

from __future__ import annotations

LABELS = {
    "cluster": "Cluster",
    "r": "Revision",
    "config": "Scheduler configuration",
    "config_r": "Revision of the configuration",
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
    "taint_message": "Taint message",
    "terminating": "Terminating pods",
    "owners": "Owners of lost pods",
    "node_loss": "When a node is deleted",
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
    "seed": "Decides ties and preemption offsets. A random one is proposed.",
    "name": "Shown in lists beside the run's number.",
    "stay_s": "Then a pod is tried again anyway. Empty: 300 s, or 60 s in the queue of 2021.",
    "job_s": "Virtual time from its binding to its success. Empty: forever.",
    "cycle_ms": "Virtual time.",
    "binding_ms": "Virtual time.",
    "max_time": "Hours, minutes and seconds.",
    "max_replacements": "For each pod that a workload wants: an endless loop of evictions ends there.",
}
