"""A description as a form: rows of fields with their values, read from its YAML text, which is what counts.

A field that is one text is named by its place, such as ``pools.0.nodes``; what is in mappings and lists is shown by the
forms of objects (`dashboard.clusters.forms`) and named as they name it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.forms.page import parts_of, placed
from dashboard.clusters.forms.values import MAX_ROWS, FormValue, PairValue, field_value
from dashboard.generating.form_problems import FieldProblem, problems_by_field
from dashboard.generating.inline_yaml import TEXTS_ALONE, inline, read_mapping
from dashboard.generating.row_fields import pool_fields, workload_fields
from dashboard.generating.sizes import SizeRow, sizes_value
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.clusters.forms.model import FormField, Path
    from scheduler_core.manifests import Finding

OWN = "own"
_POOL_FIELDS = ("name", "nodes", "zones")
_WORKLOAD_FIELDS = ("name", "pods", "priority", "arrivals", "lifetime")
FIELDS = {"pools": _POOL_FIELDS, "workloads": _WORKLOAD_FIELDS}
OF_PROCESS = {
    "at-once": ("at",),
    "poisson": ("over",),
    "bursts": ("over", "pods", "every", "within"),
    "daily": ("over", "period", "peak", "trough"),
    "list": ("times",),
}
PROCESS_LABELS = {
    "at-once": "At once",
    "poisson": "Poisson",
    "bursts": "Bursts",
    "daily": "Day and night",
    "list": "List of times",
}
FIELD_LABELS = {
    "at": "At",
    "over": "Over",
    "pods": "Burst of",
    "every": "Every",
    "within": "Within",
    "period": "Period",
    "peak": "Peak at",
    "trough": "Lowest rate",
    "times": "Times",
}
LEFT_OUT = {"at": "at the start", "within": "up to 10s", "period": "24h", "trough": "0.2"}
"""What holds for a field of the arrival process that is left out."""


@dataclasses.dataclass(frozen=True)
class FormRow:
    """A pool or workload: its index, the values of its fields as text, and chips that say what else it has.

    `own` are its resources or sizes, None where it has ready ones; `fields` are shown on demand.
    """

    index: int
    values: dict[str, str]
    chips: list[tuple[str, str]]
    """(text, meaning): a taint has the meaning ``unres``, the rest none."""
    choice: str
    """The ready shape or list, or ``own``."""
    section: str
    own: FormValue | None
    fields: list[FormValue]
    problems: dict[str, list[FieldProblem]] = dataclasses.field(default_factory=dict)
    """What is wrong with its fields, by their names in the row."""

    @property
    def texts(self) -> list[tuple[TextField, str, list[FieldProblem]]]:
        """Return the fields of one text that are shown on demand, with their values and what is wrong with them."""
        return [(one, self.values[one.field], self.problems.get(one.field, [])) for one in TEXTS[self.section]]

    @property
    def is_wrong(self) -> bool:
        """Return whether something is wrong with a field that is shown on demand."""
        return any(bad for *_, bad in self.texts) or any(part.problems for part in parts_of(self.fields))


class TextField(NamedTuple):
    """A field whose value is YAML on one line: its name, label and an example."""

    field: str
    label: str
    example: str


TEXTS: dict[str, tuple[TextField, ...]] = {
    "pools": (),
    "workloads": (
        TextField("arrivals", "Own arrivals", "{process: poisson, over: 10m}"),
        TextField("lifetime", "Own lifetime", "{exponential: 5m}"),
    ),
}
"""What a row shows on demand besides its `fields`."""


class ArrivalField(NamedTuple):
    """A field of the arrival process: its name, label and value as text, what holds without it, what is wrong."""

    field: str
    label: str
    value: str
    left_out: str
    problems: list[FieldProblem]


@dataclasses.dataclass(frozen=True)
class DescriptionForm:
    """The whole form; `fields` are the values of all fields by name, `problems` what is wrong with some of them.

    `notes` of what fields match it has none: no object is there to match.
    """

    pools: list[FormRow]
    workloads: list[FormRow]
    process: str
    arrivals: list[ArrivalField]
    fields: dict[str, str]
    problems: dict[str, list[FieldProblem]]
    notes: dict[str, Any] = dataclasses.field(default_factory=dict)


def description_form(text: str, findings: Iterable[Finding] = ()) -> DescriptionForm | None:
    """Return the form of a text, with the findings about it at its fields; None where its YAML cannot be read."""
    raw = read_mapping(text)
    if raw is None:
        return None
    pools = [_pool_row(i, one) for i, one in enumerate(_rows(raw, "pools"))]
    workloads = [_workload_row(i, one) for i, one in enumerate(_rows(raw, "workloads"))]
    arrivals = raw.get("arrivals")
    process = arrivals.get("process") if isinstance(arrivals, dict) else arrivals
    process = process if isinstance(process, str) and process in OF_PROCESS else "at-once"
    of_arrivals = arrivals if isinstance(arrivals, dict) else {}
    fields = {"seed": inline(raw.get("seed")), "lifetime": inline(raw.get("lifetime"))}
    fields |= {f"arrivals.{one}": inline(of_arrivals.get(one)) for one in OF_PROCESS[process]}
    for section, rows, choice in (("pools", pools, "shape"), ("workloads", workloads, "sizes")):
        for row in rows:
            fields |= {f"{section}.{row.index}.{name}": value for name, value in row.values.items()}
            fields[f"{section}.{row.index}.{choice}"] = row.choice
    values = [one for row in (*pools, *workloads) for one in (*row.fields, *([row.own] if row.own else ()))]
    fields |= _names_and_texts(values)
    problems = problems_by_field(placed(values, [one for one in findings if one.severity == "error"]), fields)
    for row in (*pools, *workloads):
        start = f"{row.section}.{row.index}."
        row.problems.update({name[len(start) :]: one for name, one in problems.items() if name.startswith(start)})
    shown = [_arrival_field(one, fields, problems) for one in OF_PROCESS[process]]
    return DescriptionForm(pools, workloads, process, shown, fields, problems)


def _names_and_texts(values: Iterable[FormValue]) -> dict[str, str]:
    """Return what the forms of objects would send if nothing was changed."""
    out = {}
    for part in parts_of(values):
        if isinstance(part, SizeRow):
            out[f"how:{part.name}"] = part.key
        elif isinstance(part, PairValue) or (isinstance(part, FormValue) and part.is_typed):
            out[f"set:{part.name}"] = part.text
        elif isinstance(part, FormValue) and part.field.is_mapping and not part.is_foreign:
            out[f"pair:{part.name}"] = ""
    return out


def _arrival_field(name: str, fields: Mapping[str, str], problems: Mapping[str, list[FieldProblem]]) -> ArrivalField:
    place = f"arrivals.{name}"
    return ArrivalField(name, FIELD_LABELS[name], fields[place], LEFT_OUT.get(name, ""), problems.get(place, []))


def _rows(raw: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    """Return the entries; what is no mapping counts as an empty one, so that indexes stay those of the text."""
    rows = raw.get(section)
    return [one if isinstance(one, dict) else {} for one in rows[:MAX_ROWS]] if isinstance(rows, list) else []


def _list(raw: Mapping[str, Any], field: str) -> list[Any]:
    return raw[field] if isinstance(raw.get(field), list) else []


def _values(raw: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, str]:
    """Return fields as text; what is text in any case needs no quotes."""
    return {
        field: raw[field] if field in TEXTS_ALONE and isinstance(raw.get(field), str) else inline(raw.get(field))
        for field in fields
    }


def _pool_row(index: int, raw: dict[str, Any]) -> FormRow:
    chips = [(f"{_tail(key)}={value}", "") for key, value in _items(raw.get("labels"))]
    for taint in _list(raw, "taints"):
        if isinstance(taint, dict):
            value = f"={taint['value']}" if taint.get("value") else ""
            chips.append((f"{taint.get('key', '')}{value}:{taint.get('effect', '')}", "unres"))
    if raw.get("unschedulable") is True:
        chips.append(("cordoned", "unres"))
    shape = raw.get("shape")
    choice = shape if isinstance(shape, str) and shape in SHAPES else OWN
    fields = _shown_fields(raw, pool_fields(), ("pools", index))
    own = fields.pop("resources")
    values = _values(raw, _POOL_FIELDS)
    return FormRow(index, values, chips, choice, "pools", own if choice == OWN else None, list(fields.values()))


def _shown_fields(raw: Mapping[str, Any], fields: Mapping[str, FormField], base: Path) -> dict[str, FormValue]:
    return {name: field_value(raw, one, base) for name, one in fields.items()}


def _workload_row(index: int, raw: dict[str, Any]) -> FormRow:
    chips = []
    for variant in _list(raw, "variants"):
        if isinstance(variant, dict):
            pairs = ", ".join(f"{_tail(key)}={value}" for key, value in _items(variant.get("nodeSelector")))
            chips.append((f"{pairs} {variant.get('percent', '')} %", ""))
    chips += [(f"{_tail(key)}={value}", "") for key, value in _items(raw.get("nodeSelector"))]
    for one in _list(raw, "topologySpreadConstraints"):
        if isinstance(one, dict):
            chips.append((f"spread by {_tail(one.get('topologyKey'))}, skew {one.get('maxSkew', '')}", ""))
    if raw.get("replicas"):
        chips.append((f"Deployments of {raw['replicas']}", ""))
    if raw.get("apartBy"):
        chips.append((f"apart by {_tail(raw['apartBy'])}", ""))
    for field, label in (("tolerations", "tolerates"), ("affinity", "affinity"), ("arrivals", "own arrivals")):
        if raw.get(field):
            keys = _keys(raw[field]) if field == "tolerations" else ""
            chips.append((f"{label} {keys}".strip(), ""))
    sizes = raw.get("sizes")
    base: Path = ("workloads", index)
    fields = _shown_fields(raw, workload_fields(), base)
    choice = sizes if isinstance(sizes, str) and sizes in SIZE_LISTS else OWN
    own = sizes_value(raw, base) if choice == OWN else None
    return FormRow(index, _values(raw, _WORKLOAD_FIELDS), chips, choice, "workloads", own, list(fields.values()))


def _keys(tolerations: Any) -> str:
    """Return the keys of tolerations; one without a key tolerates all taints."""
    rows = tolerations if isinstance(tolerations, list) else []
    return ", ".join(str(one.get("key") or "all") for one in rows if isinstance(one, dict))


def _items(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _tail(key: Any) -> str:
    """Return the part of a label's key that tells it from others of its domain."""
    return str(key).rpartition("/")[2]
