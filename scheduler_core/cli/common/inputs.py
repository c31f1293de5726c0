"""What the commands that run a cluster have in common: their files and options, read to a run's inputs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Pod
from scheduler_core.capacity.groups.files import GroupsError
from scheduler_core.cli.common.opening import BadInput as BadInput
from scheduler_core.cli.common.opening import opened
from scheduler_core.cli.common.progress import ProgressLine, read_files
from scheduler_core.cli.common.version import policies_followed
from scheduler_core.manifests import (
    UNKNOWN,
    ConfigurationReading,
    Finding,
    Limits,
    LoadResult,
    ManifestSource,
    read_config,
)
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS
from scheduler_core.manifests.model import LoadError, printable
from scheduler_core.manifests.parsing.line_positions import ObjectPosition, Positions
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.profiles.presets import DEFAULT, PRESETS, Preset, find_preset
from scheduler_core.profiles.registry import installed
from scheduler_core.profiles.stand_ins import other_schedulers, with_stand_ins
from scheduler_core.simulate import (
    BranchError,
    Changed,
    ChangesError,
    InputChange,
    ProfileError,
    RunInputs,
    Timeline,
    TimelineError,
    changes_from_raw,
    default_schedule,
    of_new_runs,
    timeline_from_raw,
)

T = TypeVar("T")

MAX_ROWS = 200
MAX_CYCLES = 1_000_000
LEAVE_OUT_HELP = (
    "go without plugins and extenders of the configuration that are not installed here, and say what is lost"
)

ANSWERED_BY = ("tape", "declared_extender", "record_extenders")
"""The options that say what answers for extenders, of which commands have some."""

REFUSALS = (BadInput, BranchError, ProfileError, TimelineError)
"""What ``read_inputs`` and the start of a run raise for input that cannot be used."""


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """The files and the configuration; what a run depends on besides has its defaults."""
    parser.set_defaults(timeline=None, schedule=None, seed=0, serve_others="", others_bound=False)
    parser.set_defaults(kubernetes=None, feature_gates=None)
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="files, folders and archives with Kubernetes objects (docs/inputs.md)",
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--config", type=Path, metavar="FILE", help="a KubeSchedulerConfiguration (v1)")
    parser.add_argument("--leave-out-unknown", action="store_true", help=LEAVE_OUT_HELP)
    names = ", ".join(PRESETS)
    chosen.add_argument("--preset", default=DEFAULT, metavar="NAME", help=f"a ready configuration: {names}")


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """The files, and the options that a run depends on."""
    add_cluster_arguments(parser)
    parser.add_argument(
        "--timeline", type=Path, metavar="FILE", help="what happens when: entries with at, action, object"
    )
    parser.add_argument("--schedule", choices=("pending", "all"), help="pods that wait, or all as if none were bound")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws among equals (default 0)")
    add_others_arguments(parser)


def add_others_arguments(parser: argparse.ArgumentParser) -> None:
    """What becomes of pods of schedulers that no profile serves."""
    others = parser.add_mutually_exclusive_group()
    others.add_argument(
        "--serve-others",
        default="",
        metavar="PROFILE",
        help="decide pods of schedulers that no profile serves as pods of this profile; default: they stay pending",
    )
    others.add_argument(
        "--others-bound",
        action="store_true",
        help="with --schedule all: such pods stay on the nodes that the files bind them to",
    )


def read_inputs(
    options: argparse.Namespace, line: ProgressLine, policies: Sequence[str] = (), max_cycles: int = MAX_CYCLES
) -> RunInputs:
    """The inputs that files and options describe; prints warnings. Raises BadInput, TimelineError, ProfileError."""
    return run_inputs(options, read_objects(options, line), policies, max_cycles)


def read_objects(options: argparse.Namespace, line: ProgressLine) -> LoadResult:
    """What the files hold; prints warnings. Raises BadInput."""
    result = read_files([source for path in options.files for source in opened(path)], line)
    check_findings(result.findings)
    return result


def run_inputs(
    options: argparse.Namespace,
    result: LoadResult,
    policies: Sequence[str] = (),
    max_cycles: int = MAX_CYCLES,
    server: str = "",
) -> RunInputs:
    """The inputs of objects that were read, and of the options; ``server`` is the version of the cluster's API server.

    Raises BadInput, TimelineError, ProfileError."""
    preset = _preset(options.preset)
    timeline = _timeline(options.timeline, result)
    schedule = options.schedule or ("timeline" if options.timeline else default_schedule(result.objects))
    configuration = _configuration(options, preset)
    come = [entry.object for entry in timeline.entries if entry.action == "put" and isinstance(entry.object, Pod)]
    all_wait = schedule == "all" and not options.others_bound
    return RunInputs(
        objects=result.objects,
        configuration=_with_others(configuration, options, (*result.objects.pods, *come), all_wait=all_wait),
        policies=policies_followed(options, result, preset.applied_to(of_new_runs()), policies, server),
        timeline=timeline,
        schedule=schedule,
        seed=options.seed,
        max_cycles=max_cycles,
        unplayed=result.unplayed,
    )


def _with_others(
    configuration: SchedulerConfiguration, options: argparse.Namespace, pods: Iterable[Pod], *, all_wait: bool
) -> SchedulerConfiguration:
    """The configuration with stand-ins for other schedulers; says how their pods fare. Raises ProfileError."""
    profile = options.serve_others
    pods = list(pods)
    others = other_schedulers(pods, configuration, all_wait=all_wait)
    every = other_schedulers(pods, configuration, all_wait=True)
    served = with_stand_ins(configuration, dict.fromkeys(others, profile)) if profile else configuration
    fate = f"decided as pods of {profile}" if profile else "left pending (--serve-others PROFILE decides them)"
    for name, count in every.most_common(MAX_ROWS):
        counts = ((others[name], fate), (count - others[name], "bound as the files have them"))
        fates = "; ".join(f"{n:,}, {what}" for n, what in counts if n)
        print(printable(f"pods of scheduler {name}, which no profile serves: {fates}"), file=sys.stderr)
    return served


def read_source(path: Path) -> ManifestSource:
    """The file's content, one byte more than allowed at most, so that the loader can say that it is too large."""
    try:
        with path.open("rb") as file:
            return ManifestSource(str(path), file.read(Limits().max_bytes + 1))
    except OSError as problem:
        raise BadInput(f"{path}: cannot be read: {problem.strerror or problem}") from problem


