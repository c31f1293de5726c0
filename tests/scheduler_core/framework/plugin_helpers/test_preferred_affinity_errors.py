"""The error of preferences that cannot be parsed, as kube-scheduler words it (the first two are recorded ones)."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import NodeSelectorTerm, Requirement
from scheduler_core.api.objects import PreferredSchedulingTerm
from scheduler_core.framework.plugin_helpers.preferred_affinity_errors import parse_problem

NO_LABEL = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
NO_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"


def prefers(*requirements: tuple[str, str, str]) -> PreferredSchedulingTerm:
    return PreferredSchedulingTerm(
        1, NodeSelectorTerm(tuple(Requirement(key, op, tuple(values.split("|"))) for key, op, values in requirements))
    )


CASES = {
    "a sign": ([prefers(("g", "Gt", "-1"))], f'[0].matchExpressions[0].values[0][g]: Invalid value: "-1": {NO_LABEL}'),
    "a space": (
        [prefers(("g", "In", "a b"))], f'[0].matchExpressions[0].values[0][g]: Invalid value: "a b": {NO_LABEL}'),
    "no number for Gt": (
        [prefers(("g", "Gt", "x"))], f'[0].matchExpressions[0].values[0]: Invalid value: "x": {NO_INTEGER}'),
    "a number beyond int64": (
        [prefers(("g", "Lt", "9223372036854775808"))],
        f'[0].matchExpressions[0].values[0]: Invalid value: "9223372036854775808": {NO_INTEGER}'),
    "its place among terms, requirements and values": (
        [prefers(("a", "Exists", "")), prefers(("b", "In", "fine"), ("c", "NotIn", "fine|-"))],
        f'[1].matchExpressions[1].values[1][c]: Invalid value: "-": {NO_LABEL}'),
    "several are listed": (
        [prefers(("g", "Gt", "x y"))],
        f'[[0].matchExpressions[0].values[0]: Invalid value: "x y": {NO_INTEGER}, '
        f'[0].matchExpressions[0].values[0][g]: Invalid value: "x y": {NO_LABEL}]'),
    "a value that is too long": (
        [prefers(("g", "In", "a" * 64))],
        f'[0].matchExpressions[0].values[0][g]: Invalid value: "{"a" * 64}": must be no more than 63 bytes'),
}  # fmt: skip


@pytest.mark.parametrize(("terms", "expected"), CASES.values(), ids=CASES.keys())
def test_the_error_names_the_place_and_the_value(terms, expected):
    assert parse_problem(terms) == expected


def test_preferences_that_can_be_parsed_and_empty_terms_are_no_error():
    assert (
        parse_problem([prefers(("g", "Gt", "4"), ("h", "In", "a|")), PreferredSchedulingTerm(1, NodeSelectorTerm())])
        == ""
    )
    assert parse_problem([]) == ""
