"""Questions: their keys and the check of their fields."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from dashboard.answers.questions import RoomTaken
from dashboard.answers.registry import KINDS, AnyQuestion, answer_key, decode_question
from dashboard.runs.models import State


def test_a_question_about_another_recording_has_another_key(run, plain_run):
    first, second = (msgspec.json.encode(RoomTaken(cycle)) for cycle in (1, 2))
    keys = {answer_key(run, first), answer_key(run, second), answer_key(plain_run, first)}
    run.state = State.RUNNING
    keys.add(answer_key(run, first))
    assert len(keys) == 4
    assert answer_key(plain_run, first) == answer_key(plain_run, first)


def test_fields_of_a_question_are_checked():
    assert decode_question(b'{"question": "room", "cycle": 7}') == RoomTaken(7)
    for fields in (b"", b', "cycle": 0', b', "cycle": "7"', b', "cycle": 1, "more": "2"'):
        with pytest.raises(msgspec.ValidationError):
            decode_question(b'{"question": "room"' + fields + b"}")


@pytest.mark.parametrize("name", KINDS)
def test_a_question_of_any_kind_does_not_change_once_it_is_asked(name):
    (kind,) = [one for one in get_args(AnyQuestion) if one.__struct_config__.tag == name]
    assert kind.__struct_config__.frozen


def test_attempts_are_aligned_at_no_cycle_unless_one_is_named():
    asked = b'{"question": "aligned-attempts", "other": 2, "other_made": "x", "a_seq": 5, "b_seq": 6%s}'
    for more, cycles in ((b"", (0, 0)), (b', "a_cycle": 3', (3, 0)), (b', "b_cycle": 4', (0, 4))):
        question = decode_question(asked % more)
        assert (question.a_cycle, question.b_cycle) == cycles


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_answer_of_each_kind_can_be_read_and_computed(kind):
    msgspec.json.Decoder(kind.answer_type)
    assert callable(kind.answering)
