"""``generate FILE``: write a synthetic cluster and the arrivals of its pods; docs/generator.md says how.

FILE is a description, or a performance-config.yaml of scheduler_perf.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from scheduler_core.api.quantity import format_quantity
from scheduler_core.cli.common.answering import say_refused
from scheduler_core.cli.common.inputs import REFUSALS, BadInput
from scheduler_core.cli.files import scheduler_perf_case
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.manifests import ManifestSource, dump_yaml
from scheduler_core.manifests.model import printable
from scheduler_core.workloads.generator.generate import ObjectsAndEntries, written
from scheduler_core.workloads.generator.plan import GenerationPlan, make_plan
from scheduler_core.workloads.generator.reading import LIMITS, read_description
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS
from scheduler_core.workloads.generator.summary import PlanSummary, summarize_plan
from scheduler_core.workloads.scheduler_perf.reading import is_benchmark

CLUSTER, TIMELINE = "cluster.yaml", "timeline.yaml"


def run(argv: list[str]) -> int:
    """0 when all is written, 1 where the description has an error or a file cannot be written."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.lists:
        _print_lists()
        return 0
    if options.description is None:
        parser.error("a DESCRIPTION is needed, or --lists")
    try:
        source = _source(options.description)
        if is_benchmark(source):
            return scheduler_perf_case.run(source, options, _write)
        _refuse_benchmark_options(options)
        plan = _plan(source, options.seed)
        summary = summarize_plan(plan)
        _write(options, lambda: written(plan))
    except REFUSALS as problem:
        return say_refused(problem)
    _print(summary)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core generate", description=__doc__)
    parser.add_argument(
        "description",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="pools, workloads and arrivals, or a performance-config.yaml of scheduler_perf",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help=f"write {CLUSTER} and {TIMELINE} there")
    parser.add_argument("--cluster", type=Path, metavar="FILE", help="write the objects; JSON where it ends in .json")
    parser.add_argument("--timeline", type=Path, metavar="FILE", help="write the arrivals and departures likewise")
    parser.add_argument("--seed", type=int, metavar="N", help="instead of the description's")
    parser.add_argument("--lists", action="store_true", help="print the ready shapes and sizes with their sources")
    scheduler_perf_case.add_options(parser)
    return parser


def _source(path: Path) -> ManifestSource:
    """The file; raises BadInput where it cannot be read."""
    try:
        with path.open("rb") as file:
            return ManifestSource(str(path), file.read(LIMITS.max_bytes + 1))
    except OSError as problem:
        raise BadInput(f"{path}: cannot be read: {problem.strerror or problem}") from problem


def _refuse_benchmark_options(options: argparse.Namespace) -> None:
    for name in scheduler_perf_case.OPTIONS:
        if getattr(options, name) is not None:
            raise BadInput(f"--{name}: {options.description} is no configuration of scheduler_perf")


def _plan(source: ManifestSource, seed: int | None) -> GenerationPlan:
    """The plan of the description; prints warnings. Raises BadInput."""
    description, findings = read_description(source)
    if description is None:
        raise BadInput("\n".join(finding.text() for finding in findings if finding.severity == "error"))
    for finding in findings:
        print(printable(finding.text()), file=sys.stderr)
    if seed is not None:
        if not 0 <= seed < 1 << 63:
            raise BadInput("--seed: write a whole number from 0 to 9223372036854775807")
        description = msgspec.structs.replace(description, seed=seed)
    return make_plan(description)


def _write(options: argparse.Namespace, generated_by: Callable[[], ObjectsAndEntries]) -> None:
    """Write what was asked for; files appear whole or not at all. Raises BadInput."""
    cluster, timeline = options.cluster, options.timeline
    if options.out is not None:
        cluster, timeline = cluster or options.out / CLUSTER, timeline or options.out / TIMELINE
    if cluster is None and timeline is None:
        return
    generated = generated_by()
    if generated.entries and timeline is None:
        raise BadInput("pods arrive or leave: write --timeline FILE, or --out FOLDER")
    try:
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
        if cluster is not None:
            _put(cluster, generated.manifests, {"apiVersion": "v1", "kind": "List", "items": generated.manifests})
        if timeline is not None:
            whole = {"entries": generated.entries}
            _put(timeline, [whole], whole)
    except OSError as problem:
        raise BadInput(f"{problem.filename}: cannot be written: {problem.strerror or problem}") from problem


def _put(path: Path, documents: Iterable[Any], whole: Any) -> None:
    """Write a file under another name first, so that it appears whole or not at all."""
    is_json = path.suffix == ".json"
    text = msgspec.json.format(msgspec.json.encode(whole), indent=1).decode() if is_json else dump_yaml(documents)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


# ---------------------------------------------------------------- what is printed


def _print(summary: PlanSummary) -> None:
    nodes, zones, pods = plural(summary.n_nodes, "node"), plural(summary.n_zones, "zone"), plural(summary.n_pods, "pod")
    print(f"{nodes} in {zones}, {pods}")
    for one in summary.asked:
        share = f"{one.share:.0%}" if one.share is not None else "none allocatable"
        amounts = f"{_text(one.resource, one.at_once)} of {_text(one.resource, one.allocatable)}"
        print(printable(f"asked at once: {one.resource} {amounts} ({share})"))
    arrivals = summary.arrivals
    if arrivals.counts:
        arrive = plural(sum(arrivals.counts), "pod arrives", "pods arrive")
        there = plural(arrivals.at_start, "is", "are")
        print(f"{arrive} until {arrivals.last / 1e6:,.0f} s, {there} there at the start")
    for warning in summary.warnings:
        print(printable(f"warning: {warning.text}"))


def _text(resource: str, value: int) -> str:
    """An amount as people read it; memory in the largest unit that leaves a number above 1."""
    if resource != "memory":
        return format_quantity(resource, value)
    amount = float(value)
    for unit in ("", "Ki", "Mi", "Gi", "Ti"):
        if amount < 1024 or unit == "Ti":
            return f"{amount:.4g}{unit}"
        amount /= 1024
    raise AssertionError("the last unit takes all")


def _print_lists() -> None:
    print("shapes of nodes (shape: NAME)")
    for shape in SHAPES.values():
        amounts = ", ".join(f"{name} {_text(name, value)}" for name, value in shape.resources.items())
        print(f"  {shape.name:<26} {amounts}")
    print("sizes of pods (sizes: NAME)")
    for sizes in SIZE_LISTS.values():
        print(f"  {sizes.name:<26} {len(sizes.sizes)} sizes, {sizes.title}")
    print("sources")
    for source in dict.fromkeys([*(s.source for s in SHAPES.values()), *(s.source for s in SIZE_LISTS.values())]):
        print(f"  {source.title}: {source.address}")
