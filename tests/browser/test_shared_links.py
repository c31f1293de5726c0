"""Links that somebody copied, opened by another member in a new profile: each shows what it names, and stays there."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Role, Workspace
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.models import Draft
from dashboard.query.models import SavedSearch
from dashboard.review.actions import open_thread
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.pins.pin import Pin
from dashboard.runs import demo
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team
from tests.dashboard.run_helpers import node
from tests.patience import until

pytestmark = [pytest.mark.slow, pytest.mark.long]
# As long as a page has to play, follow or refresh itself out of what its link names.
STAYS_MS = 10_000
POD, NODE, QUERY = "lab/batch-10", "worker-a-1", "outcome:unschedulable"


class Shared(NamedTuple):
    """A page, and an element of it with what that says, "" where it is enough that it is there.

    `copies` is what copies the link, "" where the address is it.
    """

    path: str
    element: str
    shows: str
    copies: str = "[data-key=y]:visible"


RUNS = {
    "cycle": Shared("runs/1/?cycle=28", "#main[data-cycle='28']", "db-primary-0"),
    "event": Shared("runs/1/?seq=100", "#selection[data-seq='100']", r"seq\s+100"),
    "pod and node": Shared(f"runs/1/?cycle=24&pod={POD}&node={NODE}", "#selection", r"batch-10(.|\n)*worker-a-1"),
    "cell": Shared("runs/1/?cycle=22&node=worker-a-2&plugin=TaintToleration", "#cellbar", "TaintToleration"),
    "tab": Shared("runs/1/?cycle=30&tab=preemption", "#inspector", "api-4"),
    "marks of a query": Shared(f"runs/1/?cycle=22&hits={QUERY}", "#selection", QUERY),
    "object at a moment": Shared(f"runs/1/objects/Node/?cycle=28&key={NODE}", "main", NODE),
    "events": Shared("runs/1/events/?cycle=24&step=event", "#selection", r"cycle\s+24", ""),
    "why": Shared(f"runs/1/why/?pod={POD}&attempt=1", "main h1", "batch-10", ""),
    "why this node": Shared("runs/1/why-node/?cycle=22", "main", "batch-08", ""),
    "outcomes": Shared("runs/1/outcomes/?by=owner&outcome=pending", "main", "lab/batch", ""),
    "branch": Shared("runs/2/?cycle=28", "#main[data-cycle='28']", ""),
    "form of a branch": Shared("runs/2/branch/?cycle=24", "main", r"[Bb]efore\s+cycle\s+24", ""),
}
REVIEWS = {
    "search of a run": Shared("runs/1/search/?q=outcome:scheduled", "#search-query[value='outcome:scheduled']", ""),
    "search": Shared("search/?q=outcome:scheduled", "#search-query[value='outcome:scheduled']", ""),
    "saved search": Shared("search/s/{saved}/", f"#search-query[value='{QUERY}']", ""),
    "comparison": Shared("compare/?a=1&b=2", "main", "[Rr]un 2"),
    "comparison at cycles": Shared("compare/?a=1&b=2&a_cycle=24&b_cycle=24", ".twin-head", "24"),
    "review": Shared("runs/1/review/", "#review-overview", "Enough room"),
    "finding": Shared("runs/1/review/?finding=preemption:28", "#evidence", "db-primary-0"),
    "thread": Shared("threads/{thread}/", "article.thread", "Why this one", "article.thread [data-copy-text]"),
}
INPUTS = {
    "revision": Shared("clusters/teaching/", "main", "7 nodes"),
    "changes of a revision": Shared("clusters/teaching/diff/?from=0&to=1", "main", "Revision 1 from"),
    "object of a revision": Shared(f"clusters/teaching/object/?kind=Node&name={NODE}", "main", NODE),
    "object in a draft": Shared("clusters/teaching/drafts/{draft}/edit/?node=worker-a-1", "#map-selected", NODE),
    "node of a cluster": Shared(f"clusters/teaching/?node={NODE}", "#map-selected", NODE, ""),
    "would it fit": Shared("clusters/teaching/fit/", "main", "fit", ""),
    "agreement": Shared("clusters/teaching/agreement/", "main", "agree", ""),
    "configuration": Shared("configurations/extenders/", "main", "NodeResourcesFit"),
    "plugin of a configuration": Shared("configurations/extenders/?plugin=NodeResourcesFit", "main", "scoring", ""),
    "preset": Shared("configurations/presets/most-allocated/", "main", "MostAllocated", ""),
    "timeline": Shared("timelines/teaching/", "main", "entries"),
    "declared extenders": Shared("extenders/declared/extenders/", "main", "extenders"),
    "generator": Shared("generate/?recipe=perf", "main", "scheduler_perf", ""),
}


@pytest.fixture
def names(walk):
    """What the demo leaves out, by the names in addresses: a branch (run 2), a review, a thread, a draft, a search."""
    workspace = Workspace.objects.get()
    owner = workspace.members.select_related("user", "workspace").get()
    run = find_run(workspace, 1)
    branch = branch_run(owner, run, Branching(280, [{"action": "put", "object": node("room", "128")}]))
    of_extenders = demo.load_scene(owner, demo.EXTENDERS)
    until(lambda: all(find_run(workspace, one.number).has_ended for one in (branch, of_extenders)))
    ask_for_review(owner, run, ReviewRequest("Enough room?"))
    saved = SavedSearch.objects.create(
        workspace=workspace, owner=owner.user, name="Refused", query=QUERY, is_shared=True
    )
    draft = new_draft(owner, run.revision.cluster)
    return {"draft": draft.pk, "saved": saved.pk, "thread": open_thread(owner, run, Pin(24), "Why this one?").pk}


@pytest.fixture
def opened(walk, names, chromium, live_server_url):
    """A function that opens an address in a tab of Ben's, an editor with a new profile who is in the draft."""
    team = Team(chromium, live_server_url, Workspace.objects.get(), PATIENCE_MS)
    ben = team.join("Ben Okoro", Role.EDITOR)
    Draft.objects.get().invited.add(ben)
    context = team.open(ben, "/w/default/").context

    def opened(address):
        tab = context.new_page()
        tab.on("pageerror", lambda error: team.complaints.append(f"{address}: {error}"))
        tab.goto(address)
        return tab

    yield opened
    team.leave()
    assert team.complaints == []


