"""Events over HTTP."""

from __future__ import annotations

import pytest

from tests.dashboard.live.finished_run import finished, public_seqs

pytestmark = pytest.mark.django_db(transaction=True)


def test_events_over_http_are_those_of_the_recording(launch, viewer, stranger, anonymous):
    run = launch(3, 60)
    head = finished(run)
    page = viewer.get(f"/w/team/runs/{run.number}/events.json?first=10&last=99").json()
    assert (page["first"], page["last"], page["head"]["seq"]) == (10, 99, head.seq)
    assert [event["seq"] for event in page["events"]] == [seq for seq in public_seqs(run) if 10 <= seq < 100]
    assert viewer.get(f"/w/team/runs/{run.number}/events.json?first={head.seq + 5}").json()["events"] == []
    assert viewer.get(f"/w/team/runs/{run.number}/events.json?first=x").status_code == 400
    assert viewer.get("/w/team/runs/99/events.json").status_code == 404
    assert stranger.get(f"/w/team/runs/{run.number}/events.json").status_code == 404
    assert anonymous.get(f"/w/team/runs/{run.number}/events.json").status_code == 302
