"""A source's bytes to documents of plain JSON types: gzip, encoding, JSON or YAML, and advice on usual mistakes."""

from __future__ import annotations

import gc
import re
import zlib
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from scheduler_core.manifests.model import Limits, LoadError, ManifestSource
from scheduler_core.manifests.parsing.json_lists import JsonList, NotPlain, open_list
from scheduler_core.manifests.parsing.json_values import read_json
from scheduler_core.manifests.parsing.yaml_events import Document, Reader, ScalarSpans
from scheduler_core.manifests.progress import JSON_OPENED, YAML_OPENED, ProgressCallback

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
_MAX_MEMBERS = 1_000
_YAML_AFTER_JSON = 8 << 20
_FIRST = re.compile(r"\S")
_TEMPLATE = re.compile(r"\{\{.*?\}\}")
_ACTION = re.compile(r"^[ \t]*\{\{-?[ \t]*(?:if|range|with|include|template|define|end|else)\b", re.MULTILINE)
"""What only a template has: a line that is an action."""
_CONFLICT = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")


class ParsedSource(NamedTuple):
    """A source that was read to its end: its text has ``n_bytes`` when inflated, and holds ``content``."""

    source: ManifestSource
    n_bytes: int
    content: JsonList | list[Document]

    @property
    def share_of_reading(self) -> float:
        """What of the time of reading it, parsing it included, is over."""
        return JSON_OPENED if isinstance(self.content, JsonList) else YAML_OPENED


@contextmanager
def without_collector() -> Iterator[None]:
    """Holds the garbage collector: a load makes millions of objects and no garbage, so its passes would be in vain."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def read_data(source: ManifestSource, limits: Limits) -> bytes:
    """The bytes of a source, inflated. Raises LoadError for a gzip bomb, broken gzip or too many bytes."""
    data = _inflate(source.data, limits.max_bytes) if source.data[:2] == _GZIP else source.data
    check_length(len(data), limits)
    return data


def check_length(n_bytes: int, limits: Limits) -> None:
    """Raises LoadError for too many bytes."""
    if n_bytes > limits.max_bytes:
        raise LoadError(f"larger than {limits.max_bytes >> 20} MiB. Split the file")


def read_list(data: bytes, limits: Limits) -> JsonList:
    """The data as a JSON list whose entries are read one by one. Raises NotPlain for anything else."""
    data = data.removeprefix(BOM_UTF8)
    if not data.isascii() and not _is_utf8(data):
        raise NotPlain
    return open_list(data, limits)


def _is_utf8(data: bytes) -> bool:
    decoder = getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), _CHUNK):
            decoder.decode(data[at : at + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def read_text(source: ManifestSource, limits: Limits) -> str:
    """The text of a source, inflated and decoded. Raises LoadError as read_data does, and for another encoding."""
    return decoded(read_data(source, limits))


def decoded(data: bytes) -> str:
    """The data as text. Raises LoadError where it is no UTF-8, or holds a NUL byte."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise LoadError("this is UTF-16. Save the file as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise LoadError("this is no UTF-8 text. Save the file as UTF-8", line) from None
    nul = text.find("\0")
    if nul >= 0:
        raise LoadError("there is a NUL byte in the text: this is no YAML or JSON", text.count("\n", 0, nul) + 1)
    return text


def read_documents(
    text: str, limits: Limits, report_progress: ProgressCallback | None = None, spans: ScalarSpans | None = None
) -> Iterator[Document]:
    """The documents of a text. Raises LoadError, possibly after some documents, where it can be read no further.

    ``report_progress`` is called now and then with the share of a YAML text that is read. ``spans`` is filled where
    ``is_yaml`` is true of the text.
    """
    if is_yaml(text):
        yield from _yaml(text, limits, report_progress, spans)
        return
    try:
        documents = read_json(text, limits)
    except ValueError as problem:
        # Flow style YAML also starts with a bracket; a file that is neither gets the message of JSON.
        if len(text) > _YAML_AFTER_JSON:
            raise _json_error(text, problem) from None
        yield from _yaml(text, limits, report_progress)
        return
    yield from documents


