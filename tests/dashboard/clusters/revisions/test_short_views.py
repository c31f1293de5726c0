"""Short addresses of revisions, of objects in them, and of the changes between two."""

from __future__ import annotations

import re

import pytest

from dashboard.accounts.access import Access
from dashboard.clusters.revisions.actions import Save
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import read_page_context
from dashboard.clusters.revisions.short_views import object_path
from tests.dashboard.clusters.saved_edits import delete_objects

HERE = "/w/team/clusters/prod/"


def description(response):
    """Return the sentence by which others show a link to the page."""
    said = re.search(r'<meta name="description" content="([^"]*)">', response.content.decode())[1]
    return " ".join(said.split())


@pytest.mark.parametrize(
    ("short", "full", "said"),
    [
        ("r/1/", "?r=1", "prod r1: 2 nodes and 3 pods."),
        ("r/1/from/0/", "diff/?from=0&to=1", "What changed in prod from r0 to r1: 6 added, 0 changed, 0 removed."),
        ("r/1/o/Node/node-a/", "object/?kind=Node&name=node-a&r=1", "Node node-a in prod r1."),
        (
            "r/1/o/Pod/default/web-1/",
            "object/?kind=Pod&ns=default&name=web-1&r=1",
            "Pod default/web-1 in prod r1.",
        ),
    ],
)
def test_each_leads_to_a_page_that_offers_it_and_says_what_it_is(viewer, cluster, short, full, said):
    assert viewer.get(HERE + short)["Location"] == HERE + full
    response = viewer.get(HERE + full)
    assert description(response) == said
    assert f'data-copy-text="http://testserver{HERE}{short}"' in response.content.decode()


def test_a_revision_keeps_its_address_when_another_follows(viewer, owner, cluster):
    assert f'data-copy-text="http://testserver{HERE}r/1/"' in viewer.get(HERE).content.decode()
    delete_objects(owner.member, cluster, [Key("Pod", "default", "web-1")], Save(1))
    assert viewer.get(f"{HERE}r/1/o/Pod/default/web-1/", follow=True).status_code == 200
    assert "3 pods" in description(viewer.get(f"{HERE}r/1/", follow=True))
    assert "2 pods" in description(viewer.get(HERE))


@pytest.mark.parametrize("short", ["r/9/", "r/9/from/1/", "r/1/o/Pod/default/gone/", "r/1/o/Pod/%2e%2e/x/"])
def test_what_is_not_there_is_not_found(viewer, cluster, short):
    assert viewer.get(HERE + short, follow=True).status_code == 404


def test_a_name_that_no_segment_holds_keeps_the_full_address(viewer, cluster):
    page = read_page_context(Access(viewer.member.workspace, viewer.member), "prod", {})
    assert object_path(page, Key("Node", "", "a/../b")) == f"{HERE}object/?kind=Node&name=a%2F..%2Fb&r=1"
    assert object_path(page, Key("ClusterRole", "", "system:node")) == f"{HERE}r/1/o/ClusterRole/system:node/"


def test_strangers_learn_nothing(client, cluster):
    response = client.get(f"{HERE}r/1/", follow=True)
    assert description(response) == "Schedscope"
    assert "nodes and" not in response.content.decode()
