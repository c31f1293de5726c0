"""Pages of hits, and hits counted."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_core.query import parse
from scheduler_core.query.fields import FIELDS_OF
from scheduler_core.query.scan import ScanControl
from scheduler_core.query.search import GROUPS_OF, HitNumber, HitNumbering, count_hits, find_hits, page_of_hits
from tests.scheduler_core.query import naive
from tests.scheduler_core.query.test_scan import recording

QUERIES = ["cell verdict:refused", "cycle", "move", "preemption", "event type:bound"]
NUMBERED = ["cell verdict:refused", "cycle", "move to:active", "event type:bound", "cycle:100000"]
pytestmark = pytest.mark.slow


def test_every_group_counts_a_field_of_its_subject():
    assert {subject: set(groups.values()) <= set(FIELDS_OF[subject]) for subject, groups in GROUPS_OF.items()} == (
        dict.fromkeys(GROUPS_OF, True)
    )


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("backward", [False, True])
def test_pages_from_hit_to_hit_are_all_hits(text, backward):
    reader, query = recording(1), parse(text)
    expected = list(find_hits(reader, query, backward=backward))[:40]
    hits, start = [], None
    while len(hits) < len(expected):
        page = page_of_hits(reader, query, 7, start, backward=backward)
        hits.extend(page.hits)
        start = page.hits[-1].place
    assert hits[: len(expected)] == expected


def test_the_last_page_says_that_it_is_the_last():
    reader, query = recording(1), parse("cycle:3")
    assert page_of_hits(reader, query, 1).ended == "end"
    assert page_of_hits(reader, query, 0).ended == "limit"
    stopped = page_of_hits(reader, query, 1, control=ScanControl(stopped=lambda: "deadline"))
    assert (stopped.hits, stopped.ended) == ((), "deadline")


def test_turns_backward_go_on_where_the_one_before_was_stopped():
    reader, query = recording(1), parse("cell verdict:refused node:*1")
    whole, hits, start, turns = list(find_hits(reader, query, backward=True)), [], None, 0
    ended = "turn"
    while ended != "end":
        left = iter([""] * 60)
        control = ScanControl(stopped=lambda left=left: next(left, "turn"))
        page = page_of_hits(reader, query, 10_000, start, backward=True, control=control)
        hits, ended, turns = [*hits, *page.hits], page.ended, turns + 1
        start = page.next_start(start, backward=True)
        assert turns < 100, "each turn goes on"
    assert hits == whole
    assert turns > 1


@pytest.mark.parametrize("text", QUERIES)
def test_hits_are_counted_over_time_and_by_each_group_as_one_by_one(text):
    reader, query = recording(1), parse(text)
    things = [
        thing
        for thing in naive.THINGS[query.subject](reader)
        if query.where is None or naive.holds(query.where, thing.values)
    ]
    edges = (0, 1_000_000, 60_000_000)
    for group, field in GROUPS_OF[query.subject].items():
        counts = count_hits(reader, query, edges, group)
        expected = Counter()
        for thing in things:
            value = thing.values.get(field)
            expected.update({one for one in (value if isinstance(value, list) else [value]) if one})
        assert dict(counts.groups) == dict(expected)
        assert counts.total == len(things)
        ats = [thing.values["at"] for thing in things]
        assert counts.buckets == (
            sum(at < 1_000_000 for at in ats),
            sum(1_000_000 <= at < 60_000_000 for at in ats),
            sum(at >= 60_000_000 for at in ats),
        )


def test_each_hit_is_a_line_with_its_names():
    reader = recording(1)
    texts = {text: page_of_hits(reader, parse(text), 1).hits[0] for text in QUERIES}
    cell = texts["cell verdict:refused"]
    assert f"{cell.plugin} refuses {cell.node}" in cell.text
    assert (cell.cycle > 0, cell.pod != "") == (True, True)
    assert " to " in texts["move"].text
    assert "evicts" in texts["preemption"].text
    assert texts["event type:bound"].text.startswith("bound, ")
    assert "attempt 1" in texts["cycle"].text


def moments(reader, text):
    """Return the moment of each hit, by where the recording has its cycle."""
    of_cycle = text.startswith("c")
    return [reader.cycle_span(hit.cycle)[1] + 1 if of_cycle else hit.seq + 1 for hit in find_hits(reader, parse(text))]


@pytest.mark.parametrize("text", NUMBERED)
def test_numbers_at_every_moment_are_those_of_the_hits_one_by_one(text):
    reader = recording(1)
    expected, numbering = moments(reader, text), HitNumbering(parse(text))
    for moment in range(0, reader.head_seq() + 1, 3):
        before = sum(one < moment for one in expected)
        here = sum(one == moment for one in expected)
        assert numbering.go_on(reader, moment) == HitNumber(len(expected), before, here, "end", reader.head_seq())


def test_turns_that_are_cut_short_end_with_all_hits():
    reader, text = recording(1), "cell verdict:refused"
    numbering, turns = HitNumbering(parse(text)), 0
    while True:
        asked = iter(range(1, 20))
        control = ScanControl(stopped=lambda asked=asked: "" if next(asked, None) else "late")
        number = numbering.go_on(reader, 50, control)
        turns += 1
        if number.is_complete:
            break
        assert number.ended == "late"
        assert turns < 10_000
    assert turns > 1
    assert number == HitNumbering(parse(text)).go_on(reader, 50)
