"""The full report on a pending pod, also as lines of text: what ``why`` prints and pages let users copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.choice_text import choice_lines
from scheduler_core.explain.diagnosis.model import Cause, Doubt, NodeGroup, Placement
from scheduler_core.explain.diagnosis.of_run import diagnosis_at
from scheduler_core.explain.diagnosis.placed import placement_of
from scheduler_core.explain.facts import FilterFacts, NodeFacts, ScoreFacts
from scheduler_core.explain.outcomes.texts import plural, quantity
from scheduler_core.explain.pending import (
    AttemptHistory,
    PendingAttempt,
    PreemptionGraph,
    RefusedNodeGroup,
    Taken,
    Wakes,
    WhyPending,
    preemption_chains,
    room_taken,
    what_wakes,
    why_pending,
)
from scheduler_core.explain.pending.own_change import ChangeAnswer
from scheduler_core.explain.pending.wakes import seconds
from scheduler_core.explain.remedies.lines import remedy_lines
from scheduler_core.explain.remedies.model import Remedies
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.rivals.model import WhyNode
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.framework.plugin_helpers.node_selectors import matches_required
from scheduler_core.recording.reader import RecordingReader

_MOST_LINES = 20
_MOST_NAMES = 5


class WhyReport(msgspec.Struct, frozen=True):
    """All that is said of the pod, as printed or given as JSON. ``node``, ``further`` nodes and ``choice`` (the nodes
    beside each other, where the pod was tried) only with --node; ``remedies``, ``taken`` and ``wakes`` only for a pod
    that was tried and waits, ``would`` only with --would. ``preemptions``: those linked to it or to those who took the
    room."""

    pending: WhyPending
    schema: int = 1
    cause: Cause | None = None
    placement: Placement | None = None
    doubts: tuple[Doubt, ...] = ()
    nodes: tuple[NodeGroup, ...] = ()
    node: NodeFacts | None = None
    further: tuple[NodeFacts, ...] = ()
    choice: WhyNode | None = None
    remedies: Remedies | None = None
    taken: Taken | None = None
    preemptions: PreemptionGraph = PreemptionGraph()
    wakes: Wakes | None = None
    would: tuple[ChangeAnswer, ...] = ()


def report_of(
    reader: RecordingReader,
    inputs: RunInputs,
    history: AttemptHistory,
    attempt: int,
    is_over: Callable[[], bool],
    extenders: ExtenderSource | None = None,
) -> WhyReport:
    """The report as of the history's seq, without the facts on a node; changes are tried until ``is_over``, with
    ``extenders`` to answer for those of the configuration. Raises ValueError for an attempt that is not there.
    """
    pending = why_pending(reader, history, attempt)
    trials = TrialsOf(reader, inputs, extenders)
    found = diagnosis_at(trials, history, _shown(pending, attempt))
    taken = _room(reader, history, pending)
    around = [history.pod, *(pod for taker in (taken.takers if taken is not None else ()) for pod in taker.pods)]
    return WhyReport(
        pending=pending,
        cause=found.cause if found is not None else None,
        placement=placement_of(reader, history),
        nodes=found.groups if found is not None else (),
        remedies=_tried(trials, pending, is_over),
        taken=taken,
        preemptions=preemption_chains(reader, inputs, around, history.seq),
        wakes=_woken_by(trials, pending),
    )


def _shown(pending: WhyPending, attempt: int) -> PendingAttempt | None:
    """The attempt that is asked about, the last where none is."""
    chosen = [one for one in pending.attempts if one.number == attempt]
    return (chosen or list(pending.attempts[-1:]) or [None])[0]


def _tried(trials: TrialsOf, pending: WhyPending, is_over: Callable[[], bool]) -> Remedies | None:
    """Remedies for the pod, each tried on the state that its last attempt found."""
    if pending.state != "pending":
        return None
    return remedies(trials.at_cycle(pending.attempts[-1].cycle), pending.pod, is_over)


def _room(reader: RecordingReader, history: AttemptHistory, pending: WhyPending) -> Taken | None:
    """Who took the room on the nodes that the pod's selectors allow, since its first attempt.

    If nobody did since then: since the beginning of the run."""
    if pending.state != "pending" or history.object is None:
        return None
    allowed = [name for name, node in history.objects.nodes.items() if matches_required(history.object, node)]
    now = reader.state_at(history.seq)
    nodes = [name for name in allowed if name in now.nodes]
    since = room_taken(reader.state_at(pending.attempts[0].first_seq), now, history.objects, nodes)
    return since if since.takers else room_taken(reader.state_at(0), now, history.objects, nodes)


def _woken_by(trials: TrialsOf, pending: WhyPending) -> Wakes | None:
    if pending.state not in ("pending", "gated"):
        return None
    simulation = trials.at_seq(pending.seq).simulation
    return what_wakes(simulation, pending.pod, pending.at) if simulation.queue.get(pending.pod) else None


def lines_of(report: WhyReport) -> Iterator[str]:
    """The lines of an answer."""
    yield from _head(report.pending, report.remedies)
    if report.remedies is not None:
        yield from remedy_lines(report.remedies)
    yield from _groups(report.pending.groups)
    if report.choice is not None:
        yield from choice_lines(report.choice)
    for node in (*([] if report.node is None else [report.node]), *report.further):
        yield from _node(node)
    yield from _attempts(report.pending)
    if report.taken is not None:
        yield from _taken(report.taken)
    if report.preemptions.edges:
        yield from _preemptions(report.preemptions)
    if report.wakes is not None:
        yield from _wakes(report.wakes)
    for answer in report.would:
        yield from _would(answer)


def _head(pending: WhyPending, remedies: Remedies | None) -> Iterator[str]:
    because, at = pending.because, f"at {clock(pending.at)}"
    where = f"on {pending.node}, " if pending.node else ""
    yield f"{pending.pod}: {pending.state} {where}{at}"
    yield f"BECAUSE  {because.title}"
    for line in (because.evidence, because.over):
        if line:
            yield f"         {line}"
    if remedies is not None and remedies.verified:
        best = remedies.verified[0]
        yield f"NEXT     {best.text} (tried: it then {'preempts' if best.victims else 'fits'})"
    elif because.next_step:
        yield f"NEXT     {because.next_step} (not tried)"
    if pending.message:
        yield f"MESSAGE  {pending.message}"


def clock(us: int) -> str:
    """Virtual time as hours, minutes and seconds: "00:05:30.971"."""
    seconds, micro = divmod(us, 1_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micro // 1000:03}"


def _groups(groups: tuple[RefusedNodeGroup, ...]) -> Iterator[str]:
    if groups:
        yield ""
        yield f"REFUSED BY ({plural(sum(group.count for group in groups), 'node')})"
    for group in groups[:_MOST_LINES]:
        yield f"{group.count:,} {group.plugin}: {group.title}{f' ({group.shared})' if group.shared else ''}"
        for line in (group.detail, group.hidden_words):
            if line:
                yield f"    {line}"
        names = ", ".join(group.nodes[:_MOST_NAMES])
        more = f" and {group.count - _MOST_NAMES:,} more" if group.count > _MOST_NAMES else ""
        yield f"    {names}{more}"
    if len(groups) > _MOST_LINES:
        yield f"… and {len(groups) - _MOST_LINES:,} more groups (use --json for all)"


def _preemptions(graph: PreemptionGraph) -> Iterator[str]:
    yield ""
    yield f"PREEMPTIONS ({len(graph.edges):,})"
    priorities = {one.pod: one.priority for one in graph.nodes}
    for edge in graph.edges[:_MOST_LINES]:
        preemptor, victim = (f"{pod} ({_priority(priorities[pod])})" for pod in (edge.preemptor, edge.victim))
        yield f"{preemptor} preempted {victim} on {edge.node}, cycle {edge.cycle:,}"


def _priority(priority: int | None) -> str:
    return "priority unknown" if priority is None else f"priority {priority}"


def _node(node: NodeFacts) -> Iterator[str]:
    yield ""
    yield f"NODE {node.node}: {'fits' if node.fits else 'refused'}"
    for one in node.filters:
        yield from _filter(one)
    for score in node.scores:
        yield from _score(score)
    if node.scores:
        yield f"  total {node.total:,}"


def _filter(one: FilterFacts) -> Iterator[str]:
    counted = ", only with nominated pods counted in" if one.with_nominated else ""
    reasons = f' "{"; ".join(one.reasons)}"' if one.reasons else ""
    yield f"  {one.plugin}: {one.verdict}{counted}{reasons}"
    for fact in one.facts:
        yield f"    {'against: ' if fact.fact.refuses else ''}{fact.text}"
    if one.difference:
        yield f"    DIFFERS: {one.difference}"


def _score(score: ScoreFacts) -> Iterator[str]:
    yield f"  {score.plugin}: {score.raw} -> {score.normalised} x {score.weight} = {score.points}"
    for fact in score.facts:
        yield f"    {fact.text}"
    if score.difference:
        yield f"    DIFFERS: {score.difference}"


def _attempts(pending: WhyPending) -> Iterator[str]:
    if pending.attempts:
        yield ""
        yield f"ATTEMPTS ({len(pending.attempts):,})"
    changes = {one.before: one for one in pending.between}
    for attempt in pending.attempts[-_MOST_LINES:]:
        change = changes.get(attempt.number)
        if change is not None:
            yield f"      {seconds(change.span_us)} later: {change.text}. {change.verdicts}".rstrip()
        yield f"{attempt.number:>4}  {clock(attempt.at)}  cycle {attempt.cycle:,}  {_woken(attempt)}{_outcome(attempt)}"


def _woken(attempt: PendingAttempt) -> str:
    """What had brought the pod back: "NodeAdd (NodeResourcesFit): " """
    by = f" ({attempt.woken_plugin})" if attempt.woken_plugin else ""
    return f"{attempt.woken_by}{by}: " if attempt.woken_by else ""


def _outcome(attempt: PendingAttempt) -> str:
    refusals = ", ".join(f"{one.count:,} {'; '.join(one.reasons)}" for one in attempt.refusals)
    return refusals or attempt.message or attempt.outcome


def _taken(taken: Taken) -> Iterator[str]:
    since = f"since seq {taken.since_seq:,}" if taken.since_seq else "since the run began"
    where = f"{plural(len(taken.nodes), 'node')} that it may use"
    yield ""
    if not taken.takers:
        yield f"WHO TOOK THE ROOM: no pod was placed on the {where} {since}"
        return
    yield f"WHO TOOK THE ROOM {since} on {where}: {plural(sum(len(one.pods) for one in taken.takers), 'pod')}"
    for one in taken.takers[:_MOST_LINES]:
        amounts = ", ".join(quantity(name, value) for name, value in sorted(one.requested.items()) if name != "pods")
        what = f"{plural(len(one.pods), 'pod')}, {amounts or 'nothing'}"
        yield f"{one.owner}, priority {one.priority}: {what}, {_cycles(one.cycles)}"
    if taken.gone:
        yield f"{plural(len(taken.gone), 'pod')} left meanwhile"


def _cycles(cycles: tuple[int, ...]) -> str:
    """The cycles that placed pods; 0 stands for pods that were bound without one."""
    decided = [cycle for cycle in cycles if cycle]
    if not decided:
        return "not by the scheduler"
    span = f"cycles {decided[0]:,} to {decided[-1]:,}" if len(decided) > 1 else f"cycle {decided[0]:,}"
    return span if len(decided) == len(cycles) else f"{span}, some not by the scheduler"


def _wakes(wakes: Wakes) -> Iterator[str]:
    yield ""
    yield f"WHAT WAKES IT: {wakes.text}"
    for timer in wakes.timers:
        yield f"timer: {timer.text}"
    groups: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for event in wakes.events:
        groups.setdefault((event.plugins, set(event.hinting) == set(event.plugins)), []).append(event.event)
    for (plugins, is_judged), events in groups.items():
        heard_by = f"{', '.join(plugins)}{', if it may help' if is_judged else ''}"
        if len(events) > _MOST_LINES:  # as extenders hear all
            events = [f"{len(events)} kinds of events, such as {', '.join(events[:_MOST_NAMES])}"]
        yield from (f"{one}: {heard_by}" for one in events)
    for asked in wakes.asked:
        yield f"by the hints, {asked.text}"


def _would(answer: ChangeAnswer) -> Iterator[str]:
    yield ""
    yield f"WOULD IT HELP if {answer.text}?"
    if answer.effect is not None:
        yield answer.effect.wakes_words
        for said in answer.effect.hints:
            yield f"    {said.text}"
        yield answer.effect.fits_words
