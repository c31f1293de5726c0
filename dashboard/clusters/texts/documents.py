"""The documents of a YAML file that hold one object each, as they stand in it.

Only heads are looked at, since reading a file twice would double an import: who shows a text reads it, and writes
into it whatever it lacks (`changes.rewritten`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from dashboard.clusters.texts.store import MAX_KEPT_TEXT
from scheduler_core.manifests.kinds.registry import api_group, name_in_group
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import is_yaml, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.clusters.texts.store import ObjectKey
    from scheduler_core.manifests import Limits, ManifestSource

# A line with a document's mark always ends the document before, whatever that is made of.
_MARK = re.compile(r"^(?:---(?=[ \t\r\n]|\Z)|\.\.\.[ \t]*$|%YAML[^\n]*$)[ \t]*\n?", re.MULTILINE)
_KIND = re.compile(r"^kind:[ \t]*(?:\"(\w+)\"|'(\w+)'|(\w+))[ \t\r]*(?:#.*)?$", re.MULTILINE)
_VERSION = re.compile(r"^apiVersion:[ \t]*[\"']?([\w./-]+)", re.MULTILINE)
_METADATA = re.compile(r"^metadata:[ \t\r]*(?:#.*)?\n((?:[ \t]*(?:#.*)?\n)*)( +)(?=\S)", re.MULTILINE)
_ON_ONE_LINE = re.compile(r"^metadata:[ \t]+(\{.{0,4000}\})[ \t\r]*(?:#.*)?$", re.MULTILINE)
_WORD = r"[ \t]*(?:\"([^\"\n\\]+)\"|'([^'\n]+)'|([\w.\-]+))[ \t\r]*(?:#.*)?$"


def texts_in(source: ManifestSource, limits: Limits) -> Iterator[tuple[ObjectKey, str]]:
    """Yield (kind, namespace, name as written) and the text of each document that is one object in block style."""
    try:
        text = read_text(source, limits)
    except LoadError:
        return
    if not is_yaml(text):
        return
    for document in _MARK.split(text):
        key = _key(document) if len(document) <= MAX_KEPT_TEXT else None
        if key is not None:
            yield key, document.replace("\r\n", "\n")


def _key(document: str) -> ObjectKey | None:
    kinds = _KIND.findall(document)
    if len(kinds) != 1:
        return None
    version, metadata = _VERSION.search(document), _METADATA.search(document)
    kind = name_in_group("".join(kinds[0]), api_group(version[1]) if version else "")
    if metadata is None:
        return _key_on_one_line(kind, document)
    block = re.compile(rf"(?:^(?:{metadata[2]}.*|[ \t]*(?:#.*)?)\n?)*", re.MULTILINE).match(document, metadata.end(1))
    lines = block[0] if block else ""
    name, namespace = (_field(lines, metadata[2], field) for field in ("name", "namespace"))
    return None if not name or kind.endswith("List") else (kind, namespace, name)


def _key_on_one_line(kind: str, document: str) -> ObjectKey | None:
    """Return the key where metadata stands on one line: {name: web, namespace: shop}."""
    match = _ON_ONE_LINE.search(document)
    try:
        metadata = yaml.load(match[1], yaml.CBaseLoader) if match else None
    except (yaml.YAMLError, RecursionError):
        return None
    if not isinstance(metadata, dict) or kind.endswith("List"):
        return None
    name, namespace = metadata.get("name"), metadata.get("namespace", "")
    return (kind, namespace, name) if name and isinstance(name, str) and isinstance(namespace, str) else None


def _field(lines: str, indent: str, field: str) -> str:
    match = re.search(rf"^{indent}{field}:{_WORD}", lines, re.MULTILINE)
    return "".join(one or "" for one in match.groups()) if match else ""
