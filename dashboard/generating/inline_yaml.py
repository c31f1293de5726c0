"""Values as YAML on one line, as fields of the form show them, and what such a line or a whole description says."""

from __future__ import annotations

import json
from typing import Any

import yaml

from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.workloads.generator.reading import LIMITS

MAX_FORM_TEXT = 128 << 10
"""Longer descriptions are edited as YAML only."""
TEXTS_ALONE = {"name"}
"""Fields that are text in any case, and need no quotes."""


def read_mapping(text: str) -> dict[str, Any] | None:
    """Return the mapping in the text; None where it has none, or is too long for a form."""
    if len(text) > MAX_FORM_TEXT:
        return None
    try:
        value = _value(text)
    except LoadError:
        return None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def inline(value: Any) -> str:
    """Return a value as YAML on one line, "" for none."""
    if value is None:
        return ""
    if isinstance(value, str):
        try:
            is_itself = _scalar(value) == value
        except LoadError:
            is_itself = False
        return value if is_itself or not value else json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return yaml.dump(value, Dumper=yaml.CSafeDumper, default_flow_style=True, sort_keys=False, width=1 << 20).strip()


def value_in(field: str, text: str) -> Any:
    """Return what a field's text says; text that is no YAML stays text, which the check then refuses at its field."""
    if field in TEXTS_ALONE:
        return text.strip()
    try:
        return _scalar(text)
    except LoadError:
        return text


def _scalar(text: str) -> Any:
    """Return what the text says after a key. Raises LoadError where it says more than one value."""
    value = _value(f"value: {text}")
    if not isinstance(value, dict) or value.keys() != {"value"}:
        raise LoadError("more than one value")
    return value["value"]


def _value(text: str) -> Any:
    documents = list(read_documents(read_text(ManifestSource("field", text.encode()), LIMITS), LIMITS))
    if len(documents) > 1:
        raise LoadError("several documents")
    return documents[0].value if documents else None
