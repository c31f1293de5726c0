"""The Live page of a followed cluster: an hour of following, keys, freezing, other sizes."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.models import FollowedRevision, Following
from dashboard.clusters.revisions.contents import cache
from dashboard.following.workers import overview
from scheduler_core.manifests.bundle.model import BundleGap, BundleMeta
from tests.browser.axe import grave_findings
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.following.collectors import Collector, VirtualClock, bound, managed, work

pytestmark = pytest.mark.long
LIVE = "/w/team/clusters/shop/live/"
PICTURES = os.environ.get("TEST_PICTURES", "")
"""A folder for pictures of the page in its sizes; without it none are taken."""
QUOTA = (
    'Error creating: pods "api-7f9" is forbidden: exceeded quota: compute, requested: requests.cpu=2, used: '
    "requests.cpu=8, limited: requests.cpu=8"
)


class Owner:
    """The member who makes the token."""

    def __init__(self, member):
        self.member = member


def owned(name, owner, cpu, made):
    one = pod(name, cpu=cpu, namespace="shop")
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    one["metadata"] |= {"ownerReferences": [reference], "creationTimestamp": f"{made:%Y-%m-%dT%H:%M:%SZ}"}
    return one


def event(clock):
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "api.1", "namespace": "shop"},
        "involvedObject": {"kind": "ReplicaSet", "namespace": "shop", "name": "api-7f9"},
        "reason": "FailedCreate",
        "message": QUOTA,
        "lastTimestamp": f"{clock.now:%Y-%m-%dT%H:%M:%SZ}",
    }


@pytest.fixture
def member(live_server_url, sign_in) -> Member:
    """Asha, admin of "team", signed in."""
    cache.clear()
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    return Member.objects.select_related("workspace", "user").get(user=user)


@pytest.fixture
def collector(member, monkeypatch):
    """A cluster that was followed for an hour and ten minutes until now."""
    from dashboard.runs.lifecycle import waiting

    monkeypatch.setattr(waiting, "wake_worker", lambda task, queue="background": None)
    # However busy the machine is.
    monkeypatch.setattr(overview, "SECONDS_FOR_CAUSES", 600.0)
    real_now = timezone.now
    clock = VirtualClock(real_now().replace(minute=2, second=0, microsecond=0) - timedelta(hours=3))
    with monkeypatch.context() as patched:
        patched.setattr("django.utils.timezone.now", clock)
        collector = Collector(Owner(member), clock)
        early = clock.now - timedelta(minutes=40)
        train = [owned(f"train-{n}", "train-5c9d", "90", early) for n in range(6)]
        nodes = [node(f"w-{n:02}") for n in range(12)]
        collector.list_all(*nodes, *train, *(bound(f"web-{n}", f"w-{n % 12:02}", cpu="2") for n in range(40)))
        for step in range(17):
            clock.on(minutes=10)
            lines = collector.changed("ADDED", managed(bound(f"job-{step}", "w-00", cpu="10m"), "kube-scheduler"))
            lines += collector.changed("MODIFIED", managed(node("w-01", cpu=f"{8 + step % 2}"), "kubectl-edit"))
            if step == 9:
                lines += collector.changed("ADDED", event(clock), file="events.jsonl")
                lines += collector.changed("ADDED", owned("etl-0", "etl-6f7", "6", clock.now))
                lines += collector.changed("DELETED", bound("web-3", "w-03"))
            at = clock.seconds
            gaps = (
                BundleGap(code="NO_RIGHTS", text="May not be listed.", kind="CSIStorageCapacity", since=at),
                BundleGap(code="WATCH_EXPIRED", text="Listed again.", kind="Pod", since=at - 5000, until=at - 4700),
            )
            versions = ((at, "v1.36.2"),) if step > 12 else ()
            meta = collector.meta(gaps=gaps, versions=versions)
            collector.send(*lines, meta=meta)
            work()
    collector.clock.now = real_now()
    collector.send(*collector.changed("MODIFIED", managed(node("w-02", cpu="9"), "helm")), meta=meta)
    Following.objects.update(overview_due_at=timezone.now())
    work()
    return collector


def picture(page, name):
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{PICTURES}/{name}.png")


def no_sideways(page):
    wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0


def test_an_hour_of_following_on_its_page(browser_page, live_server_url, collector):
    page = browser_page
    assert len(FollowedRevision.objects.filter(kind="hour")) >= 2
    page.goto(live_server_url + LIVE)
    expect(page.locator("#lv-list tr[data-row]")).to_have_count(2)
    expect(page.locator("#lv-list tr[data-row]").first).to_contain_text("6")
    expect(page.locator(".lv-cells")).to_contain_text("following")
    expect(page.locator("#lv-list")).to_contain_text("ReplicaSet shop/api-7f9")
    expect(page.locator(".lv-ct")).to_contain_text("kubectl-edit")
    for width, height, look in ((1280, 800, "light"), (1920, 1080, "light"), (1024, 768, "dark"), (390, 844, "light")):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("(look) => { document.documentElement.dataset.theme = look }", look)
        no_sideways(page)
        picture(page, f"live-{look}-{width}")
        if width >= 1024:
            assert grave_findings(page) == []


def test_keys_walk_over_causes_and_hours_and_freeze_the_page(browser_page, live_server_url, collector):
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server_url + LIVE)
    rows = page.locator("#lv-list tr[data-row]")
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("f")
    expect(page.locator("#lv-frozen")).to_contain_text("frozen at")
    seen = page.locator("#live").get_attribute("data-seen")
    collector.send(*collector.changed("ADDED", bound("while-frozen", "w-00")))
    page.wait_for_timeout(2500)
    expect(page.locator("#live")).to_have_attribute("data-seen", seen)
    page.keyboard.press("f")
    expect(page.locator("#live")).not_to_have_attribute("data-seen", seen)
    chosen = page.locator(".lv-chg h2").inner_text()
    page.keyboard.press("]")
    page.wait_for_url("**/live/?since=*")
    expect(page.locator(".lv-chg h2")).not_to_have_text(chosen)
    page.keyboard.press("[")
    expect(page.locator(".lv-chg h2")).to_have_text(chosen)
    page.keyboard.press("d")
    page.wait_for_url("**/diff/?from=*")


def test_drawing_from_one_hour_to_another_compares_the_two(browser_page, live_server_url, collector):
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server_url + LIVE)
    hours = page.locator(".lv-strip a[data-moment]")
    boxes = [hours.nth(n).locator(".lv-hit").bounding_box() for n in range(hours.count())]
    assert len(boxes) >= 2
    first, last = boxes[0], boxes[-1]
    # From the later one to the earlier one: the order is that of time.
    page.mouse.move(last["x"] + last["width"] / 2, last["y"] + last["height"] / 2)
    page.mouse.down()
    page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2, steps=5)
    expect(page.locator(".lv-strip a.is-drawn")).to_have_count(len(boxes))
    page.mouse.up()
    page.wait_for_url("**/live/?since=*&until=*")
    expect(page.locator(".lv-strip .lv-span")).to_have_count(1)
    expect(page.locator(".lv-chg h2")).to_contain_text(" to ")
    page.keyboard.press("}")
    page.wait_for_url(lambda url: "until" not in url)


@pytest.mark.parametrize(("by", "count"), [("Owner", 2), ("Since", 1)])
def test_pending_pods_by_owner_and_by_age(browser_page, live_server_url, collector, by, count):
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server_url + LIVE)
    page.get_by_role("link", name=by, exact=True).click()
    page.wait_for_url(f"**/live/?by={by.lower()}*")
    rows = page.locator("#lv-list tr[data-row]")
    expect(rows).to_have_count(count)
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    picture(page, f"live-by-{by.lower()}")


def test_new_pieces_come_without_a_jump_and_causes_keep_their_order(browser_page, live_server_url, collector):
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server_url + LIVE)
    rows = page.locator("#lv-list tr[data-row]")
    first = rows.nth(0).get_attribute("data-row")
    rows.nth(0).hover()
    box = rows.nth(0).bounding_box()
    more = [owned(f"etl-{n}", "etl-6f7", "6", timezone.now()) for n in range(1, 12)]
    meta = msgspec.convert(Following.objects.get().meta, BundleMeta)
    collector.send(*collector.changed("ADDED", *more), meta=meta)
    work()
    Following.objects.update(overview_due_at=timezone.now())
    work()
    expect(page.locator("#lv-sort")).to_be_visible()
    expect(rows.nth(0)).to_have_attribute("data-row", first)
    assert rows.nth(0).bounding_box() == box
    page.locator("#lv-sort").click()
    expect(rows.nth(0)).not_to_have_attribute("data-row", first)


def test_why_leads_to_the_run_of_the_state_as_of_now(browser_page, live_server_url, collector):
    page = browser_page
    page.goto(live_server_url + LIVE)
    page.locator("#lv-list tr[data-row]").nth(1).locator("[data-why]").click()
    page.wait_for_url("**/shop/why/**")
    assert len(FollowedRevision.objects.filter(kind="asked")) == 1


def test_the_page_of_tokens(browser_page, live_server_url, collector):
    page = browser_page
    page.goto(f"{live_server_url}/w/team/tokens/")
    page.get_by_label("Name").fill("another collector")
    page.locator("[name=about]").fill("another")
    page.get_by_role("button", name="Make token").click()
    expect(page.locator("#new-token")).to_contain_text("schedscope_")
    for width, look in ((1280, "light"), (1024, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("(look) => { document.documentElement.dataset.theme = look }", look)
        no_sideways(page)
        picture(page, f"tokens-{look}-{width}")
        assert grave_findings(page) == []
    page.reload()
    expect(page.locator("#new-token")).to_have_count(0)
