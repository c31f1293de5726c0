"""Plugin arguments from the configuration's camelCase to the plugin's own Args."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_IGNORED = frozenset({"apiVersion", "kind"})


def decode_args(args_type: type[Any], raw: Mapping[str, Any]) -> Any:
    """The plugin's Args; keys that it does not have are refused. Raises msgspec.ValidationError or ValueError.

    An Args type that needs more than renaming offers ``from_raw(raw)`` itself.
    """
    from_raw = getattr(args_type, "from_raw", None)
    if from_raw is not None:
        return from_raw({key: value for key, value in raw.items() if key not in _IGNORED})
    renamed = {snake(key): _snake_deep(value) for key, value in raw.items() if key not in _IGNORED}
    unknown = sorted(set(renamed) - set(args_type.__struct_fields__))
    if unknown:
        raise ValueError(f"unknown field {unknown[0]}; known are {', '.join(args_type.__struct_fields__) or 'none'}")
    return msgspec.convert(renamed, args_type)


def snake(name: str) -> str:
    """camelCase as snake_case."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m.group(1).lower(), name)


def _snake_deep(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {snake(str(k)): _snake_deep(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_snake_deep(v) for v in value]
    return value
