"""Values and errors as cel-go has them (oracle.go), and that nothing else comes of any text."""

from __future__ import annotations

import json
import random
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from scheduler_core.api.devices import Device
from scheduler_core.cel.checking import type_of
from scheduler_core.cel.errors import CelError, CompileError
from scheduler_core.cel.parsing import parse
from scheduler_core.cel.selectors import compile_selector, device_value, selects
from tests.scheduler_core.cel.canonical import canonical, value_of
from tests.scheduler_core.cel.generated import expressions

TABLE = [json.loads(line) for line in Path(__file__).with_name("cel_go.jsonl").read_text("utf-8").splitlines()]


def answer(expression: str) -> tuple[str, str]:
    try:
        type_of(expression, parse(expression))
        return "value", canonical(value_of(expression))
    except CompileError as problem:
        return "refused", str(problem)
    except CelError as problem:
        return "error", str(problem)


def assert_answered(selector: str) -> None:
    """Compiled and evaluated as selectors of devices are, nothing but a truth value or CelError comes of a text."""
    compiled = compile_selector(selector)
    if not isinstance(compiled, CompileError):
        with suppress(CelError):
            assert isinstance(selects(compiled, device_value("d.io", Device(name="d"))), bool)


def test_values_and_errors_are_those_of_cel_go():
    """Of what is refused the kind may differ: types inside of lists are not checked here before the evaluation."""
    differing = []
    for row in TABLE:
        kind, text = answer(row["expression"])
        expected = row.get("refused")
        if row.get(kind) != text and (expected is None or kind == "value" or expected not in text):
            differing.append((row, kind, text))
    assert not differing, differing[:5]
    assert len(TABLE) > 700


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 20))])
def test_of_any_text_come_values_and_known_errors_alone(seed):
    chance = random.Random(seed)
    for expression in expressions(seed, 150):
        place, length = chance.randrange(len(expression)), chance.randrange(4)
        other = chance.choice(("", "(", ")", "[", "'", ".", "?", " && ", "-", "\\", "x0", "\x00", "\ud800", "٣"))
        assert_answered(expression[:place] + other + expression[place + length :])


DOUBLED = "cel.bind(a0, [1], " + "".join(f"cel.bind(a{i + 1}, [a{i}, a{i}], " for i in range(60))
GROWN = "cel.bind(a0, 'aaaaaaaaaaaaaaaa', " + "".join(f"cel.bind(a{i + 1}, a{i} + a{i}, " for i in range(60))
HOSTILE = {
    "equal lists in lists": DOUBLED + "a60 == [a59, a59]" + ")" * 61,
    "one list in another": DOUBLED + "a59 in a60" + ")" * 61,
    "lists in lists as a text": DOUBLED + "'%s'.format([a60]).size()" + ")" * 61,
    "a text that grows": GROWN + "a60.size()" + ")" * 61,
    "a replaced text": "'" + "a" * 4000 + "'.replace('a', '" + "b" * 4000 + "').size()",
    "replaced again": "'aaaaaaaaaa'" + ".replace('a', 'aaaaaaaaaa')" * 12 + ".size()",
    "a pattern without end": "'" + "a" * 4000 + "'.matches('(a{1,1000}){1,1000}')",
    "a pattern that tries all": "'" + "a" * 4000 + "b'.matches('^(a|a)*(a|a)*(a|a)*$')",
    "wide numbers": "'%.999999999f'.format([1.0]).size()",
    "deep lists": "[" * 240 + "1" + "]" * 240,
    "deeper lists": "[" * 4000 + "1" + "]" * 4000,
    "deep minus": "-" * 4000 + "1",
    "many members": "dyn(1)" + ".a" * 4000,
    "sums of sums": " + ".join(["1"] * 4000),
    "long duration": "duration('" + "9" * 4000 + "h')",
}


class _TooManyCalls(BaseException):
    pass


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_expressions_end(name):
    """Counted in calls of functions, as machines are of different speed."""
    left = 8_000_000

    def count(*_) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _TooManyCalls

    sys.setprofile(count)
    try:
        assert_answered(f"dyn({HOSTILE[name]}) == 0")
    finally:
        sys.setprofile(None)
