"""``agree BUNDLE``: each decision of the real scheduler in a bundle, held against the state just before it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.cli.common.extenders import extenders_answered
from scheduler_core.cli.common.inputs import (
    BadInput,
    check_findings,
    read_configuration,
    read_source,
    run_inputs,
)
from scheduler_core.cli.common.progress import ProgressLine
from scheduler_core.explain.agreement.texts import ours_text
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.reality import (
    HeldDecision,
    OtherConfiguration,
    Reality,
    RealityOptions,
    ready_configurations,
    reality,
)
from scheduler_core.explain.reality.texts import (
    APART,
    CAUSE_TITLES,
    divergence_text,
    headline,
    standing_words,
    test_words,
    unknowns,
    word,
)
from scheduler_core.manifests import LoadResult, ManifestSource
from scheduler_core.manifests.bundle.model import FILES, META
from scheduler_core.manifests.bundle.reading import Bundle, is_bundle, is_meta, open_bundle, open_files
from scheduler_core.manifests.model import LoadError, printable
from scheduler_core.profiles.presets import DEFAULT
from scheduler_core.simulate import RunInputs

_MOST = 200
_HEAD = 1 << 16


def is_bundle_path(paths: Sequence[Path]) -> bool:
    """Whether one path is given, and a bundle is there: its archive, or its folder."""
    if len(paths) != 1 or str(paths[0]) == "-":
        return False
    path = paths[0]
    try:
        with (path / META if path.is_dir() else path).open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return is_meta(head) if path.is_dir() else is_bundle(head)


def agree_with_bundle(options: argparse.Namespace) -> Reality:
    """Open the bundle and compare. Raises one of REFUSALS."""
    if options.logs is not None or options.order != "snapshot":
        raise BadInput("--logs and --order are for dumps: a bundle has its own order")
    line = ProgressLine(sys.stderr)
    try:
        bundle = opened_bundle(options.files[0])
        for gap in [one for one in bundle.gaps if one.code == "CUT"]:
            print(printable(f"warning: {gap.text}. What came before is read"), file=sys.stderr)
        inputs, label, others = _configured(options, bundle)

        def tell(done: int, of: int) -> None:
            if done % 64 == 0 or done == of:
                line.say(f"{100 * done // max(1, of):3d} %  {done:,} of {of:,} decisions held against their states")

        with extenders_answered(options, inputs) as extenders:
            chosen = RealityOptions(inputs=inputs, configuration=label, others=others)
            report = reality(bundle, chosen, extenders.source, tell)
            line.clear()
            if extenders.left_tape is not None:
                print(printable(extenders.left_tape.text), file=sys.stderr)
        return report
    except LoadError as problem:
        raise BadInput(problem.message if problem.field == "" else _place(options.files[0], problem)) from problem


def _place(path: Path, problem: LoadError) -> str:
    return f"{path}/{problem.field}:{problem.line}: {problem.message}"


def opened_bundle(path: Path) -> Bundle:
    """The bundle at a path. Raises LoadError, and BadInput for what cannot be read."""
    if not path.is_dir():
        return open_bundle(read_source(path))
    files = {name: read_source(path / name).data for name in FILES if (path / name).is_file()}
    return open_files(str(path), files)


def _configured(options: argparse.Namespace, bundle: Bundle) -> tuple[RunInputs, str, list[OtherConfiguration]]:
    """The inputs with the configuration to compare with, what it is, and those that the real one may be instead."""
    inputs = run_inputs(options, LoadResult(objects=ClusterObjects()), server=bundle.meta.server_version)
    text, source = bundle.meta.configuration, bundle.meta.configuration_of or "the bundle"
    is_chosen = options.config is not None or options.preset != DEFAULT
    if not text:
        given = str(options.config or f"preset {options.preset}")
        label = given if is_chosen else "assumed: kube-scheduler's defaults, since the bundle has none"
        return inputs, label, ready_configurations()
    reading = read_configuration(
        ManifestSource(f"{bundle.name}: configuration of {source}", text.encode()),
        leave_out_unknown=options.leave_out_unknown,
        answered=_is_answered(options),
    )
    check_findings(reading.findings)
    assert reading.configuration is not None, "no configuration and no finding"
    if is_chosen:
        other = OtherConfiguration(f"the configuration of {source}", reading.configuration, is_known=True)
        return inputs, str(options.config or f"preset {options.preset}"), [other]
    return msgspec.structs.replace(inputs, configuration=reading.configuration), f"read from {source}", []


def _is_answered(options: argparse.Namespace) -> bool:
    return options.tape is not None or options.declared_extender is not None


# ---------------------------------------------------------------- as text


def reality_lines(report: Reality, *, everything: bool = False) -> Iterator[str]:
    """The report, differences first; ``everything`` names decisions that agree too."""
    yield from _figures(report)
    yield ""
    yield f"FIRST DIVERGENCE  {divergence_text(report.divergence, report.free_run)}"
    differing = [one for one in report.decisions if one.verdict == "differ"]
    for one in differing[:_MOST]:
        yield from _difference(one)
    if len(differing) > _MOST:
        yield f"  … and {len(differing) - _MOST:,} more; --json names all"
    if everything:
        yield ""
        for one in report.decisions:
            if one.verdict != "differ":
                node = one.node or "no node"
                yield f"{_clock(one.at)} {one.pod}: {node}, {word(one)}, {standing_words(one)}".rstrip(", ")
    if report.gaps:
        yield ""
        yield "GAPS"
        for gap in report.gaps:
            until = "to the end" if gap.until is None else f"to {_clock(gap.until)}"
            yield f"  {gap.code} {gap.kind or 'all kinds'}, {_clock(gap.since)} {until}: {gap.text}"
    rows = list(unknowns(report))
    if rows:
        yield ""
        yield "NOT KNOWN"
        for subject, text in rows:
            yield f"  {subject}: {text}"


def _figures(report: Reality) -> Iterator[str]:
    n_bindings = report.counted("binding") - report.counted("binding", "not_comparable")
    n_messages = report.counted("message") - report.counted("message", "not_comparable")
    agree, chance = report.counted("binding", "agree"), report.counted("binding", "chance")
    same = f"{agree:,} same node ({report.n_only_one:,} had only one that fits)"
    yield f"BINDINGS  {agree + chance:,} of {n_bindings:,} agree: {same}, {chance:,} among our best"
    equal = report.counted("message", "agree", "chance")
    yield f"MESSAGES  {equal:,} of {n_messages:,} equal"
    if report.causes:
        named = ", ".join(f"{report.causes[cause]:,} {cause}" for cause in CAUSE_TITLES if cause in report.causes)
        yield f"DIFFER    {named}"
    if report.apart:
        said = ", ".join(f"{count:,} {APART[name]}" for name, count in report.apart.items() if name)  # type: ignore[index]
        yield f"NOT COMPARABLE  {said}"
    seconds = report.ended - report.began
    yield (
        f"BUNDLE    {plural(report.n_changes, 'change')} in {seconds / 60:,.1f} min from {_clock(report.began)}, "
        f"{plural(report.n_nodes, 'node')}, cluster {report.server_version or 'of unknown version'}, followed "
        f"{report.follows}"
    )
    yield f"CONFIGURATION  {report.configuration}"
    yield f"DECIDED   {plural(len(report.decisions), 'decision')} in {report.seconds:.2f} s"


def _difference(one: HeldDecision) -> Iterator[str]:
    yield ""
    yield f"{(one.cause or 'differs').upper()}  {_clock(one.at)} {one.pod}: {headline(one)}"
    if one.bound is not None:
        yield f"  {standing_words(one)}: really {one.node}, ours {ours_text(one.bound)}"
        for row in one.bound.points:
            if row.real != row.ours:
                yield f"  {row.plugin}: {row.real} against {row.ours} ({row.real - row.ours:+d})"
        for refusal in one.bound.refusals:
            yield f"  {refusal.plugin}: {', '.join(refusal.reasons)}"
    if one.pending is not None:
        yield f"  real: {one.pending.report.message}"
        yield f"  ours: {one.pending.ours or f'fits {one.pending.node}'}"
    if one.real_victims or one.victims:
        yield f"  victims: really {', '.join(one.real_victims) or 'none'}; ours {', '.join(one.victims) or 'none'}"
    for test in one.tests:
        yield f"  {test_words(test)}"


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}.{round(at % 1 * 1000) % 1000:03d}Z"
