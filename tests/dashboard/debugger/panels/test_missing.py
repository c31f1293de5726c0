"""Refusals in short: what is missing first."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.missing import MissingOnNodes
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def missing(execute):
    """What a pod of 6 cpu lacks on nodes of 4 and of 5 cpu."""
    run = execute([node("small", "4"), node("large", "5"), pod("big", "6")], slug="lack", schedule="pending")
    return page_of(run, cycle=1).attempt.missing


def test_amounts_come_first_with_their_range(missing):
    reasons = ("Insufficient cpu",)
    texts = [missing.text("NodeResourcesFit", reasons, nodes) for nodes in (["small"], ["small", "large"])]
    amounts = [text.partition(" short of ") for text in texts]
    assert [(resource, amount) for resource, _, amount in amounts] == [("cpu", "2"), ("cpu", "1 to 2")]


def test_what_has_no_amount_is_said_without_one(missing):
    assert MissingOnNodes().text("NodeResourcesFit", ("Insufficient cpu",), ["small"]) == "cpu insufficient"
    assert missing.text("NodeResourcesFit", ("Insufficient example.com/fpga",), ["small"]) == "fpga insufficient"


def test_other_plugins_keep_kubernetes_words_without_the_number_of_nodes():
    text = MissingOnNodes().text("TaintToleration", ("node(s) had untolerated taint {gpu: yes}",), ["a"])
    assert text == "untolerated taint {gpu: yes}"
    assert MissingOnNodes().text("Own", ("too far", "node(s)"), ["a"]) == "too far, node(s)"


def test_resources_of_other_kinds_have_amounts_too(execute):
    gpus = node("gpus", "64")
    gpus["status"]["allocatable"]["nvidia.com/gpu"] = "2"
    asking = pod("big", "1")
    requests = asking["spec"]["containers"][0]["resources"]
    requests["requests"]["nvidia.com/gpu"] = "8"
    requests["limits"] = {"nvidia.com/gpu": "8"}
    run = execute([gpus, asking], slug="gpu", schedule="pending")
    (group,) = page_of(run, cycle=1).attempt.matrix.groups
    assert group.short.startswith("gpu short")
    assert group.short.endswith(" 6")
