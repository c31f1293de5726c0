"""People at the same run see each other, follow each other, and point at what they mean."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import Role
from tests.browser.axe import grave_findings
from tests.browser.conftest import PATIENCE_MS
from tests.browser.team import Team

pytestmark = pytest.mark.slow

# They are shown for some seconds: on a slow machine one may be gone before a test looks.
REMEMBER_RINGS = """() => {
    new MutationObserver((records) => {
        for (const {addedNodes} of records)
            for (const one of addedNodes) if (one.matches?.('.pointed')) document.body.dataset.rings = one.textContent;
    }).observe(document.body, {childList: true});
}"""


@pytest.fixture
def team(chromium, live_server_url, run):
    """The people of the run's workspace."""
    team = Team(chromium, live_server_url, run.workspace, PATIENCE_MS)
    yield team
    team.leave()
    assert team.complaints == []


def faces(page):
    """The letters of the others in the bar."""
    return page.locator("#people [data-avatars] .avatar")


def ready(page):
    """Return the page with its scripts started."""
    page.wait_for_selector("html[data-debugger=ready]")
    expect(page.locator("#people")).to_be_visible()
    return page


@pytest.mark.long
def test_whoever_looks_at_a_run_is_seen_until_they_leave(team, run):
    asha, ben = team.join("Asha Kulkarni"), team.join("Ben <b>Okoro</b>\u202e")
    path = f"/w/team/runs/{run.number}/"
    first = ready(team.open(asha, f"{path}?cycle=2"))
    expect(first.locator("#people summary")).to_have_accessible_name("Nobody else is here")
    second = team.open(ben, f"{path}review/")
    expect(faces(first)).to_have_text(["BB"])
    expect(faces(second)).to_have_text(["AK"])
    expect(second.locator("#people summary")).to_have_accessible_name("Here now: Asha Kulkarni")
    tones = {faces(page).get_attribute("class") for page in (first, second)}
    assert len(tones) == 2
    first.keyboard.press("g")
    first.keyboard.press("p")
    line = first.locator("#people [data-follow]")
    expect(line).to_be_visible()
    expect(line).to_contain_text("Ben <b>Okoro</b>")
    expect(line).to_contain_text("Review")
    assert grave_findings(first) == []
    second.close()
    expect(faces(first)).to_have_count(0)


@pytest.mark.long
def test_a_page_follows_somebody_until_its_reader_moves(team, run):
    path = f"/w/team/runs/{run.number}/"
    leader = ready(team.open(team.join("Asha"), f"{path}?cycle=1"))
    reader = ready(team.open(team.join("Ben"), f"{path}?cycle=3"))
    reader.locator("#people summary").click()
    reader.locator("#people [data-follow]").click()
    expect(reader.locator("#follow-bar")).to_contain_text("Following Asha")
    expect(reader.locator("#main[data-cycle='1']")).to_be_attached()
    leader.keyboard.press("F10")
    expect(leader.locator("#main[data-cycle='2']")).to_be_attached()
    expect(reader.locator("#main[data-cycle='2']")).to_be_attached()
    expect(reader.locator("html")).not_to_have_attribute("data-moves", "busy")
    assert grave_findings(reader) == []

    # To another page of the run, which is loaded, and goes on following there.
    leader.goto(f"{team.origin}{path}events/?seq=9")
    reader.wait_for_url("**/events/?seq=9*")
    expect(reader.locator("#follow-bar")).to_contain_text("Following Asha")
    ready(leader), ready(reader)
    leader.locator("#transport a[rel=next]").click()
    expect(leader).not_to_have_url(f"{team.origin}{path}events/?seq=9")
    expect(reader).to_have_url(leader.url)

    reader.keyboard.press("Escape")
    expect(reader.locator("#follow-bar")).to_have_count(0)
    reader.locator("#people summary").click()
    reader.locator("#people [data-follow]").click()
    expect(reader.locator("#follow-bar")).to_be_visible()
    reader.locator("#transport a[rel=next]").click()
    expect(reader.locator("#follow-bar")).to_have_count(0)


@pytest.mark.long
def test_whom_one_follows_stands_beside_the_place_and_covers_no_tab(team, run):
    path = f"/w/team/runs/{run.number}/"
    ready(team.open(team.join("Maximiliane-Theodora von Hohenstauffen-Waldburg"), f"{path}?cycle=1"))
    page = ready(team.open(team.join("Ben"), f"{path}?cycle=1"))
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#people summary").click()
    expect(page.locator("#people [data-follow] .tailed .kept")).to_have_text("n-Waldburg")
    before, place = (page.locator(one).bounding_box() for one in (".runbar", ".appbar-left > .crumb[aria-current]"))
    page.locator("#people [data-follow]").click()
    expect(page.locator("#follow-bar [data-stop-following]")).to_be_visible()
    bar, crumb, field = (
        page.locator(one).bounding_box() for one in ("#follow-bar", ".appbar-left > .crumb[aria-current]", ".runbar")
    )
    assert (field, crumb) == (before, place)
    assert crumb["x"] + crumb["width"] <= bar["x"]
    assert bar["y"] + bar["height"] <= field["y"]


@pytest.mark.long
def test_a_meeting_is_a_link_that_follows_its_host_wherever_they_are(team, run):
    path = f"/w/team/runs/{run.number}/"
    host = team.join("Asha")
    page = ready(team.open(host, f"{path}?cycle=2"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#people summary").click()
    page.get_by_role("menuitem", name="Copy the link to follow you").click()
    expect(page.locator(".toast")).to_contain_text("People who open it follow you")
    link = page.evaluate("navigator.clipboard.readText()")
    # Meanwhile the host has gone on to another page.
    page.goto(f"{team.origin}{path}review/")
    expect(page.locator("#people")).to_be_visible()
    guest = team.open(team.join("Ben"), link.removeprefix(team.origin))
    guest.wait_for_url("**/review/")
    expect(guest.locator("#follow-bar")).to_contain_text("Following Asha")


@pytest.mark.long
def test_what_somebody_points_at_is_shown_to_the_others_with_the_name(team, run):
    path = f"/w/team/runs/{run.number}/"
    asha = ready(team.open(team.join("Asha"), f"{path}?cycle=1&tab=matrix"))
    ben = ready(team.open(team.join("Ben"), f"{path}?cycle=1&tab=matrix"))
    viewer = ready(team.open(team.join("Vera", Role.VIEWER), f"{path}?cycle=1&tab=matrix"))
    expect(faces(asha)).to_have_count(2)
    cell = asha.locator("[data-matrix] tbody tr[data-node] td.fc").first
    node = cell.locator("xpath=..").get_attribute("data-node")
    for page in (ben, viewer):
        page.evaluate(REMEMBER_RINGS)
    cell.hover()
    asha.keyboard.press("q")
    for page in (ben, viewer):
        expect(page.locator("body")).to_have_attribute("data-rings", "AAsha")
        expect(page.locator("#people [data-said]")).to_contain_text(f"Asha points at {node}, ")
        expect(page.locator(".pointed")).to_have_count(0)
    expect(viewer.locator("#people [data-point-here]")).to_have_count(0)
    # Somebody who looks at another page is told in words, and led there.
    away = team.open(team.join("Edda"), f"{path}review/")
    expect(faces(away)).to_have_count(3)
    cell.hover()
    asha.keyboard.press("q")
    expect(away.locator(".toast")).to_contain_text(f"Asha points at {node}")
    away.locator(".toast").get_by_role("button", name="Go there").click()
    away.wait_for_url(f"**{path}?*cycle=1*")
