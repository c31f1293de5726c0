"""Why a pod is pending, from what was recorded of it: reason, evidence, groups of nodes, attempts and what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import PODS
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.nodes import where_of
from scheduler_core.explain.outcomes.objects import RunObjects, counted
from scheduler_core.explain.outcomes.reasons import FIT, SELECTING
from scheduler_core.explain.outcomes.words import PLUGIN_TITLES, plural
from scheduler_core.explain.pending.groups import Usage, groups_of
from scheduler_core.explain.pending.history import AttemptHistory
from scheduler_core.explain.pending.model import Between, DominantReason, PendingAttempt, RefusedNodeGroup, WhyPending
from scheduler_core.explain.shortfalls import counts_against
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import RunState

_PASSED = ("pods bound", "pods left", "pods preempted", "nodes added", "nodes changed", "nodes deleted")


def why_pending(reader: RecordingReader, history: AttemptHistory, attempt: int = 0) -> WhyPending:
    """The answer as of the history's seq; groups are those of attempt number ``attempt`` (0: the last).

    Raises ValueError, saying how many there are, for an attempt that is not there.
    """
    state = reader.state_at(history.seq)
    shown = _chosen(history, attempt)
    groups = () if shown is None else _groups(reader, history, shown)
    name, node = _state(history, state)
    return WhyPending(
        pod=history.pod,
        seq=history.seq,
        at=state.at,
        state=name,
        because=_because(history, groups, state, name),
        attempts=tuple(history.attempts),
        between=tuple(_between(history, i) for i in range(len(history.attempts) - 1)),
        groups=groups,
        message=shown.message if shown is not None else "",
        node=node,
    )


def _chosen(history: AttemptHistory, attempt: int) -> PendingAttempt | None:
    if not attempt:
        return history.attempts[-1] if history.attempts else None
    found = next((one for one in history.attempts if one.number == attempt), None)
    if found is None:
        raise ValueError(f"{history.pod} was tried {plural(len(history.attempts), 'time')}, not {attempt:,}")
    return found


def _state(history: AttemptHistory, state: RunState) -> tuple[str, str]:
    """(what the pod is, its node)."""
    placement, entry = state.placements.get(history.pod), state.queue.get(history.pod)
    if history.pod in state.gone and placement is None and entry is None:
        return "gone", ""
    if placement is not None:
        return "placed", placement.node
    if entry is not None and entry.lane == "gated":
        return "gated", ""
    if history.object is None:
        return "unknown", ""
    return ("pending" if history.attempts else "untried"), ""


# --- groups --------------------------------------------------------------------------------------------------------
def _groups(reader: RecordingReader, history: AttemptHistory, attempt: PendingAttempt) -> tuple[RefusedNodeGroup, ...]:
    nodes, pods = history.found[history.attempts.index(attempt)]
    frame, pod = reader.frame(attempt.cycle), pods.get(history.pod)
    if frame is None or pod is None:
        return ()
    before = reader.state_at(attempt.first_seq)
    names = before.names_by_row()
    names += [""] * (frame.n_rows - len(names))
    requests = dict(history.objects.requests(pod))
    return groups_of(frame, names, nodes, usage_of(before, history.objects, pods, pod), pod, requests)


def usage_of(state: RunState, objects: RunObjects, pods: Mapping[str, Pod], pod: Pod) -> Usage:
    """What is requested of each node in the state by these versions of the pods, slots of pods as "pods".

    With the pods that are nominated there and count against ``pod``, as the filter phase counts them.
    """
    at = [(key, placement.node) for key, placement in state.placements.items()]
    for key, node in state.nominations.items():
        rival = pods.get(key) if key not in state.placements else None
        if rival is not None and counts_against(pod, rival):
            at.append((key, node))
    usage: dict[str, dict[str, int]] = {}
    for key, node in at:
        sums = usage.setdefault(node, {})
        for name, value in counted(objects.requests(pods.get(key))):
            sums[name] = sums.get(name, 0) + value
    return usage


# --- the dominant reason -------------------------------------------------------------------------------------------
def dominant(attempt: PendingAttempt) -> str:
    """The plugin that refused most of the nodes that the pod's selectors allow; "" where none refused a node."""
    counts: Counter[str] = Counter()
    for one in attempt.refusals:
        counts[one.plugin] += one.count
    others = {plugin: count for plugin, count in counts.items() if plugin not in SELECTING}
    ranked = sorted((others or counts).items(), key=lambda item: (-item[1], item[0]))
    return ranked[0][0] if ranked else ""


