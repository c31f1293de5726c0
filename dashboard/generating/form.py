"""A description as a form: rows of fields with their values, read from its YAML text, which is what counts.

A field is named by its place, such as ``pools.0.nodes``.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from dashboard.generating.form_problems import FieldProblem, problems_by_field
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.workloads.generator.reading import LIMITS
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scheduler_core.manifests import Finding

MAX_FORM_TEXT = 128 << 10
"""Longer descriptions are edited as YAML only."""
OWN = "own"
_TEXTS = {"name", "namespace", "apartBy"}
_POOL_FIELDS = ("name", "nodes", "zones", "resources", "reserved", "labels", "taints")
_WORKLOAD_FIELDS = (
    "name", "pods", "replicas", "priority", "namespace", "labels", "nodeSelector", "tolerations",
    "topologySpreadConstraints", "apartBy", "variants", "arrivals", "lifetime",
)  # fmt: skip
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
MAX_ROWS = 200


@dataclasses.dataclass(frozen=True)
class FormRow:
    """A pool or workload: its index, the values of its fields as text, and chips that say what else it has."""

    index: int
    values: dict[str, str]
    chips: list[tuple[str, str]]
    """(text, meaning): a taint has the meaning ``unres``, the rest none."""
    choice: str
    """The ready shape or list, or ``own``."""
    section: str
    problems: dict[str, list[FieldProblem]] = dataclasses.field(default_factory=dict)
    """What is wrong with its fields, by their names in the row."""

    @property
    def more(self) -> list[tuple[TextField, str, bool]]:
        """Return the fields that are shown on demand, with their values and whether one is wrong."""
        return [(one, self.values[one.field], one.field in self.problems) for one in MORE[self.section]]


class TextField(NamedTuple):
    """A field whose value is YAML on one line: its name, label and an example."""

    field: str
    label: str
    example: str


MORE = {
    "pools": (
        TextField("labels", "Labels", "{disk: ssd}"),
        TextField("taints", "Taints", "[{key: dedicated, value: batch, effect: NoSchedule}]"),
        TextField("reserved", "Reserved", "{cpu: 500m, memory: 2Gi}"),
    ),
    "workloads": (
        TextField("topologySpreadConstraints", "Spread", "[{maxSkew: 1, topologyKey: zone, ...}]"),
        TextField("apartBy", "Apart by", "kubernetes.io/hostname"),
        TextField("replicas", "By Deployments of", "3"),
        TextField("tolerations", "Tolerations", "[{key: dedicated, operator: Exists}]"),
        TextField("nodeSelector", "Node selector", "{disk: ssd}"),
        TextField("variants", "Selectors of a part", "[{percent: 60, nodeSelector: {disk: ssd}}]"),
        TextField("namespace", "Namespace", "default"),
        TextField("labels", "Labels", "{tier: back}"),
        TextField("arrivals", "Own arrivals", "{process: poisson, over: 10m}"),
        TextField("lifetime", "Own lifetime", "{exponential: 5m}"),
    ),
}
"""What a row shows on demand."""


class ArrivalField(NamedTuple):
    """A field of the arrival process: its name, label and value as text, what holds without it, what is wrong."""

    field: str
    label: str
    value: str
    left_out: str
    problems: list[FieldProblem]


@dataclasses.dataclass(frozen=True)
class DescriptionForm:
    """The whole form; `fields` are the values of all fields by name, `problems` what is wrong with some of them."""

    pools: list[FormRow]
    workloads: list[FormRow]
    process: str
    arrivals: list[ArrivalField]
    fields: dict[str, str]
    problems: dict[str, list[FieldProblem]]


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
    problems = problems_by_field(findings, fields)
    for row in (*pools, *workloads):
        start = f"{row.section}.{row.index}."
        row.problems.update({name[len(start) :]: one for name, one in problems.items() if name.startswith(start)})
    shown = [_arrival_field(one, fields, problems) for one in OF_PROCESS[process]]
    return DescriptionForm(pools, workloads, process, shown, fields, problems)


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
        field: raw[field] if field in _TEXTS and isinstance(raw.get(field), str) else inline(raw.get(field))
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
    choice = raw.get("shape")
    values = _values(raw, _POOL_FIELDS)
    return FormRow(index, values, chips, choice if isinstance(choice, str) and choice in SHAPES else OWN, "pools")


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
    values = _values(raw, _WORKLOAD_FIELDS)
    is_ready = isinstance(sizes, str) and sizes in SIZE_LISTS
    values["own_sizes"] = "" if is_ready else inline(sizes)
    return FormRow(index, values, chips, str(sizes) if is_ready else OWN, "workloads")


def _keys(tolerations: Any) -> str:
    """Return the keys of tolerations; one without a key tolerates all taints."""
    rows = tolerations if isinstance(tolerations, list) else []
    return ", ".join(str(one.get("key") or "all") for one in rows if isinstance(one, dict))


def _items(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _tail(key: Any) -> str:
    """Return the part of a label's key that tells it from others of its domain."""
    return str(key).rpartition("/")[2]


# ---------------------------------------------------------------- values as text


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
    if field in _TEXTS:
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
