"""Pins as addresses and forms write them."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.common.problems import BadQuery
from dashboard.review import actions, threads
from dashboard.review.models import Thread
from dashboard.review.pins.pin import Pin, pin_in, pin_of


def test_a_pin_is_the_same_from_its_query():
    pin = Pin(3, 15, "Score", "NodeAffinity", "a b", "victim", "default/x&y", "u-1")
    assert pin_in(QueryDict(pin.query()), 3) == pin


@pytest.mark.parametrize(
    "query", ["kind=field", "kind=nothing", "point=Nowhere", "seq=x", "cycle=-1", "pod=" + "p" * 400]
)
def test_what_names_nothing_is_refused(query):
    with pytest.raises(BadQuery):
        pin_in(QueryDict(query))


def test_a_cell_of_before_kinds_were_written_down_is_read_as_a_cell():
    old = Thread(cycle=3, seq=9, plugin="NodeAffinity", node="node-1")
    assert pin_of(old).kind == ""
    assert pin_of(Thread(cycle=3, seq=9)).kind == "cycle"


def test_threads_on_the_same_thing_are_told_from_those_of_its_cycle(run, reviewer):
    cell = actions.open_thread(reviewer.member, run, Pin(2, plugin="NodeAffinity", node="node-1"), "cell")
    whole = actions.open_thread(reviewer.member, run, Pin(2), "whole")
    on = threads.threads_of(run)
    assert list(on.filter(**Pin(2, kind="cycle").same_thing)) == [cell, whole]
