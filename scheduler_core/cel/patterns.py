"""Regular expressions in time proportional to pattern times text, as RE2 has them: an automaton without backtracking.

Python's parser reads the pattern; what RE2 has not (references to groups, looking around) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from scheduler_core.cel.errors import CelError

_MOST_STATES = 5_000
_parser: Any = re._parser
Test = Callable[[str], bool]


class _Automaton:
    """``steps[s]`` is a test of a character and the next state, ``free[s]`` are states that s leads to for nothing;
    (condition, state) pairs hold at the beginning or end of the text only."""

    def __init__(self) -> None:
        self.steps: list[tuple[Test, int] | None] = []
        self.free: list[list[tuple[str, int]]] = []

    def state(self) -> int:
        if len(self.steps) >= _MOST_STATES:
            raise CelError("error parsing regexp: expression too large")
        self.steps.append(None)
        self.free.append([])
        return len(self.steps) - 1

    def link(self, one: int, other: int, condition: str = "") -> None:
        self.free[one].append((condition, other))

    def add(self, items: Iterable[Any], start: int, flags: int) -> int:
        """Add the items of a parsed pattern after a state; the state after them."""
        for operator, argument in items:
            start = self._item(str(operator), argument, start, flags)
        return start

    def _item(self, operator: str, argument: Any, start: int, flags: int) -> int:
        end = self.state()
        if operator in ("MAX_REPEAT", "MIN_REPEAT"):
            self._repeat(argument, start, end, flags)
        elif operator == "BRANCH":
            for branch in argument[1]:
                begin = self.state()
                self.link(start, begin)
                self.link(self.add(branch, begin, flags), end)
        elif operator == "SUBPATTERN":
            _, added, removed, body = argument
            self.link(self.add(body, start, (flags | added) & ~removed), end)
        elif operator == "AT":
            place = {"AT_BEGINNING": "first", "AT_BEGINNING_STRING": "first", "AT_END": "last", "AT_END_STRING": "last"}
            if str(argument) not in place or flags & re.MULTILINE:
                raise CelError("error parsing regexp: unsupported assertion")
            self.link(start, end, place[str(argument)])
        else:
            self.steps[start] = _test(operator, argument, flags), end
            return end
        return end

    def _repeat(self, argument: Any, start: int, end: int, flags: int) -> None:
        least, most, body = argument
        if least > 1000 or (most != _parser.MAXREPEAT and most > 1000):
            raise CelError("error parsing regexp: invalid repeat count")
        for _ in range(least):
            start = self._again(start, body, flags)
        if most == _parser.MAXREPEAT:
            loop = self.state()
            self.link(start, loop)
            self.link(self._again(loop, body, flags), loop)
            self.link(loop, end)
            return
        for _ in range(most - least):
            self.link(start, end)
            start = self._again(start, body, flags)
        self.link(start, end)

    def _again(self, start: int, body: Any, flags: int) -> int:
        begin = self.state()
        self.link(start, begin)
        return self.add(body, begin, flags)

    def reach(self, states: Iterable[int], *, first: bool, last: bool) -> set[int]:
        """All states that these lead to for nothing."""
        reached, waiting = set(), list(states)
        while waiting:
            state = waiting.pop()
            if state in reached:
                continue
            reached.add(state)
            for condition, other in self.free[state]:
                if not condition or (first if condition == "first" else last):
                    waiting.append(other)
        return reached


def _test(operator: str, argument: Any, flags: int) -> Test:
    if operator == "ANY":
        return (lambda c: True) if flags & re.DOTALL else (lambda c: c != "\n")
    fold = bool(flags & re.IGNORECASE)
    if operator in ("LITERAL", "NOT_LITERAL"):
        literal, is_plain = chr(argument), operator == "LITERAL"
        same = literal.casefold()
        return lambda c: ((c.casefold() == same) if fold else (c == literal)) == is_plain
    if operator != "IN":
        raise CelError("error parsing regexp: invalid or unsupported Perl syntax")
    negated = bool(argument) and str(argument[0][0]) == "NEGATE"
    tests = [_of_class(str(kind), value) for kind, value in (argument[1:] if negated else argument)]

    def matches(c: str) -> bool:
        forms = {c, c.lower(), c.upper()} if fold else (c,)
        return any(test(form) for test in tests for form in forms) != negated

    return matches


_CATEGORIES = {"DIGIT": r"[0-9]", "SPACE": r"[\t\n\f\r ]", "WORD": r"[0-9A-Za-z_]"}


def _of_class(kind: str, value: Any) -> Test:
    if kind == "LITERAL":
        return lambda c: ord(c) == value
    if kind == "RANGE":
        low, high = value
        return lambda c: low <= ord(c) <= high
    words = str(value).removeprefix("CATEGORY_").split("NOT_")
    category = _CATEGORIES.get(words[-1])
    if kind != "CATEGORY" or category is None:
        raise CelError("error parsing regexp: invalid or unsupported Perl syntax")
    pattern, is_plain = re.compile(category), len(words) == 1
    return lambda c: (pattern.fullmatch(c) is not None) == is_plain


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> tuple[_Automaton, int, int]:
    try:
        tree = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as problem:
        raise CelError(f"error parsing regexp: {problem}") from None
    automaton = _Automaton()
    start = automaton.state()
    return automaton, start, automaton.add(tree, start, tree.state.flags)


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern fits any part of the text. Raises CelError."""
    automaton, start, end = _compiled(pattern)
    states: set[int] = set()
    for place in range(len(text) + 1):
        last = place == len(text)
        states = automaton.reach({*states, start}, first=place == 0, last=last)
        if end in states:
            return True
        if last:
            return False
        char = text[place]
        steps = (automaton.steps[state] for state in states)
        states = {step[1] for step in steps if step is not None and step[0](char)}
    return False