def _because(
    history: AttemptHistory, groups: tuple[RefusedNodeGroup, ...], state: RunState, name: str
) -> DominantReason:
    failed = [one for one in history.attempts if one.outcome != "scheduled"]
    if name == "placed":
        return DominantReason("It has a node", (), "")
    if name == "gone":
        cause = state.gone.get(history.pod, "")
        return DominantReason("It is gone", (cause,) if cause else (), "")
    if name == "gated":
        gate = state.queue[history.pod].gated_by
        return DominantReason(f"{gate} holds it back, so it is not tried", (), f"Take away what {gate} waits for", gate)
    if not failed:
        return DominantReason(_untried(history), (), "")
    plugins = Counter(map(dominant, failed))
    plugin = max(plugins, key=lambda one: (plugins[one], one == dominant(failed[-1])))
    told = [group for group in groups if group.plugin == plugin]
    title, evidence, step = _told(history, plugin, told, failed[-1])
    return DominantReason(title, evidence, step, plugin, plugins[plugin], len(failed))


def _untried(history: AttemptHistory) -> str:
    pod = history.object
    profiles = {one.scheduler_name for one in history.inputs.configuration.profiles}
    if pod is not None and pod.scheduler_name not in profiles:
        return f"It is for another scheduler: {pod.scheduler_name}"
    return "It was not tried yet"


def _told(
    history: AttemptHistory, plugin: str, groups: list[RefusedNodeGroup], last: PendingAttempt
) -> tuple[str, tuple[str, ...], str]:
    """Title, evidence and next step."""
    allowed = where_of(history.object) if history.object is not None else None
    which = f" that it may use ({allowed.text})" if allowed is not None and allowed.text else ""
    evidence = tuple(group.words for group in groups)
    if not plugin:
        plugins = ", ".join(last.plugins)
        title = f"{plugins} refused the pod before any node was looked at" if plugins else "The attempt failed"
        return title, (last.message,), ""
    if plugin == FIT and groups:
        names = ", ".join(dict.fromkeys(one.resource for group in groups for one in group.free))
        return f"No node{which} has enough free: {names}", evidence, _room_step(groups)
    if plugin in SELECTING:
        return "No node has the labels or the name that it asks for", evidence, "Label a node so, or widen the selector"
    title = PLUGIN_TITLES.get(plugin, f"{plugin} allows no node").replace("the pods do not", "the pod does not")
    return title.replace("Their", "Its").replace("their", "its"), evidence, ""


def _room_step(groups: list[RefusedNodeGroup]) -> str:
    """For the node that needs the smallest part of the request, of those that lack one resource only."""
    names = " and ".join(dict.fromkeys(one.resource for group in groups for one in group.free))
    if all(group.unresolvable for group in groups):
        return f"Ask for less {names}, or add a larger node: even empty, none is large enough"
    single = [group.free[0] for group in groups if len(group.free) == 1 and not group.unresolvable]
    best = max(single, key=lambda one: one.most_free / one.asked, default=None)
    if best is None or best.most_free < 0:  # nominated pods are promised more than is free
        return f"Free {names} on one of these nodes, or ask for less"
    resource, free = best.resource, max(best.most_free, 0)
    if resource == PODS:
        return "Let a pod leave one of these nodes"
    missing, at_most = amounts(resource, best.asked - best.most_free, free)
    return f"Free {missing} {resource} where most is free" + (f", or ask for at most {at_most}" if free else "")


# --- between attempts ----------------------------------------------------------------------------------------------
def _between(history: AttemptHistory, i: int) -> Between:
    earlier, later = history.attempts[i], history.attempts[i + 1]
    counts = history.between(i)
    ordered = [(what, counts[what]) for what in _PASSED if counts[what]]
    ordered += sorted((what, count) for what, count in counts.items() if what not in _PASSED)
    same = bool(later.refusals) and _verdicts(earlier) == _verdicts(later)
    return Between(earlier.number, later.number, tuple(ordered), same, _change_words(ordered, later, same=same))


def _verdicts(attempt: PendingAttempt) -> tuple[object, ...]:
    return attempt.outcome, attempt.n_nodes, attempt.refusals


def _change_words(counts: list[tuple[str, int]], later: PendingAttempt, *, same: bool) -> str:
    happened = ", ".join(_count_words(what, count) for what, count in counts) or "nothing happened to pods and nodes"
    by = f" ({later.woken_plugin})" if later.woken_plugin else ""
    woken = f"; {later.woken_by}{by} brought it back" if later.woken_by else ""
    verdicts = "; the verdicts stayed the same" if same else "; the verdicts changed"
    return happened + woken + verdicts


def _count_words(what: str, count: int) -> str:
    """ "3 pods left", "1 pod left" """
    return f"{count:,} {what if count > 1 else what.replace('pods', 'pod').replace('nodes', 'node')}"
