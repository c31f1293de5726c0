"""Problems as pages and as htmx answers, Django's own refusals included."""

from __future__ import annotations

import json
import logging
from urllib.parse import unquote

import pytest
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import connection
from django.http import Http404
from django.test import Client, override_settings
from django.urls import path

from dashboard.clusters.models import Cluster, ImportDraft, Revision
from dashboard.common import problems
from tests.dashboard.conftest import PASSWORD
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of

RAISED = {
    "query": problems.BadQuery('"cycle" must be a whole number.'),
    "conflict": problems.Conflict("Asha saved r42 — 名."),
    "large": problems.TooLarge("The file has 300 MB; the limit is 256 MB."),
    "way": problems.NotFound(
        "Run 214 has cycles 1 to 7,316.", way_out=problems.WayOut("/last", "Go to the last cycle")
    ),
    "http404": Http404("secret detail"),
    "denied": PermissionDenied("Not today."),
    "toobig": RequestDataTooBig("x"),
    "files": TooManyFilesSent("x"),
    "fields": TooManyFieldsSent("x"),
    "broken": RuntimeError("boom"),
}


def explode(request, name):
    raise RAISED[name]


urlpatterns = [path("boom/<name>", explode)]
handler400 = "dashboard.common.http.problem_pages.page_400"
handler403 = "dashboard.common.http.problem_pages.page_403"
handler404 = "dashboard.common.http.problem_pages.page_404"
handler500 = "dashboard.common.http.problem_pages.page_500"


@pytest.fixture
def browser(monkeypatch):
    # Problem pages link to the first page; here it has no route of its own.
    monkeypatch.setattr("django.template.defaulttags.URLNode.render", lambda node, context: "/")
    with override_settings(ROOT_URLCONF=__name__):
        yield Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        ("query", 400, "must be a whole number"),
        ("conflict", 409, "Asha saved r42"),
        ("large", 413, "300 MB"),
        ("way", 404, '<a class="btn btn-sm btn-primary" href="/last">Go to the last cycle</a>'),
        ("http404", 404, "Nothing is here"),
        ("denied", 403, "Not today."),
        ("toobig", 413, "The text in the form is larger than this installation takes (32 MiB)"),
        ("files", 413, "More than 2,000 files were sent at once"),
        ("fields", 413, "The form has more than 5,000 fields"),
    ],
)
def test_page(browser, name, status, sentence):
    response = browser.get(f"/boom/{name}")
    assert response.status_code == status
    assert sentence in response.content.decode()
    assert "secret detail" not in response.content.decode()
    assert_strict_csp(response.content)


def test_a_failure_of_ours_has_a_number_that_the_log_has_too(browser, caplog):
    with caplog.at_level(logging.ERROR):
        response = browser.get("/boom/broken")
    page = response.content.decode()
    number = page.split("under the number ")[1].split(".")[0]
    assert response.status_code == 500
    assert "boom" not in page
    assert any(number in record.getMessage() and record.exc_info for record in caplog.records)


def test_htmx_gets_a_fragment_and_the_words_in_a_header(browser):
    response = browser.get("/boom/conflict", headers={"HX-Request": "true"})
    assert response.status_code == 409
    assert unquote(response["X-Problem"]) == "Asha saved r42 — 名."
    assert "<html" not in response.content.decode()


NO_LIMIT = 2**30
FORM = {"into": "", "name": "big"}


@pytest.fixture
def full_disk(transactional_db):
    """A function that leaves the database without room for another page, as a full disk does."""
    if connection.vendor != "sqlite":
        pytest.skip("the limit is SQLite's; a full disk under PostgreSQL needs a disk of its own")

    def fill():
        with connection.cursor() as cursor:
            # Free pages of the file would be used first.
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA page_count")
            cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0]}")

    yield fill
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA max_page_count = {NO_LIMIT}")


@pytest.fixture
def draft(editor):
    """An import of a cluster that takes many pages, read but not saved; the address of its preview."""
    items = [dict(one, spec=dict(one.get("spec", {}))) for one in cluster_of(50, 400)]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    return editor.post("/w/team/import/", {"text": text})["Location"]


def signed_in_sessions():
    return sum("_auth_user_id" in session.get_decoded() for session in Session.objects.all())


@pytest.mark.slow
def test_a_sign_in_on_a_full_disk_is_a_page_that_says_so(full_disk, owner):
    # Sessions are small: those of many browsers fill what is left of the last page.
    full_disk()
    before, answers = signed_in_sessions(), []
    for _ in range(400):
        browser = Client(raise_request_exception=False)
        answer = browser.post("/signin", {"email": owner.user.email, "password": PASSWORD})
        answers.append(answer.status_code)
        if answer.status_code != 302:
            break
    assert answers[-1] == 507, answers
    assert "disk is full" in answer.content.decode()
    assert "schedscope_session" not in answer.cookies
    assert_strict_csp(answer.content)
    assert signed_in_sessions() == before + answers.count(302)
    assert owner.get("/w/team/").status_code == 200


def test_a_save_on_a_full_disk_saves_nothing_and_keeps_the_import(full_disk, editor, draft):
    editor.raise_request_exception = False
    full_disk()
    answer = editor.post(f"{draft}save", FORM)
    assert answer.status_code == 507
    assert "Nothing of what you sent was saved. Make room on the disk" in answer.content.decode()
    assert (Cluster.objects.count(), Revision.objects.count(), ImportDraft.objects.count()) == (0, 0, 1)


def test_the_same_save_works_when_there_is_room_again(full_disk, editor, draft):
    editor.raise_request_exception = False
    full_disk()
    assert editor.post(f"{draft}save", FORM).status_code == 507
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA max_page_count = {NO_LIMIT}")
    assert editor.post(f"{draft}save", FORM).status_code == 302
    assert Revision.objects.get().counts == {"Node": 50, "Pod": 400}


def test_htmx_gets_the_words_in_a_header(full_disk, editor, draft):
    editor.raise_request_exception = False
    full_disk()
    answer = editor.post(f"{draft}save", FORM, headers={"HX-Request": "true"})
    assert unquote(answer["X-Problem"]).startswith("Nothing of what ")
    assert "<html" not in answer.content.decode()
