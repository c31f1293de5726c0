"""What pages fetch: few files, compressed, which stay in the browser until they change."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.fresh_profile]
# Requests at the first visit, thousands of bytes of them with inline scripts and styles, requests at the next visit.
PAGES = [
    ("debugger", "/w/team/runs/{run}/?seq=3", 12, 250, 3),
    ("home", "/w/team/", 9, 150, 1),
    ("outcomes", "/w/team/runs/{run}/outcomes/", 12, 230, 1),
    ("why", "/w/team/runs/{run}/?seq=3&tab=why", 12, 250, 3),
    ("clusters", "/w/team/clusters/", 9, 150, 1),
    ("reviews", "/w/team/reviews/", 10, 150, 2),
]

REST = ("outcomes", "why", "clusters", "reviews")


class Fetched:
    """The requests of a tab that its browser could not answer from what it keeps."""

    def __init__(self, tab):
        self.tab, self.requests = tab, {}
        session = tab.context.new_cdp_session(tab)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self.sent)
        session.on("Network.responseReceived", self.answered)
        session.on("Network.loadingFinished", self.finished)

    def sent(self, event):
        if not event["request"]["url"].startswith("data:"):
            self.requests[event["requestId"]] = 0

    def answered(self, event):
        if event["response"].get("fromDiskCache"):
            self.requests.pop(event["requestId"], None)

    def finished(self, event):
        if event["requestId"] in self.requests:
            self.requests[event["requestId"]] = event["encodedDataLength"]

    def visit(self, address):
        """Return the number of requests and of bytes of a page, and leave it."""
        self.requests.clear()
        self.tab.goto(address, wait_until="networkidle")
        figures = len(self.requests), sum(self.requests.values())
        self.tab.goto("about:blank")
        return figures


@pytest.mark.parametrize(
    ("address", "requests", "kilobytes", "again"),
    [pytest.param(*row[1:], id=row[0], marks=[pytest.mark.long] if row[0] in REST else []) for row in PAGES],
)
def test_a_page_fetches_little_and_next_time_its_own_content(
    browser_page, live_server_url, run, address, requests, kilobytes, again
):
    address = live_server_url + address.format(run=run.number)
    fetched = Fetched(browser_page)
    count, size = fetched.visit(address)
    assert (count <= requests, size <= 1_000 * kilobytes) == (True, True), f"{count} requests, {size:,} bytes"
    count, _ = fetched.visit(address)
    assert 0 < count <= again
