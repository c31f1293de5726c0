"""The guide of all kinds as one mapping, and its JSON, which editors ask for once."""

from __future__ import annotations

from functools import cache

import msgspec

from scheduler_core.api.kinds import bare_kind
from scheduler_core.manifests.field_guide import admission, devices, documents, makers, objects, pods, storage
from scheduler_core.manifests.field_guide.model import UNREAD, GuideField, Part
from scheduler_core.manifests.kinds.registry import KINDS, WITHOUT_EFFECT

_ITEMS = GuideField("The objects of the list.", "list", is_list=True)


class FieldGuide(msgspec.Struct, frozen=True):
    """Fields by kind, by text that is no object, and by part."""

    kinds: dict[str, Part]
    documents: dict[str, Part]
    parts: dict[str, Part]
    unread_kinds: tuple[str, ...]


@cache
def field_guide() -> FieldGuide:
    """The guide; kinds and versions are those of the registry."""
    described = {**objects.KINDS, **storage.KINDS, **devices.KINDS, **admission.KINDS, **makers.KINDS}
    kinds: dict[str, Part] = {kind: {**_head(kind), **described[kind]} for kind in KINDS}
    kinds["List"] = {
        "apiVersion": GuideField("The version of the list.", "text", ("v1",)),
        "kind": GuideField("List holds objects of any kind.", "text", ("List",)),
        "items": _ITEMS,
    }
    described = objects.PARTS | storage.PARTS | devices.PARTS | admission.PARTS | makers.PARTS | pods.PARTS
    described |= documents.PARTS
    parts = {name: _read_first(part) for name, part in described.items()}
    return FieldGuide(kinds, documents.DOCUMENTS, parts, tuple(sorted(WITHOUT_EFFECT)))


def _read_first(part: Part) -> Part:
    """The fields in the order in which they are offered: those that decisions depend on before the others."""
    return dict(sorted(part.items(), key=lambda entry: entry[1].says == UNREAD))


def guide_json() -> bytes:
    """The guide as JSON: fields without what is empty."""
    return msgspec.json.encode(field_guide())


def _head(kind: str) -> dict[str, GuideField]:
    spec = KINDS[kind]
    versions = tuple(f"{spec.group}/{version}" if spec.group else version for version in spec.versions)
    names = tuple(sorted({bare_kind(name) for name in KINDS}))
    return {
        "apiVersion": GuideField(f"The version that the object is written in, for {kind}.", "text", versions),
        "kind": GuideField("The kind of the object.", "text", names),
    }


def field_at(kind: str, path: tuple[str | int, ...]) -> GuideField | None:
    """The field at a path of an object, None where the guide does not know it."""
    return field_in(field_guide().kinds.get(kind), path)


def field_in(part: Part | None, path: tuple[str | int, ...]) -> GuideField | None:
    """The field at a path of a part, None where the guide does not know it."""
    field, is_below_key = None, False
    for step in path:
        if isinstance(step, int):
            continue
        if field is not None and field.is_keyed and not is_below_key:
            is_below_key = True
            continue
        is_below_key = False
        field = part.get(step) if part is not None else None
        if field is None:
            return None
        part = field_guide().parts.get(field.part)
    return field
