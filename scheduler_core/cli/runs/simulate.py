"""``simulate FILES...``: schedule the pods of a cluster file and print where they go, and why not."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from scheduler_core.cli.common.answering import say_refused
from scheduler_core.cli.common.extenders import LeftTape, add_recording_arguments, extenders_answered
from scheduler_core.cli.common.inputs import (
    MAX_CYCLES,
    MAX_ROWS,
    REFUSALS,
    BadInput,
    add_input_arguments,
    read_changes,
    read_objects,
    run_inputs,
)
from scheduler_core.cli.common.mode import say_mode, with_mode
from scheduler_core.cli.common.progress import ProgressLine, SessionProgress
from scheduler_core.cli.common.version import add_version_arguments, say_version, version_text
from scheduler_core.controllers.rollouts.rollout_states import RolloutState
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts.answer import doubts_of_run, with_doubts
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.manifests.model import printable
from scheduler_core.recording import events as ev
from scheduler_core.recording.quantities import Totals, TotalsCounter
from scheduler_core.simulate import (
    RunSession,
)

PROGRESS_EVERY_SECONDS = 0.5


class Report(msgspec.Struct):
    """What a run came to, as printed or given as JSON. ``placements`` are the pods that are bound at the end,
    ``pending`` those without a node; ``totals`` counts what the run did (recording/quantities.py);
    ``version`` says which kube-scheduler was followed, and why; ``rollouts`` are unfinished."""

    finished: str
    cycles: int
    cycles_per_second: float
    virtual_seconds: float
    recording_hash: str
    placements: dict[str, str]
    pending: dict[str, str]
    preemptions: list[dict[str, Any]]
    gone: dict[str, str]
    missing: list[MissingPods]
    totals: Totals
    doubts: tuple[AnswerDoubt, ...] = ()
    left_tape: LeftTape | None = None
    version: str = ""
    rollouts: tuple[UnfinishedRollout, ...] = ()


class UnfinishedRollout(msgspec.Struct):
    """An unfinished rollout: the sentence about it, whether it waits on purpose, and its state. The pods of
    ``state.pending`` belong to it and are not counted again as pending in ``finished``."""

    text: str
    on_purpose: bool
    state: RolloutState


class MissingPods(msgspec.Struct, omit_defaults=True):
    """A workload that lacks pods at the end; where admission refused them with the ``code`` of the cause, the quota's
    name and the ``message`` of the input."""

    workload: str
    desired: int = msgspec.field(name="wanted")
    bound: int
    unmade: int = 0
    why: str = ""
    code: str = ""
    quota: str = ""
    message: str = ""


class Notes(msgspec.Struct):
    """Summarises the events: the last message of each pod, preemptions, workloads that lack pods at the end."""

    messages: dict[str, str] = {}
    preemptions: list[dict[str, Any]] = []
    missing: list[ev.Missing] = []

    def take(self, event: ev.AnyEvent) -> None:
        """Note what matters of the event."""
        if isinstance(event, ev.CycleFinished):
            self.messages[event.pod] = event.message
        elif isinstance(event, ev.ObjectChanged) and event.action == "added":
            self.messages.pop(event.key, None)  # of an earlier pod of this name
        elif isinstance(event, ev.PreemptionDecided) and (chosen := event.nominated) is not None:
            victims = {"victims": list(chosen.victims), "criterion": event.criterion}
            self.preemptions.append({"pod": event.pod, "node": event.nominated_node, "at": event.at / 1e6, **victims})
        elif isinstance(event, ev.RunFinished):
            self.missing = list(event.missing)


def run(argv: list[str]) -> int:
    """Exit status 0 only if the run came to its end; 1 for bad input or a run cut short; 2 for a wrong command line."""
    options = _parser().parse_args(argv)
    try:
        report = simulate(options)
    except REFUSALS as problem:
        return say_refused(problem)
    if options.json:
        print(msgspec.json.encode(report).decode())
    else:
        _print(report)
    return 1 if report.finished.startswith("the limit") else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core simulate", description=__doc__)
    add_input_arguments(parser)
    add_version_arguments(parser)
    add_recording_arguments(parser)
    parser.add_argument("--max-cycles", type=int, default=MAX_CYCLES, metavar="N", help="stop after N cycles")
    parser.add_argument(
        "--policy", action="append", default=[], metavar="NAME=VALUE", help="such as owners=ignore; may be repeated"
    )
    parser.add_argument(
        "--changes", type=Path, metavar="FILE", help="a branch: carry out these changes from event --at of the run on"
    )
    parser.add_argument(
        "--at", type=int, default=0, metavar="SEQ", help="where the branch begins, as `search` names places (default 0)"
    )
    parser.add_argument("--no-cache", action="store_true", help="ask every plugin about every node in every cycle")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def simulate(options: argparse.Namespace) -> Report:
    """Run the files to the end. Raises one of REFUSALS."""
    line = ProgressLine(sys.stderr)
    result = read_objects(options, line)
    inputs = run_inputs(options, result, options.policy, options.max_cycles)
    if options.changes is None and options.at:
        raise BadInput("--at: says where a branch begins. Give its changes by --changes FILE")
    if options.changes is not None and options.record_extenders is not None:
        raise BadInput("--record-extenders: records a run. Give its tape to the branch by --tape FILE")
    changes = [] if options.changes is None else read_changes(options.changes, result, inputs, options.at)
    with extenders_answered(options, inputs) as extenders:
        if options.changes is not None:
            branch, point = RunSession.branch(inputs, options.at, changes, extenders=extenders.source)
            if point.text:
                print(point.text, file=sys.stderr)
            inputs = branch.inputs
        session = RunSession.start(inputs, cached=not options.no_cache, extenders=extenders.source)
        notes, counter = Notes(), TotalsCounter()
        session.simulation.observers += [notes.take, counter.take]
        progress, started = SessionProgress(session), monotonic()
        while not session.advance(max_seconds=PROGRESS_EVERY_SECONDS):
            line.say(progress.text() + extenders.progress)
        line.clear()
        report = _report(session, monotonic() - started, notes, counter.totals)
        doubts = with_mode(doubts_of_run(inputs, waits=bool(report.pending)), options, inputs)
        finished = with_doubts(report.finished, doubts)
        left_tape = extenders.left_tape
    say_version(options, inputs)
    say_mode(options, inputs)
    version = version_text(options, inputs)
    return msgspec.structs.replace(report, left_tape=left_tape, doubts=doubts, finished=finished, version=version)


def _report(session: RunSession, seconds: float, notes: Notes, totals: Totals) -> Report:
    pods, messages = session.simulation.world.pods, notes.messages
    return Report(
        finished=session.finish_reason,
        cycles=session.cycle,
        cycles_per_second=round(session.cycle / seconds, 1) if seconds else 0.0,
        virtual_seconds=session.now_us / 1e6,
        recording_hash=session.recording_hash(),
        placements={key: pod.node_name for key, pod in pods.items() if pod.node_name},
        pending={key: messages.get(key) or _untried(session, key) for key, pod in pods.items() if not pod.node_name},
        preemptions=notes.preemptions,
        gone=session.simulation.recorder.state.gone,
        missing=_missing(notes.missing, session),
        totals=totals,
        rollouts=tuple(
            UnfinishedRollout(one.text, one.is_on_purpose, one) for one in session.simulation.aftermath.rollouts()
        ),
    )


def _missing(missing: list[ev.Missing], session: RunSession) -> list[MissingPods]:
    """Workloads that lack pods, with what the input says of those that admission refused."""
    workloads = session.inputs.objects.workloads
    refusals = {one.title: one.refusal for one in workloads if one.refusal is not None}
    out = []
    for one in missing:
        said = MissingPods(one.workload, one.desired, one.bound, one.unmade, one.why)
        if (refusal := refusals.get(one.workload)) is not None:
            said.code, said.quota, said.message = refusal.code, refusal.quota, refusal.message
        out.append(said)
    return out


def _untried(session: RunSession, key: str) -> str:
    pod = session.simulation.world.pods[key]
    if pod.scheduler_name not in session.simulation.frameworks:
        return f"is for another scheduler: {pod.scheduler_name}"
    if (node := session.simulation.decided.nodes.get(key)) is not None:
        return f"is decided for {node} by the input, and waits for its volumes"
    queued = session.simulation.queue.get(key)
    return f"held back by {queued.gated_by}" if queued is not None and queued.gated_by else "was not tried"


def _print(report: Report) -> None:
    per_node = Counter(report.placements.values())
    width = max((len(key) for key in report.placements), default=3)
    print(f"{'POD':<{width}}  NODE ({len(per_node)} in use)")
    for key, node in sorted(report.placements.items())[:MAX_ROWS]:
        print(printable(f"{key:<{width}}  {node}"))
    _more(len(report.placements))
    of_rollouts = {key for one in report.rollouts if not one.on_purpose for key in one.state.pending}
    pending = {key: message for key, message in report.pending.items() if key not in of_rollouts}
    if pending:
        print(f"\nWITHOUT A NODE ({len(pending):,})")
        for key, message in sorted(pending.items())[:MAX_ROWS]:
            print(printable(f"{key}: {message}"))
        _more(len(pending))
    _print_rollouts(report)
    if report.preemptions:
        print(f"\nPREEMPTIONS ({len(report.preemptions):,})")
        for p in report.preemptions[:MAX_ROWS]:
            print(printable(f"{p['pod']} on {p['node']}: {', '.join(p['victims'])} (decided by {p['criterion']})"))
        _more(len(report.preemptions))
    _print_ends(report)
    print(f"\n{_totals(report)}")
    if report.left_tape is not None:
        print(f"\n{printable(report.left_tape.text)}")
    print(
        f"\n{report.finished}; {plural(report.cycles, 'cycle')}, {report.cycles_per_second:,.0f}/s, "
        f"{report.virtual_seconds:,.3f} s virtual time"
    )
    print(f"recording hash {report.recording_hash}")


def _totals(report: Report) -> str:
    """What the run did, in a line."""
    totals = report.totals
    counted = [
        (totals.bindings, "binding"),
        (totals.ties, "tie"),
        (totals.narrow_wins, "narrow win"),
        (totals.preemptions, "preemption"),
        (totals.victims, "victim"),
    ]
    return f"{len(report.placements):,} bound at the end; {', '.join(plural(n, word) for n, word in counted)}"


def _print_rollouts(report: Report) -> None:
    """The unfinished rollouts, each with its pods that have no node."""
    if report.rollouts:
        print(f"\nROLLOUTS ({len(report.rollouts):,})")
    for one in report.rollouts[:MAX_ROWS]:
        print(printable(one.text))
        for key in one.state.pending[:MAX_ROWS]:
            print(printable(f"  {key}: {report.pending[key]}"))
    _more(len(report.rollouts))


def _print_ends(report: Report) -> None:
    """Pods that are gone with the cause, and workloads that lack pods."""
    if report.gone:
        print(f"\nGONE ({len(report.gone):,})")
        for key, cause in sorted(report.gone.items())[:MAX_ROWS]:
            print(printable(f"{key}: {cause or 'deleted'}"))
        _more(len(report.gone))
    if report.missing:
        print("\nMISSING REPLICAS")
        for one in report.missing:
            why = "".join([f", {one.why}" if one.why else "", f": {one.message}" if one.message else ""])
            print(printable(f"{one.workload}: {one.bound:,} of {one.desired:,}{why}"))
    if report.doubts:
        print("\nDOUBTS")
        for doubt in report.doubts:
            print(printable(doubt.text))


def _more(count: int) -> None:
    if count > MAX_ROWS:
        print(f"… and {count - MAX_ROWS:,} more (use --json for all)")