def is_yaml(text: str) -> bool:
    """Whether the text is read as YAML from the start. Flow style YAML, which begins as JSON does, is tried as JSON."""
    start = _FIRST.search(text)
    return start is None or start[0] not in "{["


def _yaml(
    text: str, limits: Limits, report_progress: ProgressCallback | None, spans: ScalarSpans | None = None
) -> Iterator[Document]:
    try:
        for document in Reader(text, limits, report_progress=report_progress, spans=spans).documents():
            if document.value.__class__ is str:
                raise LoadError("this is plain text, no Kubernetes object", document.line)
            yield document
    except LoadError as problem:
        raise _advised(text, problem) from None


def _json_error(text: str, problem: ValueError) -> LoadError:
    position = getattr(problem, "pos", None)
    line = None if position is None else text.count("\n", 0, position) + 1
    return LoadError(f"this is no JSON: {getattr(problem, 'msg', problem)}", line)


def _advised(text: str, problem: LoadError) -> LoadError:
    """The error with its probable reason, where the text shows one."""
    row = _row(text, problem.line)
    near = (row, _row(text, problem.line - 1)) if problem.line else (row,)
    if any(one.startswith(_CONFLICT) for one in near):
        message = "there are marks of a git conflict in the text. Settle it: git mergetool, or git checkout --ours FILE"
        return LoadError(message, problem.line, problem.field)
    if any(map(_TEMPLATE.search, near)) or _ACTION.search(text):
        message = "there is {{ }} in the text: this is a template. Render it first (helm template RELEASE CHART)"
        return LoadError(message, problem.line, problem.field)
    advice = paste_advice(text)
    if advice:
        return LoadError(advice, problem.line, problem.field)
    if "\t" in row and "this is no YAML" in problem.message:
        return LoadError(f"{problem.message}. There is a tab character in the line: indent with blanks", problem.line)
    return problem


def _row(text: str, line: int | None) -> str:
    """The text of a line, cut to a length that a message can do with."""
    if line is None:
        return ""
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return ""
    end = text.find("\n", at)
    return text[at : min(end if end >= 0 else len(text), at + 2_000)]


def paste_advice(text: str) -> str:
    """What the text seems to be when it is no manifest, with what to do; empty when nothing is recognised."""
    head = text.lstrip()[:400]
    if head[:1] == "<":
        return "this is HTML or XML, not a manifest. Download the file itself"
    first = head.split("\n", 1)[0]
    if ":" not in first and ("," in first or "\t" in first) and first[:1] not in "-[{#%":
        return "this is a table (CSV or TSV), not a manifest. Kubernetes objects as YAML or JSON are needed"
    return ""


def _inflate(data: bytes, limit: int) -> bytes:
    """The inflated bytes; the size is counted in a first pass, so that a bomb never gets memory."""
    total = 0
    for chunk in _chunks(data):
        total += len(chunk)
        if total > limit:
            raise LoadError(f"larger than {limit >> 20} MiB when inflated. Split the file")
    out = bytearray(total)
    at = 0
    for chunk in _chunks(data):
        out[at : at + len(chunk)] = chunk
        at += len(chunk)
    return bytes(out)


def _chunks(data: bytes) -> Iterator[bytes]:
    members = 0
    try:
        while data[:2] == _GZIP:
            members += 1
            if members > _MAX_MEMBERS:
                raise LoadError("the gzip file has too many parts. Pack it again as one")
            inflate = zlib.decompressobj(wbits=31)
            chunk = inflate.decompress(data, _CHUNK)
            while chunk:
                yield chunk
                chunk = inflate.decompress(inflate.unconsumed_tail, _CHUNK)
            if not inflate.eof:
                raise LoadError("the gzip file ends too early. Copy it again")
            data = inflate.unused_data.lstrip(b"\0")
    except zlib.error:
        raise LoadError("the gzip file is damaged. Copy it again") from None
