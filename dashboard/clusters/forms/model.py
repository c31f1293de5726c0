"""What a form is made of: fields with their place in an object, the sort of value and what it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Path = tuple[str | int, ...]


class Sort(StrEnum):
    """What a field's value is, and so how it is shown and written."""

    TEXT = "text"
    WHOLE = "whole"
    QUANTITY = "quantity"
    SHARE = "share"
    """A whole number or a percentage."""
    CHOICE = "choice"
    FLAG = "flag"
    WORDS = "words"
    """A list of texts, shown with commas."""
    PAIRS = "pairs"
    """A mapping of texts to texts."""
    AMOUNTS = "amounts"
    """A mapping of resources to quantities."""
    ROWS = "rows"
    """A list of mappings, each with the fields `fields`."""


CONTAINERS = (Sort.PAIRS, Sort.AMOUNTS, Sort.ROWS)


@dataclass(frozen=True)
class FormField:
    """A field: its path from the object, or from its row. `new` is the value of an added row, `default` what counts
    where it is absent; `builder` names what says how much the field matches; a value of an `is_long` one is wider than
    half a narrow form.
    """

    path: tuple[str, ...]
    label: str
    sort: Sort = Sort.TEXT
    help: str = ""
    choices: tuple[str, ...] = ()
    fields: tuple[FormField, ...] = ()
    new: Any = None
    default: str = ""
    builder: str = ""
    is_rare: bool = False
    is_long: bool = False
    noun: str = "entry"

    @property
    def example(self) -> str:
        """Return an entry of such a mapping, as it is typed."""
        if self.sort is not Sort.AMOUNTS:
            return "disk=ssd"
        return "storage=10Gi" if "storage" in (self.new or ()) else "cpu=500m"


@dataclass(frozen=True)
class FormSection:
    """Fields under a heading; a rare one is closed at first."""

    title: str
    fields: tuple[FormField, ...]
    is_rare: bool = False


@dataclass(frozen=True)
class KindForm:
    """The form of a kind; `pod_path` is where its pods' metadata and spec stand, None for a kind without pods."""

    kind: str
    sections: tuple[FormSection, ...] = field(default_factory=tuple)
    pod_path: tuple[str, ...] | None = None

    @property
    def fields(self) -> tuple[FormField, ...]:
        """Return the fields of all sections."""
        return tuple(one for section in self.sections for one in section.fields)


def at(path: str) -> tuple[str, ...]:
    """Return a path of plain names: "spec.replicas"."""
    return tuple(path.split(".")) if path else ()
