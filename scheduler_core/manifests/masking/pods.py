"""The secrets of the entries of a list; the spec that the pods of a workload have alike is searched once.

Such specs differ in names alone: of the pod, of its node, of its token volume. So they are remembered by their text
with these names left out.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from scheduler_core.manifests.kinds.registry import kind_name
from scheduler_core.manifests.masking.secrets import (
    COLLECTIONS,
    Secret,
    secrets_of_entry,
    secrets_of_field,
    secrets_of_metadata,
)

_MAX_SPECS = 4096
_TOKEN_VOLUME = "kube-api-access-"
_LEFT_OUT = b"\0"
"""Stands for a name that is left out: no JSON text has this byte, so that texts left equal differ in these alone."""
# A name with a dash is no part of a field's name, so that it can be left out of a text and every field stays.
_NAME = re.compile(r"[a-z0-9.]+-[a-z0-9.-]+").fullmatch
# In these fields a secret is known by its value, which might be told from others by a name that is left out.
_BY_VALUE = (b'"parameters"', b'"volumeAttributes"', b'"options"', b'"annotations"')


class EntrySecrets:
    """Searches the entries of lists; ``kind`` and ``version`` are what the list gives them."""

    def __init__(self, kind: str, version: str) -> None:
        self._kind = kind
        self._version = version
        self._specs: dict[bytes, list[Secret]] = {}
        self._encode = msgspec.json.Encoder().encode

    def of(self, entry: Any) -> list[Secret]:
        """The secrets of an entry, those that are masked too, with paths from the entry."""
        if entry.__class__ is dict and entry.get("kind", self._kind) == "Pod":
            version, spec = entry.get("apiVersion", self._version), entry.get("spec")
            if version.__class__ is str and spec.__class__ is dict and kind_name("Pod", version):
                return self._of_pod(entry, spec)
        return secrets_of_entry(entry, self._kind, self._version)

    def _of_pod(self, pod: dict[str, Any], spec: dict[str, Any]) -> list[Secret]:
        secrets: list[Secret] = []
        secrets_of_metadata(pod.get("metadata"), ("metadata",), secrets)
        for name, value in pod.items():
            if value.__class__ in COLLECTIONS and name not in ("metadata", "spec", "status"):
                secrets_of_field(name, value, (name,), secrets)
        text = self._encode(spec)
        for own in (_token_volume(spec), spec.get("nodeName"), spec.get("hostname")):
            if own.__class__ is str and _NAME(own):
                text = text.replace(own.encode(), _LEFT_OUT)
        of_spec = self._specs.get(text)
        if of_spec is None:
            of_spec = self._of_spec(spec, text)
        return secrets + of_spec if secrets else of_spec

    def _of_spec(self, spec: dict[str, Any], text: bytes) -> list[Secret]:
        """The secrets of a spec, which are remembered by its text. Specs that hardly repeat would fill the memory."""
        secrets: list[Secret] = []
        secrets_of_field("spec", spec, ("spec",), secrets)
        has_names_in_paths = any(part.__class__ is str and "-" in part for path, _ in secrets for part in path)
        if not has_names_in_paths and not any(field in text for field in _BY_VALUE):
            if len(self._specs) >= _MAX_SPECS:
                self._specs.clear()
            self._specs[text] = secrets
        return secrets


def _token_volume(spec: dict[str, Any]) -> Any:
    """The name of the volume that admission adds to each pod under a name of its own; None without one."""
    volumes = spec.get("volumes")
    for volume in volumes if volumes.__class__ is list else ():
        name = volume.get("name") if volume.__class__ is dict else None
        if name.__class__ is str and name.startswith(_TOKEN_VOLUME):
            return name
    return None
