"""``generate performance-config.yaml --test NAME --workload NAME``: a test case of scheduler_perf as files."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from scheduler_core.cli.common.inputs import BadInput
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.model import LoadError, printable, quoted
from scheduler_core.workloads.generator import fields
from scheduler_core.workloads.generator.description import SECOND
from scheduler_core.workloads.generator.generate import ObjectsAndEntries
from scheduler_core.workloads.scheduler_perf.benchmark import Benchmark, BenchmarkCase, BenchmarkWorkload
from scheduler_core.workloads.scheduler_perf.conversion import PAUSE, ConvertedBenchmark, convert
from scheduler_core.workloads.scheduler_perf.reading import read_benchmark
from scheduler_core.workloads.scheduler_perf.templates import LIMITS

OPTIONS = ("test", "workload", "pause")
_Named = TypeVar("_Named", BenchmarkCase, BenchmarkWorkload)
Write = Callable[[argparse.Namespace, Callable[[], ObjectsAndEntries]], None]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that only configurations of scheduler_perf have."""
    group = parser.add_argument_group("configurations of scheduler_perf")
    group.add_argument("--test", metavar="NAME", help="the test case; without it they are listed")
    group.add_argument("--workload", metavar="NAME", help="the sizes to take; not needed where there is one")
    group.add_argument("--pause", metavar="TIME", help="stands in for each wait until pods are bound (10s)")


def run(source: ManifestSource, options: argparse.Namespace, write: Write) -> int:
    """0 when all is written or listed. Raises BadInput."""
    benchmark, findings = read_benchmark(source)
    if benchmark is None:
        raise BadInput("\n".join(finding.text() for finding in findings if finding.severity == "error"))
    for finding in findings:
        print(printable(finding.text()), file=sys.stderr)
    if options.seed is not None:
        raise BadInput("--seed: nothing is drawn at random in a configuration of scheduler_perf")
    if options.test is None:
        return _list(benchmark, options)
    case = _named(benchmark.cases, options.test, "--test", "test case")
    workload = _workload(case, options.workload)
    pause = _pause(options.pause)
    try:
        made = convert(case, workload, _opener(Path(source.name).parent), pause)
    except LoadError as problem:
        raise BadInput(f"{source.name}: {problem.message}") from problem
    write(options, lambda: made.made)
    _print(case, workload, made, pause)
    return 0


def _list(benchmark: Benchmark, options: argparse.Namespace) -> int:
    if any(given is not None for given in (options.out, options.cluster, options.timeline, options.workload)):
        raise BadInput("--test is missing. Without options the test cases are listed")
    for case in benchmark.cases:
        print(printable(f"{case.name}{f' (cannot be made: {case.refusal})' if case.refusal else ''}"))
        for workload in case.workloads:
            print(printable(f"  {workload.name:<40} {workload.sizes}"))
    return 0


def _named(things: tuple[_Named, ...], name: str, option: str, what: str) -> _Named:
    for thing in things:
        if thing.name == name:
            return thing
    raise BadInput(f"{option}: there is no {what} {quoted(name)}. There are {', '.join(one.name for one in things)}")


def _workload(case: BenchmarkCase, name: str | None) -> BenchmarkWorkload:
    if name is None and len(case.workloads) == 1:
        return case.workloads[0]
    if name is None:
        raise BadInput(f"--workload is missing. {case.name} has {', '.join(one.name for one in case.workloads)}")
    return _named(case.workloads, name, "--workload", f"workload of {case.name}")


def _pause(text: str | None) -> int:
    """Microseconds."""
    try:
        return fields.parse_duration(text, PAUSE)
    except LoadError as problem:
        raise BadInput(f"--pause: {problem.message}") from problem


def _opener(folder: Path) -> Callable[[str], ManifestSource]:
    """Opens the files of templates beside the configuration."""

    def opened(name: str) -> ManifestSource:
        path = folder / name
        try:
            with path.open("rb") as file:
                return ManifestSource(str(path), file.read(LIMITS.max_bytes + 1))
        except OSError as problem:
            raise LoadError(f"cannot be read: {problem.strerror or problem}") from problem

    return opened


def _print(case: BenchmarkCase, workload: BenchmarkWorkload, made: ConvertedBenchmark, pause: int) -> None:
    put = Counter(manifest["kind"] for manifest in made.made.manifests)
    print(printable(f"{case.name}, {workload.name}: {_counts(put)} in the cluster"))
    actions = Counter((entry["action"], entry["object"]["kind"]) for entry in made.made.entries)
    for action, words in (("add", "come"), ("delete", "go")):
        kinds = Counter({kind: n for (of, kind), n in actions.items() if of == action})
        if kinds:
            print(printable(f"{_counts(kinds)} {words} within {made.length / SECOND:,.0f} s"))
    if made.waits:
        waits = f"scheduler_perf waits {_times(made.waits)} until pods are bound"
        print(f"{waits}; {pause / SECOND:g} s stand in for each wait")
    if case.scheduler_config:
        print(printable(f"the test case runs with the configuration {case.scheduler_config}"))


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{n:,} {kind if n == 1 else _plural(kind)}" for kind, n in kinds.items()) or "nothing"


def _plural(kind: str) -> str:
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


def _times(number: int) -> str:
    return f"{number:,} time{'' if number == 1 else 's'}"
