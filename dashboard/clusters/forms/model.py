"""What a form is made of: fields with their place in an object, the sort of value and what it means.

A form says which fields it shows, in which order and under which labels; their sort, choices, default and help are
those of the field guide.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from scheduler_core.manifests.field_guide.guide import field_guide, field_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scheduler_core.manifests.field_guide.guide import FieldGuide
    from scheduler_core.manifests.field_guide.model import Part

Path = tuple[str | int, ...]


class Sort(StrEnum):
    """What a field's value is, and so how it is shown and written."""

    TEXT = "text"
    WHOLE = "whole"
    NUMBER = "number"
    """A number, whole or not."""
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
    WEIGHTS = "weights"
    """A mapping of amounts to weights."""
    ROWS = "rows"
    """A list of mappings, each with the fields `fields`."""


_SORTS = {
    "text": Sort.TEXT,
    "any value": Sort.TEXT,
    "whole number": Sort.WHOLE,
    "number": Sort.NUMBER,
    "whole number or percentage": Sort.SHARE,
    "true or false": Sort.FLAG,
    "list of texts": Sort.WORDS,
    "mapping of texts": Sort.PAIRS,
    "mapping of resources to quantities": Sort.AMOUNTS,
    "list": Sort.ROWS,
}
"""The sort of the guide's sorts."""
MAPPINGS = (Sort.PAIRS, Sort.AMOUNTS, Sort.WEIGHTS)
CONTAINERS = (*MAPPINGS, Sort.ROWS)


@dataclass(frozen=True)
class FormField:
    """A field: its path from the object, or from its row. `new` is the value of an added row, `default` what counts
    where it is absent; `builder` names what says how much the field matches; a value of an `is_long` one is wider than
    half a narrow form; an `is_needed` one that is emptied stays, and is wrong then.
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
    is_needed: bool = False
    noun: str = "entry"

    @property
    def is_mapping(self) -> bool:
        """Return whether its value is a mapping with keys of its own."""
        return self.sort in MAPPINGS

    @property
    def example(self) -> str:
        """Return an entry of such a mapping, as it is typed."""
        if self.sort is not Sort.AMOUNTS:
            return "8=20" if self.sort is Sort.WEIGHTS else "disk=ssd"
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


def make_form(
    kind: str, *sections: FormSection, pod_path: tuple[str, ...] | None = None, guide: FieldGuide | None = None
) -> KindForm:
    """Return a form of a kind or document with what the guide, that of objects unless another is given, says of its
    fields; raises KeyError for a field that it does not know.
    """
    guide = guide or field_guide()
    part = guide.kinds.get(kind) or guide.documents[kind]
    guided = tuple(replace(section, fields=_guided(section.fields, part, guide.parts)) for section in sections)
    return KindForm(kind, guided, pod_path)


def _guided(fields: tuple[FormField, ...], part: Part, parts: Mapping[str, Part]) -> tuple[FormField, ...]:
    return tuple(_guided_field(one, part, parts) for one in fields)


def _guided_field(one: FormField, part: Part, parts: Mapping[str, Part]) -> FormField:
    guide = field_in(part, one.path)
    if guide is None:
        raise KeyError(one.path)
    sort, text, choices = _SORTS[guide.sort], guide.says, guide.choices
    if sort is Sort.WORDS:
        among = f" {', '.join(choices)}." if choices else ""
        text = f"{text}{among} Commas separate values."
    if sort is Sort.TEXT and len(choices) > 1:
        sort = Sort.CHOICE
    return replace(
        one,
        sort=sort,
        help=text,
        choices=choices if sort is Sort.CHOICE else (),
        default=one.default or guide.default,
        fields=_guided(one.fields, parts.get(guide.part, {}), parts),
    )


def shown(path: str, label: str, *fields: FormField, **how: Any) -> FormField:
    """Return a field as the tables of forms write it: a path such as "spec.replicas", a label, the fields of rows."""
    return FormField(at(path), label, fields=fields, **how)


def at(path: str) -> tuple[str, ...]:
    """Return a path of plain names: "spec.replicas"."""
    return tuple(path.split(".")) if path else ()
