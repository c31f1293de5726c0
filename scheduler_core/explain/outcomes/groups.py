"""Describes a group of pods: title, evidence, the scarce resource, the plugins that refused."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import msgspec

from scheduler_core.explain.outcomes import node_texts, pod_texts
from scheduler_core.explain.outcomes.members import Members, Text
from scheduler_core.explain.outcomes.model import Group
from scheduler_core.explain.outcomes.nodes import NodeColumns
from scheduler_core.explain.outcomes.tally import OutcomesTally

_BYTES_OF_ID = 4
UNDECIDED = ("untried", "binding", "nominated", "decided")


def new_group(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Group:
    """The group without its counts, which follow from its pods later."""
    reason = members.reason
    text = _TEXTS[reason.sort](tally, columns, members)
    return Group(
        id=blake2b(msgspec.msgpack.encode(reason.key), digest_size=_BYTES_OF_ID).hexdigest(),
        kind=reason.kind,
        title=text.title,
        evidence=text.evidence,
        plugins=reason.plugins,
        scarce=text.scarce,
        hopeless=text.hopeless,
        too_large=text.too_large,
        under_way=reason.sort in UNDECIDED and tally.finished is None,
    )


_TEXTS: dict[str, Callable[[OutcomesTally, NodeColumns, Members], Text]] = {
    "room": node_texts.room_text,
    "size": node_texts.size_text,
    "plugin": node_texts.plugin_text,
    "selector": node_texts.selector_text,
    "before filter": node_texts.before_filter_text,
    "untried": pod_texts.untried_text,
    "no profile": pod_texts.no_profile_text,
    "binding": pod_texts.binding_text,
    "nominated": pod_texts.nominated_text,
    "decided": pod_texts.decided_text,
    "rejected": pod_texts.rejected_text,
    "raised": pod_texts.raised_text,
    "failed": pod_texts.failed_text,
    "gates": pod_texts.gates_text,
    "permit": pod_texts.permit_text,
    "replaced": pod_texts.preempted_text("Preempted, replaced by their owners"),
    "not replaced": pod_texts.preempted_text("Preempted and not replaced"),
    "unknown": pod_texts.preempted_text("Preempted; whether they were replaced is not recorded"),
    "lost, replaced": pod_texts.lost_text("Lost with their node, replaced by their owners"),
    "lost, not replaced": pod_texts.lost_text("Lost with their node and not replaced"),
    "lost, unknown": pod_texts.lost_text("Lost with their node; whether they were replaced is not recorded"),
    "bound": pod_texts.bound_text("Bound", "By this run."),
    "was bound": pod_texts.bound_text("Bound without this run", "They had a node when they came."),
    "completed": pod_texts.bound_text("Ran to completion", "They left when they were done."),
    "removed": pod_texts.removed_text,
    "deleted": pod_texts.deleted_text,
}
