"""``python -m scheduler_core validate``: one line per finding, exit status 0 without and 1 with errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.cli.common.answering import say_refused
from scheduler_core.cli.common.inputs import LEAVE_OUT_HELP, read_configuration
from scheduler_core.cli.common.opening import BadInput, opened
from scheduler_core.cli.common.progress import ProgressLine, read_files
from scheduler_core.cli.common.version import WrongOption, add_version_arguments
from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts.answer import doubts_of_input
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.manifests import Finding, ManifestSource
from scheduler_core.manifests.configuration.configurations import KIND
from scheduler_core.manifests.model import Severity, printable
from scheduler_core.profiles.plugin_sets import NotInstalled
from scheduler_core.simulate import ProfileError, check_profiles
from scheduler_core.versions.fields import FieldVersion
from scheduler_core.versions.gates import GateError
from scheduler_core.versions.trains import VersionError

_MAX_LINES = 200
_MAX_CHARS = 1_000


def run(argv: list[str]) -> int:
    """0 when the files have no error, else 1; findings go to standard output, a summary to standard error."""
    options = _parser().parse_args(argv)
    try:
        fields = _version_named(options)
    except (VersionError, GateError) as problem:
        return say_refused(WrongOption(f"--feature-gates: {problem}"))
    findings: list[Finding] = []
    doubts: Sequence[AnswerDoubt] = ()
    sources = [source for name in options.files for source in _read(name, findings)]
    if options.kind == "config":
        for source in sources:
            findings.extend(check_configuration(source, leave_out_unknown=options.leave_out_unknown)[1])
    elif sources:
        result = read_files(sources, ProgressLine(sys.stderr), fields)
        findings.extend(result.findings)
        doubts = doubts_of_input(result)
        _summarise(len(result.manifests), result.passed_over)
    _print(findings)
    for doubt in doubts:
        mark = "warning" if doubt.code == "NOT_IN_INPUT" else "doubt"
        print(printable(f"{mark}: {doubt.text}"))
    return 1 if any(f.severity == "error" for f in findings) else 0


def check_configuration(
    source: ManifestSource, *, leave_out_unknown: bool = False
) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """The configuration, None at an error, and the findings; its profiles are made once, as a run would make them.

    A plugin that is not installed here is a warning: the configuration may be for a machine that has it. So is an
    extender: nobody is called here, and a run needs to be told what answers for it.
    """
    reading = read_configuration(source, leave_out_unknown=leave_out_unknown, answered=not leave_out_unknown)
    configuration, findings = reading.configuration, reading.findings
    if configuration is None:
        return None, findings
    findings = [*findings, *(_of_extender(source.name, i) for i in range(len(configuration.extenders)))]
    try:
        check_profiles(configuration)
    except ProfileError as problem:
        missing = isinstance(problem, NotInstalled)
        severity: Severity = "warning" if missing else "error"
        finding = Finding(severity=severity, source=source.name, object=KIND, message=str(problem))
        return configuration if missing else None, [*findings, finding]
    return configuration, findings


def _of_extender(source: str, index: int) -> Finding:
    message = "nobody calls it here; a run needs --tape, --declared-extender or --record-extenders, which answer for it"
    return Finding(severity="warning", source=source, object=KIND, field=f"extenders[{index}]", message=message)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core validate", description=__doc__)
    parser.add_argument(
        "--as", dest="kind", choices=("cluster", "config"), default="cluster", help="what the files hold"
    )
    add_version_arguments(parser)
    parser.add_argument("--leave-out-unknown", action="store_true", help=LEAVE_OUT_HELP)
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="files, folders and archives (docs/inputs.md); - for standard input"
    )
    return parser


def _version_named(options: argparse.Namespace) -> FieldVersion | None:
    """The version that objects are held against, None without the option. Raises VersionError, GateError."""
    if options.kubernetes is None:
        if options.feature_gates is not None:
            raise GateError("gates need the version that they belong to (--kubernetes)")
        return None
    return FieldVersion.of(options.kubernetes, options.feature_gates or "")


def _read(name: str, findings: list[Finding]) -> list[ManifestSource]:
    """The files at a path; none, with a finding, where it cannot be read."""
    try:
        return opened(Path(name))
    except BadInput as problem:
        source, _, message = str(problem).partition(": ")
        findings.append(Finding(severity="error", source=source, message=message))
        return []


def _print(findings: list[Finding]) -> None:
    sources = {name: at for at, name in enumerate(dict.fromkeys(finding.source for finding in findings))}
    ordered = sorted(findings, key=lambda f: (sources[f.source], f.line or 0, f.severity))
    lines = [_cut(f.text()) for f in ordered[:_MAX_LINES]]
    if len(ordered) > _MAX_LINES:
        lines.append(f"{len(ordered) - _MAX_LINES} more findings are not shown")
    for line in lines:
        sys.stdout.write(line.encode("utf-8", "replace").decode("utf-8") + "\n")
    for text in {f.suggestion for f in ordered if f.suggestion}:
        sys.stderr.write("A converted text, to look over before use:\n\n" + "\n".join(map(printable, text.split("\n"))))


def _cut(line: str) -> str:
    return line if len(line) <= _MAX_CHARS else line[:_MAX_CHARS] + "…"


def _summarise(objects: int, passed_over: dict[str, int]) -> None:
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(passed_over.items())[:20])
    more = f"; passed over: {kinds}" if kinds else ""
    sys.stderr.write(printable(f"{plural(objects, 'object')} read{more}") + "\n")
