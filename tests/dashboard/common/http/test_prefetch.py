"""Pages that are fetched ahead: they read, and whatever would do more is left until the link is followed."""

from __future__ import annotations

import json

import pytest
from django.db import connection, transaction
from django.http import HttpResponse

from dashboard.accounts.models import Workspace
from dashboard.common.http.prefetch import PrefetchMiddleware, PrefetchRefused, refuse_prefetch

AHEAD = {"Sec-Purpose": "prefetch;anonymous-client-ip"}


def test_pages_name_the_rules_and_parts_do_not(owner):
    address = json.loads(owner.get("/w/team/")["Speculation-Rules"])
    answer = owner.get(address)
    assert answer["Content-Type"] == "application/speculationrules+json"
    assert [one["eagerness"] for one in answer.json()["prefetch"]] == ["moderate"]
    assert not owner.get("/w/team/", headers={"HX-Request": "true"}).has_header("Speculation-Rules")


@pytest.mark.parametrize(
    ("path", "has_rules"), [("/w/a/runs/", True), ("/w/a/runs/2/", False), ("/w/a/clusters/b/", True)]
)
def test_pages_of_a_run_name_no_rules(rf, path, has_rules):
    answer = PrefetchMiddleware(lambda _: HttpResponse())(rf.get(path))
    assert answer.has_header("Speculation-Rules") == has_rules


def test_a_page_is_fetched_ahead_as_it_is(owner):
    assert owner.get("/w/team/runs/", headers=AHEAD).content.count(b"<main") == 1


def asked_ahead(rf, view):
    """Return the status of an answer to a prefetch whose view does this."""

    def answer(_request):
        with transaction.atomic():
            view()
        return HttpResponse()

    middleware = PrefetchMiddleware(answer)
    try:
        return middleware(rf.get("/", headers=AHEAD)).status_code
    except PrefetchRefused as error:
        return middleware.process_exception(None, error).status_code


@pytest.mark.django_db
@pytest.mark.parametrize(
    "write",
    [
        lambda: Workspace.objects.create(name="x", slug="x"),
        lambda: Workspace.objects.update(name="y"),
        lambda: Workspace.objects.all()._raw_delete("default"),
        lambda: connection.cursor().execute("  insert into accounts_workspace (name) values ('x')"),
        refuse_prefetch,
    ],
)
def test_what_writes_or_asks_somebody_is_refused(rf, write, workspace):
    assert asked_ahead(rf, write) == 503
    assert list(Workspace.objects.values_list("name", flat=True)) == [workspace.name]


@pytest.mark.django_db
def test_only_the_request_that_fetches_ahead_is_held_to_reading(rf, workspace):
    assert asked_ahead(rf, refuse_prefetch) == 503
    refuse_prefetch()
    Workspace.objects.update(name="later")


def test_a_message_waits_for_the_page_that_shows_it(owner, workspace):
    owner.post("/w/team/settings/", {"name": "Renamed"})
    ahead = owner.get("/w/team/", headers=AHEAD)
    assert not ahead.cookies
