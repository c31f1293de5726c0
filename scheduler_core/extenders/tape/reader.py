"""A tape that was opened: checked as a whole, its answers decompressed when asked for."""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeVar

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
    TapedExtender,
    TapeEnd,
    TapeHeader,
    decode,
    numbers,
    unpack_strings,
    unpack_texts,
)
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.requests import RequestKey, RequestTables

T = TypeVar("T")
_BIND = VERBS.index("bind")
"""Pods are bound later than they were given a node, and others are tried meanwhile."""

MAX_CALLS = 5_000_000
_STEP, _EXTENDER, _VERB, _FORM, _POD, _NODES, _STATUS, _FAULT, _ANSWER = range(len(COLUMNS))


class TapedCall(msgspec.Struct, frozen=True):
    """A recorded call: the number of the attempt that made it, and the place of what was answered."""

    step: int
    status: int
    fault: int
    answer: int


class Tape:
    """Raises TapeError, whose text names the file and the byte where the wrong section begins.

    Opening reads the file once and decompresses its index; memory holds that, and answers up to a quarter of a
    gigabyte. ``digest`` is that of the whole file: it names a tape among the inputs of a run.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.header: TapeHeader
        self.tables = RequestTables()
        self.calls: dict[RequestKey, list[TapedCall]] = {}
        self.n_calls = 0
        self._faults: list[str] = []
        self._last_step = 0
        try:
            with ExitStack() as unless_open:
                self._file = unless_open.enter_context(path.open("rb"))
                self._answers = AnswerStore(self._file, self.name)
                self._open()
                self.digest = _digest(self._file)
                unless_open.pop_all()
        except OSError as problem:
            raise TapeError(f"{path}: cannot be read: {problem.strerror or problem}") from problem

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
        ours, theirs = run.extenders, self.header.extenders
        if len(ours) != len(theirs):
            raise TapeError(
                f"{self.name}: was recorded with {len(theirs)} extenders; the configuration has {len(ours)}"
            )
        for i, (mine, recorded) in enumerate(zip(ours, theirs, strict=True)):
            for field in msgspec.structs.fields(TapedExtender):
                here, there = (_shown(getattr(one, field.name)) for one in (mine, recorded))
                if here != there:
                    raise TapeError(
                        f"{self.name}: was recorded with another configuration: extenders[{i}].{field.encode_name} "
                        f"was {there}, and is {here}"
                    )
        if run.cluster != self.header.cluster:
            raise TapeError(f"{self.name}: was recorded on another cluster: names or UIDs of its nodes are others")

    def reply(self, call: TapedCall) -> ExtenderReply:
        """What was answered, as it was received. Raises TapeError where the answer is damaged."""
        fault = self._faults[call.fault]
        body = b"" if call.answer == NO_ANSWER else self._answers.body(call.answer)
        return ExtenderReply(call.status, body, fault)

    # --- opening ---------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        size = self._file.seek(0, 2)
        if size > sections.MAX_TAPE_BYTES:
            raise TapeError(f"{self.name}: has {size:,} bytes, at most {sections.MAX_TAPE_BYTES:,} are allowed")
        self._file.seek(0)
        read = sections.read_sections(self._file, self.name)
        header = next(read)
        if header.kind != sections.HEADER:
            raise TapeError(f"{self._at(header)}: a tape begins with its header")
        self.header = decode(sections.content(header, self.name), TapeHeader, self._at(header))
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
        index = decode(sections.content(section, self.name), BlockIndex, where)
        self._add_names(index, where)
        self._answers.add_block(answers, index.n_pieces, numbers(index.answer_sizes, "<i8", where))
        self._add_calls(index, where)

    def _add_names(self, index: BlockIndex, where: str) -> None:
        tables = self.tables
        parts = unpack_strings(index.pods, where)
        if len(parts) % 3:
            raise TapeError(f"{where}: a pod has a namespace, a name and a UID")
        pods = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
        _extend(tables.nodes, unpack_strings(index.nodes, where), where)
        _extend(tables.pods, pods, where)
        _extend(tables.uids, unpack_strings(index.uids, where), where)
        _extend(tables.node_sets, unpack_texts(index.node_sets, where), where)
        self._faults += unpack_strings(index.faults, where)

    def _add_calls(self, index: BlockIndex, where: str) -> None:
        flat = numbers(index.calls, "<i8", where)
        victims = unpack_texts(index.victims, where)
        if len(flat) != len(COLUMNS) * len(victims):
            raise TapeError(f"{where}: calls do not have {len(COLUMNS)} numbers each")
        rows = flat.reshape(-1, len(COLUMNS))
        self.n_calls += len(rows)
        if self.n_calls > MAX_CALLS:
            raise TapeError(f"{where}: there are more than {MAX_CALLS:,} calls")
        self._check_calls(rows, where)
        for row, of_row in zip(rows.tolist(), victims, strict=True):
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


def _shown(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _digest(file: BinaryIO) -> str:
    file.seek(0)
    digest = blake2b(digest_size=32)
    while data := file.read(1 << 20):
        digest.update(data)
    return digest.hexdigest()
