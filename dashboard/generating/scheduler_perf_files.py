"""Uploaded configurations of scheduler_perf with their templates, and the test case that was chosen of them."""

from __future__ import annotations

import json
import posixpath
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.problems import Problem
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.model import LoadError, quoted
from scheduler_core.workloads.scheduler_perf.conversion import convert
from scheduler_core.workloads.scheduler_perf.reading import is_benchmark, may_be_benchmark, read_benchmark

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.clusters.uploads.opening import Upload
    from scheduler_core.manifests import Finding, ProgressCallback
    from scheduler_core.workloads.scheduler_perf.benchmark import BenchmarkCase, BenchmarkWorkload
    from scheduler_core.workloads.scheduler_perf.conversion import ConvertedBenchmark

MOST_CONFIGURATIONS = 60
MOST_CONFIGURATION_BYTES = 4 << 20
"""Of all configurations of an upload: each is read to show its test cases."""
SMALL_OBJECTS = 500
"""A template may be large, so a worker makes more than these."""


class WorkloadChoice(NamedTuple):
    """A workload of a test case, and the text that chooses it."""

    workload: BenchmarkWorkload
    value: str


class CaseChoice(NamedTuple):
    """A test case with its workloads."""

    case: BenchmarkCase
    workloads: list[WorkloadChoice]


class ConfigurationChoice(NamedTuple):
    """A configuration with its test cases, none where it has errors, and what was found in it."""

    name: str
    cases: list[CaseChoice]
    findings: list[Finding]


class BenchmarkFiles:
    """The files of an upload. Files of an archive have their paths in it, others their bare names."""

    def __init__(self, uploads: Sequence[Upload]) -> None:
        self._files = {upload.name: ManifestSource(upload.name, upload.data) for upload in uploads}
        self._by_name = Counter(map(posixpath.basename, self._files))

    def configurations(self) -> list[ConfigurationChoice]:
        """Return the configurations among the files; raises Problem where there is none."""
        seeming = [source for source in self._files.values() if may_be_benchmark(source)]
        if sum(len(source.data) for source in seeming) > MOST_CONFIGURATION_BYTES:
            most = MOST_CONFIGURATION_BYTES >> 20
            raise Problem(f"The files with a workloadTemplate have more than {most} MiB together. Send some of them.")
        sources = [source for source in seeming if is_benchmark(source)]
        if not sources:
            raise Problem(
                "None of these files is a performance-config.yaml: a list of test cases, each with a workloadTemplate "
                "and workloads."
            )
        if len(sources) > MOST_CONFIGURATIONS:
            raise Problem(f"These are {len(sources):,} configurations. Send at most {MOST_CONFIGURATIONS} at once.")
        return [_choice(source) for source in sources]

    def made(self, value: str, pause: int, report_progress: ProgressCallback | None = None) -> MadeCase:
        """Return what the chosen workload comes to, each wait a pause of microseconds; raises Problem."""
        name, case, workload = self._chosen(value)
        try:
            made = convert(case, workload, self._opener(name), pause, report_progress)
        except LoadError as problem:
            raise Problem(f"{problem.message}.", title=f"{name} cannot be made") from None
        return MadeCase(case, workload, made)

    def is_small(self, value: str) -> bool:
        """Return whether the chosen workload is made in a moment; raises Problem where none is chosen."""
        _, case, workload = self._chosen(value)
        n_objects = case.n_objects(workload)
        return n_objects is not None and n_objects <= SMALL_OBJECTS

    def _chosen(self, value: str) -> tuple[str, BenchmarkCase, BenchmarkWorkload]:
        for configuration in self.configurations():
            for case in configuration.cases:
                for one in case.workloads:
                    if one.value == value:
                        return configuration.name, case.case, one.workload
        raise Problem("Choose a workload of a test case.")

    def _opener(self, configuration: str) -> Callable[[str], ManifestSource]:
        """Open files at paths relative to the configuration, or by their bare name where only one file has it."""

        def opened(path: str) -> ManifestSource:
            whole = posixpath.normpath(posixpath.join(posixpath.dirname(configuration), path))
            if whole in self._files:
                return self._files[whole]
            name = posixpath.basename(whole)
            if self._by_name[name] > 1:
                raise LoadError(f"{self._by_name[name]} files are named {quoted(name)}. Send them in an archive")
            for stored, source in self._files.items():
                if posixpath.basename(stored) == name:
                    return source
            raise LoadError("is not among the files. Send it too")

        return opened


class MadeCase(NamedTuple):
    """What was made of a workload of a test case."""

    case: BenchmarkCase
    workload: BenchmarkWorkload
    benchmark: ConvertedBenchmark

    @property
    def title(self) -> str:
        """Return a title for the cluster's revision."""
        return f"{self.case.name} {self.workload.name}"


def _choice(source: ManifestSource) -> ConfigurationChoice:
    benchmark, findings = read_benchmark(source)
    cases = [_case(source.name, case) for case in benchmark.cases] if benchmark is not None else []
    return ConfigurationChoice(source.name, cases, findings)


def _case(configuration: str, case: BenchmarkCase) -> CaseChoice:
    workloads = [WorkloadChoice(one, json.dumps([configuration, case.name, one.name])) for one in case.workloads]
    return CaseChoice(case, workloads)
