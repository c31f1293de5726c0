"""Names of nodes and cycles of a recording, asked for in any order and by several scans."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.query import parse
from scheduler_core.query.history import Histories, NodeHistory
from scheduler_core.query.scan import Scan
from tests.scheduler_core.query import naive
from tests.scheduler_core.query.generated_queries import queries
from tests.scheduler_core.query.test_scan import recording

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(3))
def test_names_of_nodes_are_those_of_the_folded_state_in_any_order(seed):
    reader, random = recording(seed), Random(seed)
    history, head = NodeHistory(reader), reader.head_seq()
    ascending = list(range(0, head + 1, 7))
    near = [min(max(seq + random.randrange(-30, 30), 0), head) for seq in ascending]
    changes = 0
    for seq in [*ascending, *near, *random.sample(range(head + 1), 60)]:
        names = reader.state_at(seq).names_by_row()
        assert history.at(seq).names == names, seq
        changes += names != reader.state_at(0).names_by_row()
    assert changes > 20, "nodes come and go"


def test_names_that_do_not_change_are_one_object_through_a_chunk_and_back():
    reader = recording(1)
    history = NodeHistory(reader)
    header = next(
        header
        for header in map(reader.store.header, range(reader.store.n_chunks()))
        if len({tuple(reader.state_at(seq).names_by_row()) for seq in range(header.first_seq, header.end_seq)}) == 1
    )
    first = history.at(header.first_seq)
    assert history.at(header.end_seq - 1) is first
    assert history.at(header.first_seq) is first


@pytest.mark.parametrize("seed", range(2))
def test_scans_that_share_histories_and_go_on_chunk_by_chunk_give_every_hit(seed):
    reader, things = recording(seed), naive.things_of(recording(seed))
    texts = [*queries(things, Random(seed), 12), "cell verdict:refused node:*"]
    asked = [parse(text) for text in texts]
    histories = Histories.of(reader)
    scans, hits = [Scan(reader, query, histories=histories) for query in asked], [[] for _ in asked]
    seq = 0
    for header in map(reader.store.header, range(reader.store.n_chunks())):
        for scan, mine in zip(scans, hits, strict=True):
            mine.extend(hit.place for batch in scan.batches(seq, header.end_seq) for hit in batch.hits())
        seq = header.end_seq
    for query, mine in zip(asked, hits, strict=True):
        expected = [(seq, index) for seq, index, _, _ in naive.hits(things[query.subject], query)]
        assert [(place.seq, place.index) for place in mine] == expected, query.text
