"""``why FILES... --pod NS/NAME``: run a cluster in memory and say why a pod has no node, or this and not that one."""

from __future__ import annotations

import argparse
import sys
from time import monotonic

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.cli.common.answering import answer
from scheduler_core.cli.common.extenders import Answers, add_extender_arguments, extenders_answered
from scheduler_core.cli.common.inputs import BadInput, add_input_arguments, read_objects, run_inputs
from scheduler_core.cli.common.mode import say_mode, with_mode
from scheduler_core.cli.common.progress import ProgressLine, SessionProgress
from scheduler_core.cli.common.version import add_version_arguments, say_version
from scheduler_core.explain.facts import NodeFacts, node_facts
from scheduler_core.explain.input_evidence import InputEvidence
from scheduler_core.explain.not_created.by_input import refused_workload, report_of_refused
from scheduler_core.explain.not_created.by_queue import queued_workload, report_of_queued
from scheduler_core.explain.pending import AttemptHistory, WhyPending, attempt_history
from scheduler_core.explain.pending.own_change import (
    KINDS,
    ChangeAnswer,
    ChangeProblem,
    own_change,
    usage,
    would_change_help,
)
from scheduler_core.explain.report import WhyReport, full_report, report_of_departure
from scheduler_core.explain.report_lines import report_lines
from scheduler_core.explain.rivals.answer import absence, node_choice
from scheduler_core.explain.rivals.model import WhyNode
from scheduler_core.explain.rollouts.answer import report_of_owner
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.manifests.model import printable
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession

_CHANGES = ", ".join(f'"{usage(kind)}"' for kind in KINDS)
_CYCLES_PER_CHUNK = 2_000
_SECONDS_FOR_REMEDIES = 5.0
_SECONDS_FOR_REQUESTS = 5.0


