"""The forms of workloads: their size, how their pods are replaced, and the template of these."""

from __future__ import annotations

from dashboard.clusters.forms.model import FormField, FormSection, KindForm, make_form, shown
from dashboard.clusters.forms.pod_fields import pod_sections, selector

TEMPLATE = ("spec", "template")


def _workload(kind: str, *fields: FormField, rollout: tuple[FormField, ...] = ()) -> KindForm:
    return make_form(
        kind,
        FormSection(kind, fields),
        *([FormSection("Rollout", rollout, is_rare=True)] if rollout else []),
        FormSection("Selector", selector("spec.selector", "own pods"), is_rare=True),
        *pod_sections(TEMPLATE, "Labels of the pods"),
        pod_path=TEMPLATE,
    )


_REPLICAS = shown("spec.replicas", "Replicas")


def _rollout(strategy: str, *steps: FormField) -> tuple[FormField, ...]:
    """The fields of how pods are replaced after a change of the template; ``steps`` are those of its strategy."""
    kind, ready = shown(f"{strategy}.type", "Strategy"), shown("spec.minReadySeconds", "Min ready seconds")
    return (kind, *steps, ready)


def _step(strategy: str, name: str, label: str) -> FormField:
    return shown(f"{strategy}.rollingUpdate.{name}", label)


_STRATEGY, _UPDATES = "spec.strategy", "spec.updateStrategy"
_DEPLOYMENT = _workload(
    "Deployment",
    _REPLICAS,
    rollout=(
        *_rollout(
            _STRATEGY,
            _step(_STRATEGY, "maxSurge", "Max surge"),
            _step(_STRATEGY, "maxUnavailable", "Max unavailable"),
        ),
        shown("spec.progressDeadlineSeconds", "Progress deadline"),
        shown("spec.paused", "Paused"),
    ),
)
_DAEMON_SET = _workload(
    "DaemonSet",
    rollout=_rollout(
        _UPDATES, _step(_UPDATES, "maxUnavailable", "Max unavailable"), _step(_UPDATES, "maxSurge", "Max surge")
    ),
)

_JOB = _workload(
    "Job",
    shown("spec.parallelism", "Parallelism"),
    shown("spec.completions", "Completions"),
    shown("spec.completionMode", "Completion mode", is_rare=True),
    shown("spec.backoffLimit", "Backoff limit", is_rare=True),
    shown("spec.suspend", "Suspended", is_rare=True),
)

_STATEFUL_SET = _workload(
    "StatefulSet",
    _REPLICAS,
    shown("spec.podManagementPolicy", "Pods are made"),
    shown("spec.serviceName", "Service", is_rare=True),
    shown("spec.ordinals.start", "First ordinal", is_rare=True),
    rollout=_rollout(_UPDATES, _step(_UPDATES, "partition", "Partition")),
)


def workload_forms() -> tuple[KindForm, ...]:
    """Return the forms of the kinds that make pods."""
    return _DEPLOYMENT, _workload("ReplicaSet", _REPLICAS), _STATEFUL_SET, _DAEMON_SET, _JOB
