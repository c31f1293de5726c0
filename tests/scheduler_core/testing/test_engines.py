"""The settings of the engine that must decide the same can each be chosen."""

from __future__ import annotations

import pytest

from scheduler_core.compiled import kernel
from scheduler_core.testing.engines import COMPILED, ENGINES, PLAIN, WITHOUT_KERNEL, NoKernelError, engine


@pytest.mark.parametrize("name", [WITHOUT_KERNEL, PLAIN])
def test_an_engine_without_the_kernel_has_none_while_it_is_chosen(name):
    before = kernel()
    with engine(name) as caches:
        assert kernel() is None
        assert caches == (name != PLAIN)
    assert kernel() is before


@pytest.mark.usefixtures("kernel_is_there")
@pytest.mark.parametrize("name", [COMPILED, None])
def test_the_compiled_engine_has_the_kernel_and_caches(name):
    with engine(name) as caches:
        assert (kernel() is not None, caches) == (True, True)


def test_the_compiled_engine_is_refused_where_there_is_no_kernel():
    with engine(WITHOUT_KERNEL), pytest.raises(NoKernelError), engine(COMPILED):
        raise AssertionError("it was not to begin")


def test_all_engines_are_named_once():
    assert len(set(ENGINES)) == 3
