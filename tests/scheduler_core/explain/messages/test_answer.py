"""The answer to a message: codes, counts, what is inferred, what is left open."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.explain.messages import explain_messages, message_lines
from scheduler_core.explain.messages.model import ExplainedMessages, SaidOfPreemption

MESSAGE = (
    "0/7 nodes are available: 3 Insufficient cpu, 4 node(s) had untolerated taint {dedicated: db}. "
    "preemption: 0/7 nodes are available: 7 Preemption is not helpful for scheduling."
)


def only(text):
    answer = explain_messages(text)
    assert len(answer.messages) == 1
    return answer.messages[0]


def notes(message):
    return [note.code for note in message.inferred]


def test_parts_with_their_codes_columns_and_actors():
    message = only(MESSAGE)
    assert (message.nodes, message.counted, message.is_cut) == (7, 7, False)
    assert [(p.column, p.count, p.codes[0], p.plugin, p.actor) for p in message.parts] == [
        (26, 3, "SHORT_CPU", "NodeResourcesFit", "workload"),
        (46, 4, "TAINT_UNTOLERATED", "TaintToleration", "workload"),
        (132, 7, "PREEMPTION_NOT_HELPFUL", "DefaultPreemption", "workload"),
    ]
    assert message.preemption == SaidOfPreemption(
        is_said=True,
        not_helpful=7,
        codes=("PREEMPTION_NOT_HELPFUL",),
        text="7 of 7 nodes: evicting pods would not help",
    )


def test_what_the_order_of_filters_hides():
    fit, taint, _ = only(MESSAGE).parts
    assert "NodeResourcesFit" in taint.hides
    assert "TaintToleration" not in fit.hides
    assert "PodTopologySpread" in fit.hides


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        (MESSAGE, ("", "1.33")),
        ("0/1 nodes are available: 1 node(s) had untolerated taint(s).", ("1.34.2", "")),
        ("0/1 nodes are available: 1 node(s) had volume node affinity conflict.", ("", "1.32")),
        ("0/1 nodes are available: 1 Insufficient cpu.", ("", "")),
        (
            "0/1 nodes are available: 1 node(s) had volume node affinity conflict. no new claims to deallocate, "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            (None, None),
        ),
    ],
)
def test_versions_with_these_texts(text, versions):
    message = only(text)
    assert (message.since, message.until) == versions
    assert "VERSIONS" in notes(message)


def test_a_part_that_is_not_known_is_named_with_its_column():
    answer = explain_messages("0/2 nodes are available: 1 Insufficient cpu, 1 rack is closed.")
    (part,) = answer.unknown
    assert (part.column, part.count, part.text, part.actor, part.codes) == (46, 1, "rack is closed", "other", ())
    assert "EXTENDER" in notes(answer.messages[0])


def test_what_was_cut_off_is_said_and_where_the_whole_is():
    answer = explain_messages("0/7 nodes are available: 3 Insufficient cpu, 4 node(s) had untolera ...")
    message = answer.messages[0]
    assert message.is_cut
    assert "CUT_OFF" in notes(message)
    assert "COMPLETE" not in notes(message)
    assert any("-o yaml" in command.command for command in answer.fetch)


COUNTED_TWICE = "0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory."
TOO_LARGE = "0/2 nodes are available: 2 Insufficient cpu. {}preemption: 0/2 nodes are available: 2 {}."
NOTHING, NOT_HELPFUL = "no new claims to deallocate, ", "Preemption is not helpful for scheduling"


@pytest.mark.parametrize(
    ("text", "note", "is_there"),
    [
        (COUNTED_TWICE, "SEVERAL_REASONS", True),
        (TOO_LARGE.format(NOTHING, NOT_HELPFUL), "TOO_LARGE", True),
        (TOO_LARGE.format("", NOT_HELPFUL), "TOO_LARGE", False),
        (TOO_LARGE.format(NOTHING, "No preemption victims found for incoming pod"), "TOO_LARGE", False),
    ],
    ids=["nodes with several reasons", "larger than nodes, since 1.34", "before 1.34", "no victims"],
)
def test_notes_by_what_the_message_says(text, note, is_there):
    assert (note in notes(only(text))) == is_there


def test_the_cause_is_told_where_one_refusal_is_all_nodes():
    whole = explain_messages('0/2 nodes are available: persistentvolumeclaim "a" not found. not found')
    assert "CAUSE" not in [note.code for note in whole.not_told]
    assert "CAUSE" in [note.code for note in explain_messages(MESSAGE).not_told]
    assert any("persistentvolumeclaims" in command.command for command in whole.fetch)


def test_an_event_names_the_pod_and_commands_do_so():
    answer = explain_messages(f"shop   3m   Warning   FailedScheduling   pod/web-1   {MESSAGE}")
    assert {note.code for note in answer.not_told} == {"CAUSE", "WHICH_NODES"}
    assert answer.fetch[1].command.endswith("--pod shop/web-1")


def test_nothing_is_said_of_nothing():
    assert explain_messages("") == ExplainedMessages()
    assert list(message_lines(explain_messages(""))) != []


def test_the_answer_is_plain_and_its_lines_name_codes_and_commands():
    answer = explain_messages(MESSAGE)
    assert msgspec.json.decode(msgspec.json.encode(answer), type=ExplainedMessages) == answer
    text = "\n".join(message_lines(answer))
    assert all(word in text for word in ("column 26", "SHORT_CPU", "TAINT_UNTOLERATED", "kubectl describe nodes"))
