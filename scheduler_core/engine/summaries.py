"""Makes the events of the filter, score and selection phases from a cycle's arrays, and those of queue moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.world import World
from scheduler_core.framework.contracts.extending.hooks import ExtendedFilter
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome, Refusals
from scheduler_core.framework.preemption.decision import PreemptionDecision
from scheduler_core.framework.runtime.score_phase import NodeChoice, PluginScores, ScoreOutcome, StatusOfPlugin
from scheduler_core.queue.types import BACKOFF, ERROR_BACKOFF, Cause, QueuedPod
from scheduler_core.recording import events as ev

_SAME_FIELDS = tuple(
    name for name in PreemptionDecision.__struct_fields__ if name not in ("not_candidates", "calls", "before")
)

SHOWN_WORKLOADS = 3


def outcome(pending: int, short: Sequence[ev.Missing], bare_gone: int, stuck: Sequence[str] = ()) -> str:
    """The sentence on a run that ended because nothing more can happen.

    It counts pods still pending, replicas that were never created, and evicted or lost pods without an owner; ``stuck``
    are sentences on rollouts that do not go on, whose pods are not counted as pending beside."""
    unmade = [one for one in short if one.unmade]
    parts = [_unmade(unmade)] if unmade else []
    if pending:
        who = "it" if pending == 1 else "each"
        tried = f"{who} was tried since the last change of the cluster, is gated or foreign"
        parts.append(f"{'1 pod stays' if pending == 1 else f'{pending:,} pods stay'} pending; {tried}")
    if not parts and not stuck:
        parts.append("every pod is bound")
    parts += stuck[:SHOWN_WORKLOADS]
    if len(stuck) > SHOWN_WORKLOADS:
        parts.append(f"{len(stuck) - SHOWN_WORKLOADS:,} more rollouts do not go on")
    if bare_gone:
        gone = (
            "1 pod that no controller makes anew is"
            if bare_gone == 1
            else f"{bare_gone:,} pods that no controller makes anew are"
        )
        parts.append(f"{gone} gone")
    return "; ".join(parts)


def _unmade(short: Sequence[ev.Missing]) -> str:
    total = sum(one.unmade for one in short)
    named = [
        f"{one.workload} has {one.bound:,} of {one.desired:,}{f' ({one.why})' if one.why else ''}" for one in short
    ]
    more = f" and {len(named) - SHOWN_WORKLOADS:,} more workloads" if len(named) > SHOWN_WORKLOADS else ""
    are = "1 replica is" if total == 1 else f"{total:,} replicas are"
    return f"{are} missing: {', '.join(named[:SHOWN_WORKLOADS])}{more}"


def statuses(answers: Iterable[StatusOfPlugin]) -> tuple[ev.PluginStatus, ...]:
    """Plugin answers as recorded; node sets sorted by name."""
    return tuple(
        ev.PluginStatus(name, int(status.code), status.reasons, None if nodes is None else tuple(sorted(nodes)))
        for name, status, nodes in answers
    )


def filtered_event(now: int, cycle: int, outcome: FilterOutcome) -> ev.NodesFiltered:
    """The event with how many nodes were examined and fit, and how many each plugin was the first to refuse."""
    n_visited = len(outcome.visited)
    return ev.NodesFiltered(
        at=now,
        cycle=cycle,
        visited=n_visited,
        feasible=len(outcome.feasible) if outcome.extended is None else len(outcome.extended.names),
        refusals=_refusals(groups) if (groups := outcome.refusals()) else (),
        absent=max(0, outcome.n_absent) if outcome.absent is not None else 0,
        start=outcome.start,
        next_start=outcome.next_start,
        nominated_only=outcome.nominated_only,
    )


def _refusals(groups: Refusals) -> tuple[ev.Refusal, ...]:
    """Refusals as recorded, those of most nodes first."""
    refusals = [ev.Refusal(plugin, int(code), reasons, count) for (plugin, code, reasons), count in groups.items()]
    return tuple(sorted(refusals, key=lambda r: (-r.count, r.plugin, r.code, r.reasons)))


def extenders_filtered_event(
    now: int, cycle: int, extended: ExtendedFilter, names: Iterable[str]
) -> ev.ExtendersFiltered:
    """The calls of extenders, and the feasible nodes beyond those of the frame; ``names`` are all nodes."""
    once, more = set(names), []
    for name in extended.names:
        if name in once:
            once.discard(name)
        else:
            more.append(name)
    return ev.ExtendersFiltered(at=now, cycle=cycle, calls=tuple(extended.calls), more=tuple(sorted(more)))


def scored_event(now: int, cycle: int, scores: ScoreOutcome, selection: NodeChoice) -> ev.NodesScored:
    """Each score plugin's normaliser, and its values for winner and runner-up."""
    table, winner, second = scores.table, selection.row, selection.second
    if table is not None:
        compared = table.compare(winner, second)
    else:
        compared = [_compared(plugin, scores, selection) for plugin in scores.plugins]
    summaries = map(_summary, scores.plugins, compared)
    return ev.NodesScored(at=now, cycle=cycle, plugins=tuple(summaries))


Compared = tuple[int, int, int, int, bool]
"""Raw and normalised score of the winner, of the runner-up (-1 where there is none), and whether the plugin decided."""


