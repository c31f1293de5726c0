"""Events in words: every type has a sentence, made of what the event holds."""

from __future__ import annotations

from typing import get_args

import pytest

from dashboard.debugger.events.about import ABOUT
from dashboard.debugger.events.sentences import SENTENCES, number_of, seq_of, words_of
from scheduler_core.recording import events as ev
from tests.dashboard.debugger.events.samples import SAMPLES


@pytest.mark.parametrize("sentence", SAMPLES)
def test_an_event_is_one_plain_sentence(sentence):
    assert words_of(SAMPLES[sentence]).text == sentence


def test_every_type_of_event_has_words():
    assert set(SENTENCES) == set(ABOUT) == set(get_args(ev.AnyEvent))
    assert {type(sample) for sample in SAMPLES.values()} == set(SENTENCES)


def test_a_cause_names_its_pod_where_that_is_another_one():
    gone = words_of(SAMPLES["web-0 gone preempted by shop/db-0"])
    woken = words_of(ev.QueueMove(at=0, pod="shop/db-0", source="unschedulable", target="active", event="NodeAdd"))
    taken = words_of(SAMPLES["web-0 taken from activeQ"])
    assert gone.brief_for(woken) == "web-0 gone"
    assert gone.brief_for(taken) == "gone"


def test_what_a_sentence_is_about_is_emphasised_and_shortened_names_are_whole_in_the_title():
    parts = words_of(ev.Bound(at=0, cycle=3, pod="shop/web-0", node="n-1")).parts
    assert [(part.text, part.title) for part in parts if part.tone == "strong"] == [
        ("web-0", "shop/web-0"),
        ("n-1", ""),
    ]


def test_pages_number_events_by_the_cursor_behind_them():
    assert number_of(0) == 1
    assert seq_of(number_of(387)) == 387
