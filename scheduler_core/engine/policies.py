"""Choices of a run that are not Kubernetes configuration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from scheduler_core.engine.kubelet_rules import KubeletRule, read_rules
from scheduler_core.versions.behaviours import Behaviours
from scheduler_core.versions.semantics import behaviours_of

OF_THE_START = ("attempt_order", "decide_anew", "without_younger", "other_schedulers", "decided", "rollouts")
"""Policies that say with what a run begins: they cannot change in the middle of it."""
_OF_THE_SCHEDULER = (
    *("node_search", "draw", "preemption_candidates", "queue", "unschedulable_stay_us"),
    *("kubernetes", "gates", "switched", "taint_message"),
)


_OF_BEFORE = {"claims": "ignore", "rollouts": "ignore", "kubelets": (), "quotas": "ignore", "limit_ranges": "ignore"}
"""Policies that came later, with what runs of before did."""


class Policies(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a run's inputs; the defaults are what runs use, conformance sets the others.

    ``node_search``: look at all nodes, or stop as percentageOfNodesToScore says. ``draw``: among equals by the seed, or
    the smallest name, or by the seed as a reservoir of one (each further equal replaces the one kept with a chance of
    1 in their number so far). ``preemption_candidates``: examine as many as configured, or all. ``victims`` leave after
    their grace period, or at once. ``attempt_order``: by the queue, or as listed (each pod once, again after a
    preemption). ``cycle_us`` and ``binding_us``: virtual time that a scheduling cycle and a binding take, in
    microseconds. ``queue``: with queueing hints as in v1.34, or the older one with move-request cycles.
    ``event_names``: what the queue calls the events that move pods, as v1.34 or as in 2021.
    What goes on after a decision: ``terminating`` pods leave in time, or stay; ``owners`` keep their pods alive as
    their controllers do, or replace none; the pods of a deleted node are lost (``node_loss``), or stay known as
    bound to it. Pods of Jobs succeed when they ran for ``job_running_us`` (None: never). A workload that made more than
    ``max_replacements`` replacements for each pod that it wants ends the run.
    ``unschedulable_stay_us``: how long a pod stays unschedulable before it is tried again anyway (None: 300 s, or 60 s
    in the older queue). ``kubernetes``: the version whose kube-scheduler decides, a train ("1.34") or a patch
    ("1.34.1"); "" is what runs did before they named one: 1.34.1, with the texts of 1.34.2. ``gates``: feature gates
    that are not as in that version, as --feature-gates has them, by name. ``switched``: named behaviours that hold
    or not whatever the version says, in the same form (versions/behaviours.toml). ``taint_message``: without a version,
    what a refusal by a taint says: "plain" as 1.34.2 and later, or "named" as 1.34.0 and 1.34.1.
    ``decide_anew``: namespace/name of a placed pod that is to be scheduled again against the rest; of the pods that
    wait only nominated ones stay. ``without_younger``: then the placed pods that were made after it are left out too.
    ``other_schedulers``: where a run schedules "all" pods, those placed ones whose scheduler no profile serves are
    "pending" for ever, or stay "bound" to the nodes that they have.
    ``decided``: pods that the input's scheduler has decided, and that wait for volumes at PreBind, "hold" their room
    (assumed_pods.py), or "ignore" that and are tried as all others; where a run schedules "all" pods nothing is held.
    ``claims``: "play" the controller of resource claims, which makes claims from templates and frees those of pods that
    are done (consequences/claims.py), or "ignore" it, so that claims change by inputs and the scheduler alone.
    ``quotas`` and ``limit_ranges``: "play" what admission makes of new pods (admission.py), or "ignore" it.
    ``rollouts``: "play" the controllers of workloads as recorded of v1.34 (controllers/rollouts): updates, scale-downs,
    Jobs with their backoff, DaemonSets and StatefulSets; or "ignore" changes of workloads, so that owners replace what
    is lost, as runs did before. ``kubelets`` are rules of when pods become Ready and end; without them a pod is Ready
    as soon as it is bound.
    """

    node_search: Literal["all", "configured"] = "all"
    draw: Literal["seeded", "smallest", "reservoir"] = "seeded"
    preemption_candidates: Literal["configured", "all"] = "configured"
    victims: Literal["grace", "at_once"] = "grace"
    attempt_order: Literal["queue", "listed"] = "queue"
    cycle_us: int = 1_000
    binding_us: int = 5_000
    queue: Literal["hints", "move-cycle"] = "hints"
    event_names: Literal["current", "of_2021"] = "current"
    unschedulable_stay_us: int | None = None
    terminating: Literal["leave", "stay"] = "leave"
    owners: Literal["keep", "ignore"] = "keep"
    node_loss: Literal["pods_go", "pods_stay"] = "pods_go"
    job_running_us: int | None = 60_000_000
    max_replacements: int = 100
    kubernetes: str = ""
    gates: str = ""
    switched: str = ""
    taint_message: Literal["plain", "named"] = "plain"
    decide_anew: str = ""
    without_younger: bool = False
    other_schedulers: Literal["pending", "bound"] = "pending"
    decided: Literal["hold", "ignore"] = "hold"
    claims: Literal["play", "ignore"] = "play"
    quotas: Literal["play", "ignore"] = "ignore"
    limit_ranges: Literal["play", "ignore"] = "ignore"
    rollouts: Literal["play", "ignore"] = "ignore"
    kubelets: tuple[KubeletRule, ...] = ()

    @property
    def behaviours(self) -> Behaviours:
        """The reference's behaviours that these policies name. Raises VersionError, GateError."""
        behaviours = behaviours_of(self.kubernetes, self.gates, self.switched)
        if self.kubernetes or self.taint_message == "plain":
            return behaviours
        return behaviours.having({"taint_is_named": True})

    def differs(self, other: Policies, names: Iterable[str] = _OF_THE_SCHEDULER) -> bool:
        """Whether the other has another value of one of these; by default of what a scheduler reads at its start."""
        return any(getattr(self, name) != getattr(other, name) for name in names)

    def with_texts(self, texts: Iterable[str]) -> Policies:
        """These policies with what the texts say, each "name=value"; "none" is None. Raises ValueError."""
        raw = msgspec.to_builtins(self)
        for text in texts:
            name, is_given, value = text.partition("=")
            if not is_given or name not in raw:
                raise ValueError(f'"{text[:80]}" is no policy; write NAME=VALUE with one of {", ".join(raw)}')
            raw[name] = _value(name, value)
        try:
            return msgspec.convert(raw, Policies)
        except msgspec.ValidationError as problem:
            raise ValueError(str(problem)) from problem


def of_new_runs() -> Policies:
    """The policies of a run that is made today for people, where they name none."""
    return Policies(rollouts="play", quotas="play", limit_ranges="play")


def as_recorded(policies: Policies) -> dict[str, Any]:
    """The policies as an event has them that records their change: without those that came later and change nothing,
    so that the recordings of before stay as they are."""
    raw: dict[str, Any] = msgspec.to_builtins(policies)
    return {name: value for name, value in raw.items() if value != _OF_BEFORE.get(name, ...)}


def _value(name: str, text: str) -> Any:
    """The plain value of a policy; rules of kubelets are JSON. Raises ValueError."""
    if name == "kubelets":
        try:
            return msgspec.to_builtins(read_rules(text))
        except ValueError as problem:
            raise ValueError(f"kubelets: {problem}") from problem
    return None if text == "none" else int(text) if text.isdecimal() and len(text) < 19 else text
