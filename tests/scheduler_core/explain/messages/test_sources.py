"""Messages found in what somebody pastes."""

from __future__ import annotations

from time import monotonic

import pytest

from scheduler_core.explain.messages.sources import MAX_MESSAGES, MessageEvent, messages_in

MESSAGE = "0/3 nodes are available: 3 Insufficient cpu."


def texts(paste):
    return [message.text for message in messages_in(paste).messages]


def test_a_message_alone_and_messages_line_by_line():
    assert texts(MESSAGE) == [MESSAGE]
    assert texts(f"  {MESSAGE}\r\n\nno nodes available to schedule pods\n") == [
        MESSAGE,
        "no nodes available to schedule pods",
    ]
    assert texts("what is this") == ["what is this"]


def test_lines_of_kubectl_describe():
    paste = (
        "Name:             web\nEvents:\n  Type     Reason            Age                From               Message\n"
        "  ----     ------            ----               ----               -------\n"
        f"  Warning  FailedScheduling  8d (x5 over 10m)   default-scheduler  {MESSAGE}\n"
        "  Normal   Scheduled         8d                 default-scheduler  Successfully assigned shop/web to n1\n"
    )
    (message,) = messages_in(paste).messages
    assert message.text == MESSAGE
    assert message.event == MessageEvent(age="8d (x5 over 10m)", count=5, source="default-scheduler")
    assert message.place(0) == (5, paste.splitlines()[4].index(MESSAGE) + 1)
    assert messages_in(paste).passed_over == 5


@pytest.mark.parametrize(
    ("line", "namespace"),
    [
        (f"3m20s       Warning   FailedScheduling   pod/web-1     {MESSAGE}", ""),
        (f"shop   3m20s       Warning   FailedScheduling   pod/web-1     {MESSAGE}", "shop"),
        (f"3m20s   Warning   FailedScheduling   pod/web-1      default-scheduler   {MESSAGE}   3m   1   web-1.17", ""),
    ],
    ids=["as it is", "of all namespaces", "wide"],
)
def test_lines_of_kubectl_get_events(line, namespace):
    (message,) = messages_in(f"LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n{line}\n").messages
    assert message.text == MESSAGE
    assert message.event == MessageEvent(object="pod/web-1", namespace=namespace, age="3m20s")


def test_a_condition_in_yaml_that_is_folded_and_quoted():
    paste = (
        "status:\n  conditions:\n  - message: '0/3 nodes are available: 3 node(s) didn''t match Pod''s node\n"
        "      affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful\n"
        "      for scheduling.'\n    reason: Unschedulable\n  - message: 'containers with unready status: [c]'\n"
    )
    (message,) = messages_in(paste).messages
    assert message.text == (
        "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are "
        "available: 3 Preemption is not helpful for scheduling."
    )
    assert message.place(message.text.index("match Pod")) == (3, paste.splitlines()[2].index("match Pod") + 1)
    assert message.place(message.text.index("affinity/sel")) == (4, 7)


def test_a_condition_in_json():
    paste = '  "message": "0/1 nodes are available: persistentvolumeclaim \\"data\\" not found. not found",\n'
    assert texts(paste) == ['0/1 nodes are available: persistentvolumeclaim "data" not found. not found']


def test_a_message_goes_on_until_its_end():
    assert texts("0/3 nodes are available: 3 Insufficient\ncpu. preemption: 0/3 nodes are available: 3 X.\nmore") == [
        "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 X."
    ]
    assert texts(f"0/3 nodes are available: 3 Insufficient\n{MESSAGE}") == [
        "0/3 nodes are available: 3 Insufficient",
        MESSAGE,
    ]


@pytest.mark.parametrize(
    "paste",
    [
        "", "\n" * 1_000_000, "x" * 1_000_000, " " * 1_000_000, "Warning  FailedScheduling  " * 40_000,
        "0/3 nodes are available: " * 40_000, '"message": "' + "\\" * 1_000_000, "message: '" + "'" * 999_999,
        "0/1 nodes are available: 1 a\n" * 40_000, "\0\x1b[31m\u202e" * 200_000, "line of text\n" * 80_000,
    ],
    ids=[
        "empty", "empty lines", "one word", "spaces", "columns", "headers", "escapes", "quotes", "messages",
        "control characters", "lines",
    ],
)  # fmt: skip
def test_hostile_pastes_are_read_within_bounds(paste):
    started = monotonic()
    read = messages_in(paste)
    assert len(read.messages) <= MAX_MESSAGES
    assert monotonic() - started < 5
