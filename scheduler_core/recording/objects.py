"""Kubernetes objects inside a recording: those made during the run, which no input holds.

An object is written whole, as MessagePack of its struct with the fields that are not at their default. Reading goes by
the kind that stands beside it; fields that a later version adds are at their default then, fields that it dropped are
passed over.
"""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api.objects import KINDS, WORKLOAD_KINDS, KubernetesObject, Workload
from scheduler_core.recording.errors import RecordingError

_DECODERS = {name: msgspec.msgpack.Decoder(kind) for name, kind in KINDS.items()}
_DECODERS |= {name: msgspec.msgpack.Decoder(Workload) for name in WORKLOAD_KINDS}
_DEFAULTS: dict[type[Any], dict[str, Any]] = {}
_encode = msgspec.msgpack.Encoder().encode


def object_id(kind: str, key: str) -> str:
    """How RunState.made names an object: kind/key."""
    return f"{kind}/{key}"


def encode_object(obj: KubernetesObject | Workload) -> bytes:
    """The object without fields at their default; the same bytes for equal objects."""
    defaults = _defaults(type(obj))
    values = ((name, getattr(obj, name)) for name in obj.__struct_fields__)
    return _encode({name: value for name, value in values if name not in defaults or defaults[name] != value})


def decode_object(kind: str, data: bytes) -> Any:
    """The object again. Raises RecordingError for an unknown kind and for damaged bytes."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise RecordingError(f"a recorded object is of the unknown kind {kind!r}")
    try:
        return decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise RecordingError(f"a recorded {kind} cannot be read: {error}") from error


def _defaults(kind: type[Any]) -> dict[str, Any]:
    defaults = _DEFAULTS.get(kind)
    if defaults is None:
        fields = msgspec.structs.fields(kind)
        defaults = {f.name: f.default for f in fields if f.default is not msgspec.NODEFAULT}
        defaults.update({f.name: f.default_factory() for f in fields if f.default_factory is not msgspec.NODEFAULT})
        _DEFAULTS[kind] = defaults
    return defaults
