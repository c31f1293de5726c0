"""Amounts, lists and sentences as the groups write them."""

from __future__ import annotations

import pytest

from scheduler_core.explain.outcomes.texts import amount, fit_error, listed, most, short


@pytest.mark.parametrize(
    ("resource", "value", "expected"),
    [
        ("cpu", 3152, "3.152"),
        ("cpu", 1500, "1.5"),
        ("cpu", 87_626_674, "87,627"),
        ("memory", 12 << 30, "12Gi"),
        ("memory", 1_600_000, "1.5Mi"),
        ("hugepages-2Mi", 4 << 20, "4Mi"),
        ("example.com/gpu-milli", 4000, "4,000"),
        ("pods", 110, "110"),
    ],
)
def test_amounts(resource, value, expected):
    assert amount(resource, value) == expected


def test_names_of_resources_lose_their_domain():
    assert short("nvidia.com/gpu") == "gpu"
    assert short("pods") == "slots for pods"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (listed([]), ""),
        (listed(["a"]), "a"),
        (listed(["a", "b"]), "a or b"),
        (listed(["a", "b", "c"], "and"), "a, b and c"),
        (most(["a", "b", "a", "c", "d"]), "a (2), b and 2 more"),
    ],
)
def test_lists(made, text):
    assert made == text


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("0/5 nodes are available: 3 Insufficient cpu, 2 Too many pods. preemption: 0/5 nodes are available: none.",
         "3 Insufficient cpu, 2 Too many pods."),
        ("persistentvolumeclaim not found", "persistentvolumeclaim not found"),
    ],
)  # fmt: skip
def test_a_fit_error_without_its_count_and_what_preemption_found(message, error):
    assert fit_error(message) == error
