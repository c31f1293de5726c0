"""Filters of events: what passes is what one would pick by hand; counts go by all other filters."""

from __future__ import annotations

import numpy as np
import pytest
from django.http import QueryDict

from dashboard.common.problems import BadQuery
from dashboard.debugger.events.filters import USUAL, EventFilter, counts, filter_of, matching, of_kinds
from dashboard.debugger.events.kinds import KINDS

pytestmark = pytest.mark.django_db


def seqs(mask):
    return np.flatnonzero(mask).tolist()


def pod_of(index, seq):
    return index.pod_names[index.pods[seq]][0] if index.pods[seq] >= 0 else ""


def test_without_a_filter_everything_passes_and_calls_are_left_out_by_their_kind(index):
    assert matching(index, EventFilter(), set()).all()
    shown = of_kinds(index, USUAL)
    assert seqs(~shown) == [seq for seq in range(len(index)) if list(KINDS)[index.kinds[seq]] == "calls"]


def test_a_range_keeps_events_from_the_first_to_the_last_number(index):
    assert seqs(matching(index, EventFilter(first=3, last=5), set())) == [2, 3, 4]
    assert seqs(matching(index, EventFilter(last=2), set())) == [0, 1]


def test_a_pod_keeps_its_events_and_those_of_its_victims(index):
    matching_seqs = seqs(matching(index, EventFilter(about="pod:default/big-0"), set()))
    others = [seq for seq in matching_seqs if pod_of(index, seq) != "default/big-0"]
    assert others
    assert all(index.pod_names[index.others[seq]][0] == "default/big-0" for seq in others)
    assert matching_seqs == seqs(matching(index, EventFilter(about="pod:big-0"), set()))
    assert {seq for seq in range(len(index)) if pod_of(index, seq) == "default/big-0"} <= set(matching_seqs)


def test_words_must_all_hold_and_bare_ones_are_parts_of_names(index):
    node = seqs(matching(index, EventFilter(about="node:full-a"), set()))
    assert node
    both = seqs(matching(index, EventFilter(about="node:full-a pod:big-0"), set()))
    assert set(both) == set(node) & set(seqs(matching(index, EventFilter(about="pod:big-0"), set())))
    part = seqs(matching(index, EventFilter(about="FULL-A"), set()))
    assert set(node) <= set(part)
    assert not seqs(matching(index, EventFilter(about="pod:nobody"), set()))


def test_a_chain_keeps_its_events_alone(index):
    assert seqs(matching(index, EventFilter(chain=True), {4, 2})) == [2, 4]


def test_counts_add_up_to_what_passes(index):
    passes = matching(index, EventFilter(about="big"), set())
    assert sum(counts(index, passes).values()) == passes.sum()
    assert set(counts(index, passes)) == set(counts(index, np.ones(len(index), bool)))


@pytest.mark.parametrize(
    "event_filter",
    [
        EventFilter(),
        EventFilter(kinds=()),
        EventFilter(kinds=("queue", "bound"), about="pod:a/b x", first=2, last=90, chain=True, fold=True),
    ],
)
def test_an_address_names_a_filter_and_leaves_defaults_out(event_filter):
    query = QueryDict(mutable=True)
    query.update({name: str(value) for name, value in event_filter.query().items()})
    assert filter_of(query) == event_filter
    assert EventFilter().query() == {}


def test_an_unknown_kind_is_refused_by_name():
    with pytest.raises(BadQuery, match="sleep"):
        filter_of({"kinds": "queue,sleep"})


def test_a_kind_is_switched_on_and_off(index):
    off = EventFilter().toggled("queue")
    assert "queue" not in off.kinds
    assert off.toggled("queue") == EventFilter()
    assert EventFilter().toggled("calls").kinds == tuple(KINDS)
