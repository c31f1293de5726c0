"""A full disk and a database that is away: a page that says so, and nothing half saved."""

from __future__ import annotations

import errno
import json
from urllib.parse import unquote

import pytest
from django.contrib.sessions.models import Session
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.test import Client

from dashboard.clusters.models import Cluster, ImportDraft, Revision
from dashboard.common.database.storage_problems import DatabaseAway, StorageFull, storage_problem
from tests.dashboard.conftest import PASSWORD
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of

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


def caused(error, cause):
    error.__cause__ = cause
    return error


class DiskFull(Exception):
    """What psycopg's errors carry."""

    sqlstate = "53100"


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), StorageFull),
        (OSError(errno.EDQUOT, "Quota exceeded"), StorageFull),
        (caused(OperationalError("could not extend file"), DiskFull()), StorageFull),
        (OperationalError("server closed the connection"), DatabaseAway),
        (InterfaceError("the connection is closed"), DatabaseAway),
        (OSError(errno.ENOENT, "No such file"), None),
        (DatabaseError("no such table"), None),
        (ValueError("x"), None),
        (None, None),
    ],
)
def test_which_errors_are_of_the_disk_or_the_database(error, problem):
    assert type(storage_problem(error)) is (problem or type(None))
