"""``compare A [B]``: run two clusters, or one in two ways, and say where they part and which pods end otherwise."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from scheduler_core.cli.answers.why import recorded
from scheduler_core.cli.common.answering import add_exit_code, answer
from scheduler_core.cli.common.extenders import add_extender_arguments, extenders_answered
from scheduler_core.cli.common.inputs import LEAVE_OUT_HELP, BadInput, add_others_arguments, read_objects, run_inputs
from scheduler_core.cli.common.mode import say_mode
from scheduler_core.cli.common.progress import ProgressLine
from scheduler_core.cli.common.version import add_version_arguments, say_version
from scheduler_core.compare import RunComparison, RunToCompare, comparison
from scheduler_core.compare.report import as_csv, as_markdown, as_text
from scheduler_core.profiles.presets import DEFAULT, PRESETS
from scheduler_core.recording import RecordingReader
from scheduler_core.recording.errors import RecordingError
from scheduler_core.simulate import RunInputs

_SETTINGS = ("config", "preset", "timeline", "seed", "tape", "declared_extender", "kubernetes", "feature_gates")
_ANSWERING = ("tape", "declared_extender")
_SHARED = ("schedule", "leave_out_unknown", "serve_others", "others_bound")


def run(argv: list[str]) -> int:
    """Exit status 0 with an answer, whether there are differences or not; 1 for bad input, 2 for a wrong command line;
    with --exit-code 3 where the two differ."""
    options = _parser().parse_args(argv)
    lines: Callable[[RunComparison], Iterable[str]] = as_text
    if options.markdown or options.csv:
        lines = as_markdown if options.markdown else as_csv
    finds = (lambda compared: compared.divergence is not None) if options.exit_code else (lambda compared: False)
    return answer(lambda: compare(options), lines, as_json=options.json, finds=finds)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scheduler_core compare",
        description=__doc__,
        epilog="An option with one value is for both sides, with two for A and B.",
    )
    parser.add_argument("a", type=Path, metavar="A", help="Kubernetes objects of A: YAML, JSON, gzipped or not")
    parser.add_argument("b", type=Path, metavar="B", nargs="?", help="those of B (default: the same)")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--config", type=Path, nargs="+", metavar="FILE", help="KubeSchedulerConfigurations (v1)")
    parser.add_argument("--leave-out-unknown", action="store_true", help=LEAVE_OUT_HELP)
    names = ", ".join(PRESETS)
    chosen.add_argument("--preset", nargs="+", default=[DEFAULT], metavar="NAME", help=f"ready ones: {names}")
    parser.add_argument("--timeline", type=Path, nargs="+", metavar="FILE", help="what happens when")
    parser.add_argument("--schedule", choices=("pending", "all"), help="pods that wait, or all as if none were bound")
    parser.add_argument("--seed", type=int, nargs="+", default=[0], metavar="N", help="draws among equals (default 0)")
    parser.add_argument("--at", type=int, nargs=2, metavar="SEQ", help="compare the first SEQ events of A and of B")
    add_extender_arguments(parser, nargs="+")
    add_others_arguments(parser)
    add_version_arguments(parser, nargs="+")
    add_exit_code(parser, "the two differ")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--markdown", action="store_true", help="print Markdown, to paste into an issue")
    form.add_argument("--csv", action="store_true", help="print one line of CSV per pod that differs")
    return parser


def compare(options: argparse.Namespace) -> RunComparison:
    """Run both to the end and compare. Raises one of REFUSALS."""
    for name in _SETTINGS:
        if len(getattr(options, name) or ()) > 2:
            raise BadInput(
                f"--{name.replace('_', '-')}: has more than two values; the first is for A, the second for B"
            )
    line = ProgressLine(sys.stderr)
    sides = [_side(options, number) for number in (0, 1)]
    files = {side.files[0]: side for side in sides}
    read = {path: read_objects(side, line) for path, side in files.items()}
    inputs = [run_inputs(side, read[side.files[0]]) for side in sides]
    if len(files) == 1 and options.kubernetes is None:
        # One cluster: its two configurations are compared under one version, whatever a preset names.
        policies = msgspec.structs.replace(inputs[1].policies, kubernetes=inputs[0].policies.kubernetes)
        inputs[1] = msgspec.structs.replace(inputs[1], policies=policies)
    if any(one.configuration.extenders for one in inputs):
        sides = [_asking(side, one) for side, one in zip(sides, inputs, strict=True)]
    first = _recorded(sides[0], inputs[0], line)
    is_one = inputs[0] == inputs[1] and all(getattr(sides[0], name) == getattr(sides[1], name) for name in _ANSWERING)
    runs = (first, first if is_one else _recorded(sides[1], inputs[1], line))
    until = options.at or (None, None)
    a, b = (RunToCompare(*runs[i], until[i]) for i in (0, 1))
    try:
        compared = comparison(a, b)
    except RecordingError as problem:
        raise BadInput(f"--at: {problem}") from problem
    say_version(options, *inputs)
    say_mode(options, *inputs)
    return compared


def _asking(side: argparse.Namespace, inputs: RunInputs) -> argparse.Namespace:
    """The side's options without what answers for extenders, where it has none and the other side has some."""
    nothing = {} if inputs.configuration.extenders else dict.fromkeys(_ANSWERING)
    return argparse.Namespace(**{**vars(side), **nothing})


def _recorded(side: argparse.Namespace, inputs: RunInputs, line: ProgressLine) -> tuple[RunInputs, RecordingReader]:
    """A side's inputs, with what answered for its extenders, and its run."""
    with extenders_answered(side, inputs) as extenders:
        named = msgspec.structs.replace(inputs, extender_answers=extenders.name)
        return named, recorded(named, line, extenders)


def _side(options: argparse.Namespace, number: int) -> argparse.Namespace:
    """The options of one side, as ``run_inputs`` takes them."""
    chosen = {name: _of_side(getattr(options, name), number) for name in _SETTINGS}
    file = options.b if number and options.b is not None else options.a
    shared = {name: getattr(options, name) for name in _SHARED}
    return argparse.Namespace(files=[file], **shared, **chosen)


def _of_side(values: list[object] | None, number: int) -> object:
    return values[min(number, len(values) - 1)] if values else None
