"""Files dropped anywhere on the pages of clusters are read, and on the form of an import they are put into it."""

from __future__ import annotations

import base64
import io
import re
import zipfile

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import Member, User
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.actions import NewCluster
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node, small

DROP = """([name, data]) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name));
    for (const kind of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, cancelable: true}));
}"""


@pytest.fixture
def member(live_server_url, sign_in) -> Member:
    """Asha, admin of "team", signed in; the cluster "prod" is there."""
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    member = Member.objects.select_related("workspace", "user").get(user=user)
    actions.create_cluster(member, NewCluster("prod"), small())
    return member


def drop(page: Page, name: str, data: bytes) -> None:
    """Drop a file on the page as soon as its script listens."""
    expect(page.locator("html")).to_have_attribute("data-drop-ready", "")
    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def test_a_file_dropped_on_a_cluster_is_previewed_for_it(browser_page, live_server_url, member):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("dump/n.yaml", dump_yaml([node("dropped")]))
    browser_page.goto(f"{live_server_url}/w/team/clusters/prod/nodes/")
    drop(browser_page, "logo.png", b"x")
    expect(browser_page.get_by_text("None of this is a manifest")).to_be_visible()
    drop(browser_page, "dump.zip", out.getvalue())
    browser_page.wait_for_url(re.compile(r"/w/team/import/\d+/$"))
    expect(browser_page.get_by_role("heading", name="Import into prod")).to_be_visible()
    expect(browser_page.get_by_text("dump.zip/dump/n.yaml").first).to_be_visible()


def test_a_file_dropped_beside_the_form_is_put_into_it(browser_page, live_server_url, member):
    browser_page.goto(f"{live_server_url}/w/team/import/")
    drop(browser_page, "n.yaml", dump_yaml([node("n")]).encode())
    expect(browser_page.locator(".drop .names")).to_have_text("n.yaml")
    drop(browser_page, "more.yaml", dump_yaml([node("m")]).encode())
    expect(browser_page.locator(".drop .names")).to_have_text("n.yaml, more.yaml")
    browser_page.get_by_role("button", name="Preview").click()
    browser_page.wait_for_url(re.compile(r"/w/team/import/\d+/$"))
    expect(browser_page.get_by_text("2 files,")).to_be_visible()
