"""Selectors of devices: values and errors, as kube-scheduler's recordings and the CEL specification have them."""

from __future__ import annotations

import pytest

from scheduler_core.api.devices import Device, DeviceCapacity, VersionValue
from scheduler_core.cel.errors import CelError, CompileError
from scheduler_core.cel.selectors import compile_selector, device_value, selects

DEVICE = Device(
    name="g",
    attributes={"model": "m1", "slot": 4, "ecc": True, "fw": VersionValue("2.2.0"), "other.io/kind": "k"},
    capacity={"memory": DeviceCapacity("16Gi")},
)
VALUE = device_value("d.io", DEVICE)
A, M = 'device.attributes["d.io"]', 'device.capacity["d.io"].memory'
TEN = "[1,2,3,4,5,6,7,8,9,10]"
LOOPS = "".join(f"{TEN}.all({name}, " for name in "abcdefg") + "a + b > 0" + ")" * 7


def answer(expression):
    selector = compile_selector(expression)
    if isinstance(selector, CompileError):
        return f"compile: {selector}"
    try:
        return selects(selector, VALUE)
    except CelError as problem:
        return str(problem)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('device.driver == "d.io"', True),
        (f"{A}.slot > 3 && {A}.ecc", True),
        (f'{A}.model in ["m5", "m1"]', True),
        ('device.attributes["other.io"].kind == "k"', True),
        ('"none.io" in device.attributes', False),
        ('device.attributes["none.io"].model == "m1"', "no such key: model"),
        (f'{A}.model == "m1" || {A}.colour == "red"', True),
        (f'{A}.model == "m0" || {A}.colour == "red"', "no such key: colour"),
        (f'{A}.model == "m0" && {A}.colour == "red"', False),
        (f'{A}.colour == "red" && {A}.model == "m0"', False),
        (f"has({A}.colour)", False),
        (f'{A}.?colour.orValue("x") == "x"', True),
        (f"{A}.slot > 2 ? {A}.ecc : false", True),
        (f'string({A}.slot) == "4"', True),
        (f"cel.bind(a, {A}, a.slot == 4 && a.ecc)", True),
        (f'["m1", "m4"].exists(x, x == {A}.model)', True),
        (f'{M}.compareTo(quantity("16Gi")) >= 0', True),
        (f'{M}.isLessThan(quantity("10Gi"))', False),
        (f'{A}.fw.isGreaterThan(semver("v2", true))', True),
        (f'{A}.fw.compareTo(semver("2.3.0")) < 0', True),
        (f'{A}.fw == semver("2.2.0")', True),
        (f'{A}.model.matches("^m[0-9]$")', True),
        ('"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab".matches("^(a+)+$")', False),
        (f"{A}.model > 3", "no such overload"),
        ("1 / 0 == 1", "division by zero"),
        ("9223372036854775807 + 1 > 0", "integer overflow"),
        ("[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]", True),
        ("[1, 2, 3].exists_one(x, x == 2)", True),
        ('{"a": 1}.all(k, v, v == 1)', True),
        ('"a,b".split(",").size() == 2', True),
        ('"Ab".lowerAscii() == "ab"', True),
        ("sets.contains([1, 2], [2])", True),
        ("[3, 1].isSorted()", False),
        (LOOPS, "operation cancelled: actual cost limit exceeded"),
        ("device.driver", "compile: must evaluate to bool or the unknown type, not string"),
    ],
)
def test_expressions(expression, expected):
    assert answer(expression) == expected


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("device.foo == 1", "ERROR: <input>:1:7: undefined field 'foo'"),
        ("foo", "undeclared reference to 'foo' (in container '')"),
        ("'x' == 1", "found no matching overload for '_==_' applied to '(string, int)'"),
        ("1 +", "Syntax error"),
        ("(" * 300 + "true" + ")" * 300, "recursion limit exceeded"),
        ("nothing(1)", "undeclared reference to 'nothing'"),
    ],
)
def test_what_is_no_selector_says_why(expression, problem):
    assert problem in answer(expression)
    assert answer(expression).startswith("compile: compilation failed: ")
