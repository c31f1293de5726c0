"""Reads imported files: their contents, and the report that pages show."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from django.conf import settings

from dashboard.clusters.importing.same_cluster import node_sample
from scheduler_core.explain.agreement import scheduler_events, scheduler_reports
from scheduler_core.explain.doubts.answer import doubts_of_input
from scheduler_core.explain.waiting_causes import WaitingCauses, waiting_causes
from scheduler_core.manifests import Finding, Limits, ManifestSource, load_cluster
from scheduler_core.manifests.cluster_dump.kind_gaps import kind_gaps
from scheduler_core.manifests.expansion.workloads import TEMPLATE_HASHES
from scheduler_core.manifests.kinds.registry import POD_MAKERS
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.clusters.importing.intake import MaskedUploads
    from dashboard.clusters.models import ImportDraft
    from dashboard.clusters.uploads.opening import Upload
    from scheduler_core.api.objects import Pod
    from scheduler_core.manifests import LoadResult, ProgressCallback

SECONDS_FOR_CAUSES = 2.0
MOST_COMMANDS = 6
CYCLES_PER_CHUNK = 2_000
SECONDS_PER_CHUNK = 0.5


def load(uploads: Sequence[Upload], report_progress: ProgressCallback | None = None) -> LoadResult:
    """Return the result of reading the files; never raises on bad input."""
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    sources = [up.parsed or ManifestSource(up.name, up.data) for up in uploads]
    return load_cluster(sources, limits, report_progress=report_progress)


def read_files(
    masked: MaskedUploads, report_progress: ProgressCallback | None = None
) -> tuple[dict[str, Any], LoadResult]:
    """Read the files; return the report as JSON, and the result.

    The report has kinds, expansion, doubts, objects passed over, waiting pods, findings and seconds.
    """
    start = time.perf_counter()
    empty = {finding["source"] for finding in masked.unread}
    loaded = load([upload for upload in masked.uploads if upload.name not in empty], report_progress)
    kinds = Counter(manifest.kind for manifest in loaded.manifests)
    own = {(manifest.namespace, manifest.name) for manifest in loaded.manifests if manifest.kind == "Pod"}
    made = [pod for pod in loaded.objects.pods if (pod.namespace, pod.name) not in own]
    sets = {(manifest.namespace, manifest.name) for manifest in loaded.manifests if manifest.kind == "ReplicaSet"}
    makers = Counter(_maker(pod, sets) for pod in made)
    report = {
        "kinds": [[kind, count, makers[kind] if kind in POD_MAKERS else 0] for kind, count in sorted(kinds.items())],
        "objects": len(loaded.manifests),
        "pods": len(loaded.objects.pods),
        "expanded": len(made),
        "doubts": [msgspec.to_builtins(doubt) for doubt in doubts_of_input(loaded)],
        "passed_over": dict(sorted(loaded.passed_over.items())),
        "findings": masked.unread + [_finding(finding) for finding in loaded.findings],
        "errors": len(masked.unread) + len(loaded.errors),
        "keeps_values": masked.keeps_values,
        "masked": masked.masked,
        "unread": masked.unread,
        "warnings": len(loaded.warnings),
        "gaps": [list(row) for row in kind_gaps(loaded)],
        "fetch": _commands(loaded),
        "node_sample": node_sample(node.name for node in loaded.objects.nodes),
        "waiting": msgspec.to_builtins(_waiting(loaded)),
        "seconds": round(masked.seconds + time.perf_counter() - start, 5),
    }
    return report, loaded


def _waiting(loaded: LoadResult) -> WaitingCauses:
    """The pods that wait by their causes, as far as there is time for it."""
    waiting = {pod.key for pod in loaded.objects.pods if not pod.node_name}
    if not waiting:
        return WaitingCauses()
    own = (m.raw for m in loaded.manifests if m.kind == "Pod" and f"{m.namespace}/{m.name}" in waiting)
    reports = scheduler_reports(own, scheduler_events(loaded.events))
    deadline = time.monotonic() + SECONDS_FOR_CAUSES
    return waiting_causes(loaded, reports, partial(recorded_until, deadline), lambda: time.monotonic() > deadline)


def recorded_until(deadline: float, inputs: RunInputs) -> RecordingReader | None:
    """Return the run, to its end; None where the time (of the monotonic clock) is over before."""
    session = RunSession.start(inputs)
    store, has_ended = MemoryStore(session.initial_keyframe()), False
    while not has_ended:
        if time.monotonic() > deadline:
            return None
        has_ended = session.advance(max_cycles=CYCLES_PER_CHUNK, max_seconds=SECONDS_PER_CHUNK)
        store.add(session.cut_chunk())
    return RecordingReader(store)


def _commands(loaded: LoadResult) -> list[str]:
    """The commands that bring what the forms of the files lack."""
    commands = dict.fromkeys(gap.command for gap in loaded.unplayed.gaps if gap.command)
    return list(commands)[:MOST_COMMANDS]


def _maker(pod: Pod, sets: set[tuple[str, str]]) -> str:
    """The kind of the workload that a pod was made from; a ReplicaSet that is not in `sets` belongs to one that
    makes ReplicaSets.
    """
    owner = next((one for one in pod.owner_references if one.kind in POD_MAKERS), None)
    if owner is None:
        return ""
    if owner.kind != "ReplicaSet" or (pod.namespace, owner.name) in sets:
        return owner.kind
    return next((kind for kind, label in TEMPLATE_HASHES.items() if label in pod.labels), "")


def file_findings(draft: ImportDraft, name: str, most: int) -> list[Finding]:
    """Return the findings of a file of an import; reports of older versions have no fixes."""
    of_file = [finding for finding in draft.report["findings"] if finding["source"] == name]
    return msgspec.convert(of_file[:most], list[Finding])


def _finding(finding: Finding) -> dict[str, Any]:
    fix = {"fix": msgspec.to_builtins(finding.fix)} if finding.fix else {}
    return {
        **fix,
        "severity": finding.severity,
        "source": finding.source,
        "line": finding.line,
        "object": finding.object,
        "field": finding.field,
        "message": finding.message,
    }
