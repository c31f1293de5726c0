"""What is wrong with a description, at the fields of its form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scheduler_core.manifests import Finding

_IN_ROW = re.compile(r"(pools|workloads)\[(\d+)\]\.((\w+).*)", re.DOTALL)
_OWN = "own"


class FieldProblem(NamedTuple):
    """What is wrong, and where: a path from the row, such as ``taints[0].key``, or from the description."""

    path: str
    message: str


def problems_by_field(findings: Iterable[Finding], fields: Mapping[str, str]) -> dict[str, list[FieldProblem]]:
    """Return the errors that belong to a field of the form, by its name; `fields` are the values of all fields."""
    problems: dict[str, list[FieldProblem]] = {}
    for finding in findings:
        name, path = _locate_field(finding.field, fields)
        if name in fields and finding.severity == "error":
            problems.setdefault(name, []).append(FieldProblem(path, finding.message))
    return problems


def _locate_field(path: str, fields: Mapping[str, str]) -> tuple[str, str]:
    """Return the name of the field and the path to show; the name may be none of the form's."""
    match = _IN_ROW.fullmatch(path)
    if match is None:
        section, _, rest = path.partition(".")
        return (f"{section}.{re.split(r'[.[]', rest)[0]}" if section == "arrivals" else section), path
    section, index, shown, name = match.groups()
    row = f"{section}.{index}"
    if name == "resources" and fields.get(f"{row}.shape") != _OWN:
        name = "shape"  # the form shows no resources beside a ready shape
    return f"{row}.{name}", shown
