"""``format`` of texts and ``strings.quote``, in the first form of cel-go's formatting, which Kubernetes has.

That form writes doubles as the English language does: "%f" of 12345.678 is "12,345.678000", and "%e" of it has the
sign of multiplication between narrow spaces and the exponent raised; the precision of "%e" is a width there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from scheduler_core.cel.errors import CelError
from scheduler_core.cel.library.conversions import string_of
from scheduler_core.cel.library.registry import TEXT, function, method
from scheduler_core.cel.library.strings import LONGEST
from scheduler_core.cel.library.times import duration_text, timestamp_text
from scheduler_core.cel.values import Duration, Timestamp, TypeName, Uint, type_name

_CLAUSE = re.compile(r"%(?:(%)|(?:\.(\d*))?(.))?", re.DOTALL | re.ASCII)
_MOST_DIGITS, _MOST_WIDTH = 1_000, 1_000
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_ESCAPES = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v"}
_ESCAPES |= {"\\": "\\\\", '"': r"\""}
_NAMED_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_WHOLE = (int, Uint)


def _refused(what: str, value: Any) -> CelError:
    return CelError(f"error during formatting: {what}, was given {type_name(value)}")


@method("format", str, (list,))
def _format(text: str, values: list[Any]) -> str:
    parts: list[str] = []
    at = n_used = size = 0
    for clause in _CLAUSE.finditer(text):
        parts.append(text[at : clause.start()])
        at = clause.end()
        parts.append("%" if clause[1] else _clause(clause, values, n_used))
        n_used += not clause[1]
        size += len(parts[-1])
        if size > LONGEST:
            raise CelError("the string would be too long")
    if n_used < len(values):
        raise CelError(f"too many arguments supplied to string.format (expected {n_used}, got {len(values)})")
    return "".join([*parts, text[at:]])


def _clause(clause: re.Match[str], values: list[Any], place: int) -> str:
    _, precision, verb = clause.groups()
    if verb is None:
        raise CelError("unexpected end of string")
    if place >= len(values):
        raise CelError(f"index {place} out of range")
    if precision == "":
        problem = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
        raise CelError(f"could not parse formatting clause: error while parsing precision: {problem}")
    write = _VERBS.get(verb)
    if write is None:
        raise CelError(f'could not parse formatting clause: unrecognized formatting clause "{verb}"')
    return write(values[place], 6 if precision is None else min(int(precision), _MOST_DIGITS))


def _shown(value: Any, _: int = 0) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(_literal(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(f'{_key(key)}:{_literal(held)}' for key, held in value.items()))}}}"
    if isinstance(value, TypeName):
        return str(value)
    if not isinstance(value, bool | int | float | str | bytes | Duration | Timestamp):
        kinds = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        raise _refused(f"string clause can only be used on {kinds}", value)
    try:
        return str(string_of(value))
    except CelError as problem:
        raise CelError(f'error during formatting: could not convert argument "{problem}" to string') from None


def _key(key: Any) -> str:
    if isinstance(key, float):
        raise CelError("error during formatting: no formatting function for map key of type double")
    return quoted(key) if isinstance(key, str) else _shown(key)


def _literal(value: Any) -> str:
    """A value inside of a list or map."""
    match value:
        case TypeName():
            return str(value)
        case str():
            return quoted(value)
        case bytes():
            return f"b{quoted(_shown(value))}"
        case float():
            return f"{value:.6f}" if math.isfinite(value) else quoted(_go_infinity(value))
        case Duration():
            return f'duration("{duration_text(value)}")'
        case Timestamp():
            return f'timestamp("{timestamp_text(value)}")'
        case None | bool() | int() | list() | dict():
            return _shown(value)
    raise CelError(f"error during formatting: no formatting function for {type_name(value)}")


def _go_infinity(value: float) -> str:
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def _double(value: Any, clause: str) -> float:
    if isinstance(value, str) and value in _NAMED_NUMBERS:
        return _NAMED_NUMBERS[value]
    if type(value) is not float:
        raise _refused(f"{clause} clause can only be used on doubles", value)
    return value


def _special(value: float) -> str:
    return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"


def _fixed(value: Any, precision: int) -> str:
    number = _double(value, "fixed-point")
    if not math.isfinite(number):
        return _special(number)
    return f"{number if number else 0.0:,.{precision}f}"


def _scientific(value: Any, width: int) -> str:
    number = _double(value, "scientific")
    if not math.isfinite(number):
        return _special(number).rjust(min(width, _MOST_WIDTH))
    mantissa, _, power = f"{number if number else 0.0:.6e}".partition("e")
    exponent = int(power)
    raised = f"{'-' if exponent < 0 else ''}{abs(exponent):02d}".translate(_RAISED)
    return f"{mantissa}\u202f\u00d7\u202f10{raised}".rjust(min(width, _MOST_WIDTH))


def _decimal(value: Any, _: int) -> str:
    if type(value) not in _WHOLE:
        raise _refused("decimal clause can only be used on integers", value)
    return str(int(value))


def _binary(value: Any, _: int) -> str:
    if type(value) not in (*_WHOLE, bool):
        raise _refused("only integers and bools can be formatted as binary", value)
    return f"{int(value):b}"


def _octal(value: Any, _: int) -> str:
    if type(value) not in _WHOLE:
        raise _refused("octal clause can only be used on integers", value)
    return f"{int(value):o}"


def _hex(value: Any, _: int) -> str:
    if isinstance(value, str | bytes):
        return (value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value).hex()
    if type(value) not in _WHOLE:
        raise _refused("only integers, byte buffers, and strings can be formatted as hex", value)
    return f"{int(value):x}"


_VERBS: dict[str, Callable[[Any, int], str]] = {
    "s": _shown, "d": _decimal, "f": _fixed, "e": _scientific, "b": _binary, "o": _octal, "x": _hex,
    "X": lambda value, precision: _hex(value, precision).upper(),
}  # fmt: skip


def quoted(text: str) -> str:
    """A text in quotes, with what has an escape escaped."""
    return f'"{"".join(_ESCAPES.get(c, c) for c in text)}"'


function("strings.quote", TEXT)(quoted)
