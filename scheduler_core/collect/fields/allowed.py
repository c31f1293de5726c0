"""What leaves a cluster of an object: the fields of allowed.toml and no others, then the product's masking."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from scheduler_core.manifests.kinds.makers import READS, read_below
from scheduler_core.manifests.kinds.registry import KEPT_EVENTS
from scheduler_core.manifests.masking.secrets import MASK, holds_secret_value, mask

SCHEDULED = "Scheduled"
EVENT_REASONS = frozenset((*KEPT_EVENTS, SCHEDULED))
"""Reasons of the events that leave; ``Scheduled`` are the default scheduler's bindings."""
_SCALARS = (str, int, float, bool)
_NONE: Any = object()
"""In place of a value that does not leave; None is a value that may."""
_MOST_MANAGERS = 64

Raw = dict[str, Any]


class AllowedField(NamedTuple):
    """A field that leaves: a ``word`` for its value, or the ``part`` with the fields below; ``of_many`` is "[]" for a
    list of these, "{}" for a mapping to them."""

    word: str
    part: Mapping[str, AllowedField] | None
    of_many: str


class NameWriter(Protocol):
    """Writes names: as they are, or as pseudonyms."""

    def name(self, text: str) -> str:
        """A name."""

    def label(self, key: str, value: str) -> str:
        """The value of a label, a taint or a requirement on a label."""

    def image(self, text: str) -> str:
        """The name of an image."""

    def message(self, text: str) -> str:
        """A sentence that may name objects."""


class PlainNames:
    """Names as they are."""

    def name(self, text: str) -> str:
        """The text itself."""
        return text

    def label(self, key: str, value: str) -> str:
        """The value itself."""
        return value

    def image(self, text: str) -> str:
        """The text itself."""
        return text

    def message(self, text: str) -> str:
        """The text itself."""
        return text


def _read() -> tuple[dict[str, dict[str, AllowedField]], dict[str, str]]:
    raw = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    parts: dict[str, dict[str, AllowedField]] = {name: {} for name in raw["parts"]}

    def fields(of: Mapping[str, str]) -> dict[str, AllowedField]:
        out = {}
        for name, text in of.items():
            word = text.removesuffix("[]").removesuffix("{}")
            part = parts["Volume"] if word == "volumes" else parts.get(word)
            out[name] = AllowedField(word, part, text.removeprefix(word))
        return out

    for name, of in raw["parts"].items():
        parts[name].update(fields(of))
    return {kind: fields(of) for kind, of in raw["kinds"].items()}, raw["annotations"]


ALLOWED, ANNOTATIONS = _read()
"""The fields by kind, and the annotations with a word for each value."""


def allowed_paths(kind: str) -> Iterator[tuple[str, str]]:
    """(path, word) of each field of a kind that leaves, lists as ``[]``, mappings as ``{}``; for docs and tests."""
    yield from _paths(ALLOWED[kind], "")


def _paths(part: Mapping[str, AllowedField], before: str) -> Iterator[tuple[str, str]]:
    for name, field in part.items():
        path = f"{before}{name}{'[]' if field.word == 'volumes' else field.of_many}"
        if field.part is None:
            yield path, field.word
        else:
            yield from _paths(field.part, f"{path}.")


def is_kept_event(raw: Mapping[str, Any]) -> bool:
    """Whether the event is of a reason that leaves."""
    return raw.get("reason") in EVENT_REASONS


def projected(kind: str, api_version: str, raw: Mapping[str, Any], names: NameWriter) -> Raw:
    """What leaves of an object of a kind of allowed.toml; names and sentences as ``names`` writes them."""
    out: Raw = {"apiVersion": api_version, "kind": kind}
    out |= _part(ALLOWED[kind], raw, names)
    if kind in _MASKED_KINDS:
        mask(out)
    return out


_MASKED_KINDS = frozenset(ALLOWED) - {"Event", "HorizontalPodAutoscaler", "Workload", "LocalQueue", "ClusterQueue"}
"""Of the others the masking leaves little but names. Here the allow-list has numbers besides, and sentences are masked
one by one."""


_encode = msgspec.json.Encoder(order="sorted").encode


def comparable(out: Raw) -> bytes:
    """The bytes by which two states of an object are compared: without the version, and who wrote when."""
    metadata = {
        name: value
        for name, value in out.get("metadata", {}).items()
        if name not in ("resourceVersion", "managedFields")
    }
    return _encode({**out, "metadata": metadata})


# ---------------------------------------------------------------- fields


