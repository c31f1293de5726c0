"""Parts of messages, and where they begin."""

from __future__ import annotations

import pytest

from scheduler_core.explain.messages.parsing import MAX_MESSAGE, parse_message, split_message
from scheduler_core.explain.messages.texts import ELSEWHERE, NODES, POD, POST_FILTER, PREEMPTION

MESSAGE = (
    "0/7 nodes are available: 3 Insufficient cpu, 4 node(s) had untolerated taint(s). no new claims to deallocate, "
    "preemption: 0/7 nodes are available: 4 Preemption is not helpful for scheduling, 3 No preemption victims found "
    "for incoming pod."
)


def parts(text):
    return [(piece.place, piece.count, piece.text) for piece in split_message(text).pieces]


def test_counts_of_filters_and_of_preemption_and_what_stands_between():
    assert parts(MESSAGE) == [
        (NODES, 3, "Insufficient cpu"),
        (NODES, 4, "node(s) had untolerated taint(s)"),
        (POST_FILTER, None, "no new claims to deallocate"),
        (PREEMPTION, 4, "Preemption is not helpful for scheduling"),
        (PREEMPTION, 3, "No preemption victims found for incoming pod"),
    ]
    read = split_message(MESSAGE)
    assert (read.nodes, read.is_cut) == (7, False)
    for piece in read.pieces:
        counted = f"{piece.count} " if piece.count is not None else ""
        assert MESSAGE[piece.start :].startswith(counted + piece.text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '0/2 nodes are available: persistentvolumeclaim "data" not found. not found',
            [(POD, None, 'persistentvolumeclaim "data" not found'), (POST_FILTER, None, "not found")],
        ),
        (
            "0/1 nodes are available: 1 Too many pods. preemption: not eligible due to preemptionPolicy=Never.",
            [(NODES, 1, "Too many pods"), (PREEMPTION, None, "not eligible due to preemptionPolicy=Never.")],
        ),
        (
            "0/3 nodes are available: no new claims to deallocate, preemption: no candidate node for preemption",
            [
                (POST_FILTER, None, "no new claims to deallocate"),
                (PREEMPTION, None, "no candidate node for preemption"),
            ],
        ),
        (
            "0/1 nodes are available: 1 see doc. x. y for more. preemption: 0/1 nodes are available: 1 Too many pods.",
            [(NODES, 1, "see doc. x. y for more"), (PREEMPTION, 1, "Too many pods")],
        ),
        ("no nodes available to schedule pods", [(ELSEWHERE, None, "no nodes available to schedule pods")]),
        (
            "pod group is unschedulable, pod group is waiting for preemption to complete",
            [
                (ELSEWHERE, None, "pod group is unschedulable"),
                (ELSEWHERE, None, "pod group is waiting for preemption to complete"),
            ],
        ),
        (
            'Error creating: pods "a-" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1',
            [(ELSEWHERE, None, 'pods "a-" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1')],
        ),
        ("Something else, entirely", [(ELSEWHERE, None, "Something else, entirely")]),
        ("", []),
        ("0/4 nodes are available:", []),
    ],
)
def test_messages_of_other_forms(text, expected):
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        (MESSAGE[:40], True),
        (MESSAGE[:-1], True),
        (MESSAGE[:100] + " ...", True),
        ("0/4 nodes are available:", True),
        ("0/1 nodes are available: 1 Too many pods. preemption: no candidate node for preemption", False),
        ("no nodes available to schedule pods", False),
    ],
)
def test_a_message_that_was_cut_off(text, is_cut):
    assert split_message(text).is_cut == is_cut


def test_a_message_is_read_to_its_limit():
    huge = split_message("0/3 nodes are available: " + "1 reason, " * 1_000_000)
    assert sum(len(piece.text) for piece in huge.pieces) <= MAX_MESSAGE
    assert parse_message("x" * 1_000_000) is None
