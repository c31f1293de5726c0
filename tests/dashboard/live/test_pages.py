"""A finished run comes to its reader in pages."""

from __future__ import annotations

import pytest

from dashboard.live import consumers
from tests.dashboard.live.conftest import Browser
from tests.dashboard.live.finished_run import finished, public_seqs

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_finished_run_comes_whole_in_pages(launch, viewer, in_loop, monkeypatch):
    monkeypatch.setattr(consumers, "PAGE_EVENTS", 100)
    run = launch(3, 60)
    head = finished(run)

    async def visit():
        browser = Browser(viewer, run)
        await browser.start()
        await browser.take_until(head.seq)
        await browser.disconnect()
        return browser

    browser = in_loop(visit())
    assert browser.statuses[0]["state"] == "finished"
    assert [batch["first"] for batch in browser.batches] == list(range(0, head.seq, 100))
    assert [event["seq"] for batch in browser.batches for event in batch["events"]] == public_seqs(run)
    outcomes = sum(batch["counts"]["outcomes"].get("scheduled", 0) for batch in browser.batches)
    assert outcomes == 60
