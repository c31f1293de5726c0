"""Agreement in words, the same on pages and on the command line."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.explain.agreement.later_changes import later_words
from scheduler_core.explain.agreement.model import (
    EQUAL,
    AgreementFigures,
    BoundPod,
    LikelyCause,
    PendingPod,
    PendingStanding,
    Standing,
)
from scheduler_core.explain.messages.parsing import parse_message
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.manifests.kinds.metadata import as_datetime

STANDINGS: dict[Standing, str] = {
    "only_one": "only one fits",
    "same": "same, by score",
    "tied": "among the best",
    "lower": "lower rank",
    "refused": "refused by us",
    "static": "static pod",
    "other_scheduler": "other scheduler",
    "no_node": "node not in the input",
    "undecided": "attempt failed",
}
PENDING: dict[PendingStanding, str] = {
    "equal": "message equal",
    "equal_then": "message equal at its time",
    "counts_differ": "counts differ",
    "nodes_differ": "other number of nodes",
    "preemption_differs": "preemption differs",
    "fits": "fits here",
    "not_recognised": "message not recognised",
    "no_message": "no message",
    "gated": "scheduling gates",
    "decided": "decided, not bound",
    "other_scheduler": "other scheduler",
}
_SINCE: dict[str, str] = {
    "cordon": "The node may have been cordoned after the binding; a cordon leaves running pods in place.",
    "taints": "The taint may be younger than the binding; NoSchedule leaves running pods in place.",
    "labels": "The labels of the node, or the selector, may have changed since; required node affinity is looked at "
    "at scheduling only.",
    "room": "The requests on the node leave no room for the pod now: pods bound past the scheduler, or resized since.",
    "pods": "Pods that came, went or were relabelled later may be why: affinity and spread are looked at at scheduling "
    "only.",
    "volumes": "The state of its volumes may have changed with the binding itself.",
    "missing": "An object that the pod needs is not in the input.",
    "unknown": "What this plugin looks at may have changed since.",
}
_NAMES: dict[str, str] = {
    "cordon": "cordon",
    "taints": "taint",
    "labels": "node affinity",
    "room": "lack of room",
    "pods": "rule about other pods",
    "volumes": "volumes' refusal",
    "missing": "missing object",
    "unknown": "refusal",
}


def cause_text(cause: LikelyCause) -> str:
    """One or two sentences."""
    if cause.kind == "arrivals":
        lead = _arrived_first(cause)
        pods = "pod was" if cause.younger == 1 else "pods were"
        return f"Order of arrivals: {cause.younger:,} {pods} made later. Without them the real node {lead} (tried)."
    if cause.kind == "sampling":
        return _sampling_text(cause)
    if cause.kind == "unknown":
        tried = f" Without the {cause.younger:,} younger pods it is so too (tried)." if cause.tried else ""
        return f"Not known: pods that have gone, or were changed since, are not in a snapshot.{tried}"
    return f"{_SINCE[cause.kind]}{_tried_text(cause)}"


def _arrived_first(cause: LikelyCause) -> str:
    if cause.lead is not None:
        return f"leads by {cause.lead} points"
    return "shares the best total" if cause.then == "tied" else "is the only one that fits"


def _sampling_text(cause: LikelyCause) -> str:
    text = (
        f"Sampling: of {cause.fitting:,} nodes that fit, a scheduler with this configuration scores the first "
        f"{cause.scored:,} that it finds."
    )
    if not cause.tried:
        return text
    if cause.explains:
        return f"{text} A search that begins at {cause.begins} puts the real node among the best (tried); where the \
real one began is not known."
    return f"{text} From the likeliest beginnings, the best at {cause.begins}, the real node is not among the best \
(tried)."


def _tried_text(cause: LikelyCause) -> str:
    """What the engine decides without the cause, "" where it was not tried."""
    if not cause.tried:
        return ""
    beside = f" and the {' and the '.join(_NAMES[kind] for kind in cause.beside)}" if cause.beside else ""
    without = f"Without the {_NAMES[cause.kind]}{beside} the real node"
    if cause.then == "only_one":
        return f" {without} is the only one that fits (tried)."
    if cause.explains:
        return f" {without} is among the best of {cause.fitting:,} (tried)."
    if cause.rank:
        return f" {without} has rank {cause.rank:,} of {cause.fitting:,} (tried): it is not the whole cause."
    return f" {without} is refused all the same (tried)."


def standing_text(pod: BoundPod) -> str:
    """What the standing says of this pod."""
    if pod.standing == "only_one":
        return "no other node fits"
    if pod.standing == "same":
        return "" if pod.lead is None else f"leads by {pod.lead} of {pod.n_fitting:,} nodes that fit"
    if pod.standing == "tied":
        return f"one of {pod.n_best:,} with the best total of {pod.n_fitting:,} that fit"
    if pod.standing == "lower":
        return f"rank {pod.rank:,} of {pod.n_fitting:,}, {pod.gap} points less"
    if pod.standing == "refused":
        first = pod.refusals[0] if pod.refusals else None
        return f"{first.plugin}: {', '.join(first.reasons)}" if first else pod.failure
    return pod.failure


def ours_text(pod: BoundPod) -> str:
    """Where the engine would put the pod."""
    if not pod.best:
        return "no node fits"
    more = pod.n_best - 1
    return pod.best[0] + (f" or {more:,} more" if more else "")


def pending_text(pod: PendingPod) -> str:
    """What stands against the real message, "" where nothing does."""
    return "; ".join(text for text in (_differs_text(pod), _older_text(pod)) if text)


def _older_text(pod: PendingPod) -> str:
    older, moment = pod.older, as_datetime(pod.report.at)
    if older is None or moment is None:
        return ""
    came = later_words(older.n_pods, older.pods, older.n_nodes, older.nodes)
    then = "are equal" if older.then in EQUAL else "differ too"
    said = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    return f"the message is of {said}; later came {came}: without that the messages {then} (tried)"


def _differs_text(pod: PendingPod) -> str:
    if pod.standing == "fits":
        real = parse_message(pod.report.message)
        counted = f"; the real scheduler counted {plural(real.nodes, 'node')}" if real is not None else ""
        return f"the engine finds {pod.node}: something changed since the message, or is not in the input{counted}"
    if pod.standing == "nodes_differ" and pod.compared is not None:
        real_nodes = plural(pod.compared.real_nodes, "node")
        return f"the real scheduler counted {real_nodes}, the input has {pod.compared.our_nodes:,}"
    if pod.standing == "no_message":
        return "neither a condition PodScheduled nor an event FailedScheduling is in the input"
    if pod.standing == "decided":
        return "by the input it has a node, where its room is held, and waits for its volumes"
    if pod.standing == "not_recognised":
        return "the message is of no form that is known"
    return ""


def unknowns(figures: AgreementFigures) -> Iterator[tuple[str, str]]:
    """(subject, sentence) of what cannot be known from a snapshot, or is not compared."""
    if figures.order == "snapshot":
        yield "Order of arrivals", "Each pod is decided against all others as they are now, not as they were."
    else:
        yield "Pods that have gone", "Pods are put in one after another; those that were deleted since are missing."
    if figures.scored is None:
        yield "Sampling", f"{plural(figures.n_nodes, 'node')}: all that fit are scored, by the real scheduler too."
    else:
        yield (
            "Sampling",
            f"Of {plural(figures.n_nodes, 'node')} the real scheduler scores the first {figures.scored:,} that fit; a "
            "lower rank is to be expected then.",
        )
    yield "Draw among equals", "Of nodes with the same total one is drawn, so any of them agrees."
    if figures.n_gone:
        more = f" and {figures.n_gone - len(figures.gone):,} more" if figures.n_gone > len(figures.gone) else ""
        pods = "pod has" if figures.n_gone == 1 else "pods have"
        yield (
            "Preempted",
            f"By the events, {figures.n_gone:,} preempted {pods} gone and left room: {', '.join(figures.gone)}{more}.",
        )
    if figures.n_finished:
        yield f"Finished pods: {figures.n_finished:,}", "They have succeeded or failed and take no room; not compared."
    for standing, (subject, text) in _NOT_COMPARED.items():
        count = figures.counted(standing)
        if count:
            yield f"{subject}: {count:,}", text
    for doubt in figures.doubts:
        yield "Not played", f"{doubt.text[:1].upper()}{doubt.text[1:]}."


_NOT_COMPARED: dict[Standing, tuple[str, str]] = {
    "static": ("Static pods", "A kubelet runs them; no scheduler placed them, so they are not compared."),
    "other_scheduler": ("Other schedulers", "No profile of the configuration has their schedulerName; not compared."),
    "no_node": ("Unknown nodes", "The nodes that they are bound to are not in the input; not compared."),
    "undecided": ("Errors", "Their attempts ended in errors; not compared."),
}
