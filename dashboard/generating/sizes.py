"""The own sizes of a workload as rows of a form: for each resource how its amount is chosen, and the fields of that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.forms.model import FormField, Sort
from dashboard.clusters.forms.values import MAX_ROWS, FormValue, RowValue, field_value
from dashboard.common.problems import BadQuery
from scheduler_core.workloads.generator.description_guide import PARTS
from scheduler_core.workloads.generator.ready_lists import SIZE_LISTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.clusters.forms.model import Path

SIZES = FormField(("sizes",), "Requests", Sort.AMOUNTS, help=PARTS["DescribedWorkload"]["sizes"].says)


class AmountChoice(NamedTuple):
    """A way to choose amounts: the field by which the description knows it ("" for an amount alone), and its fields."""

    key: str
    label: str
    fields: tuple[FormField, ...]


def _amount(name: str, label: str, default: str = "", sort: Sort = Sort.QUANTITY) -> FormField:
    return FormField((name,), label, sort, default=default, is_needed=not default)


# In the order in which the description looks for these fields.
CHOICES = (
    AmountChoice("", "same for each pod", ()),
    AmountChoice(
        "median",
        "lognormal",
        (
            _amount("median", "Median"),
            _amount("sigma", "Sigma", "1", Sort.NUMBER),
            _amount("minimum", "At least", "none"),
            _amount("maximum", "At most", "none"),
        ),
    ),
    AmountChoice("from", "uniform", (_amount("from", "From"), _amount("to", "To"))),
    AmountChoice("choices", "one of several", (_amount("choices", "Amounts and their weights", sort=Sort.WEIGHTS),)),
    AmountChoice("perCpu", "for each CPU", (_amount("perCpu", "For each CPU"),)),
)


@dataclass
class SizeRow(RowValue):
    """The amount of a resource; `key` says how it is chosen, `foreign` that the form cannot show it."""

    key: str = ""
    is_foreign: bool = False

    @property
    def resource(self) -> str:
        """Return the resource."""
        return str(self.path[-1])

    @property
    def choices(self) -> list[AmountChoice]:
        """Return the ways to choose it; an amount for each CPU is none of CPUs themselves, unless it is written so."""
        return [one for one in CHOICES if one.key != "perCpu" or self.resource != "cpu" or self.key == "perCpu"]


def sizes_value(workload: Mapping[str, Any], base: Path) -> FormValue:
    """Return the own sizes of a workload whose path is `base`; without rows where it has none, or a ready list."""
    sizes = workload.get("sizes")
    value = FormValue(SIZES, (*base, "sizes"), is_set=sizes is not None)
    if not isinstance(sizes, dict):
        value.is_foreign = sizes is not None and not (isinstance(sizes, str) and sizes in SIZE_LISTS)
        return value
    value.left_out = max(0, len(sizes) - MAX_ROWS)
    for index, (resource, raw) in enumerate(list(sizes.items())[:MAX_ROWS]):
        choice = choice_of(raw)
        shown = fields_of(resource, choice) if choice else ()
        fields = [field_value(workload, one, base) for one in shown]
        key = choice.key if choice else ""
        value.rows.append(SizeRow((*value.path, resource), index, fields, key=key, is_foreign=choice is None))
    return value


def choice_of(raw: Any) -> AmountChoice | None:
    """Return how an amount is chosen, None for a value of another kind."""
    if isinstance(raw, dict):
        return next((one for one in CHOICES if one.key in raw), None)
    return None if isinstance(raw, list) else CHOICES[0]


def fields_of(resource: str, choice: AmountChoice) -> tuple[FormField, ...]:
    """Return the fields of an amount, with their paths from the workload."""
    if not choice.fields:
        return (FormField(("sizes", resource), "Amount", Sort.QUANTITY),)
    return tuple(replace(one, path=("sizes", resource, *one.path)) for one in choice.fields)


def size_fields(workloads: Iterable[Any]) -> tuple[FormField, ...]:
    """Return all fields that amounts of these workloads' resources may have, and that of their sizes itself."""
    sizes = [one["sizes"] for one in workloads if isinstance(one, dict) and isinstance(one.get("sizes"), dict)]
    resources = dict.fromkeys(name for one in sizes for name in one)
    return (SIZES, *(field for name in resources for choice in CHOICES[1:] for field in fields_of(name, choice)))


def chosen_by(key: str, raw: Any) -> Any:
    """Return an amount chosen in another way, about as large as it is; raises BadQuery where there is no such way."""
    choice = next((one for one in CHOICES if one.key == key), None)
    if choice is None:
        raise BadQuery("The form names a way to choose amounts that does not exist.")
    middle = _middle(raw)
    if choice.key == "choices":
        return {"choices": {str(middle): 1}}
    return {one.path[0]: middle for one in choice.fields if not one.default} if choice.fields else middle


def _middle(raw: Any) -> Any:
    """Return one amount in place of all: the fixed one, the median, the least, the first."""
    if not isinstance(raw, dict):
        return 1 if raw is None or isinstance(raw, list) else raw
    several = raw.get("choices")
    first = next(iter(several), None) if isinstance(several, dict) else None
    parts = [raw.get("median"), raw.get("from"), first, raw.get("perCpu")]
    return next((one for one in parts if isinstance(one, str | int | float)), 1)
