"""``agree FILES...``: whether the engine agrees with the real scheduler about the bound and pending pods of a dump."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scheduler_core.cli.agree_text import AgreeReport, lines_of
from scheduler_core.cli.extenders import add_extender_arguments, extenders_answered
from scheduler_core.cli.inputs import BadInput, add_cluster_arguments, answer, inputs_of, read_objects
from scheduler_core.cli.progress import ProgressLine
from scheduler_core.explain.agreement import (
    agreement,
    raw_pods,
    scheduler_events,
    scheduler_reports,
    score_agreement,
    scores_in_annotations,
)
from scheduler_core.explain.agreement.logs import MAX_LOG_CHARACTERS, RealScores, scores_in_log
from scheduler_core.manifests.model import printable


def run(argv: list[str]) -> int:
    """Exit status 0 with an answer, whether there are differences or not; 1 for bad input, 2 for a wrong command
    line."""
    options = _parser().parse_args(argv)
    return answer(lambda: agree(options), lambda report: lines_of(report, everything=options.all), as_json=options.json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core agree", description=__doc__)
    add_cluster_arguments(parser)
    add_extender_arguments(parser)
    parser.add_argument("--logs", type=Path, metavar="FILE", help="a kube-scheduler's log at verbosity 10: its scores")
    parser.add_argument(
        "--order",
        choices=("snapshot", "created", "given"),
        default="snapshot",
        help="each pod against all others (default), or one after another by creationTimestamp or as given",
    )
    parser.add_argument("--all", action="store_true", help="name the pods that agree too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def agree(options: argparse.Namespace) -> AgreeReport:
    """Read the files and decide. Raises one of REFUSALS."""
    line = ProgressLine(sys.stderr)
    loaded = read_objects(options, line)
    inputs = inputs_of(options, loaded)
    logged = _logged(options.logs)
    events = scheduler_events(loaded.events)
    said_by_pod = scheduler_reports(raw_pods(loaded.manifests), events)

    def progress(done: int, of: int) -> None:
        if done % 64 == 0:
            line.say(f"{100 * done // of:3d} %  {done:,} of {of:,} pods decided")

    annotated = scores_in_annotations(loaded.objects.pods)
    with extenders_answered(options, inputs) as extenders:
        pods = agreement(inputs, said_by_pod, events, options.order, progress, extenders=extenders.source)
        line.clear()
        report = AgreeReport(
            pods=pods,
            logs=None if logged is None else score_agreement(inputs, logged, extenders.source),
            annotations=score_agreement(inputs, annotated, extenders.source) if _said(annotated) else None,
        )
        if extenders.left_tape is not None:
            print(printable(extenders.left_tape.text), file=sys.stderr)
    return report


def _said(scores: RealScores) -> bool:
    return bool(scores.of or scores.problems)


def _logged(path: Path | None) -> RealScores | None:
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            text = file.read(MAX_LOG_CHARACTERS + 1).decode("utf-8", "replace")
    except OSError as problem:
        raise BadInput(f"{path}: cannot be read: {problem.strerror or problem}") from problem
    scores = scores_in_log(text)
    if not scores.of:
        wrong = [f"{path}:{one.line}: {one.message}" for one in scores.problems]
        raise BadInput("\n".join(wrong) or f'{path}: no line says "Plugin scored node for pod". Log with -v=10')
    return scores
