"""Answers about a pending pod besides its cause: facts by plugin, the report as text, how much room was missing,
what wakes it, and whether a change by hand would help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.answers.answering.why import diagnosed
from dashboard.clusters.revisions.reported_pods import report_on
from scheduler_core.explain.doubts.answer import doubts_about
from scheduler_core.explain.facts import Questions
from scheduler_core.explain.pending import Wakes, attempt_history, find_wakes
from scheduler_core.explain.pending.missing import MissingRoom, missing_in_cycles
from scheduler_core.explain.pending.own_change import (
    ChangeAnswer,
    ChangeProblem,
    OwnChange,
    object_change,
    own_change,
    would_change_help,
)
from scheduler_core.explain.real_report import real_report
from scheduler_core.explain.report import full_report
from scheduler_core.explain.report_lines import report_lines
from scheduler_core.explain.rivals.answer import pod_of_cycle
from scheduler_core.simulate import WholeObjectChange

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import (
        DoubtsOf,
        FactsOf,
        MissingInCycles,
        OwnChangeMade,
        ReportOf,
        WakesOf,
        WouldHelpOf,
    )
    from scheduler_core.explain.doubt import AnswerDoubt
    from scheduler_core.explain.facts import FilterFacts
    from scheduler_core.explain.real_report import RealReport
    from scheduler_core.explain.report import WhyReport
    from scheduler_core.recording.reader import RecordingReader


# At most this many groups of refused nodes are asked about.
SHOWN_GROUPS = 8
# So long changes are tried for the text.
TRYING_SECONDS = 2.0


class PluginInputs(msgspec.Struct, frozen=True):
    """What a filter plugin says of a node: its verdict, the reference's own `reasons`, the inputs in words, those
    against the pod in `against`; `difference` as in FilterFacts."""

    plugin: str
    verdict: str
    reasons: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    difference: str = ""


class NodeInputs(msgspec.Struct, frozen=True):
    """All filter plugins of the pod's profile on a node."""

    node: str
    filters: tuple[PluginInputs, ...]


class RefusedGroup(msgspec.Struct, frozen=True):
    """Nodes with equal obstacles: how many, the one that was asked about, the obstacles with their values on all of
    them (`texts`), and the plugins that refuse."""

    node: str
    count: int
    texts: tuple[str, ...]
    plugins: tuple[str, ...]
    unresolvable: bool


class FactsAnswer(msgspec.Struct, frozen=True):
    """The first groups of nodes that refused the pod, and what the plugins say of the node of each; `pod` is what those
    say whose PreFilter refused it as a whole."""

    groups: tuple[RefusedGroup, ...] = ()
    nodes: tuple[NodeInputs, ...] = ()
    pod: tuple[PluginInputs, ...] = ()


class TextAnswer(msgspec.Struct, frozen=True):
    """Lines as the command line prints them."""

    text: str


def collect_facts(source: Source, question: FactsOf, limit: TimeLimit) -> FactsAnswer:
    """Ask the plugins about a node of each group; raises RecordingError for a cycle that is not recorded."""
    diagnosis = diagnosed(source, question.cycle)
    groups = [
        RefusedGroup(one.nodes[0], one.count, one.texts, one.plugins, one.unresolvable)
        for one in (diagnosis.groups[:SHOWN_GROUPS] if diagnosis is not None else ())
    ]
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    frame = source.read(lambda reader: reader.frame(question.cycle))
    simulation = source.trials(question.cycle).simulation
    nodes_there = [one.node for one in groups if one.node in simulation.context.cluster.table.row_of]
    questions = Questions(simulation, pod, frame)
    nodes = [NodeInputs(one.node, tuple(map(_inputs, one.filters))) for one in questions.about(nodes_there)]
    return FactsAnswer(tuple(groups), tuple(nodes), tuple(map(_inputs, questions.about_pod())))


def _inputs(one: FilterFacts) -> PluginInputs:
    others = tuple(fact_words.text for fact_words in one.facts if not fact_words.fact.refuses)
    against = tuple(fact_words.text for fact_words in one.against)
    return PluginInputs(one.plugin, one.verdict, one.reasons, against, others, one.difference)