def copied(walk, shared, names):
    """Return the link of a page, as its owner copies it."""
    path = shared.path.format(**names)
    if not shared.copies:
        return f"{walk.home}{path}"
    tab = walk.at(path).tab
    tab.evaluate("navigator.clipboard.writeText('')")
    tab.locator(shared.copies).first.click()
    until(lambda: tab.evaluate("navigator.clipboard.readText()"))
    return tab.evaluate("navigator.clipboard.readText()")


def shows(tab, shared):
    """Expect that the tab shows what its link names."""
    part = tab.locator(shared.element).first
    expect(part).to_be_visible()
    if shared.shows:
        expect(part).to_contain_text(re.compile(shared.shows))


@pytest.mark.parametrize("links", [RUNS, REVIEWS, INPUTS], ids=["runs", "searches and reviews", "inputs"])
def test_a_link_of_each_kind_shows_what_it_names_and_stays_there(walk, names, opened, links):
    walk.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tabs = [(opened(copied(walk, shared, names)), shared) for shared in links.values()]
    for tab, shared in tabs:
        shows(tab, shared)
    places = [tab.url for tab, _ in tabs]
    walk.tab.wait_for_timeout(STAYS_MS)
    assert [tab.url for tab, _ in tabs] == places
    for tab, shared in tabs:
        shows(tab, shared)
        tab.reload()
        shows(tab, shared)
    assert [tab.url for tab, _ in tabs] == places