def _compared(plugin: PluginScores, scores: ScoreOutcome, selection: NodeChoice) -> Compared:
    raw, norm, winner, second = plugin.raw, plugin.norm, selection.row, selection.second
    given, has_second = norm.item(winner), second >= 0
    return (
        raw.item(winner),
        given,
        raw.item(second) if has_second else -1,
        norm.item(second) if has_second else -1,
        # a plugin that gave the winner its lowest score decided nothing
        given != plugin.lowest and _decided(plugin, scores, selection),
    )


def _summary(plugin: PluginScores, compared: Compared) -> ev.ScoreSummary:
    raw, given, raw_second, given_second, decided = compared
    normalization, score = plugin.normalization, plugin.lowest
    if score == plugin.highest:
        scored = plugin.plugin, plugin.weight, normalization.kind, normalization.params
        return _same_everywhere(scored, raw, score, raw_second, given_second >= 0)
    return ev.ScoreSummary(
        plugin.plugin,
        plugin.weight,
        normalization.kind,
        normalization.params,
        raw,
        given,
        raw_second,
        given_second,
        score,
        plugin.highest,
        plugin.mean,
        decided,
    )


_Scored = tuple[str, int, str, tuple[int, ...]]
"""A score plugin, its weight, and its normaliser's kind and parameters."""


@lru_cache(maxsize=4096)
def _same_everywhere(plugin: _Scored, raw: int, score: int, raw_second: int, has_second: bool) -> ev.ScoreSummary:
    """The summary of a plugin that gave every node the same; there are few of these, so they are made once."""
    given_second = score if has_second else -1
    return ev.ScoreSummary(*plugin, raw, score, raw_second, given_second, score, score, float(score), False)


def _decided(plugin: PluginScores, scores: ScoreOutcome, selection: NodeChoice) -> bool:
    """Whether another node would have won without the plugin.

    The runner-up answers most cases: it wins, or is too far behind. Else the totals of all nodes are compared."""
    winner, weight, second = selection.row, plugin.weight, selection.second
    rest = selection.total - weight * plugin.norm.item(winner)
    if second < 0 or selection.second_total - weight * plugin.lowest <= rest:
        return False
    if selection.second_total - weight * plugin.norm.item(second) > rest:
        return True
    without = scores.totals - (plugin.norm if weight == 1 else weight * plugin.norm)
    return bool(without.item(without.argmax()) > without.item(winner))


def host_event(now: int, cycle: int, cluster: Cluster, node: str, selection: NodeChoice | None) -> ev.HostSelected:
    """The node chosen, with the tie set as a bitmap over node-table rows."""
    second = cluster.name_of(selection.second) if selection is not None and selection.second >= 0 else ""
    return host_event_named(now, cycle, node, second, selection)


def host_event_named(now: int, cycle: int, node: str, second: str, selection: NodeChoice | None) -> ev.HostSelected:
    """The same with the runner-up by name, "" where there is none."""
    if selection is None:
        return ev.HostSelected(at=now, cycle=cycle, node=node)
    return ev.HostSelected(
        at=now,
        cycle=cycle,
        node=node,
        total=selection.total,
        second=second,
        second_total=selection.second_total,
        tie_count=selection.tie_count,
        ties=selection.ties,
    )


def queue_move(now: int, queued: QueuedPod, source: str, cause: Cause, uid: str = "") -> ev.QueueMove:
    """The event of a move reported by the queue; the pod is in its new lane already. ``uid`` as events have it."""
    lane = queued.lane
    return ev.QueueMove(
        at=now,
        pod=queued.key,
        source=source,
        target=lane,
        event=cause.event,
        plugin=cause.plugin,
        priority=queued.pod.priority,
        timestamp=queued.timestamp,
        attempts=queued.attempts,
        unschedulable_count=queued.unschedulable_count,
        error_count=queued.error_count,
        backoff_until=queued.backoff_until if lane in (BACKOFF, ERROR_BACKOFF) else None,
        plugins=queued.unschedulable_plugins,
        pending_plugins=queued.pending_plugins,
        gated_by=queued.gated_by,
        in_flight_event=cause.in_flight_event,
        uid=uid,
    )


def preemption_event(world: World, cycle: int, info: PodInfo, decision: PreemptionDecision) -> ev.PreemptionDecided:
    """The decision on behalf of the pod as an event."""
    concerned = [*decision.chosen.victims, *decision.chosen.reprieved] if decision.chosen else []
    infos = world.cluster.pods
    return ev.PreemptionDecided(
        at=world.now(),
        cycle=cycle,
        pod=info.key,
        uids=world.later_uids([info, *[infos[key] for key in concerned]]),
        not_candidates=tuple(
            [ev.Refusal(n.plugin, n.code, n.reasons, n.count, n.rows) for n in decision.not_candidates]
        ),
        **{name: getattr(decision, name) for name in _SAME_FIELDS},
    )


def extenders_preempted_event(
    world: World, cycle: int, info: PodInfo, decision: PreemptionDecision
) -> ev.ExtendersPreempted:
    """The calls of extenders that the decision rests on, with the candidates that they were shown."""
    return ev.ExtendersPreempted(
        at=world.now(), cycle=cycle, pod=info.key, packed=decision.before, calls=decision.calls
    )
