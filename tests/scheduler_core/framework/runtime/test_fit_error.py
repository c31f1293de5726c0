"""The message of a pod that fits nowhere, as kube-scheduler writes it (framework/types.go, FitError)."""

from __future__ import annotations

import pytest

from scheduler_core.framework.runtime.fit_error import fit_message


@pytest.mark.parametrize(
    ("pre_filter", "reasons", "post_filter", "expected"),
    [
        ("", {}, "", "0/3 nodes are available:"),
        ("", {"Too many pods": 1, "Insufficient cpu": 12}, "", " 1 Too many pods, 12 Insufficient cpu."),
        ("", {"b": 2, "a": 10}, "", " 10 a, 2 b."),
        ("no claim", {"Insufficient cpu": 3}, "", " no claim."),
        ("", {"Insufficient cpu": 3}, "preemption: none", " 3 Insufficient cpu. preemption: none"),
        ("", {}, "preemption: none", " preemption: none"),
    ],
)
def test_reasons_are_sorted_as_text_and_pre_filter_takes_their_place(pre_filter, reasons, post_filter, expected):
    head = "0/3 nodes are available:"
    assert fit_message(3, pre_filter, reasons, post_filter) == head + expected.removeprefix(head)
