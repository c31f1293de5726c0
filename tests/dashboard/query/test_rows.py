"""What the database says of rows is what the chunks say, and what looking at every event says."""

from __future__ import annotations

from random import Random

import pytest

from dashboard.query import compiling
from dashboard.query.compiling import NotOfRows, compiled
from dashboard.query.rows import count_rows, is_of_rows, page_of_rows
from dashboard.runs.models import Preemption
from scheduler_core.query import QuerySubject, parse
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.search import GROUPS_OF, count_hits, page_of_hits
from tests.scheduler_core.query import naive
from tests.scheduler_core.query.generated_queries import FACTOR, FIRST_SEED, queries
from tests.seeds import how_many, long_after

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
RUNS, QUERIES = 5, how_many(70, 140)
SUBJECTS = (QuerySubject.CYCLE, QuerySubject.MOVE, QuerySubject.PREEMPTION)
SECOND = 1_000_000


def answered_by_rows(text):
    query = parse(text)
    try:
        compiled(query)
    except NotOfRows:
        return None
    return query


@pytest.mark.parametrize("seed", long_after(range(FIRST_SEED, FIRST_SEED + RUNS), 1))
def test_hits_of_rows_are_those_of_chunks_and_of_a_naive_scan(stored, seed):
    run, reader = stored(seed)
    things, compared, matching = naive.things_of(reader), 0, 0
    for text in queries(things, Random(seed), FACTOR * QUERIES, SUBJECTS):
        query = answered_by_rows(text)
        if query is None:
            continue
        page = page_of_rows(run, query, 10_000)
        assert [(hit.seq, hit.index) for hit in page.hits] == [
            (seq, index) for seq, index, _, _ in naive.hits(things[query.subject], query)
        ], text
        assert page == page_of_hits(reader, query, 10_000), text
        backward = page_of_rows(run, query, 10_000, backward=True)
        assert backward.hits == page.hits[::-1], text
        compared, matching = compared + 1, matching + bool(page.hits)
    assert compared > 0.7 * QUERIES, "most queries of these subjects are answered by rows"
    assert matching > QUERIES // 6, "the queries ask for what there is"


@pytest.mark.parametrize(
    "text", ["cycle", "outcome:unschedulable", "move to:backoff", "move", "preemption", "refusal.plugin:Node*"]
)
def test_counts_over_time_and_by_every_group_are_those_of_chunks(stored, text):
    run, reader = stored(1)
    query = parse(text)
    for group in ("", *GROUPS_OF[query.subject]):
        edges = [position * 20 * SECOND for position in range(5)]
        counts, expected = count_rows(run, query, 5, 20 * SECOND, group), count_hits(reader, query, edges, group)
        assert (counts.total, counts.buckets, counts.groups) == (expected.total, expected.buckets, expected.groups)
        assert counts.total > 0


@pytest.mark.parametrize("backward", [False, True])
def test_pages_from_hit_to_hit_are_all_hits(stored, backward):
    run, reader = stored(1)
    query = parse("outcome:unschedulable or tie")
    expected, hits, start = page_of_hits(reader, query, 10_000, backward=backward).hits, [], None
    for _ in range(len(expected)):
        page = page_of_rows(run, query, 7, start, backward=backward)
        hits.extend(page.hits)
        if page.ended == "end":
            break
        start = HitPlace(page.hits[-1].seq)
    assert tuple(hits) == expected


@pytest.mark.parametrize("text", ["cell", "event", "move outcome:error", "move priority>1"])
def test_what_rows_do_not_hold_is_left_to_chunks(text):
    with pytest.raises(NotOfRows):
        compiled(parse(text))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_field_of_cycles_without_a_leaf_is_left_to_chunks_for_every_subject(monkeypatch, subject):
    monkeypatch.delitem(compiling._CYCLE, "visited")
    with pytest.raises(NotOfRows):
        compiled(parse(f"{subject} visited>1"))


def test_a_run_of_before_a_column_is_left_to_chunks(stored):
    run, _ = stored(1)
    query = parse("victim.priority>=0")
    assert is_of_rows(run, query)
    Preemption.objects.filter(run=run).update(victim_priority=None)
    assert not is_of_rows(run, query)
    assert is_of_rows(run, parse("victims>0"))
    assert not is_of_rows(run, parse("cell"))


@pytest.mark.parametrize("name", ["x' or 1=1 --", "%", "_", "[a-z]", "?", "\\", "*"])
def test_signs_of_the_database_are_signs_of_a_name(stored, name):
    run, reader = stored(1)
    text = name.replace("\\", "\\\\")
    for query in (parse(f'pod:"{text}"'), parse(f'pod:"{text}*"'), parse(f'message~"{text}"')):
        assert page_of_rows(run, query, 10_000) == page_of_hits(reader, query, 10_000)
