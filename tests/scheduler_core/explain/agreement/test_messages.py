"""Messages of failed scheduling: parts, words of other versions, and comparison by count."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.explain.agreement import compare_messages, parse_message

CURRENT = (
    "0/6 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu, "
    "3 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: "
    "0/6 nodes are available: 2 No preemption victims found for incoming pod, "
    "4 Preemption is not helpful for scheduling."
)


def compared(real, ours=CURRENT):
    return compare_messages(parse_message(real), parse_message(ours))


TAINTS, AFFINITY = "node(s) had untolerated taint(s)", "node(s) didn't match Pod's node affinity/selector"
NO_VICTIMS, NOT_HELPFUL = "No preemption victims found for incoming pod", "Preemption is not helpful for scheduling"


@pytest.mark.parametrize(
    ("reasons", "preempting"),
    [({TAINTS: 1, "Insufficient cpu": 2, AFFINITY: 3}, {NO_VICTIMS: 2, NOT_HELPFUL: 4})],
)
def test_parts_of_a_message(reasons, preempting):
    parsed = parse_message(CURRENT)
    assert (parsed.nodes, parsed.reasons, parsed.preempting) == (6, reasons, preempting)


@pytest.mark.parametrize(
    "first",
    [
        "1 node(s) had untolerated taint(s), 2 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector",
        "1 node(s) had untolerated taint {gpu: yes}, 2 Insufficient cpu, 3 node(s) didn't match Pod's node affinity",
        "1 node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate, 2 Insufficient cpu, "
        "3 node(s) didn't match node selector",
        "1 node(s) had taints that the pod didn't tolerate, 2 Insufficient cpu, 3 node(s) didn't match node selector",
    ],
    ids=["as 1.34.2", "as 1.34.0", "as 1.23", "as 1.17"],
)
def test_reasons_of_other_versions_mean_the_same(first):
    comparison = compared(f"0/6 nodes are available: {first}.")
    assert comparison.reasons_equal
    assert comparison.preempting == ()
    assert len(comparison.reasons) == 3


def test_named_taints_are_compared_by_taint_where_both_name_them():
    real = "0/3 nodes are available: 1 node(s) had untolerated taint {a: x}, 2 node(s) had untolerated taint {b: }."
    other = "0/3 nodes are available: 2 node(s) had untolerated taint {a: x}, 1 node(s) had untolerated taint {b: }."
    assert not compared(real, other).reasons_equal
    assert [(row.real, row.ours) for row in compared(real, other).reasons] == [(1, 2), (2, 1)]
    assert compared(real, "0/3 nodes are available: 3 node(s) had untolerated taint(s).").reasons_equal


@pytest.mark.parametrize(
    ("real", "counts"),
    [
        ("0/6 nodes are available: 4 Insufficient cpu, 2 Too many pods.",
         {"Insufficient cpu": (4, 2), "Too many pods": (2, 0), TAINTS: (0, 1), AFFINITY: (0, 3)}),
    ],
)  # fmt: skip
def test_other_counts_and_other_reasons_differ(real, counts):
    assert {row.reason: (row.real, row.ours) for row in compared(real).reasons} == counts


def test_a_former_wording_is_kept_beside_todays():
    row = compared("0/6 nodes are available: 3 node(s) didn't match node selector.").reasons[0]
    assert (row.reason, row.former) == (
        "node(s) didn't match Pod's node affinity/selector",
        "node(s) didn't match node selector",
    )


def test_the_summary_of_pod_affinity_is_not_counted_besides_its_rule():
    real = (
        "0/2 nodes are available: 2 node(s) didn't match pod affinity/anti-affinity, "
        "2 node(s) didn't match pod affinity rules."
    )
    assert compared(real, "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.").reasons_equal


def test_reasons_for_the_pod_as_a_whole_are_compared_as_text():
    text = '0/2 nodes are available: persistentvolumeclaim "data" not found. preemption: 0/2 nodes are available: 2 X.'
    assert parse_message(text).whole == 'persistentvolumeclaim "data" not found'
    assert compared(text, text).reasons_equal
    assert not compared(text).reasons_equal


def test_pods_that_may_not_preempt_are_compared_by_that():
    text = "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."
    assert parse_message(text).ineligible == "not eligible due to preemptionPolicy=Never"
    assert compared(text, text).preempting_equal
    assert not compared(text, CURRENT).preempting_equal


@pytest.mark.parametrize("text", ["", "no nodes available", "0/x nodes are available: 1 a", "1/2 nodes are available"])
def test_other_forms_are_not_recognised(text):
    assert parse_message(text) is None


def test_whatever_comes_is_parsed_within_bounds():
    draw = Random(4)
    parts = ["0/3 nodes are available: ", "1 a", ", ", "2 ", ". ", "preemption: ", "{", "}", "\n", "9" * 9]
    for _ in range(2_000):
        text = "0/3 nodes are available: " + "".join(draw.choices(parts, k=draw.randrange(12)))
        parsed = parse_message(text)
        assert parsed is not None
        assert compare_messages(parsed, parsed).reasons_equal
    huge = parse_message("0/3 nodes are available: " + "1 reason, " * 1_000_000)
    assert huge is not None
    assert sum(huge.reasons.values()) <= 1_000
