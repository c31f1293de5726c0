"""What browsers and proxies between may keep."""

from __future__ import annotations

import pytest
from django.urls import get_resolver, reverse

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from tests.dashboard.run_helpers import cluster_of

STATIC = "/static/common/app.js"
# Large, and the same until the cluster changes, or the product: the browser keeps them, and asks each time whether they
# still hold.
ASKED_EACH_TIME = ("/w/team/clusters/prod/map/", "/w/team/field-guide", "/w/team/generate/fields")
OF_A_RUN_ASKED_EACH_TIME = {"map", "density"}


@pytest.fixture
def prod(workspace):
    """A cluster with one revision."""
    cluster = Cluster.objects.create(workspace=workspace, name="Prod", slug="prod")
    object_store.save_revision(cluster, cluster_of(2, 3), Saving(None))
    return cluster


def directives(response):
    return {word.strip() for word in response["Cache-Control"].split(",")}


def addresses():
    """Return all addresses that need a workspace and a cluster at most."""
    address_parts, urls = {"slug": "team", "cluster": "prod"}, []
    for namespace, (_prefix, resolver) in get_resolver().namespace_dict.items():
        for name in filter(lambda name: isinstance(name, str), resolver.reverse_dict):
            needed = set(resolver.reverse_dict[name][0][0][1])
            if "slug" in needed and needed <= address_parts.keys():
                urls.append(reverse(f"{namespace}:{name}", kwargs={key: address_parts[key] for key in needed}))
    return sorted(urls)


@pytest.mark.parametrize("url", sorted({*addresses()} - {*ASKED_EACH_TIME}))
def test_no_answer_of_a_workspace_is_kept_by_anybody(owner, prod, url):
    assert {"private", "no-store"} <= directives(owner.get(url))


def run_addresses():
    """Return all addresses that need a workspace and a run."""
    resolvers = (resolver for _prefix, resolver in get_resolver().namespace_dict.values())
    needed = {
        name: resolver.reverse_dict[name][0][0][1]
        for resolver in resolvers
        for name in resolver.reverse_dict
        if isinstance(name, str) and resolver.app_name == "debugger"
    }
    return sorted(name for name, parts in needed.items() if set(parts) == {"slug", "number"})


@pytest.mark.parametrize("name", sorted({*run_addresses()} - OF_A_RUN_ASKED_EACH_TIME))
def test_no_answer_of_a_run_is_kept_by_anybody(owner, prod, monkeypatch, name):
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    run = create_run(owner.member, Launch(prod.revisions.get()))
    response = owner.get(reverse(f"debugger:{name}", args=["team", run.number]))
    assert {"private", "no-store"} <= directives(response)


@pytest.mark.parametrize("url", ASKED_EACH_TIME)
def test_what_a_browser_may_keep_it_keeps_alone_and_asks_each_time(owner, prod, url):
    assert directives(owner.get(url)) >= {"private", "max-age=0", "must-revalidate"}


@pytest.mark.parametrize("url", ["/", "/account/", "/w/team/nowhere/", "/w/elsewhere/", "/workspaces/new/"])
def test_other_answers_are_kept_by_nobody_either(owner, anonymous, url):
    assert "no-store" in directives(owner.get(url))
    assert "no-store" in directives(anonymous.get(url))


def test_exports_are_kept_by_nobody(owner, prod):
    response = owner.get("/w/team/clusters/prod/export")
    assert response.status_code == 200
    assert {"private", "no-store"} <= directives(response)


def test_refused_forms_are_kept_by_nobody(owner, workspace):
    assert "no-store" in directives(owner.post("/w/team/members/invite", {"email": "x"}))


def test_static_files_may_be_kept(owner):
    response = owner.get(STATIC)
    assert response.status_code == 200
    assert "public" in directives(response)
    assert "no-store" not in directives(response)
