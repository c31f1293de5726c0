"""Compares FailedScheduling messages of several kube-scheduler versions by count.

Versions word reasons differently, so their meanings are compared: the table of texts (explain/messages) says how
v1.34.2 and later word each of them. Taints are compared by key and value where both messages name them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from scheduler_core.explain.messages.parsing import ParsedMessage
from scheduler_core.explain.messages.table import TEXTS, UNTOLERATED

_TAINT = re.compile(r"node\(s\) had (?:untolerated )?taint \{([^{}]*)\}(?:, that the pod didn't tolerate)?$")


class ComparedReason(msgspec.Struct, frozen=True):
    """A reason as 1.34 words it, and how many nodes give it by the real message and by ours; ``former``: the real
    message words it otherwise."""

    reason: str
    real: int
    ours: int
    former: str = ""

    @property
    def is_equal(self) -> bool:
        """Whether both count the same."""
        return self.real == self.ours


class MessageComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Both messages, reason by reason; ``preempting`` is empty where the real one says nothing of preemption."""

    real_nodes: int
    our_nodes: int
    reasons: tuple[ComparedReason, ...] = ()
    preempting: tuple[ComparedReason, ...] = ()

    @property
    def reasons_equal(self) -> bool:
        """Whether all reasons of filters count the same."""
        return all(row.is_equal for row in self.reasons)

    @property
    def preempting_equal(self) -> bool:
        """Whether what is said of preemption is the same, or nothing is said of it by the real message."""
        return all(row.is_equal for row in self.preempting)


def compare_messages(real: ParsedMessage, ours: ParsedMessage) -> MessageComparison:
    """Reason by reason, those of the real message first."""
    preempting: tuple[ComparedReason, ...] = ()
    if real.preempting is not None:
        if real.ineligible or ours.ineligible:
            preempting = _rows(_as_count(real.ineligible, real.nodes), _as_count(ours.ineligible, ours.nodes))
        else:
            preempting = _rows(real.preempting, ours.preempting or {})
    return MessageComparison(
        real_nodes=real.nodes,
        our_nodes=ours.nodes,
        reasons=_rows(
            {**real.reasons, **_as_count(real.whole, real.nodes)}, {**ours.reasons, **_as_count(ours.whole, ours.nodes)}
        ),
        preempting=preempting,
    )


def _as_count(text: str, nodes: int) -> dict[str, int]:
    return {text: nodes} if text else {}


def _rows(real: Mapping[str, int], ours: Mapping[str, int]) -> tuple[ComparedReason, ...]:
    named = all(_taint(reason) for counts in (real, ours) for reason in counts if _is_taint(reason))
    a, former = _meanings(real, named)
    b, _ = _meanings(ours, named)
    return tuple(
        ComparedReason(reason, a.get(reason, 0), b.get(reason, 0), former.get(reason, "")) for reason in {**a, **b}
    )


def _meanings(counts: Mapping[str, int], named: bool) -> tuple[dict[str, int], dict[str, str]]:
    """{reason as worded today: nodes}, and the former words of those that were worded otherwise."""
    meanings: dict[str, int] = {}
    former: dict[str, str] = {}
    detailed = any("affinity rules" in reason for reason in counts if not _is_summary(reason))
    for reason, count in counts.items():
        if detailed and _is_summary(reason):
            continue
        meaning = _meaning(reason, named)
        meanings[meaning] = meanings.get(meaning, 0) + count
        if meaning != reason:
            former[meaning] = reason
    return meanings, former


def _meaning(reason: str, named: bool) -> str:
    meaning = _now(reason)
    return f"node(s) had untolerated taint {{{_taint(reason)}}}" if named and meaning == UNTOLERATED else meaning


def _now(reason: str) -> str:
    match = TEXTS.find(reason)
    return reason if match is None else match.row.now or reason


def _is_summary(reason: str) -> bool:
    """Whether the reason says of a node what another one says in detail."""
    match = TEXTS.find(reason)
    return match is not None and match.row.summary


def _is_taint(reason: str) -> bool:
    return _now(reason) == UNTOLERATED


def _taint(reason: str) -> str:
    """ "key: value" of the taint that a reason names, "" where it names none."""
    match = _TAINT.match(reason)
    return match[1].strip() if match else ""
