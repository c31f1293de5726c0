"""What the sections of a tape hold, and the checks of one section by itself.

Calls are kept in blocks. The INDEX of a block adds names to the tables (requests.py) and says who was asked what; its
ANSWERS add pieces of bodies and say which pieces each new body consists of. Bodies are cut before each ``"metadata":``
and equal pieces kept once, so that an answer with 5,000 whole nodes costs little more than their numbers, whatever
nodes it leaves out. Equal bodies are kept once, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.config import Extender
from scheduler_core.api.objects import Node
from scheduler_core.extenders.calls import without_password
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.limits import MAX_EXTENDERS, MAX_PARTS_OF_BLOCK

NO_ANSWER = -1
COLUMNS = ("step", "extender", "verb", "form", "pod", "nodes", "status", "fault", "answer")
_CUT = b'"metadata":'
_YEAR_10000, _MOST_NODES = 253_402_300_800, 1 << 31
_LENGTH_BYTES = 4

T = TypeVar("T")


class TapedExtender(msgspec.Struct, frozen=True, rename="camel"):
    """What of an extender's configuration says whom it asks and what: a tape answers for these alone.

    Weight, ignorable, time-out and TLS settings may differ from those of the recording.
    """

    url_prefix: str
    filter_verb: str = ""
    prioritize_verb: str = ""
    preempt_verb: str = ""
    bind_verb: str = ""
    node_cache_capable: bool = False
    managed_resources: tuple[str, ...] = ()


def taped_extender(extender: Extender) -> TapedExtender:
    """What a tape remembers of an extender; no password."""
    return TapedExtender(
        without_password(extender.url_prefix),
        extender.filter_verb,
        extender.prioritize_verb,
        extender.preempt_verb,
        extender.bind_verb,
        extender.node_cache_capable,
        tuple(resource.name for resource in extender.managed_resources),
    )


class TapeHeader(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a tape belongs to. ``cluster``: digest of the nodes at the start of the run (`cluster_digest`).

    The rest is for people: when the recording began (Unix seconds, 0: unknown), the name of the first file of the
    cluster, and how many nodes it had.
    """

    extenders: tuple[TapedExtender, ...]
    cluster: str
    recorded_at: float = 0.0
    source: str = ""
    n_nodes: int = 0


def header_for(extenders: Iterable[Extender], nodes: Iterable[Node]) -> TapeHeader:
    """What a tape of a run belongs to that has these extenders, and these nodes at its start."""
    names = [(node.name, node.uid) for node in nodes]
    return TapeHeader(tuple(map(taped_extender, extenders)), cluster_digest(names), n_nodes=len(names))


def check_belongs(name: str, recorded: TapeHeader, run: TapeHeader) -> None:
    """Raises TapeError, which names the tape, unless it was recorded with the run's extenders, on a cluster with its
    nodes."""
    ours, theirs = run.extenders, recorded.extenders
    if len(ours) != len(theirs):
        raise TapeError(f"{name}: was recorded with {len(theirs)} extenders; the configuration has {len(ours)}")
    for i, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        for field in msgspec.structs.fields(TapedExtender):
            here, there = (_shown(getattr(one, field.name)) for one in (mine, other))
            if here != there:
                raise TapeError(
                    f"{name}: was recorded with another configuration: extenders[{i}].{field.encode_name} "
                    f"was {there}, and is {here}"
                )
    if run.cluster != recorded.cluster:
        raise TapeError(f"{name}: was recorded on another cluster: names or UIDs of its nodes are others")


def _shown(value: object) -> str:
    return msgspec.json.encode(value).decode()


def cluster_digest(nodes: Iterable[tuple[str, str]]) -> str:
    """The digest of a cluster's nodes by name and UID."""
    return blake2b(msgspec.msgpack.encode(sorted(nodes)), digest_size=32).hexdigest()


class TapeEnd(msgspec.Struct, frozen=True):
    """How much stands before the end."""

    n_calls: int
    n_blocks: int


class Texts(msgspec.Struct, frozen=True, array_like=True):
    """Strings of bytes: their lengths (uint32) and all of them in one."""

    lengths: bytes = b""
    data: bytes = b""


class BlockIndex(msgspec.Struct, frozen=True, array_like=True):
    """``pods`` has three texts a pod; ``calls`` a row of COLUMNS (int64) a call; ``victims`` a text a call;
    ``answer_sizes`` (int64) the bytes of each new answer; ``n_pieces`` how many pieces the block adds."""

    nodes: Texts
    pods: Texts
    uids: Texts
    node_sets: Texts
    faults: Texts
    calls: bytes
    victims: Texts
    answer_sizes: bytes
    n_pieces: int


class BlockAnswers(msgspec.Struct, frozen=True, array_like=True):
    """``counts`` (uint32): how many pieces each answer has; ``steps`` (int32): the number of each piece, as difference
    to the one before it in the block, which is mostly 1."""

    pieces: Texts
    counts: bytes
    steps: bytes


def pack_texts(values: Iterable[bytes]) -> Texts:
    """Texts of the values, in their order."""
    values = list(values)
    return Texts(np.array([len(value) for value in values], dtype="<u4").tobytes(), b"".join(values))


def n_texts(texts: Texts) -> int:
    """How many values there are, before any of them is made."""
    return len(texts.lengths) // _LENGTH_BYTES


