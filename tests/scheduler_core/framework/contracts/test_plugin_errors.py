"""What is said of a plugin that raised: one line, without addresses, and the traceback beside it."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.plugin_errors import PluginError, PluginRaised, raised
from scheduler_core.framework.contracts.status import Code


def error_of(problem: Exception) -> PluginError:
    try:
        raise problem
    except Exception as caught:
        return PluginError.of("Mine", "Filter", caught)


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [(ValueError("no such\n   rack"), 'Filter of plugin "Mine" raised ValueError: no such rack')],
)
def test_words(problem, sentence):
    error = error_of(problem)
    assert error.message == sentence
    assert (error.status.code, error.status.reasons) == (Code.ERROR, (sentence,))


def test_an_exception_without_text_is_named_by_its_type():
    assert error_of(KeyError()).message.endswith(" KeyError")


def test_the_traceback_shows_where_it_was_raised():
    assert "in error_of" in error_of(ValueError("x")).traceback


def test_memory_addresses_do_not_get_into_the_text():
    assert error_of(TypeError(f"bad {object()!r}")).text.endswith("at 0x...>")


def test_a_long_text_is_cut():
    assert len(error_of(ValueError("x" * 10_000)).text) == 500


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_a_message_that_cannot_be_made_is_said_to_raise():
    assert error_of(Unspeakable()).text.endswith("raises RuntimeError")


def test_the_plugin_that_raised_is_named_also_when_another_one_asked_it():
    inner = PluginRaised(error_of(ValueError("deep")))
    assert PluginError.of("Outer", "PostFilter", inner).plugin == "Mine"
    assert raised("Outer", "PostFilter", inner) is inner


def test_a_machine_out_of_memory_is_not_the_plugins_fault():
    with pytest.raises(MemoryError):
        raised("Mine", "Filter", MemoryError())
