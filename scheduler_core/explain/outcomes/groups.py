"""Groups of pods in words: title, evidence, the scarce resource, the plugins that refused, and what else holds them."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import msgspec

from scheduler_core.explain.outcomes import node_texts
from scheduler_core.explain.outcomes.members import Members, Text
from scheduler_core.explain.outcomes.model import Group
from scheduler_core.explain.outcomes.nodes import NodeColumns
from scheduler_core.explain.outcomes.tally import LOST, PREEMPTED, OutcomesTally
from scheduler_core.explain.outcomes.texts import listed, most, sentence, strong
from scheduler_core.recording.times import span


# --- pods that no node refused -----------------------------------------------------------------------------------
def untried_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    lanes = [entry.lane for one in members.records if (entry := tally.state.queue.get(one.pod)) is not None]
    names = {
        "active": "In activeQ",
        "in_flight": "In flight",
        "backoff": "In backoffQ",
        "unschedulable": "Among the unschedulable pods",
    }
    said = most([names.get(lane, lane) for lane in lanes], 3)
    return Text("Not decided yet", sentence(said or "They never came to the queue", "."))


def no_profile_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    has = listed(sorted(tally.objects.profiles), "and")
    return Text(f"No profile schedules for {members.reason.what[0]}", sentence(f"The configuration has {has}."))


def binding_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    return Text("Being bound", sentence("A node is chosen; binding is not over."))


def nominated_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    nodes = [tally.state.nominations[one.pod] for one in members.records]
    return Text("Nominated, waiting for victims to leave", sentence(f"To {most(nodes)}."))


def decided_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    nodes = [tally.state.placements[one.pod].node for one in members.records]
    return Text("Decided by the input, waiting for volumes", sentence(f"Their room is held on {most(nodes)}."))


def rejected_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    who = listed(members.reason.plugins, "and") or "A plugin"
    return Text(f"{who} rejected them after a node was chosen", sentence(members.latest.message))


def raised_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    plugin, error, point = members.reason.what
    failure = members.latest.failure or next(one.failure for one in members.records if one.failure)
    return Text(f"{plugin} raised {error}", sentence(f"At {point}: ", strong(failure.message or error)))


def failed_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    who = f"{listed(members.reason.what, 'and')} failed" if members.reason.what else "The attempt failed"
    return Text(who, sentence(strong(members.latest.message)))


def gates_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    gates = members.reason.what
    if not gates:
        return Text(f"Held by {listed(members.reason.plugins) or 'a plugin'} at PreEnqueue")
    one = len(gates) == 1
    title = f"Scheduling gate{'' if one else 's'} {listed(gates, 'and')}"
    return Text(title, sentence(f"They come to the queue when {'it is' if one else 'all are'} removed."))


def permit_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    waiting = [tally.state.waiting[one.pod] for one in members.records]
    left = max(min(one.deadline for one in waiting) - tally.state.at, 0)
    title = f"{listed(members.reason.plugins, 'and') or 'A plugin'} holds them at Permit"
    return Text(title, sentence(f"The first is timed out in {span(left)}."))


# --- pods that have a node, or left ------------------------------------------------------------------------------
def preempted_text(title: str) -> Callable[[OutcomesTally, NodeColumns, Members], Text]:
    def text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
        by = [one.cause.removeprefix(PREEMPTED).rpartition("/")[2] for one in members.records]
        cycles = sorted({one.preempted_in for one in members.records if one.preempted_in})
        at = f", in cycle {cycles[0]:,}" if len(cycles) == 1 else f", cycles {cycles[0]:,} to {cycles[-1]:,}"
        there = sum(one.exists for one in members.records)
        leaving = f" {there:,} of them still terminate." if there else ""
        return Text(title, sentence("By ", strong(most(by)), f"{at if cycles else ''}.{leaving}"))

    return text


def lost_text(title: str) -> Callable[[OutcomesTally, NodeColumns, Members], Text]:
    def text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
        nodes = [one.cause.removeprefix(LOST) for one in members.records]
        return Text(title, sentence("On ", strong(most(nodes, 3)), "."))

    return text


def bound_text(title: str, text: str) -> Callable[[OutcomesTally, NodeColumns, Members], Text]:
    return lambda tally, columns, members: Text(title, sentence(text))


def removed_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    return Text("Removed by their owner", sentence(f"{members.reason.what[0]}."))


def deleted_text(tally: OutcomesTally, columns: NodeColumns, members: Members) -> Text:
    why = members.reason.what[0] if members.reason.what else ""
    return Text("Deleted", sentence(f"{why[:1].upper()}{why[1:]}." if why else "By the run's inputs."))


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
    "untried": untried_text,
    "no profile": no_profile_text,
    "binding": binding_text,
    "nominated": nominated_text,
    "decided": decided_text,
    "rejected": rejected_text,
    "raised": raised_text,
    "failed": failed_text,
    "gates": gates_text,
    "permit": permit_text,
    "replaced": preempted_text("Preempted, replaced by their owners"),
    "not replaced": preempted_text("Preempted and not replaced"),
    "unknown": preempted_text("Preempted; whether they were replaced is not recorded"),
    "lost, replaced": lost_text("Lost with their node, replaced by their owners"),
    "lost, not replaced": lost_text("Lost with their node and not replaced"),
    "lost, unknown": lost_text("Lost with their node; whether they were replaced is not recorded"),
    "bound": bound_text("Bound", "By this run."),
    "was bound": bound_text("Bound without this run", "They had a node when they came."),
    "completed": bound_text("Ran to completion", "They left when they were done."),
    "removed": removed_text,
    "deleted": deleted_text,
}
