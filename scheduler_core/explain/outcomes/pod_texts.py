"""Texts about pods that no node refused: they were not tried, failed, wait, are bound, or left."""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.explain.outcomes.members import Members, Text
from scheduler_core.explain.outcomes.nodes import NodeColumns
from scheduler_core.explain.outcomes.tally import LOST, PREEMPTED, OutcomesTally
from scheduler_core.explain.outcomes.texts import listed, most, sentence, strong


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
    left = max(min(one.deadline for one in waiting) - tally.state.at, 0) / 1_000_000
    title = f"{listed(members.reason.plugins, 'and') or 'A plugin'} holds them at Permit"
    return Text(title, sentence(f"The first is timed out in {left:,.1f} s."))


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
