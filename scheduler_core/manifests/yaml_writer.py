"""Objects to YAML text that kubectl applies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import yaml

_FIRST = {"apiVersion": 0, "kind": 1, "metadata": 2, "spec": 3, "data": 4, "status": 9}
_FIRST_IN_METADATA = {"name": 0, "generateName": 1, "namespace": 2, "labels": 3, "annotations": 4}
_LOOKS_TYPED = re.compile(
    r"(?i)y|n|yes|no|on|off|true|false|null|~|[-+.]?[0-9_][0-9_.:eExXoObB+\-a-fA-F]*|[-+]?\.(?:inf|nan)|=|<<"
)


class _Dumper(yaml.CSafeDumper):
    """Writes every mapping and list out (no anchors) and quotes texts that another reader could take for a number."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: Any, text: str) -> Any:
    style = '"' if _LOOKS_TYPED.fullmatch(text) else "|" if "\n" in text and _fits_block(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _fits_block(text: str) -> bool:
    return not any(line.endswith((" ", "\t")) for line in text.split("\n")) and text.replace("\n", "").isprintable()


_Dumper.add_representer(str, _text)


def dump_yaml(raws: Iterable[Any]) -> str:
    """The objects as YAML, one document each: apiVersion, kind, metadata and spec first, the rest by name."""
    return "---\n".join(
        yaml.dump(
            _ordered(raw, _FIRST),
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            default_flow_style=False,
            width=120,
        )
        for raw in raws
    )


def _ordered(value: Any, first: dict[str, int] | None = None) -> Any:
    if isinstance(value, dict):
        ranks = first or {}
        keys = sorted(value, key=lambda k: (ranks.get(k, 5), k))
        return {k: _ordered(value[k], _FIRST_IN_METADATA if k == "metadata" else None) for k in keys}
    if isinstance(value, list):
        return [_ordered(v) for v in value]
    return value
