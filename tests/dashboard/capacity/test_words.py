"""Amounts and lists in words."""

from __future__ import annotations

from dashboard.capacity.words import amounts, first, is_are, offered, sentence, tail


def test_amounts_begin_with_cpu_and_memory():
    assert amounts({"nvidia.com/gpu": 1, "memory": 1 << 30, "cpu": 500}) == "500m cpu, 1Gi, 1 nvidia.com/gpu"
    assert amounts({}) == "no requests"
    assert offered({"cpu": 4_000, "pods": 110, "ephemeral-storage": 5}) == "4 cpu"


def test_lists_and_sentences():
    assert first("abcde") == "a, b, c and 2 more"
    assert (tail("a/b"), tail("b")) == ("b", "b")
    assert (sentence("it fits."), sentence("")) == ("It fits.", "")
    assert (is_are(1, "pod"), is_are(2, "pod")) == ("1 pod is", "2 pods are")
