"""The changes of the cluster between two attempts of a pod, and the differences between their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.explain.pending.model import Between, PendingAttempt
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader

_NAMED = 2
_OF_NODES = ("added", "updated", "deleted")
_PODS_WERE = ("preempted", "deleted", "completed", "updated", "created", "bound")


def between_all(reader: RecordingReader, attempts: Sequence[PendingAttempt]) -> tuple[Between, ...]:
    """What changed between each two of these attempts, in order."""
    return tuple(between(reader, *pair) for pair in pairwise(attempts))


def between(
    reader: RecordingReader, earlier: PendingAttempt, later: PendingAttempt, most_events: int | None = None
) -> Between:
    """What changed from the end of one attempt to the begin of the next; reads the events between them, unless there
    are more than ``most_events``."""
    first, end = earlier.last_seq + 1, later.first_seq
    is_read = most_events is None or end - first <= most_events
    events = reader.select_events(first, end, ev.ObjectChanged, ev.Bound) if is_read else ()
    return Between(
        after=earlier.number,
        before=later.number,
        span_us=later.at - earlier.at,
        changes=describe_changes(event for _, event in events),
        same_verdicts=bool(later.refusals) and _verdicts(earlier) == _verdicts(later),
        verdicts=_difference(earlier, later),
        is_read=is_read,
    )


# --- verdicts ------------------------------------------------------------------------------------------------------
def _difference(earlier: PendingAttempt, later: PendingAttempt) -> str:
    """How the refusals differ, in numbers of nodes; "" where either attempt refused no node."""
    counts, then = _counts(earlier), _counts(later)
    if not counts or not then:
        return ""
    if counts == then:
        total = counts.total()
        return f"The same plugins refused {'the one node' if total == 1 else f'as many of the {total:,} nodes'}."
    by_plugin, by_plugin_then = _by_plugin(counts), _by_plugin(then)
    changed = [
        f"{plugin} {by_plugin[plugin]:,} to {by_plugin_then[plugin]:,}"
        for plugin in sorted({*by_plugin, *by_plugin_then})
        if by_plugin[plugin] != by_plugin_then[plugin]
    ]
    if not changed:
        return "The same plugins refused as many nodes, for other reasons."
    return f"Nodes refused: {listed(changed, 'and')}."


def _verdicts(attempt: PendingAttempt) -> tuple[object, ...]:
    return attempt.outcome, attempt.n_nodes, _counts(attempt)


def _counts(attempt: PendingAttempt) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for one in attempt.refusals:
        counts[one.plugin, ", ".join(one.reasons)] += one.count
    return counts


def _by_plugin(counts: Counter[tuple[str, str]]) -> Counter[str]:
    nodes_by_plugin: Counter[str] = Counter()
    for (plugin, _), nodes in counts.items():
        nodes_by_plugin[plugin] += nodes
    return nodes_by_plugin


# --- objects -------------------------------------------------------------------------------------------------------
def describe_changes(events: Iterable[ev.Event]) -> tuple[str, ...]:
    """What happened to nodes, to pods and to other objects: ("node x added", "3 pods left", "PersistentVolume v
    added")."""
    nodes: dict[str, list[str]] = {}
    pods: Counter[str] = Counter()
    others: dict[tuple[str, str], list[str]] = {}
    for event in events:
        if isinstance(event, ev.Bound):
            pods["bound"] += 1
        elif isinstance(event, ev.ObjectChanged) and event.kind == "Node":
            nodes.setdefault(event.action, []).append(event.key)
        elif isinstance(event, ev.ObjectChanged) and event.kind == "Pod":
            pods[_became(event)] += 1
        elif isinstance(event, ev.ObjectChanged):
            others.setdefault((event.kind, event.action), []).append(event.key)
    lines = [_named("node", "nodes", action, nodes[action]) for action in _OF_NODES if action in nodes]
    lines += [f"{plural(pods[what], 'pod')} {what}" for what in _PODS_WERE if pods[what]]
    lines += [_named(kind, f"{kind}s", action, keys) for (kind, action), keys in sorted(others.items())]
    return tuple(lines)


def _became(event: ev.ObjectChanged) -> str:
    """The name under which a pod's change is counted; "" for an intermediate step of a change counted elsewhere."""
    if event.action == "added":
        return "created"
    if event.cause == "completed":
        return "completed"
    if event.action == "deleted":
        return "preempted" if event.cause.startswith("preempted") else "deleted"
    is_step = event.cause == "binding" or event.cause.startswith("preempted")
    return "" if is_step else "updated"


def _named(one: str, several: str, action: str, keys: Sequence[str]) -> str:
    """ "node x added", "3 nodes updated: a, b, …" """
    distinct = list(dict.fromkeys(keys))
    if len(distinct) == 1:
        return f"{one} {distinct[0]} {action}"
    more = ", …" if len(distinct) > _NAMED else ""
    return f"{len(distinct):,} {several} {action}: {', '.join(distinct[:_NAMED])}{more}"
