"""A tape that was opened: checked as a whole, its answers decompressed when asked for."""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.extenders.calls import VERBS, ExtenderReply
from scheduler_core.extenders.tape import sections
from scheduler_core.extenders.tape.answer_store import AnswerStore
from scheduler_core.extenders.tape.blocks import (
    COLUMNS,
    NO_ANSWER,
    BlockIndex,
    TapeEnd,
    TapeHeader,
    check_belongs,
    decode,
    n_texts,
    numbers,
    read_header,
    unpack_strings,
    unpack_texts,
)
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.limits import USUAL_LIMITS, TapeLimits
from scheduler_core.extenders.tape.requests import RequestKey, RequestTables

T = TypeVar("T")
_OK = 200
_SIZE_BYTES = 8
_ROWS = 4096
"""Calls that are taken out of their columns at once."""
_BIND = VERBS.index("bind")
"""Pods are bound later than they were given a node, and others are tried meanwhile."""

_STEP, _EXTENDER, _VERB, _FORM, _POD, _NODES, _STATUS, _FAULT, _ANSWER = range(len(COLUMNS))


class TapedCall(msgspec.Struct, frozen=True):
    """A recorded call: the number of the attempt that made it, and the place of what was answered."""

    step: int
    status: int
    fault: int
    answer: int


class ListedCall(NamedTuple):
    """A recorded call in a list: ``pod`` as namespace/name, ``n_nodes`` how many nodes it named, ``status`` 0 and a
    ``fault`` where no answer came."""

    step: int
    extender: int
    verb: str
    pod: str
    n_nodes: int
    status: int
    fault: str


