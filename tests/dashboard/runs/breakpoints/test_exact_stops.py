"""A live run stands exactly at the first hit of a query, at each next one, and ends as if nobody had stopped it."""

from __future__ import annotations

from random import Random

import pytest

from dashboard.runs import committing, sessions
from dashboard.runs.breakpoints.going_on import continue_run, run_without_breakpoints
from dashboard.runs.models import RunStop, State
from dashboard.runs.storage import recordings
from tests.dashboard.runs.breakpoints.stops import of_seed, recorded, standing, undisturbed, work_on
from tests.scheduler_core.query.generated_queries import queries

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SEEDS, QUERIES, STOPS = 5, 20, 2


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_run_stops_at_the_hits_of_random_queries_and_has_the_undisturbed_hash(
    editor, launch, breakpoint_of, monkeypatch, seed
):
    expected, random, stopped = undisturbed(seed), Random(seed), 0
    of_seed(monkeypatch, seed, cycles=5 + 4 * seed)
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 150)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)
    plain = launch(1, 1)
    assert work_on(plain) == State.FINISHED
    figures = recorded(plain)
    for number, text in enumerate(queries(expected.things, random, QUERIES)):
        hits = expected.hit_seqs(text)
        run = launch(revision=plain.revision, breakpoints=(breakpoint_of(text, f"Query {number}"),))
        for seq in hits[:STOPS]:
            assert work_on(run) == State.STOPPED, text
            assert standing(run) == (State.STOPPED, expected.end_of_step(seq), seq), text
            stopped += 1
            if random.random() < 0.5:
                sessions.forget()
            continue_run(editor.member, run)
        if len(hits) > STOPS:
            assert work_on(run) == State.STOPPED, text
            assert RunStop.objects.get(run=run).name == f"Query {number}"
            run_without_breakpoints(editor.member, run)
        assert work_on(run) == State.FINISHED
        run.refresh_from_db()
        assert run.recording_hash == expected.hash, text
        assert recorded(run) == figures, text
        assert recordings.read(run.pk, lambda reader: reader.verify_hash()) == expected.hash
    assert stopped > QUERIES // 2, "the queries have hits"
