"""The message of a scheduling failure, word for word as kube-scheduler writes it (framework/types.go FitError)."""

from __future__ import annotations

from collections import Counter

from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.status import Status

NO_NODES = "no nodes available to schedule pods"


def reason_histogram(outcome: FilterOutcome) -> Counter[str]:
    """How many nodes give each reason; nodes cut off by PreFilter count with the absent status."""
    reasons: Counter[str] = Counter()
    for (_, _, texts), count in outcome.refusals().items():
        for text in texts:
            reasons[text] += count
    if outcome.absent is not None:
        missing = outcome.n_absent
        for text in outcome.absent.reasons if missing > 0 else ():
            reasons[text] += missing
    return reasons


def fit_error(n_nodes: int, outcome: FilterOutcome, pre_filter: Status | None, post_filter: str) -> str:
    """``0/N nodes are available: ...`` with the PreFilter or the filter part, then the PostFilter part."""
    if pre_filter is not None:
        return fit_message(n_nodes, pre_filter.message, {}, post_filter)
    return fit_message(n_nodes, "", reason_histogram(outcome), post_filter)


def fit_message(n_nodes: int, pre_filter: str, reasons: dict[str, int], post_filter: str) -> str:
    """The message from its parts; entries "count reason" are sorted as text."""
    text = f"0/{n_nodes} nodes are available:"
    if pre_filter:
        text += f" {pre_filter}."
    elif reasons:
        text += f" {', '.join(sorted(f'{count} {reason}' for reason, count in reasons.items()))}."
    return f"{text} {post_filter}" if post_filter else text
