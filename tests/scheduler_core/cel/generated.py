"""Expressions made from a seed, well-typed as far as cel-go's checker sees: operands of other types are ``dyn``."""

from __future__ import annotations

import random
from collections.abc import Callable

INTS = ("0", "1", "-1", "2", "7", "9223372036854775807", "-9223372036854775808", "10")
TEXTS = ("''", "'a'", "'ab'", "'b-a'", "'Äb'", "'1'", "'-3'", "'true'", "'1.5'", "'a,b,,c'")
DOUBLES = ("0.0", "1.5", "-2.25", "1e3", "100000.0", "1e21", "0.1")
DURATIONS = ("duration('0s')", "duration('90m')", "duration('-1.5s')", "duration('1ms')")
STAMPS = ("timestamp('2024-02-29T23:59:59.5Z')", "timestamp(0)", "timestamp('1999-12-31T00:00:00+02:00')")


class ExpressionMaker:
    """Makes expressions of a type; ``names`` are variables of macros with their types."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names: list[tuple[str, str]] = []

    def make(self, kind: str, depth: int) -> str:
        """An expression of the type."""
        fitting = [name for name, of in self.names if of == kind]
        if fitting and self.random.random() < 0.4:
            return self.random.choice(fitting)
        forms = getattr(self, f"_{kind}")(depth - 1)
        return self.random.choice(forms if depth > 0 else forms[:1])()

    def _made(self, form: str, depth: int, *kinds: str) -> Callable[[], str]:
        return lambda: form.format(*(self.make(kind, depth) for kind in kinds))

    def _one_of(self, constants: tuple[str, ...]) -> Callable[[], str]:
        return lambda: self.random.choice(constants)

    def _macro(self, form: str, depth: int, body: str) -> Callable[[], str]:
        def expand() -> str:
            values, name = self.make("ints", depth), f"x{len(self.names)}"
            self.names.append((name, "int"))
            made = form.format(values, name, self.make(body, depth))
            self.names.pop()
            return made

        return expand

    def _int(self, d: int) -> list[Callable[[], str]]:
        binary = [self._made(f"({{}} {sign} {{}})", d, "int", "int") for sign in "+-*/%"]
        return [
            self._one_of(INTS), *binary, self._made("size({})", d, "text"), self._made("{}.size()", d, "ints"),
            self._made("int({})", d, "text"), self._made("int({})", d, "double"),
            self._made("{}[{}]", d, "ints", "int"), self._made("{}.indexOf({})", d, "text", "text"),
            self._made("{}.lastIndexOf({})", d, "text", "text"),
            self._made("({} ? {} : {})", d, "bool", "int", "int"), self._made("{}.orValue({})", d, "maybe", "int"),
            self._made("{}.getSeconds()", d, "duration"), self._made("{}.getDayOfYear()", d, "stamp"),
            self._made("{}[{}]", d, "map", "text"), self._made("-({})", d, "int"), self._made("int({})", d, "stamp"),
        ]  # fmt: skip

    def _text(self, d: int) -> list[Callable[[], str]]:
        return [
            self._one_of(TEXTS), self._made("({} + {})", d, "text", "text"), self._made("string({})", d, "int"),
            self._made("string({})", d, "double"), self._made("{}.lowerAscii()", d, "text"),
            self._made("{}.upperAscii()", d, "text"), self._made("{}.trim()", d, "text"),
            self._made("{}.replace({}, {})", d, "text", "text", "text"), self._made("{}.charAt({})", d, "text", "int"),
            self._made("{}.substring({})", d, "text", "int"), self._made("string({})", d, "duration"),
            self._made("{}.split({}).join({})", d, "text", "text", "text"), self._made("string({})", d, "stamp"),
            self._made("'%s|%d|%f'.format([{}, {}, {}])", d, "text", "int", "double"),
            self._made("'%s'.format([{}])", d, "ints"), self._made("strings.quote({})", d, "text"),
        ]  # fmt: skip

    def _bool(self, d: int) -> list[Callable[[], str]]:
        compared = [
            self._made(f"({{}} {sign} {{}})", d, kind, kind)
            for sign in ("==", "!=", "<", "<=", ">", ">=")
            for kind in ("int", "text", "double", "duration", "stamp")
        ]
        mixed = [self._made(f"(dyn({{}}) {sign} {{}})", d, "int", "double") for sign in ("==", "<", ">=")]
        return [
            self._one_of(("true", "false")), *compared, *mixed, self._made("({} && {})", d, "bool", "bool"),
            self._made("({} || {})", d, "bool", "bool"), self._made("!({})", d, "bool"),
            self._made("({} in {})", d, "int", "ints"), self._made("({} in {})", d, "text", "map"),
            self._made("{}.startsWith({})", d, "text", "text"), self._made("{}.contains({})", d, "text", "text"),
            self._made("{}.hasValue()", d, "maybe"), self._made("({} == {})", d, "ints", "ints"),
            self._made("({} == {})", d, "map", "map"), self._made("sets.contains({}, {})", d, "ints", "ints"),
            self._made("sets.intersects({}, {})", d, "ints", "ints"),
            self._macro("{}.exists({}, {})", d, "bool"), self._macro("{}.all({}, {})", d, "bool"),
            self._macro("{}.exists_one({}, {})", d, "bool"),
        ]  # fmt: skip

    def _double(self, d: int) -> list[Callable[[], str]]:
        binary = [self._made(f"({{}} {sign} {{}})", d, "double", "double") for sign in "+-*/"]
        return [
            self._one_of(DOUBLES), *binary, self._made("double({})", d, "int"), self._made("double({})", d, "text"),
        ]  # fmt: skip

    def _ints(self, d: int) -> list[Callable[[], str]]:
        return [
            self._made("[{}, {}]", d, "int", "int"), self._one_of(("[1, 2, 3]", "[7]")),
            self._made("({} + {})", d, "ints", "ints"), self._macro("{}.map({}, {})", d, "int"),
            self._macro("{}.filter({}, {})", d, "bool"), self._macro("{}.transformList(i, {}, {})", d, "int"),
        ]  # fmt: skip

    def _map(self, d: int) -> list[Callable[[], str]]:
        return [
            self._made("{{{}: {}}}", d, "text", "int"), self._made("{{'a': {}, 'b': {}}}", d, "int", "int"),
            self._made("{}.transformMap(k, v, v + {})", d, "map", "int"),
        ]  # fmt: skip

    def _maybe(self, d: int) -> list[Callable[[], str]]:
        return [
            self._made("optional.of({})", d, "int"), self._made("optional.ofNonZeroValue({})", d, "int"),
            self._made("{}[?{}]", d, "ints", "int"), self._made("{}[?{}]", d, "map", "text"),
            self._made("{}.or({})", d, "maybe", "maybe"), self._made("{}.optMap(y, y + {})", d, "maybe", "int"),
        ]  # fmt: skip

    def _duration(self, d: int) -> list[Callable[[], str]]:
        return [
            self._one_of(DURATIONS), self._made("({} + {})", d, "duration", "duration"),
            self._made("({} - {})", d, "stamp", "stamp"),
        ]  # fmt: skip

    def _stamp(self, d: int) -> list[Callable[[], str]]:
        return [self._one_of(STAMPS), self._made("({} + {})", d, "stamp", "duration")]


KINDS = ("int", "text", "bool", "bool", "bool", "double", "ints", "map", "maybe", "duration", "stamp")


def expressions(seed: int, count: int) -> list[str]:
    """So many expressions, of all types."""
    maker = ExpressionMaker(seed)
    return [maker.make(maker.random.choice(KINDS), maker.random.randint(1, 4)) for _ in range(count)]
