"""A doubt as data: what may falsify an answer, with its objects (docs/diagnosis.md). Fields and codes are stable."""

from __future__ import annotations

import msgspec


class NamedObjects(msgspec.Struct, frozen=True):
    """Objects: how many, and the first names (apiVersion/Kind/namespace/name)."""

    count: int = 0
    names: tuple[str, ...] = ()


class AnswerDoubt(msgspec.Struct, frozen=True, kw_only=True):
    """What may falsify an answer. ``concerns``: "placement", "counts" or "message"."""

    code: str
    objects: NamedObjects = NamedObjects()
    concerns: str = "placement"
    text: str = ""