def wakes_at(source: Source, question: WakesOf, limit: TimeLimit) -> Wakes:
    """Say what brings the pod back; raises RecordingError for a cycle that is not recorded."""
    key = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    state = source.state(question.seq)
    entry, trials = state.queue.get(key), source.trials(question.cycle)
    if entry is None:
        return Wakes(pod=key, lane="", text="it is not in the queue")
    return find_wakes(trials.simulation, trials.pod(key), entry, state.at)


def doubts(source: Source, question: DoubtsOf, limit: TimeLimit) -> tuple[AnswerDoubt, ...]:
    """Return the doubts about the pod of a cycle that placed it; raises RecordingError for one that is not recorded."""
    key = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    return doubts_about(source.inputs, source.trials(question.cycle).pod(key), waits=False)


def report(source: Source, question: ReportOf, limit: TimeLimit) -> TextAnswer:
    """Return the report as lines of text; raises RecordingError for a cycle that is not recorded."""
    inputs = source.inputs
    is_over = limit.within(TRYING_SECONDS)

    def report_text(reader: RecordingReader) -> str:
        end = reader.cycle_span(question.cycle)[1] + 1
        pod = pod_of_cycle(reader, question.cycle)
        uid = reader.state_at(end).uids.get(pod, "")
        why_pending = full_report(reader, inputs, attempt_history(reader, inputs, pod, end, uid), 0, is_over)
        if not uid:  # the first pod of its name is the input's
            why_pending = msgspec.structs.replace(why_pending, real=_real(source, why_pending))
        return "\n".join(report_lines(why_pending))

    return TextAnswer(source.read(report_text))


def _real(source: Source, why_pending: WhyReport) -> RealReport | None:
    """Return what the real scheduler said of the pod, by the revision, beside the attempt."""
    pending = why_pending.pending
    namespace, _, name = pending.pod.partition("/")
    said = report_on(source.run.revision, namespace, name)
    n_nodes = len(source.inputs.objects.nodes)
    return None if said is None else real_report(said, pending.message, pending.node, n_nodes)


class MissingAnswer(msgspec.Struct, frozen=True):
    """{cycle: what was missing}; without the cycles that refused no node for room, or that there was no time for."""

    cycles: dict[int, MissingRoom] = {}


def missing_in(source: Source, question: MissingInCycles, limit: TimeLimit) -> MissingAnswer:
    """Compute the cycles that are not cached yet; raises RecordingError for a cycle that is not recorded."""
    missing_by_cycle: dict[int, MissingRoom | None] = source.sessions.get((*source.key, "missing"), 1, dict)
    new = [cycle for cycle in question.cycles if cycle not in missing_by_cycle]
    if new:
        followed = source.followed
        source.read(lambda reader: missing_by_cycle.update(missing_in_cycles(reader, followed, new, limit)))
    asked_for = {cycle: missing_by_cycle.get(cycle) for cycle in sorted(set(question.cycles))}
    return MissingAnswer({cycle: one for cycle, one in asked_for.items() if one is not None})


class MadeChange(msgspec.Struct, frozen=True):
    """The object that is changed; None where the change cannot be made, for which `problem` says why."""

    change: WholeObjectChange | None = None
    text: str = ""
    problem: str = ""


def change_made(source: Source, question: OwnChangeMade, limit: TimeLimit) -> MadeChange:
    """Make the change on the state and do not try it; raises RecordingError for a seq after the last event.

    It is quick, so the limit is not asked."""
    try:
        change = own_change(question.change)
        return MadeChange(object_change(source.trials_at(question.seq), question.pod, change), change.text)
    except ChangeProblem as problem:
        return MadeChange(problem=f"{problem}")
    except KeyError:
        return MadeChange(problem=f"{question.pod} does not wait in the queue at this moment")


def would_help(source: Source, question: WouldHelpOf, limit: TimeLimit) -> ChangeAnswer:
    """Ask the queue and try the change; raises RecordingError for a seq after the last event.

    One attempt is all it takes, so that the limit is not asked. A change that cannot be made is an answer too.
    """
    change = OwnChange("")
    try:
        change = own_change(question.change)
        return would_change_help(source.trials_at(question.seq), question.pod, change)
    except ChangeProblem as problem:
        return ChangeAnswer(change=change, field=problem.field, problem=f"{problem}")
    except KeyError:
        return ChangeAnswer(change=change, problem=f"{question.pod} does not wait in the queue at this moment")
