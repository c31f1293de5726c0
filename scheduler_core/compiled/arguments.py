"""Writes the C that takes the kernel's arguments, from the signatures in ``interface.py``.

For a method such as ::

    def take(self, j: Annotated[int, Below(".n_lines")], rows: Annotated[Rows, Items("n", below=".n_rows")], ...)

it writes a struct with one field for each argument, and a function that fills it and says whether that went well ::

    typedef struct { Py_ssize_t j; Array rows; ... } ScoreTakeArguments;
    static inline int take_score_take(ScoreTakeArguments *a, PyObject *const *args, Py_ssize_t n_args,
                                      Py_ssize_t n_lines, Py_ssize_t n_rows);

Each array is checked for dtype, rank, length, and for being writable and contiguous where that is needed; then every
row and number for being below its dimension. So no function of the kernel meets an argument that could lead it out of
an array. Where that fails nothing stays taken; otherwise ``release_score_take`` gives everything back.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from scheduler_core.compiled import interface
from scheduler_core.compiled.interface import Below, Items

_FORMATS = {"int64": "lq", "float64": "d", "int32": "i", "int16": "h", "uint8": "B?", "bool": "?B"}
"""What a buffer calls items of a dtype; a mask may be handed over as bytes and the other way round."""


class Argument(NamedTuple):
    """One argument: an array with what is known of its items, a number, or an object that the function looks into."""

    name: str
    kind: str
    items: Items | None = None
    below: str = ""
    is_optional: bool = False


def header() -> str:
    """The text of ``arguments.h``."""
    parts = [
        "/* Written by scheduler_core/compiled/arguments.py from interface.py. */",
        "#ifndef SCHEDSCOPE_ARGUMENTS_H",
        "#define SCHEDSCOPE_ARGUMENTS_H",
    ]
    for owner, prefix in (
        (interface.Kernel, ""),
        (interface.VerdictTable, "verdict_"),
        (interface.ScoreTable, "score_"),
    ):
        for name, function in inspect.getmembers(owner, inspect.isfunction):
            hints = get_type_hints(function, include_extras=True)
            arguments = [_argument(key, hint) for key, hint in hints.items() if key != "return"]
            if any(each.items or each.below for each in arguments):
                parts += _function(prefix + _snake(name), name, arguments)
    return "\n".join([*parts, "#endif", ""])


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


def _argument(name: str, hint: Any) -> Argument:
    marks = getattr(hint, "__metadata__", ())
    bare = hint.__origin__ if get_origin(hint) is Annotated else hint
    kinds = [kind for kind in get_args(bare) if kind is not NoneType] if NoneType in get_args(bare) else [bare]
    for mark in marks:
        if isinstance(mark, Items):
            dtype = np.dtype(get_args(get_args(kinds[0])[1])[0])
            return Argument(name, dtype.name, mark, mark.below, NoneType in get_args(bare))
        if isinstance(mark, Below):
            return Argument(name, "number", below=mark.dimension)
    return Argument(name, "number" if bare is int else "object")


def _function(name: str, method: str, arguments: list[Argument]) -> list[str]:
    struct = "".join(part.title() for part in name.split("_")) + "Arguments"
    arrays = [each for each in arguments if each.items is not None]
    named = [word.rstrip("+") for each in arrays if each.items for word in each.items.dimensions]
    named += [each.below for each in arguments if each.below]
    given = sorted({word[1:] for word in named if word.startswith(".")})
    bound = sorted({word for word in named if not word.startswith(".")})
    kinds = {"number": "Py_ssize_t ", "object": "PyObject *"}
    fields = " ".join(f"{kinds.get(each.kind, 'Array ')}{each.name};" for each in arguments)
    return [
        "",
        f"typedef struct {{ {fields} }} {struct};",
        f"static inline void release_{name}({struct} *a)",
        "{",
        *(f"    release_array(&a->{each.name});" for each in arrays),
        "}",
        f"static inline int take_{name}({struct} *a, PyObject *const *args, Py_ssize_t n_args"
        f"{''.join(f', Py_ssize_t {word}' for word in given)})",
        "{",
        *(f"    Py_ssize_t {word} = -1;" for word in bound),
        "    memset(a, 0, sizeof(*a));",
        f'    if (!has_arguments("{method}", n_args, {len(arguments)}))',
        "        return 0;",
        *(line for i, each in enumerate(arguments) for line in _taken(i, each)),
        *(line for each in arguments if each.below for line in _bounded(each)),
        "    return 1;",
        "failed:",
        f"    release_{name}(a);",
        "    return 0;",
        "}",
    ]


def _taken(i: int, each: Argument) -> Iterator[str]:
    if each.items is None:
        yield f"    a->{each.name} = {'PyLong_AsSsize_t' if each.kind == 'number' else ''}(args[{i}]);"
        if each.kind == "number":
            yield f"    if (a->{each.name} == -1 && PyErr_Occurred())"
            yield "        goto failed;"
        return
    items = each.items
    flags = f"{len(items.dimensions)}, {int(items.writable)}, {int(items.strided)}"
    given = f"args[{i}] != Py_None && " if each.is_optional else ""
    yield f'    if ({given}take_array(args[{i}], &a->{each.name}, "{_FORMATS[each.kind]}", {flags}) < 0)'
    yield "        goto failed;"
    for axis, word in enumerate(items.dimensions):
        length, or_more = word.strip(".+"), int(word.endswith("+"))
        yield f"    if (a->{each.name}.held && !has_length(&a->{each.name}, {axis}, &{length}, {or_more}))"
        yield "        goto failed;"


def _bounded(each: Argument) -> Iterator[str]:
    below = each.below.removeprefix(".")
    if each.items is None:
        yield f"    if (!number_within(a->{each.name}, {below}))"
    else:
        yield f"    if (a->{each.name}.held && !rows_within(&a->{each.name}, {below}))"
    yield "        goto failed;"
