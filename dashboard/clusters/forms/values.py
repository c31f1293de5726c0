"""The values of a form, read from an object: text for each field, rows for lists, pairs for mappings.

What a field's sort cannot show (a list where text is meant, several lines) is foreign: it stays as it is, and the YAML
alone changes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from dataclasses import field as made
from typing import TYPE_CHECKING, Any

from dashboard.clusters.forms.model import CONTAINERS, MAPPINGS, FormField, FormSection, KindForm, Path, Sort

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_ROWS = 200
ABSENT = object()


@dataclass
class PairValue:
    """An entry of a mapping of texts or amounts."""

    path: Path
    key: str
    text: str
    problems: list[str] = made(default_factory=list)

    @property
    def name(self) -> str:
        """Return the pair's name in the form."""
        return field_name(self.path)


class _ShownFields:
    """Fields of which rare ones that are not set stand behind "more"."""

    fields: list[FormValue]

    @property
    def shown(self) -> list[FormValue]:
        """Return the fields that are always shown: common ones, and rare ones that are set."""
        return [one for one in self.fields if not one.is_hidden]

    @property
    def hidden(self) -> list[FormValue]:
        """Return the fields behind "more"."""
        return [one for one in self.fields if one.is_hidden]


@dataclass
class RowValue(_ShownFields):
    """An entry of a list; `index` counts from 0."""

    path: Path
    index: int
    fields: list[FormValue]
    problems: list[str] = made(default_factory=list)

    @property
    def name(self) -> str:
        """Return the row's name in the form."""
        return field_name(self.path)


@dataclass
class FormValue:
    """A field of an object with its value; `text` is "" where it is absent."""

    field: FormField
    path: Path
    text: str = ""
    is_set: bool = False
    is_foreign: bool = False
    rows: list[RowValue] = made(default_factory=list)
    pairs: list[PairValue] = made(default_factory=list)
    problems: list[str] = made(default_factory=list)
    left_out: int = 0

    @property
    def name(self) -> str:
        """Return the field's name in the form."""
        return field_name(self.path)

    @property
    def is_typed(self) -> bool:
        """Return whether it is shown as one text to type or choose."""
        return not self.is_foreign and self.field.sort not in CONTAINERS

    @property
    def is_hidden(self) -> bool:
        """Return whether it is rare and says nothing."""
        return self.field.is_rare and not self.is_set and not self.problems


@dataclass
class SectionValue(_ShownFields):
    """A section with its fields."""

    section: FormSection
    fields: list[FormValue]

    @property
    def is_closed(self) -> bool:
        """Return whether the section is rare and nothing in it is set."""
        return self.section.is_rare and not any(one.is_set or one.problems for one in self.fields)


def field_name(path: Path) -> str:
    """Return a path as the form names it: a JSON list, since keys may hold any character."""
    return json.dumps(path, ensure_ascii=False, separators=(",", ":"))


def section_values(raw: Mapping[str, Any], form: KindForm) -> list[SectionValue]:
    """Return the form's sections with the values of an object."""
    return [SectionValue(section, [field_value(raw, one) for one in section.fields]) for section in form.sections]


def flat(sections: Sequence[SectionValue]) -> dict[str, str]:
    """Return {name: text} of everything that is set, for comparing forms."""
    return dict(_flat([one for section in sections for one in section.fields]))


def _flat(values: Sequence[FormValue]) -> Iterator[tuple[str, str]]:
    for value in values:
        if value.is_set:
            yield value.name, "(foreign)" if value.is_foreign else value.text
        for pair in value.pairs:
            yield pair.name, pair.text
        for row in value.rows:
            yield row.name, ""
            yield from _flat(row.fields)


def field_value(parent: Any, one: FormField, base: Path = ()) -> FormValue:
    """Return a field of a mapping, whose own path is `base`, with its value."""
    raw = below(parent, one.path)
    path = (*base, *one.path)
    out = FormValue(one, path, is_set=raw not in (ABSENT, None) if not isinstance(raw, dict | list) else True)
    if not out.is_set:
        return out
    if one.sort is Sort.ROWS:
        _read_rows(out, raw)
    elif one.sort in MAPPINGS:
        _read_pairs(out, raw)
    elif one.sort is Sort.WORDS:
        out.is_foreign = not isinstance(raw, list) or not all(_is_word(word) for word in raw)
        out.text = "" if out.is_foreign else ", ".join(raw)
    else:
        out.is_foreign = not _is_plain(raw)
        out.text = "" if out.is_foreign else text_of_scalar(raw)
    return out


def _read_rows(out: FormValue, raw: Any) -> None:
    if not isinstance(raw, list) or not all(isinstance(one, dict) for one in raw):
        out.is_foreign = True
        return
    out.left_out = max(0, len(raw) - MAX_ROWS)
    for index, one in enumerate(raw[:MAX_ROWS]):
        path = (*out.path, index)
        out.rows.append(RowValue(path, index, [field_value(one, below_it, path) for below_it in out.field.fields]))


def _read_pairs(out: FormValue, raw: Any) -> None:
    if not isinstance(raw, dict) or not all(_is_plain(one) for one in raw.values()):
        out.is_foreign = True
        return
    out.left_out = max(0, len(raw) - MAX_ROWS)
    for key, one in list(raw.items())[:MAX_ROWS]:
        out.pairs.append(PairValue((*out.path, str(key)), str(key), text_of_scalar(one)))


def below(parent: Any, path: Path) -> Any:
    """Return the value at a path, ABSENT where there is none."""
    for part in path:
        if isinstance(part, int):
            if not isinstance(parent, list) or part >= len(parent):
                return ABSENT
            parent = parent[part]
        elif not isinstance(parent, dict) or part not in parent:
            return ABSENT
        else:
            parent = parent[part]
    return parent


def text_of_scalar(raw: Any) -> str:
    """Return a scalar as the form shows it."""
    if raw is None:
        return ""
    return raw if isinstance(raw, str) else json.dumps(raw)


def _is_plain(raw: Any) -> bool:
    return not isinstance(raw, dict | list) and not (isinstance(raw, str) and ("\n" in raw or raw != raw.strip()))


def _is_word(raw: Any) -> bool:
    return isinstance(raw, str) and bool(raw) and raw == raw.strip() and "," not in raw and "\n" not in raw
