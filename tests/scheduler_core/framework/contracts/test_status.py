"""Statuses as the runtime hands them on."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.status import (
    SKIP,
    SUCCESS,
    Code,
    Status,
    attributed,
    error,
    filter_status,
    of_plugin,
    unresolvable,
    unschedulable,
)


def test_codes_have_upstreams_numbers_and_names():
    assert [(int(code), code.label) for code in Code] == [
        (0, "Success"),
        (1, "Error"),
        (2, "Unschedulable"),
        (3, "UnschedulableAndUnresolvable"),
        (4, "Wait"),
        (5, "Skip"),
        (6, "Pending"),
    ]


@pytest.mark.parametrize("code", list(Code))
def test_a_rejection_is_a_refusal_without_an_error(code):
    assert Status(code).is_rejected == (code.label in ("Unschedulable", "UnschedulableAndUnresolvable", "Pending"))


def test_a_refusal_gets_the_name_of_its_plugin_unless_it_has_one():
    assert filter_status(unschedulable("full"), "Fit") == Status(Code.UNSCHEDULABLE, ("full",), "Fit")
    assert filter_status(Status(Code.PENDING, ("later",), "Other"), "Fit").plugin == "Other"


def test_what_is_no_refusal_becomes_an_error_that_says_what_was_done():
    assert filter_status(error("a", "b"), "Fit") == Status(Code.ERROR, ('running "Fit" filter plugin: a, b',), "Fit")
    assert attributed(Status(Code.WAIT), "Gang", "reserving") == Status(Code.ERROR, ("reserving: ",), "Gang")


def test_success_and_skip_need_no_plugin():
    assert of_plugin(SUCCESS, "Fit") is SUCCESS
    assert of_plugin(SKIP, "Fit") is SKIP
    assert of_plugin(unresolvable("gone"), "Fit").plugin == "Fit"
    assert of_plugin(Status(Code.ERROR, ("x",), "Other"), "Fit").plugin == "Other"
