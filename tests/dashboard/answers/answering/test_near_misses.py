"""Nodes that came nearest are those of all refused nodes, whatever the plugins that refuse them."""

from __future__ import annotations

from dashboard.answers.asking import ask, deadline_of
from dashboard.answers.outcomes import Answer
from dashboard.answers.questions import NearMisses
from tests.dashboard.run_helpers import node, pod


def nearest(run, cycle):
    """Return the names that the answer has."""
    question = NearMisses(cycle)
    found = ask(run, question, deadline_of(question))
    assert isinstance(found, Answer), found
    return found.value.nodes


def with_gpus(name, gpus):
    """Return a node with as many gpus."""
    made = node(name, "64")
    made["status"]["allocatable"]["example.com/gpu"] = str(gpus)
    return made


def test_a_resource_other_than_cpu_and_memory_ranks_among_many_nodes(execute):
    wide = pod("wide", "1")
    resources = wide["spec"]["containers"][0]["resources"]
    resources["requests"]["example.com/gpu"] = "4"
    resources["limits"] = {"example.com/gpu": "4"}
    many = [node(f"aaa-{n:03d}", "64") for n in range(150)]
    run = execute([*many, with_gpus("zzz-3", 3), with_gpus("zzz-1", 1), wide], schedule="pending", slug="gpus")
    assert nearest(run, 1) == ("zzz-3", "zzz-1", "aaa-000", "aaa-001", "aaa-002")


def test_a_cycle_that_found_a_node_has_none(execute):
    run = execute([node("a", "4"), pod("small", "1")], schedule="pending", slug="one")
    assert nearest(run, 1) == ()