def _part(part: Mapping[str, AllowedField], raw: Any, names: NameWriter) -> Raw:
    if raw.__class__ is not dict:
        return {}
    out: Raw = {}
    key = raw.get("key") if "key" in part and raw.get("key").__class__ is str else None
    for name, value in raw.items():
        field = part.get(name)
        if field is not None and value is not None:
            leaving = _field(field, value, names, key if name != "key" else None)
            if leaving is not _NONE:
                out[name] = leaving
    return out


def _field(field: AllowedField, value: Any, names: NameWriter, key: str | None) -> Any:
    if field.word == "volumes":
        return _volumes(field, value, names)
    if not field.of_many:
        return _value(field, value, names, key)
    if field.of_many == "{}":
        return _mapped(field, value, names)
    if value.__class__ is not list:
        return _NONE
    return [leaving for one in value if (leaving := _value(field, one, names, key)) is not _NONE]


def _mapped(field: AllowedField, value: Any, names: NameWriter) -> Any:
    if value.__class__ is not dict:
        return _NONE
    each = ((key, _value(field, one, names, None)) for key, one in value.items() if key.__class__ is str)
    return {key: leaving for key, leaving in each if leaving is not _NONE}


def _value(field: AllowedField, value: Any, names: NameWriter, key: str | None) -> Any:
    if field.part is not None:
        return _part(field.part, value, names) if value.__class__ is dict else _NONE
    word = field.word
    if word == "plain":
        return value if value.__class__ in _SCALARS else _NONE
    if word == "text":
        return value if value.__class__ is str else _NONE
    if word == "name":
        if value.__class__ is not str:
            return _NONE
        return names.name(value) if key is None else names.label(key, value)
    if word == "message":
        if value.__class__ is not str:
            return _NONE
        return MASK if holds_secret_value(value) else names.message(value)
    if word == "image":
        return names.image(value) if value.__class__ is str else _NONE
    if word == "managers":
        return _managers(value)
    return _mapping(word, value, names)


def _mapping(word: str, value: Any, names: NameWriter) -> Any:
    if value.__class__ is not dict:
        return _NONE
    if word == "labels":
        return {key: names.label(key, one) for key, one in value.items() if one.__class__ is str}
    if word == "amounts":
        return {key: one for key, one in value.items() if one.__class__ in _SCALARS}
    if word == "settings":
        return _settings(value, names)
    if word == "times":
        return {names.name(key): one for key, one in value.items() if one.__class__ is str}
    out = {}
    for key, how in ANNOTATIONS.items():
        one = value.get(key)
        if one.__class__ is str:
            out[key] = names.name(one) if how == "name" else _pairs(one, names) if how == "pairs" else one
    return out or _NONE


def _pairs(text: str, names: NameWriter) -> str:
    """Labels, or taints with their effects, in one text: "key=value:effect,key=value"."""
    out = []
    for part in text.split(","):
        pair, colon, effect = part.partition(":")
        key, equals, value = pair.partition("=")
        out.append(f"{key}{equals}{names.label(key, value)}{colon}{effect}" if equals else names.name(part))
    return ",".join(out)


def _settings(value: Raw, names: NameWriter) -> Raw:
    """The entries of sparkConf that are read; keys that end with a label have its value."""
    out: Raw = {}
    for key, one in value.items():
        if one.__class__ is str and read_below(_SETTINGS, key) is not None:
            label = _OF_LABELS.match(key)
            out[key] = names.label(key[label.end() :], one) if label else names.name(one) if key in _NAMED else one
    return out or _NONE


_SETTINGS = READS["SparkApplication"]["spec"]["sparkConf"]
_OF_LABELS = re.compile(r"spark\.kubernetes\.(?:(?:driver|executor)\.)?(?:node\.selector|label)\.")
_NAMED = ("spark.kubernetes.driver.pod.name",)


def _volumes(field: AllowedField, value: Any, names: NameWriter) -> Any:
    """The volumes that have one of the sources that decide something."""
    if value.__class__ is not list:
        return _NONE
    parts = [_part(field.part or {}, one, names) for one in value]
    return [part for part in parts if len(part) > 1 and "name" in part] or _NONE


def _managers(value: Any) -> Any:
    """Each manager once, the one that wrote last at the beginning."""
    if value.__class__ is not list:
        return _NONE
    entries = [one for one in value if one.__class__ is dict and one.get("manager").__class__ is str]
    entries.sort(key=lambda one: one["time"] if one.get("time").__class__ is str else "", reverse=True)
    managers = dict.fromkeys(one["manager"] for one in entries)
    return [{"manager": name} for name in list(managers)[:_MOST_MANAGERS]] or _NONE
