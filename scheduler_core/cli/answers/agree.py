"""``agree FILES...``: whether the engine agrees with the real scheduler about the bound and pending pods of a dump; of
a bundle of ``collect``, about each of its decisions."""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

from scheduler_core.cli.answers.agree_bundle import agree_with_bundle, is_bundle_path, reality_lines
from scheduler_core.cli.answers.agree_text import AgreeReport, agreement_lines
from scheduler_core.cli.common.answering import answer
from scheduler_core.cli.common.extenders import add_extender_arguments, extenders_answered
from scheduler_core.cli.common.inputs import BadInput, add_cluster_arguments, read_objects, run_inputs
from scheduler_core.cli.common.progress import ProgressLine
from scheduler_core.cli.common.version import add_version_arguments, say_version
from scheduler_core.explain.agreement import (
    ScoreAgreement,
    agreement,
    lines_of_file,
    log_agreement,
    raw_pods,
    scheduler_events,
    scheduler_reports,
    score_agreement,
    scores_in_annotations,
)
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.manifests.model import printable
from scheduler_core.simulate import RunInputs


def run(argv: list[str]) -> int:
    """Exit status 0 with an answer, whether there are differences or not; 1 for bad input, 2 for a wrong command
    line."""
    options = _parser().parse_args(argv)
    if is_bundle_path(options.files):
        return answer(
            lambda: agree_with_bundle(options),
            lambda report: reality_lines(report, everything=options.all),
            as_json=options.json,
        )
    return answer(
        lambda: agree(options), lambda report: agreement_lines(report, everything=options.all), as_json=options.json
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core agree", description=__doc__)
    add_cluster_arguments(parser)
    add_version_arguments(parser)
    add_extender_arguments(parser)
    parser.add_argument(
        "--logs", type=Path, metavar="FILE", help="a kube-scheduler's log at verbosity 10, gzipped or not"
    )
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
    inputs = run_inputs(options, loaded)
    say_version(options, inputs)
    events = scheduler_events(loaded.events)
    said_by_pod = scheduler_reports(raw_pods(loaded.manifests), events)

    def tell(of_what: str) -> Callable[[int, int], None]:
        def progress(done: int, of: int) -> None:
            if done % 64 == 0:
                line.say(f"{100 * done // of:3d} %  {done:,} of {of:,} {of_what}")

        return progress

    annotated = scores_in_annotations(loaded.objects.pods)
    with extenders_answered(options, inputs) as extenders:
        logs = None
        if options.logs is not None:
            logs = _of_log(options.logs, inputs, extenders.source, tell("attempts of the log followed"))
        pods = agreement(inputs, said_by_pod, events, options.order, tell("pods decided"), extenders=extenders.source)
        line.clear()
        is_annotated = bool(annotated.of or annotated.problems.count)
        annotations = score_agreement(inputs, annotated, extenders.source) if is_annotated else None
        report = AgreeReport(pods=pods, logs=logs, annotations=annotations)
        if extenders.left_tape is not None:
            print(printable(extenders.left_tape.text), file=sys.stderr)
    return report


def _of_log(
    path: Path, inputs: RunInputs, extenders: ExtenderSource | None, tell: Callable[[int, int], None]
) -> ScoreAgreement:
    try:
        compared = log_agreement(inputs, lambda: lines_of_file(path), extenders, tell)
    except (OSError, EOFError, zlib.error) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise BadInput(f"{path}: cannot be read: {why}") from problem
    if not compared.pods:
        wrong = [f"{path}:{one.line}: {one.message}" for one in compared.problems]
        raise BadInput("\n".join(wrong) or f'{path}: no line says "Plugin scored node for pod". Log with -v=10')
    return compared
