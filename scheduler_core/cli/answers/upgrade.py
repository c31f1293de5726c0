"""``upgrade FILES --from 1.34 --to 1.36``: what two versions of kube-scheduler decide otherwise for a cluster, and why.

Ends with 0 where nothing differs and with 3 where something does; 1 for bad input, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import sys

from scheduler_core.cli.answers.why import recorded
from scheduler_core.cli.common.answering import answer
from scheduler_core.cli.common.inputs import BadInput, add_input_arguments, read_inputs
from scheduler_core.cli.common.progress import ProgressLine
from scheduler_core.compare.upgrade import UpgradeReport, upgrade_report
from scheduler_core.compare.upgrade.lines import report_lines
from scheduler_core.compare.upgrade.model import VersionSide
from scheduler_core.compare.upgrade.report import version_side
from scheduler_core.recording import RecordingReader
from scheduler_core.simulate import RunInputs
from scheduler_core.versions.gates import GateError, gates_text, read_gates
from scheduler_core.versions.trains import VersionError


def run(argv: list[str]) -> int:
    """The exit status, as said above."""
    parser = _parser()
    options = parser.parse_args(argv)
    sides = _side(parser, options.before, options.gates_before), _side(parser, options.to, options.gates_to)
    return answer(
        lambda: make_report(options, sides), report_lines, as_json=options.json, finds=lambda report: report.differs
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core upgrade", description=__doc__)
    add_input_arguments(parser)
    version = "a version of Kubernetes: a train (1.34) or a patch (1.34.1)"
    parser.add_argument("--from", dest="before", required=True, metavar="VERSION", help=f"what runs now; {version}")
    parser.add_argument("--to", required=True, metavar="VERSION", help=version)
    gates = "feature gates that are not as in that version: NAME=true,..."
    parser.add_argument("--from-gates", dest="gates_before", default="", metavar="GATES", help=gates)
    parser.add_argument("--to-gates", dest="gates_to", default="", metavar="GATES", help="the same for the other")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _side(parser: argparse.ArgumentParser, kubernetes: str, gates: str) -> VersionSide:
    """The version; a wrong one ends the program with status 2."""
    try:
        return version_side(kubernetes, gates_text(read_gates(gates)))
    except (VersionError, GateError) as problem:
        parser.error(str(problem))


def make_report(options: argparse.Namespace, sides: tuple[VersionSide, VersionSide]) -> UpgradeReport:
    """Run the files under both versions. Raises one of REFUSALS."""
    line = ProgressLine(sys.stderr)
    inputs = read_inputs(options, line)
    if inputs.configuration.extenders:
        raise BadInput("--config: extenders are asked by no upgrade report; leave them out, or compare two runs")

    def carry_out(one: RunInputs) -> RecordingReader:
        return recorded(one, line)

    def say(what: str, done: int, of: int) -> None:
        line.say(f"{what}: {done:,} of {of:,}")

    try:
        return upgrade_report(inputs, sides, carry_out, say=say)
    finally:
        line.clear()
