"""The report on a pod as lines of text: what ``why`` prints and pages let people copy."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.explain.diagnosis.model import EqualNodes
from scheduler_core.explain.facts import FilterFacts, NodeFacts, ScoreFacts
from scheduler_core.explain.outcomes.texts import plural, quantity
from scheduler_core.explain.pending import PendingAttempt, PreemptionGraph, Taken, Wakes, WhyPending
from scheduler_core.explain.pending.model import GONE_BEFORE, ON_PURPOSE, STUCK, WITHOUT_TIME
from scheduler_core.explain.pending.own_change import ChangeAnswer
from scheduler_core.explain.real_report import RealReport
from scheduler_core.explain.remedies.model import Remedies, Remedy
from scheduler_core.explain.report import WhyReport
from scheduler_core.explain.rivals import texts
from scheduler_core.explain.rivals.model import Rival, Rivalry, WhyNode
from scheduler_core.recording.times import clock, span

_MOST_LINES = 20
_MOST_NAMES = 5
_MOST_REMEDIES = 8


def report_lines(report: WhyReport) -> Iterator[str]:
    """The lines of an answer."""
    yield from _head(report)
    if report.remedies is not None:
        yield from remedy_lines(report.remedies)
    if report.tries is not None:
        yield from ("", *report.tries.lines)
    yield from _groups(report.nodes)
    if report.choice is not None:
        yield from choice_lines(report.choice)
    for node in (*([] if report.node is None else [report.node]), *report.further):
        yield from _node(node)
    yield from _attempts(report.pending)
    if report.taken is not None:
        yield from _taken(report.taken)
    if report.preemptions.edges:
        yield from _preemptions(report.preemptions)
    for fate in report.victims:
        yield fate.text
    if report.wakes is not None:
        yield from _wakes(report.wakes)
    for answer in report.would:
        yield from _would(answer)


def _head(report: WhyReport) -> Iterator[str]:
    pending, cause = report.pending, report.cause
    where = f" on {pending.node}, as of" if pending.node else " at"
    yield f"{pending.pod}: {pending.state}{'' if pending.state in WITHOUT_TIME else f'{where} {clock(pending.at)}'}"
    if cause is not None:
        yield f"BECAUSE  {cause.text}"
        yield f"         {' + '.join(cause.codes)}, {cause.stage}; who can act: {cause.actor}"
        yield from (f"OR       {one.text}" for one in cause.also)
    else:
        yield f"BECAUSE  {report.placement.text if report.placement is not None else pending.because.title}"
    if report.remedies is not None and report.remedies.verified:
        best = report.remedies.verified[0]
        assumed = f" with {best.assumed}" if best.assumed else ""
        then = "it then preempts" if best.victims else "it then fits" if best.node else _remedy_outcome(best)
        yield f"NEXT     {best.text} ({best.actor}; tried{assumed}: {then})"
    if report.rollout is not None and pending.state not in (STUCK, ON_PURPOSE):
        yield f"ROLLOUT  {report.rollout.said('has not come to its end')}"
    if report.departure is not None and pending.state != GONE_BEFORE:
        yield f"WENT     {report.departure.text} {report.departure.day}".rstrip()
    if report.real is not None:
        yield from _real(report.real)
    yield from (f"DOUBT    {one.text}" for one in report.doubts)
    if pending.message and cause is not None:
        yield f"MESSAGE  {pending.message}"


def _real(real: RealReport) -> Iterator[str]:
    at = f", {real.said_at:%Y-%m-%d %H:%M:%S} UTC" if real.said_at is not None else ""
    yield " ".join(part for part in ("REAL    ", real.head, real.other_nodes, f"({real.source}{at})") if part)
    yield f"         {real.report.message}"


def _groups(groups: tuple[EqualNodes, ...]) -> Iterator[str]:
    if groups:
        yield ""
        count = plural(sum(group.count for group in groups), "node")
        yield f"REFUSED BY ({count}, those with the fewest obstacles first)"
    for group in groups[:_MOST_LINES]:
        codes = ", ".join(dict.fromkeys(key.code for key in group.obstacles))
        yield f"{group.count:,} {codes}{f' ({group.shared})' if group.shared else ''}"
        yield from (f"    {text}" for text in group.texts)
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
            yield f"      {span(change.span_us)} later: {change.text}. {change.verdicts}".rstrip()
        yield f"{attempt.number:>4}  {clock(attempt.at)}  cycle {attempt.cycle:,}  {_woken(attempt)}{_outcome(attempt)}"


def _woken(attempt: PendingAttempt) -> str:
    """What had brought the pod back: "NodeAdd (NodeResourcesFit): " """
    by = f" ({attempt.woken_plugin})" if attempt.woken_plugin else ""
    return f"{attempt.woken_by}{by}: " if attempt.woken_by else ""


def _outcome(attempt: PendingAttempt) -> str:
    if attempt.outcome == "scheduled" and attempt.node:
        return f"found {attempt.node}"
    refusals = ", ".join(f"{one.count:,} {'; '.join(one.reasons)}" for one in attempt.refusals)
    return refusals or attempt.message or attempt.outcome


def _taken(taken: Taken) -> Iterator[str]:
    since = f"since seq {taken.since_seq:,}" if taken.since_seq else "since the run began"
    where = f"{plural(len(taken.nodes), 'node')} that its selectors allow"
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


def choice_lines(choice: WhyNode) -> Iterator[str]:
    """The lines of a comparison."""
    rivalry = choice.rivalry
    yield ""
    first, second = _names(rivalry)
    yield f"{texts.title(first, second, first == rivalry.winner, _is_drawn(rivalry))}, cycle {rivalry.cycle:,}"
    total = rivalry.rivals[0].total
    if rivalry.leads and total is not None and not any(one.is_computed for one in rivalry.rivals[:2]):
        yield f"  {texts.lead_words([(one.plugin, one.points) for one in rivalry.leads], total)}"
    if rivalry.is_drawn:
        yield f"  {texts.drawn_words(rivalry)}"
    if rivalry.difference:
        yield f"  DIFFERS: {rivalry.difference}"
    for rival in rivalry.rivals:
        yield from _rival(rival)
    for weight in choice.weights:
        yield f"WEIGHT OF {weight.plugin} {weight.weight}: {texts.weight_words(weight, rivalry.winner)}"
    for request in choice.requests:
        yield f"REQUEST OF {texts.request_title(request)}: {texts.request_words(request, rivalry.winner)}"


def _names(rivalry: Rivalry) -> tuple[str, str]:
    return rivalry.rivals[0].node, rivalry.rivals[1].node if len(rivalry.rivals) > 1 else ""


def _is_drawn(rivalry: Rivalry) -> bool:
    return rivalry.is_drawn and len(rivalry.rivals) > 1 and all(one.node in rivalry.tied for one in rivalry.rivals[:2])


def _rival(rival: Rival) -> Iterator[str]:
    yield f"{rival.node}: {texts.rival_words(rival)}"
    for points, inputs in zip(rival.points, rival.inputs, strict=True):
        yield f"  {points.plugin}: {points.raw} -> {points.norm} x {points.weight} = {points.weighted}"
        for text in inputs.texts:
            yield f"    {text}"
        if inputs.difference:
            yield f"    DIFFERS: {inputs.difference}"
    if rival.difference:
        yield f"  DIFFERS: {rival.difference}"


def remedy_lines(remedies: Remedies) -> Iterator[str]:
    """The lines of remedies, from an empty one on."""
    if remedies.fits:
        yield ""
        yield "REMEDIES: none needed; it fits on the state that its last attempt left"
        return
    yield ""
    if remedies.left_to:
        yield f"REMEDIES: none was tried; {remedies.left_to}"
        return
    late = "" if remedies.in_time else f"; {len(remedies.not_tried):,} more were not tried in time"
    yield f"REMEDIES that the engine tried and found to be enough, those of the cause first, by who can act{late}"
    for one in remedies.verified[:_MOST_REMEDIES]:
        yield f"{one.actor}: {one.text}: {_remedy_outcome(one)}"
    if not remedies.verified:
        yield "none was found"
    yield from (f"{one.text}: {one.then}, {one.failure}" for one in remedies.not_enough if one.then)
    if remedies.unanswered:
        yield f"whether it fits as it is, is unknown: the tape has no answer to {remedies.unanswered}"
    for one in remedies.unknown[:_MOST_REMEDIES]:
        yield f"{one.text}: unknown, the tape has no answer to {one.unanswered}"
    if len(remedies.unknown) > _MOST_REMEDIES:
        yield f"… and {len(remedies.unknown) - _MOST_REMEDIES:,} more of which the tape does not know"


def _remedy_outcome(one: Remedy) -> str:
    """What the engine then did: made the pods, placed the pod, or preempted others, so that it waits for their end."""
    if one.then:
        return one.then
    budgets = f", against the disruption budget {', '.join(one.budgets)}" if one.budgets else ""
    if one.victims:
        return f"it then preempts {', '.join(one.victims)} on {one.node}{budgets}"
    where = (
        one.node if not one.unanswered else f"which one it gets is unknown, the tape has no answer to {one.unanswered}"
    )
    assumed = f"with {one.assumed}, " if one.assumed else ""
    return f"{assumed}{plural(one.n_fit, 'node')} fit{'s' if one.n_fit == 1 else ''}; {where}{budgets}"