def run(argv: list[str]) -> int:
    """Exit status 0 with an answer; 1 for bad input, a pod, node or attempt that is not there; 2 for a wrong command
    line."""
    options = _parser().parse_args(argv)
    return answer(lambda: why(options), report_lines, as_json=options.json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core why", description=__doc__)
    add_input_arguments(parser)
    add_version_arguments(parser)
    add_extender_arguments(parser)
    parser.add_argument(
        "--pod",
        required=True,
        metavar="NAMESPACE/NAME",
        help="the pod that is asked about; also a workload whose pods were not created or whose rollout is stuck",
    )
    parser.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NAME",
        help="say all of this node, beside the one that was taken; again for another one beside it",
    )
    parser.add_argument(
        "--would",
        action="append",
        default=[],
        metavar="CHANGE",
        help=f"say whether a change would bring it back and let it fit, again for others: {_CHANGES}",
    )
    parser.add_argument("--attempt", type=int, default=0, metavar="K", help="as of its K-th attempt (default: last)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def why(options: argparse.Namespace) -> WhyReport:
    """Run the files to the end and answer. Raises one of REFUSALS."""
    if options.pod.count("/") != 1 or not all(options.pod.split("/")):
        raise BadInput(f"--pod: {options.pod} is not of the form NAMESPACE/NAME")
    line = ProgressLine(sys.stderr)
    files = read_objects(options, line)
    inputs, evidence = run_inputs(options, files), InputEvidence(files, options.pod)
    departure = evidence.departure
    if departure is not None and departure.is_over and not _comes(inputs, options.pod):
        return report_of_departure(departure)
    if all(pod.key != options.pod for pod in inputs.objects.pods):
        refused = refused_workload(inputs, options.pod)
        if refused is not None:
            return report_of_refused(refused)
        if (queued := queued_workload(inputs, options.pod)) is not None:
            return report_of_queued(inputs, queued)
    with extenders_answered(options, inputs) as extenders:
        reader = recorded(inputs, line, extenders)
        trials = TrialsOf(reader, inputs, extenders.source)
        deadline = monotonic() + _SECONDS_FOR_REMEDIES
        of_owner = report_of_owner(trials, options.pod, lambda: monotonic() > deadline)
        report = of_owner or _report(options, reader, trials)
    say_version(options, inputs)
    say_mode(options, inputs)
    return _with_evidence(report, evidence)


def _with_evidence(report: WhyReport, evidence: InputEvidence) -> WhyReport:
    """The report with what the files say of the pod."""
    real = evidence.real_report(report.pending.message, report.pending.node)
    older = None if real is None else evidence.doubt(real)
    doubts = report.doubts if older is None else (*report.doubts, older)
    return msgspec.structs.replace(report, departure=evidence.departure, real=real, doubts=doubts)


def _comes(inputs: RunInputs, pod: str) -> bool:
    """Whether a pod of this name comes during the run."""
    return any(isinstance(entry.object, Pod) and entry.object.key == pod for entry in inputs.timeline.entries)


def _report(options: argparse.Namespace, reader: RecordingReader, trials: TrialsOf) -> WhyReport:
    inputs = trials.inputs
    history = _history(reader, inputs, options.pod, options.attempt)
    deadline = monotonic() + _SECONDS_FOR_REMEDIES
    try:
        report = full_report(reader, inputs, history, options.attempt, lambda: monotonic() > deadline, trials.extenders)
    except ValueError as problem:
        raise BadInput(f"--attempt: {problem}") from problem
    nodes = [_node(trials, history, report.pending, name) for name in options.node]
    return msgspec.structs.replace(
        report,
        doubts=with_mode(report.doubts, options, inputs),
        node=nodes[0] if nodes else None,
        further=tuple(nodes[1:]),
        choice=_choice(trials, report.pending, options.node),
        would=tuple(_would(trials, report.pending, text) for text in options.would),
    )


def recorded(inputs: RunInputs, line: ProgressLine, extenders: Answers | None = None) -> RecordingReader:
    """The run carried out to its end, in chunks with keyframes; says where it left its tape. Raises ProfileError."""
    session = RunSession.start(inputs, extenders=None if extenders is None else extenders.source)
    store, progress = MemoryStore(session.initial_keyframe()), SessionProgress(session)
    is_over = False
    while not is_over:
        is_over = session.advance(max_cycles=_CYCLES_PER_CHUNK)
        store.add(session.cut_chunk())
        line.say(progress.text())
    line.clear()
    if extenders is not None and extenders.left_tape is not None:
        print(printable(extenders.left_tape.text), file=sys.stderr)
    return RecordingReader(store)


def _history(reader: RecordingReader, inputs: RunInputs, pod: str, attempt: int) -> AttemptHistory:
    """What is known of the last pod of this name, up to the end of the attempt that is asked about."""
    end = reader.head_seq()
    uid = reader.state_at(end).uids.get(pod, "")
    history = attempt_history(reader, inputs, pod, end, uid)
    if history.object is None:
        raise BadInput(f"--pod: there is no pod {pod} in these files, nor was one made in the run")
    asked = next((one for one in history.attempts if one.number == attempt), None)
    return history if asked is None else attempt_history(reader, inputs, pod, asked.last_seq + 1, uid)


def _node(trials: TrialsOf, history: AttemptHistory, pending: WhyPending, node: str) -> NodeFacts:
    """The facts on the node in the attempt that is asked about, or as things stand where there was none."""
    reader = trials.reader
    if pending.attempts:
        cycle = pending.attempts[-1].cycle
        simulation, frame = trials.at_cycle(cycle).simulation, reader.frame(cycle)
    else:
        simulation, frame = trials.at_seq(pending.seq).simulation, None
    if node not in simulation.context.cluster.table.row_of:
        seq = reader.cycle_span(pending.attempts[-1].cycle)[0] if pending.attempts else pending.seq
        raise BadInput(f"--node: there is no node {node} at that time; {absence(reader, node, seq)}")
    if history.pod not in simulation.world.pods or pending.state == "untried":
        raise BadInput(f"--node: {history.pod} was not tried, so there are no verdicts")
    return node_facts(simulation, history.pod, [node], frame)[0]


def _would(trials: TrialsOf, pending: WhyPending, text: str) -> ChangeAnswer:
    """What the change would do for the pod as things stand."""
    try:
        change = own_change(text)
        return would_change_help(trials.at_seq(pending.seq), pending.pod, change)
    except ChangeProblem as problem:
        raise BadInput(f"--would: {problem}") from problem
    except KeyError as missing:
        raise BadInput(f"--would: {pending.pod} does not wait in the queue; it is {pending.state}") from missing


def _choice(trials: TrialsOf, pending: WhyPending, nodes: list[str]) -> WhyNode | None:
    """The nodes beside each other in the attempt that is asked about; None where none is named or nothing was tried."""
    if not nodes or not pending.attempts:
        return None
    deadline, cycle = monotonic() + _SECONDS_FOR_REQUESTS, pending.attempts[-1].cycle
    return node_choice(trials.reader, trials.at_cycle(cycle), cycle, nodes, lambda: monotonic() > deadline)
