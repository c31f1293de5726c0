"""Traces of SimKube (msgpack): what is applied and deleted over time; the cluster is what is there at the end.

A trace has the objects that its tracer follows, workloads as a rule: no nodes, and no times of pods here.
"""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw, quoted
from scheduler_core.manifests.parsing.json_values import check_depth, check_plain, n_values
from scheduler_core.manifests.parsing.sources import read_data

_MAPS = frozenset((*range(0x80, 0x90), 0xDE, 0xDF))
"""The first bytes of a mapping in msgpack."""
_ARRAYS = frozenset((*range(0x90, 0xA0), 0xDC, 0xDD))
_VERSION = 2
_MOST_BYTES = 32 << 20
"""A byte of msgpack may be a value, which takes eight in a list, before anything of it can be counted."""
_TIMES = InputGap(
    code="TIMES_NOT_PLAYED",
    text="a trace of SimKube says when objects come and go: what is there at its end is read, and no time is played",
)


class _Event(msgspec.Struct):
    applied_objs: list[Any]
    deleted_objs: list[Any]


class _Trace(msgspec.Struct):
    version: int
    events: list[_Event]


_decode = msgspec.msgpack.Decoder(_Trace).decode
_decode_any = msgspec.msgpack.Decoder(msgspec.Raw).decode


def _is_msgpack(head: FileHead) -> bool:
    if not head.data or head.data[0] not in _MAPS | _ARRAYS:
        return False
    try:
        head.data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _read(source: ManifestSource, limits: Limits) -> FormReading | None:
    data = read_data(source, limits)
    if len(data) > _MOST_BYTES:
        raise LoadError(
            f"this is msgpack of more than {_MOST_BYTES >> 20} MiB. Split the trace, or write its objects as JSON"
        )
    try:
        trace = _decode(data)
    except msgspec.ValidationError:
        raise _other() from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        if _is_whole(data):
            raise _other() from None
        return None
    if trace.version != _VERSION:
        raise LoadError(
            f"version {trace.version} of SimKube's traces is not read. Write it again as version {_VERSION}"
        )
    there: dict[tuple[str, ...], Raw] = {}
    left = limits.max_json_values
    for number, event in enumerate(trace.events):
        for field, things in (("deleted_objs", event.deleted_objs), ("applied_objs", event.applied_objs)):
            for thing in things:
                left -= _checked(thing, limits, f"events[{number}].{field}")
                if left < 0:
                    raise LoadError(f"more than {limits.max_json_values} values in one file. Split it")
                key = _key(thing)
                there.pop(key, None)
                if field == "applied_objs":
                    there[key] = thing
    return FormReading(list(there.values()), (_TIMES,))


def _is_whole(data: bytes) -> bool:
    """Whether the data is msgpack to its end."""
    try:
        _decode_any(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _other() -> LoadError:
    return LoadError(
        "this is msgpack, and no trace of SimKube (version, events). Kubernetes objects as YAML or JSON are needed"
    )


def _checked(thing: Any, limits: Limits, field: str) -> int:
    """How many values an object holds. Raises LoadError where it is none, or beyond the limits."""
    metadata = thing.get("metadata") if isinstance(thing, dict) else None
    if not isinstance(metadata, dict):
        raise LoadError(f"{quoted(thing)} is no object with metadata", field=field)
    n = n_values(thing, limits.max_object_values)
    if n > limits.max_object_values:
        raise LoadError(f"an object holds more than {limits.max_object_values} values", field=field)
    check_depth([thing], limits.max_depth)
    check_plain([thing], limits.max_depth)
    return n


def _key(thing: Raw) -> tuple[str, ...]:
    metadata = thing["metadata"]
    parts = (thing.get("apiVersion"), thing.get("kind"), metadata.get("namespace"), metadata.get("name"))
    return tuple(str(part or "") for part in parts)


TRACE = InputForm("trace of SimKube", _is_msgpack, _read)