def _preset(name: str) -> Preset:
    try:
        return find_preset(name)
    except ValueError as problem:
        raise BadInput(f"--preset: {problem}") from problem


def read_configuration(
    source: ManifestSource, *, leave_out_unknown: bool, answered: bool = False
) -> ConfigurationReading:
    """A configuration; where asked for, without what is not installed here. ``answered``: with its extenders."""
    registry = installed()
    unknown = msgspec.structs.replace(UNKNOWN, extenders=not answered)
    if leave_out_unknown:
        return read_config(source, frozenset(registry.factories), unknown, registry.unusable, answered=answered)
    reading = read_config(source, registry.names, unusable=registry.unusable, answered=answered)
    if reading.configuration is None:
        without = read_config(source, frozenset(registry.factories), unknown, answered=answered)
        if without.configuration is not None and without.left_out:
            names = ", ".join(one.name for one in without.left_out)
            print(printable(f"--leave-out-unknown reads {source.name} without {names}"), file=sys.stderr)
    return reading


def _configuration(options: argparse.Namespace, preset: Preset) -> SchedulerConfiguration:
    if options.config is None:
        return preset.configuration()
    answering = [name for name in ANSWERED_BY if hasattr(options, name)]
    answered = any(getattr(options, name) is not None for name in answering)
    source = read_source(options.config)
    reading = read_configuration(source, leave_out_unknown=options.leave_out_unknown, answered=answered)
    if reading.configuration is None and answering and not answered:
        with_extenders = read_config(source, installed().names, answered=True).configuration
        if with_extenders is not None and with_extenders.extenders:
            names = " or ".join(f"--{name.replace('_', '-')}" for name in answering)
            print(f"{names} says what answers for the extenders", file=sys.stderr)
    if any(finding.suggestion for finding in reading.findings):
        print(f"`validate --as config {options.config}` prints a converted text", file=sys.stderr)
    check_findings(reading.findings)
    assert reading.configuration is not None, "no configuration and no finding"
    return reading.configuration


def _timeline(path: Path | None, result: LoadResult) -> Timeline:
    if path is None:
        return Timeline()
    context = [m.complete for m in result.manifests if m.kind in CONTEXT_KINDS]
    return read_document(path, "timeline", lambda raw: timeline_from_raw(raw, context))


def read_changes(path: Path, result: LoadResult, inputs: RunInputs, at: int) -> list[InputChange]:
    """The changes in a file, for a branch of the run of these inputs that begins at this seq. Raises BadInput."""
    manifests = [manifest.complete for manifest in result.manifests]
    of = Changed(
        manifests=manifests,
        timeline=inputs.timeline,
        policies=inputs.policies,
        known_plugins=installed().names,
        at=at,
    )
    return read_document(path, "list of changes", lambda raw: changes_from_raw(raw, of))


def read_document(path: Path, what: str, read: Callable[[Any], T]) -> T:
    """What is made of the file's one document. Raises BadInput, which names the line of an error."""
    limits = Limits(max_object_values=Limits().max_json_values)
    try:
        text = read_text(read_source(path), limits)
        documents = [
            (n, document.value) for n, document in enumerate(read_documents(text, limits)) if document.value is not None
        ]
    except LoadError as problem:
        raise _misread(path, problem.line, problem.field, problem.message) from problem
    if len(documents) != 1:
        raise _misread(path, None, f"there are {len(documents)} documents in the file. One file holds one {what}")
    number, raw = documents[0]
    try:
        return read(raw)
    except (TimelineError, ChangesError, GroupsError) as problem:
        line = Positions(text, limits).line(ObjectPosition(0, number, (), None), problem.path)
        raise _misread(path, line, str(problem)) from problem


def _misread(path: Path, line: int | None, *parts: str) -> BadInput:
    """An error in a file: its name and line, then the parts that there are."""
    where = f"{path}:{line}" if line else str(path)
    return BadInput(": ".join(part for part in (where, *parts) if part))


def check_findings(findings: list[Finding]) -> None:
    """Print warnings, raise on errors."""
    warnings = dict.fromkeys(finding.text() for finding in findings if finding.severity == "warning")
    for text in list(warnings)[:MAX_ROWS]:
        print(printable(text), file=sys.stderr)
    errors = [finding.text() for finding in findings if finding.severity == "error"]
    if errors:
        more = [f"… and {len(errors) - MAX_ROWS:,} more errors"] if len(errors) > MAX_ROWS else []
        raise BadInput("\n".join(errors[:MAX_ROWS] + more))
