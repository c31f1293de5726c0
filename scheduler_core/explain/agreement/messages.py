"""Parses the FailedScheduling messages of several kube-scheduler versions, and compares them by count.

The form is that of framework/types.go FitError: ``0/N nodes are available: COUNT REASON, ... . PostFilter's message``.
Older versions word reasons differently, so their meanings are compared:

- a taint not tolerated: ``had untolerated taint(s)`` (1.34.2 and later), ``had untolerated taint {key: value}`` (1.24
  to 1.34.1), ``had taint {key: value}, that the pod didn't tolerate`` and ``had taints that the pod didn't tolerate``
  (before);
- node affinity and selector, pod affinity, volumes: see ``_FORMER``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

MAX_MESSAGE = 32_768
"""Characters of a message that are read: more does not fit a condition (apimachinery's schema of Condition)."""
_MAX_REASONS = 1_000
UNTOLERATED = "node(s) had untolerated taint(s)"
_HEADER = re.compile(r"0/(\d{1,7}) nodes are available:?\s*")
_ENTRY = re.compile(r"(?:^|, )(\d{1,7}) (?=\S)")
_TAINT = re.compile(r"node\(s\) had (?:untolerated )?taint \{([^{}]*)\}(?:, that the pod didn't tolerate)?$")
_TAINT_UNNAMED = {"node(s) had taints that the pod didn't tolerate", "node(s) had untolerated taint", UNTOLERATED}
_AFFINITY = "node(s) didn't match Pod's node affinity/selector"
_FORMER = {
    "node(s) didn't match node selector": _AFFINITY,
    "node(s) didn't match Pod's node affinity": _AFFINITY,
    "node(s) had volume node affinity conflict": "node(s) didn't match PersistentVolume's node affinity",
    "node(s) had volume node affinity/selector conflict": "node(s) didn't match PersistentVolume's node affinity",
}
_SUMMARIES = {
    "node(s) didn't match pod affinity/anti-affinity",
    "node(s) didn't match pod affinity/anti-affinity rules",
}
"""What releases before 1.21 said of each node besides the rule that it did not match."""
_PREEMPTION = "preemption: "


class ParsedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """``nodes`` counted in all. ``reasons`` {reason as it was written: nodes}; ``whole`` is the reason that counts for
    the pod as a whole instead (PreFilter's). ``preempting``: the same of preemption, None where nothing is said of it;
    ``ineligible``: what is said instead of counts."""

    nodes: int
    reasons: Mapping[str, int] = {}
    whole: str = ""
    preempting: Mapping[str, int] | None = None
    ineligible: str = ""


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


def parse_message(text: str) -> ParsedMessage | None:
    """The message's parts; None where it is of no known form."""
    text = " ".join(text[:MAX_MESSAGE].split())
    header = _HEADER.match(text)
    if header is None:
        return None
    body, rest = _split(text[header.end() :])
    reasons = _counts(body)
    whole = "" if reasons else body
    preempting, ineligible = _preemption(rest)
    return ParsedMessage(
        nodes=int(header[1]), reasons=reasons, whole=whole, preempting=preempting, ineligible=ineligible
    )


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


def _split(text: str) -> tuple[str, str]:
    """What filters said, without its full stop, and what PostFilter said."""
    if text.startswith(_PREEMPTION):
        return "", text
    body, _, rest = text.partition(". ")
    return body.rstrip("."), rest


def _counts(body: str) -> dict[str, int]:
    """{reason: count} of entries "COUNT REASON", which are separated by commas, as some reasons' parts are too."""
    counts: dict[str, int] = {}
    entries = list(_ENTRY.finditer(body))[:_MAX_REASONS]
    if not entries or entries[0].start() != 0:
        return {}
    ends = [entry.start() for entry in entries[1:]] + [len(body)]
    for entry, end in zip(entries, ends, strict=True):
        reason = body[entry.end() : end].strip()
        counts[reason] = counts.get(reason, 0) + int(entry[1])
    return counts


def _preemption(rest: str) -> tuple[dict[str, int] | None, str]:
    _, there, said = rest.partition(_PREEMPTION)
    if not there:
        return None, ""
    header = _HEADER.match(said)
    if header is None:
        return {}, said.rstrip(". ")
    return _counts(said[header.end() :].rstrip(". ")), ""


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
    detailed = any("affinity rules" in reason for reason in counts if reason not in _SUMMARIES)
    for reason, count in counts.items():
        if reason in _SUMMARIES and detailed:
            continue
        meaning = _meaning(reason, named)
        meanings[meaning] = meanings.get(meaning, 0) + count
        if meaning != reason:
            former[meaning] = reason
    return meanings, former


def _meaning(reason: str, named: bool) -> str:
    if not _is_taint(reason):
        return _FORMER.get(reason, reason)
    return f"node(s) had untolerated taint {{{_taint(reason)}}}" if named else UNTOLERATED


def _is_taint(reason: str) -> bool:
    return reason in _TAINT_UNNAMED or _TAINT.match(reason) is not None


def _taint(reason: str) -> str:
    """ "key: value" of the taint that a reason names, "" where it names none."""
    match = _TAINT.match(reason)
    return match[1].strip() if match else ""
