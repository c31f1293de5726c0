"""Every function of the kernel refuses every array and number that its signature excludes: the table of both is one."""

from __future__ import annotations

import inspect
from typing import get_type_hints

import numpy as np
import pytest

from scheduler_core.compiled import interface, kernel
from scheduler_core.compiled.arguments import _argument, header

compiled = kernel()
pytestmark = pytest.mark.skipif(compiled is None, reason="the compiled kernel was not built")

SIZES = {
    "lines": 8, "capacity": 5, "n": 4, "m": 2, "needs": 2, "patterns": 8, "resources": 2, "known": 3, "room": 9,
    "mask_rows": 6, "plugins": 2, ".n_rows": 4, ".n_plugins": 2, ".n_lines": 2, ".n_moved": 0, ".n_touched": 0,
}  # fmt: skip
OBJECTS = {
    ("union_of", "pieces"): (np.zeros(4, dtype=np.int64),),
    ("sum_terms", "terms"): ((np.zeros(1), np.zeros(5, dtype=np.int64)),),
    ("first_codes", "codes"): ((np.zeros(1, dtype=np.uint8), np.zeros(5, dtype=np.int64)),),
    ("ScoreTable", "kinds"): (0,) * 8,
    ("ScoreTable", "weights"): (1,) * 8,
}
NUMBERS = {("tied", "count"): 4}
OTHER_DTYPE = {"int64": np.float64, "float64": np.int64, "int32": np.float32, "int16": np.uint16, "uint8": np.int8,
               "bool": np.int8}  # fmt: skip


def size(word):
    return SIZES[word.rstrip("+")]


def owner_of(name):
    """The module, or a table of it."""
    if name == "Kernel":
        return compiled
    if name == "VerdictTable":
        shapes = ((2, 4), np.uint8), ((2, 4), np.int32), (4, np.int16), (4, np.bool_), (4, np.int64)
        return compiled.VerdictTable(*(np.zeros(shape, dtype) for shape, dtype in shapes))
    raw, norm, totals = np.zeros((2, 4), np.int64), np.zeros((2, 4), np.int16), np.zeros(4, np.int16)
    return compiled.ScoreTable(raw, norm, totals, (0, 0), (1, 1), -16_000)


def functions():
    """(owner, function, its arguments) of all functions that take an array, or a number with a bound."""
    for owner in (interface.Kernel, interface.VerdictTable, interface.ScoreTable):
        for name, function in inspect.getmembers(owner, inspect.isfunction):
            hints = get_type_hints(function, include_extras=True)
            arguments = [_argument(key, hint) for key, hint in hints.items() if key != "return"]
            if any(each.items or each.below for each in arguments):
                yield owner.__name__, name, arguments


FUNCTIONS = list(functions())


def good(name, each):
    """An argument that the function takes: zeros, which are valid rows and scores."""
    if each.items is not None:
        return np.zeros([size(word) for word in each.items.dimensions], dtype=each.kind)
    if each.kind == "object":
        return OBJECTS[name, each.name]
    return NUMBERS.get((name, each.name), 0)


def bad(each):
    """(what is wrong, argument): all that the signature excludes."""
    if each.items is None:
        if each.below:
            yield "below 0", -1
            yield "too large", size(each.below)
        return
    shape = [size(word) for word in each.items.dimensions]
    plain = np.zeros(shape, dtype=each.kind)
    yield "another dtype of some size", plain.astype(OTHER_DTYPE[each.kind])
    yield "no array", 7
    if plain.itemsize > 1:
        yield "bytes in another order", plain.astype(plain.dtype.newbyteorder())
    yield "another rank", plain[None]
    if each.items.writable:
        frozen = plain.copy()
        frozen.flags.writeable = False
        yield "not writable", frozen
    if not each.items.strided and plain.size > 1:
        yield "not contiguous", np.zeros([*shape[:-1], 2 * shape[-1]], dtype=each.kind)[..., ::2]
    if each.below:
        for wrong in (size(each.below), -1):
            beyond = plain.copy()
            beyond[-1] = wrong
            yield "a row that is not there", beyond
    for axis, word in enumerate(each.items.dimensions):
        if word.endswith("+") or word.startswith(".") or sum(word in other for other in SHAPES[id(each)]) > 1:
            if shape[axis] and word.endswith("+"):
                yield "too short", plain.take(range(shape[axis] - 1), axis=axis)
            if not word.endswith("+"):
                yield (
                    "too long",
                    np.concatenate([plain, plain], axis=axis) if shape[axis] else np.zeros(1, dtype=each.kind),
                )


SHAPES = {
    id(each): [other.items.dimensions for other in arguments if other.items]
    for _, _, arguments in FUNCTIONS
    for each in arguments
    if each.items
}


@pytest.mark.parametrize(("owner", "name", "arguments"), FUNCTIONS, ids=[f"{o}.{n}" for o, n, _ in FUNCTIONS])
def test_what_the_signature_allows_is_taken_and_nothing_else(owner, name, arguments):
    getattr(owner_of(owner), name)(*(good(name, each) for each in arguments))
    refused = 0
    for i, each in enumerate(arguments):
        for what, wrong in bad(each):
            given = [good(name, other) for other in arguments]
            given[i] = wrong
            with pytest.raises((TypeError, ValueError, IndexError, BufferError)):
                pytest.fail(f"{each.name}: {what} was taken: {getattr(owner_of(owner), name)(*given)}")
            refused += 1
        if each.is_optional:
            given = [None if other.is_optional else good(name, other) for other in arguments]
            getattr(owner_of(owner), name)(*given)
    with pytest.raises(TypeError):
        getattr(owner_of(owner), name)(*(good(name, each) for each in arguments), 0)
    assert refused >= 2


def test_each_function_with_arrays_has_one_that_takes_its_arguments():
    text = header()
    assert len(FUNCTIONS) >= 17
    assert text.count(" int take_") == len(FUNCTIONS)
    assert text.count("has_arguments(") == len(FUNCTIONS)
