"""Functions of a loaded module get the code of a changed one, and the lines that ran are noted."""

from __future__ import annotations

import gc
import importlib.util
import threading

import pytest

from tests.mutation.generated import mutants
from tests.mutation.lines import Lines
from tests.mutation.loaded import change_functions

SOURCE = """
from functools import cache

def plain(a):
    return a + 1

class Thing:
    @property
    def kept(self):
        return [one for one in (lambda: 2, lambda: 3)]

@cache
def wrapped(a):
    def inner():
        return a - 4
    return inner()

AT_IMPORT = 5
"""


@pytest.fixture
def module(tmp_path):
    """A module that was loaded from a file."""
    file = tmp_path / "loaded_for_a_test.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ("a + 1 -> a - 1", (9, 2, 3, 6)),
        ("1 -> 2", (12, 2, 3, 6)),
        ("3 -> 4", (11, 2, 4, 6)),
        ("2 -> 3", (11, 3, 3, 6)),
        ("a - 4 -> a + 4", (11, 2, 3, 14)),
    ],
)
def test_a_function_has_the_new_code_wherever_it_is_held(module, change, values):
    plain, (mutant,) = module.plain, [one for one in mutants(SOURCE) if one.change == change]
    gc.freeze()
    assert change_functions(module.__file__, SOURCE, mutant.tree(SOURCE))
    first, second = module.Thing().kept
    assert (plain(10), first(), second(), module.wrapped(10)) == values


def test_what_ran_at_import_cannot_be_changed(module):
    (mutant,) = [one for one in mutants(SOURCE) if one.change == "5 -> 6"]
    assert not change_functions(module.__file__, SOURCE, mutant.tree(SOURCE))


def test_lines_that_run_are_noted_also_in_threads(module):
    lines = Lines([module.__file__])
    lines.begin()
    module.plain(1)
    thread = threading.Thread(target=module.wrapped, args=(1,))
    thread.start()
    thread.join()
    assert lines.end() == {module.__file__: {5, 14, 15, 16}}
    module.plain(1)
    assert lines.end() == {}