class Tape:
    """Raises TapeError, whose text names the file and the byte where the wrong section begins.

    Opening reads the file once and decompresses its index; memory holds that, and answers up to a quarter of a
    gigabyte. ``digest`` is that of the whole file: it names a tape among the inputs of a run. ``source`` is the file's
    path, or the file itself, opened for reading and seeking, which is closed with the tape; ``name`` is what errors
    call it (default: the path).
    """

    def __init__(self, source: Path | BinaryIO, name: str = "", limits: TapeLimits = USUAL_LIMITS) -> None:
        self.name = name or str(source)
        self.header: TapeHeader
        self.tables = RequestTables()
        self.calls: dict[RequestKey, list[TapedCall]] = {}
        self.n_calls = 0
        self.size = 0
        self._limits = limits
        self._n_index_bytes = self._n_answers_bytes = self._n_names = 0
        self._faults: list[str] = []
        self._last_step = 0
        try:
            with ExitStack() as unless_open:
                file = source.open("rb") if isinstance(source, Path) else source
                self._file = unless_open.enter_context(file)
                self._answers = AnswerStore(self._file, self.name, limits)
                self._open()
                self.digest = _digest(self._file)
                unless_open.pop_all()
        except OSError as problem:
            raise TapeError(f"{self.name}: cannot be read: {problem.strerror or problem}") from problem

    def __enter__(self) -> Tape:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def check_belongs(self, run: TapeHeader) -> None:
        """Raises TapeError unless the tape was recorded with these extenders, on a cluster with these nodes."""
        check_belongs(self.name, self.header, run)

    @property
    def counts(self) -> dict[tuple[int, str], tuple[int, int]]:
        """(extender, verb) -> (calls, how many of them failed without an answer or had a status other than 200)."""
        counts: dict[tuple[int, str], tuple[int, int]] = {}
        for key, calls in self.calls.items():
            of = key.extender, VERBS[key.verb]
            n_calls, n_failed = counts.get(of, (0, 0))
            failed = sum(call.status != _OK for call in calls)
            counts[of] = n_calls + len(calls), n_failed + failed
        return dict(sorted(counts.items(), key=lambda item: (item[0][0], VERBS.index(item[0][1]))))

    @property
    def n_attempts(self) -> int:
        """How many attempts asked an extender."""
        return len({call.step for calls in self.calls.values() for call in calls})

    def listed(self, text: str = "") -> list[ListedCall]:
        """The calls by attempt, extender and verb, of pods with this text in their name (namespace/name)."""
        pods = [f"{namespace}/{name}" for namespace, name, _ in self.tables.pods]
        n_nodes = [int.from_bytes(bits, "big").bit_count() for bits in self.tables.node_sets]
        listed = [
            ListedCall(
                *(call.step, key.extender, VERBS[key.verb], pods[key.pod], n_nodes[key.nodes]),
                *(call.status, self._faults[call.fault]),
            )
            for key, calls in self.calls.items()
            if text in pods[key.pod]
            for call in calls
        ]
        return sorted(listed, key=lambda one: (one.step, VERBS.index(one.verb), one.extender))

    def check_answers(self) -> None:
        """Raises TapeError where an answer is damaged, which otherwise shows once it is asked for."""
        self._answers.check()

    def reply(self, call: TapedCall) -> ExtenderReply:
        """The answer as it was received. Raises TapeError where it is damaged."""
        fault = self._faults[call.fault]
        body = b"" if call.answer == NO_ANSWER else self._answers.body(call.answer)
        return ExtenderReply(call.status, body, fault)

    # --- opening ---------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        size = self.size = self._file.seek(0, 2)
        if size > self._limits.max_bytes:
            raise TapeError(f"{self.name}: has {size:,} bytes, at most {self._limits.max_bytes:,} are allowed")
        self._file.seek(0)
        read = sections.read_sections(self._file, self.name)
        header = next(read)
        if header.kind != sections.HEADER:
            raise TapeError(f"{self._at(header)}: a tape begins with its header")
        self.header = read_header(sections.content(header, self.name), self._at(header))
        for section in read:
            if section.kind == sections.INDEX:
                self._add_block(section, next(read))
            elif section.kind == sections.END:
                self._check_end(section)
            else:
                raise TapeError(f"{self._at(section)}: this section does not belong here")
        for calls in self.calls.values():
            calls.sort(key=lambda call: call.step)

    def _add_block(self, section: sections.Section, answers: sections.Section) -> None:
        where = self._at(section)
        if answers.kind != sections.ANSWERS:
            raise TapeError(f"{self._at(answers)}: answers have to follow the calls before them")
        self._n_index_bytes += section.size
        if self._n_index_bytes > self._limits.max_index_bytes:
            most = self._limits.max_index_bytes
            raise TapeError(f"{where}: names and calls take more than {most:,} bytes when decompressed")
        self._n_answers_bytes += answers.size
        if self._n_answers_bytes > self._limits.max_answers_bytes:
            most = self._limits.max_answers_bytes
            raise TapeError(f"{self._at(answers)}: answers take more than {most:,} bytes when decompressed")
        index = decode(sections.content(section, self.name), BlockIndex, where)
        self._count(index, where)
        self._add_names(index, where)
        self._answers.add_block(answers, index.n_pieces, numbers(index.answer_sizes, "<i8", where))
        self._add_calls(index, where)

    def _count(self, index: BlockIndex, where: str) -> None:
        """Raises TapeError where the block has more things than a tape may, before any of them is made."""
        limits, n_calls = self._limits, n_texts(index.victims)
        if self._answers.n_blocks >= limits.max_blocks:
            raise TapeError(f"{where}: calls lie in more than {limits.max_blocks:,} blocks")
        self.n_calls += n_calls
        if self.n_calls > limits.max_calls:
            raise TapeError(f"{where}: there are more than {limits.max_calls:,} calls")
        self._n_names += sum(map(n_texts, (index.nodes, index.pods, index.uids, index.node_sets, index.faults)))
        if self._n_names > limits.max_names:
            raise TapeError(f"{where}: there are more than {limits.max_names:,} names of nodes, pods and victims")
        if len(index.answer_sizes) > _SIZE_BYTES * n_calls:
            raise TapeError(f"{where}: there are more answers than calls")

    def _add_names(self, index: BlockIndex, where: str) -> None:
        tables = self.tables
        parts = unpack_strings(index.pods, where)
        if len(parts) % 3:
            raise TapeError(f"{where}: a pod has a namespace, a name and a UID")
        pods = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
        _extend(tables.nodes, unpack_strings(index.nodes, where), where)
        _extend(tables.pods, pods, where)
        _extend(tables.uids, unpack_strings(index.uids, where), where)
        node_sets = unpack_texts(index.node_sets, where)
        if node_sets and max(map(len, node_sets)) > -(-len(tables.nodes) // 8):
            raise TapeError(f"{where}: a set of nodes has a node that is not on the tape")
        _extend(tables.node_sets, node_sets, where)
        self._faults += unpack_strings(index.faults, where)

    def _add_calls(self, index: BlockIndex, where: str) -> None:
        flat = numbers(index.calls, "<i8", where)
        victims = unpack_texts(index.victims, where)
        if len(flat) != len(COLUMNS) * len(victims):
            raise TapeError(f"{where}: calls do not have {len(COLUMNS)} numbers each")
        rows = flat.reshape(-1, len(COLUMNS))
        self._check_calls(rows, where)
        for start in range(0, len(rows), _ROWS):
            end = start + _ROWS
            for row, of_row in zip(rows[start:end].tolist(), victims[start:end], strict=True):
                extender, verb, form, pod, nodes = row[_EXTENDER:_STATUS]
                key = RequestKey(extender, verb, form, pod, nodes, of_row)
                self.calls.setdefault(key, []).append(TapedCall(row[_STEP], *row[_STATUS:]))

    def _check_calls(self, rows: NDArray[np.int64], where: str) -> None:
        """Raises TapeError where calls contradict what else the tape says, or themselves."""
        if not len(rows):
            return
        tables = self.tables
        ends = {
            _EXTENDER: len(self.header.extenders),
            _VERB: len(VERBS),
            _FORM: 2,
            _POD: len(tables.pods),
            _NODES: len(tables.node_sets),
            _STATUS: 1000,
            _FAULT: len(self._faults),
        }
        for column, end in ends.items():
            if rows[:, column].min() < 0 or rows[:, column].max() >= end:
                raise TapeError(f"{where}: a call names a {COLUMNS[column]} that is not on the tape")
        answers = rows[:, _ANSWER]
        if answers.min() < NO_ANSWER or answers.max() >= self._answers.n_answers:
            raise TapeError(f"{where}: a call names an answer that is not on the tape")
        steps = rows[rows[:, _VERB] != _BIND, _STEP]
        if len(steps) and (steps[0] < self._last_step or (np.diff(steps) < 0).any()):
            raise TapeError(f"{where}: calls contradict each other: a later one is of an earlier attempt")
        self._last_step = int(steps[-1]) if len(steps) else self._last_step
        failed = np.array([bool(fault) for fault in self._faults])[rows[:, _FAULT]]
        if (failed != (answers == NO_ANSWER)).any() or (failed != (rows[:, _STATUS] == 0)).any():
            raise TapeError(f"{where}: a call contradicts itself: it failed and has an answer, or neither")
        asked = set(map(tuple, np.unique(rows[:, [_EXTENDER, _VERB]], axis=0).tolist()))
        for extender, verb in asked:
            if not getattr(self.header.extenders[extender], f"{VERBS[verb]}_verb"):
                raise TapeError(
                    f"{where}: a call contradicts the header: extenders[{extender}] has no {VERBS[verb]}Verb"
                )

    def _check_end(self, section: sections.Section) -> None:
        end = decode(sections.content(section, self.name), TapeEnd, self._at(section))
        if (end.n_calls, end.n_blocks) != (self.n_calls, self._answers.n_blocks):
            raise TapeError(
                f"{self._at(section)}: the end tells {end.n_calls:,} calls in {end.n_blocks:,} blocks; "
                f"before it are {self.n_calls:,} in {self._answers.n_blocks:,}"
            )

    def _at(self, section: sections.Section) -> str:
        return f"{self.name}: byte {section.position}"


def _extend(table: dict[T, int], values: list[T], where: str) -> None:
    before = len(table)
    table.update(zip(values, range(before, before + len(values)), strict=True))
    if len(table) != before + len(values):
        raise TapeError(f"{where}: a name stands twice in a table of names")


def _digest(file: BinaryIO) -> str:
    file.seek(0)
    digest = blake2b(digest_size=32)
    while data := file.read(1 << 20):
        digest.update(data)
    return digest.hexdigest()