def unpack_texts(texts: Texts, where: str) -> list[bytes]:
    """The values, of which the caller has counted that they are not too many. Raises TapeError."""
    ends = _value_ends(texts, where).tolist()
    return [texts.data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _value_ends(texts: Texts, where: str) -> NDArray[np.int64]:
    """Where each value ends. Raises TapeError."""
    ends = np.cumsum(numbers(texts.lengths, "<u4", where))
    if (ends[-1] if len(ends) else 0) != len(texts.data):
        raise TapeError(f"{where}: lengths of texts do not add up to their size")
    return ends


def unpack_strings(texts: Texts, where: str) -> list[str]:
    """The values as text. Raises TapeError."""
    try:
        return [value.decode() for value in unpack_texts(texts, where)]
    except UnicodeDecodeError as error:
        raise TapeError(f"{where}: a name is no UTF-8: {error}") from error


def numbers(data: bytes, dtype: str, where: str) -> NDArray[np.int64]:
    """The numbers of these bytes as int64. Raises TapeError."""
    return _buffer(data, dtype, where).astype(np.int64)


def _buffer(data: bytes, dtype: str, where: str) -> NDArray[Any]:
    try:
        return np.frombuffer(data, dtype=dtype)
    except ValueError as error:
        raise TapeError(f"{where}: {error}") from error


def decode(content: bytes, kind: type[T], where: str) -> T:
    """What a section's content says. Raises TapeError."""
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TapeError(f"{where}: does not hold what it should: {error}") from error
    except RecursionError as error:
        raise TapeError(f"{where}: does not hold what it should: values are nested too deeply in each other") from error


def read_header(content: bytes, where: str) -> TapeHeader:
    """The header in a section's content. Raises TapeError, also where it tells people what cannot be."""
    header = decode(content, TapeHeader, where)
    values: dict[str, Any] = decode(content, dict, where)
    if len(msgspec.msgpack.encode(values)) != len(content):
        raise TapeError(f"{where}: a key stands twice in the header, or a value is written longer than need be")
    if not 0 <= header.recorded_at < _YEAR_10000:
        raise TapeError(f"{where}: recorded_at is no time: {header.recorded_at}")
    if not 0 <= header.n_nodes <= _MOST_NODES:
        raise TapeError(f"{where}: n_nodes is no number of nodes: {header.n_nodes}")
    if len(header.extenders) > MAX_EXTENDERS:
        raise TapeError(
            f"{where}: there are {len(header.extenders):,} extenders, at most {MAX_EXTENDERS:,} are allowed"
        )
    texts = [header.source, header.cluster]
    for one in header.extenders:
        texts += [value for value in msgspec.structs.astuple(one) if isinstance(value, str)] + [*one.managed_resources]
    if any("\0" in text for text in texts):
        raise TapeError(f"{where}: a text has a NUL in it")
    return header


def cut(body: bytes) -> list[bytes]:
    """The pieces of a body, which are the body when joined."""
    first, *rest = body.split(_CUT)
    return [first, *(_CUT + piece for piece in rest)] if first else [_CUT + piece for piece in rest]


def pack_answers(pieces: Sequence[bytes], answers: Sequence[Sequence[int]]) -> BlockAnswers:
    """The answers of a block as numbers of pieces."""
    flat = np.array([number for answer in answers for number in answer], dtype=np.int64)
    counts = np.array([len(answer) for answer in answers], dtype="<u4")
    return BlockAnswers(pack_texts(pieces), counts.tobytes(), np.diff(flat, prepend=0).astype("<i4").tobytes())


class LoadedAnswers:
    """The pieces and answers of a block, checked. Raises TapeError.

    Nothing is made for a piece or a part before it is asked for: a section of some kilobytes may declare millions.
    """

    def __init__(self, block: BlockAnswers, n_pieces: int, n_answers: int, where: str) -> None:
        n_parts = len(block.steps) // _LENGTH_BYTES
        if (n_texts(block.pieces), len(block.counts) // _LENGTH_BYTES) != (n_pieces, n_answers):
            raise TapeError(f"{where}: does not hold the answers that the section before it tells")
        if n_parts > MAX_PARTS_OF_BLOCK:
            raise TapeError(
                f"{where}: answers of one section consist of {n_parts:,} parts, at most {MAX_PARTS_OF_BLOCK:,} are"
                " allowed"
            )
        self.piece_ends = _value_ends(block.pieces, where)
        self.numbers = np.cumsum(_buffer(block.steps, "<i4", where), dtype=np.int32)
        self.ends = np.cumsum(numbers(block.counts, "<u4", where))
        self._data = block.pieces.data
        if (int(self.ends[-1]) if len(self.ends) else 0) != n_parts:
            raise TapeError(f"{where}: does not hold the answers that the section before it tells")

    @property
    def lengths(self) -> NDArray[np.int32]:
        """The bytes of each piece."""
        return np.diff(self.piece_ends, prepend=0).astype(np.int32)

    def piece(self, number: int) -> bytes:
        """The block's piece at this place."""
        return self._data[int(self.piece_ends[number - 1]) if number else 0 : int(self.piece_ends[number])]

    def piece_numbers(self, answer: int) -> NDArray[np.int32]:
        """The numbers of the pieces of the block's answer at this place."""
        start = int(self.ends[answer - 1]) if answer else 0
        return self.numbers[start : int(self.ends[answer])]

    def sizes(self, lengths: NDArray[np.int32]) -> NDArray[np.int64]:
        """The bytes of each answer, whose pieces have these lengths."""
        starts = np.concatenate(([0], self.ends[:-1])) if len(self.ends) else self.ends
        sizes = np.zeros(len(self.ends), dtype=np.int64)
        filled = starts < self.ends
        if filled.any():
            sizes[filled] = np.add.reduceat(lengths[self.numbers], starts[filled], dtype=np.int64)
        return sizes
