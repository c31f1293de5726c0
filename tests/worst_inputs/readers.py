"""The readers of foreign text in web processes, what each may be sent, and families of inputs that may cost it most."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.by_hand.changes import HandValues, make_edits
from dashboard.clusters.drafts.opened import StoredObject
from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.importing.intake import mask_uploads
from dashboard.clusters.importing.reading import read_files
from dashboard.clusters.revisions.object_keys import object_key
from dashboard.clusters.uploads.opening import Upload, opened
from dashboard.clusters.uploads.sent_files import SMALL_BYTES
from dashboard.common.problems import Problem
from dashboard.documents.configurations.checking import check_config
from dashboard.documents.extenders.answering import check_declared
from dashboard.documents.extenders.tape_files import checked_tape
from dashboard.documents.timelines.arrivals import edits
from dashboard.documents.timelines.arrivals.choice import ArrivalChoice
from dashboard.documents.timelines.arrivals.rows import arrival_rows
from dashboard.documents.timelines.checking import check_timeline_beside
from dashboard.generating.preview import build_preview
from dashboard.generating.scheduler_perf_files import BenchmarkFiles
from dashboard.review.writing.markdown import to_html
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.query import QueryError, parse
from scheduler_core.simulate import ChangesError, changes_from_raw
from tests.worst_inputs import binaries, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from scheduler_core.manifests import Finding
    from tests.worst_inputs.texts import Family


class Reader(NamedTuple):
    """A reader: its name and where it stands, its limits in words, the most bytes it is sent, and how it reads them.

    `read` returns why the input is refused, "" where it is taken.
    """

    name: str
    limits: str
    most_bytes: int
    read: Callable[[bytes], str]
    families: dict[str, Family]


MIB = 1 << 20


def _error(findings: list[Finding]) -> str:
    return next((one.text() for one in findings if one.severity == "error"), "")


def _description(data: bytes) -> str:
    return _error(build_preview(data.decode()).errors)


def _benchmark(data: bytes) -> str:
    files = BenchmarkFiles([Upload("config.yaml", data), Upload("pod.yaml", binaries.TEMPLATE.encode())])
    try:
        (configuration,) = files.configurations()
        if not configuration.cases:
            return _error(configuration.findings)
        files.made(configuration.cases[0].workloads[0].value, 1)
    except Problem as problem:
        return problem.detail
    return ""


def _tape(data: bytes) -> str:
    try:
        checked_tape(BytesIO(data), "tape").listed()
    except TapeError as problem:
        return str(problem)
    return ""


def _query(data: bytes) -> str:
    try:
        parse(data.decode())
    except QueryError as problem:
        return problem.text()
    return ""


def _markdown(data: bytes) -> str:
    to_html(data.decode())
    return ""


def _archive(data: bytes) -> str:
    try:
        opened([Upload("archive.zip", data)])
    except Problem as problem:
        return problem.detail
    return ""


def _import(data: bytes) -> str:
    try:
        report, _ = read_files(mask_uploads(opened([Upload("dump", data)]), keeps_values=False))
    except Problem as problem:
        return problem.detail
    return next((one["message"] for one in report["findings"] if one["severity"] == "error"), "")


def _changes(data: bytes) -> str:
    try:
        changes_from_raw(texts.loaded(data), texts.CHANGED)
    except ChangesError as problem:
        return str(problem)
    return ""


def _pod_of(data: bytes) -> dict[str, Any]:
    """A pod as large as the data."""
    metadata = {"name": "p", "annotations": {"a": data.decode()}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {}}


def _repetition(data: bytes) -> str:
    raw = _pod_of(data)
    entries = [{"at": "1s", "action": "add", "object": raw}]
    target = edits.ArrivalTarget(entries, arrival_rows(entries), ArrivalChoice())
    try:
        edits.repeated(target, edits.Repetition(edits.MOST_COPIES, 1_000_000, "{name}-#"))
    except Problem as problem:
        return problem.detail
    return ""


def _copies(data: bytes) -> str:
    raw = _pod_of(data)
    try:
        make_edits("duplicate", {object_key(raw): StoredObject(b"", raw)}, HandValues(number=5_000, pattern="p-#"))
    except Problem as problem:
        return problem.detail
    return ""


READERS = (
    Reader(
        "editor of objects",
        "4 MiB; 250,000 keys, values and entries; 100,000 pods of workloads",
        4 * MIB,
        lambda data: _error(check_text(data.decode()).findings),
        {**texts.YAML, **texts.JSON, **texts.OBJECTS},
    ),
    Reader(
        "timeline",
        "4 MiB; 400,000 keys, values and entries; 200,000 entries",
        4 * MIB,
        lambda data: _error(check_timeline_beside(data.decode(), texts.NAMESPACES).findings),
        {**texts.in_entries(), "entries that are none": texts.YAML["entries"]},
    ),
    Reader(
        "configuration",
        "4 MiB; 200,000 keys, values and entries; 200 profiles; 10,000 entries for plugins; 1,000 extenders",
        4 * MIB,
        lambda data: _error(check_config(data.decode())[1]),
        texts.CONFIGURATIONS,
    ),
    Reader(
        "declared extenders",
        "4 MiB; 200,000 keys, values and entries; 10,000 rules",
        4 * MIB,
        lambda data: _error(check_declared(data.decode())),
        texts.RULES,
    ),
    Reader(
        "description of a cluster",
        "4 MiB; 250,000 keys, values and entries; 20,000 nodes; 100,000 pods; 400,000 drawn amounts; 20,000,000 values"
        " made",
        4 * MIB,
        _description,
        texts.DESCRIPTIONS,
    ),
    Reader(
        "scheduler_perf",
        "configurations 4 MiB together; 200,000 pairs of workload and operation; 20,000,000 values made",
        4 * MIB,
        _benchmark,
        texts.BENCHMARKS,
    ),
    Reader(
        "tape",
        "64 MiB; index 32 MiB, answers 256 MiB; 200,000 calls; 1,000 blocks; 400,000 names; 2,000,000 pieces;"
        " 32,000,000 parts",
        64 * MIB,
        _tape,
        binaries.TAPES,
    ),
    Reader("query", "2,000 characters; 60 conditions; 20 brackets deep", 2_000, _query, texts.QUERIES),
    Reader("comment (Markdown)", "10,000 characters", 10_000, _markdown, texts.MARKDOWN),
    Reader("changes of a run", "2 MiB; 200 changes", 2 * MIB, _changes, texts.CHANGES),
    Reader("repeated arrivals", "1,000 copies; 200,000 entries; 128 MiB", 4 * MIB, _repetition, texts.PLAIN),
    Reader("copies of objects", "5,000 copies; 64 MiB", 4 * MIB, _copies, texts.PLAIN),
    Reader(
        "archive",
        "256 MiB; 10,000 entries; 2,000 files; 250 times its size",
        256 * MIB,
        _archive,
        binaries.ARCHIVES,
    ),
    Reader(
        "import, within a request",
        "1 MiB of all files, inflated; a worker reads longer ones",
        SMALL_BYTES,
        _import,
        texts.IMPORTS,
    ),
    Reader(
        "import, by a worker",
        "256 MiB; 200,000 objects; 10,000,000 JSON values or 6,000,000 YAML nodes; 200,000 values of an object",
        256 * MIB,
        _import,
        texts.IMPORTS,
    ),
)
