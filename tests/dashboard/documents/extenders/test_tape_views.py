"""The pages of tapes: what they say of one, an upload with its refusals, and the file as it was."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections

from dashboard.documents.extenders import actions, tape_views
from dashboard.documents.extenders.tape_files import checked_tape
from dashboard.documents.models import ExtenderTape
from tests.dashboard.documents.tapes import small_tape
from tests.dashboard.helpers import assert_strict_csp
from tests.scheduler_core.extenders.tape.test_reader import bomb

pytestmark = pytest.mark.django_db

HERE = "/w/team/extenders/tapes/"
UPLOAD = "/w/team/extenders/upload/"


def upload(person, data, **fields):
    return person.post(UPLOAD, {"file": SimpleUploadedFile("run.tape", data), **fields})


def test_a_page_says_what_a_tape_holds(viewer, tape):
    page = viewer.get(f"{HERE}monday/").content.decode()
    assert_strict_csp(page)
    assert "05 Jan 2026, 09:00 UTC" in page
    assert "prod.json" in page
    assert '<dt>Nodes</dt><dd class="tn">2</dd>' in page
    assert "http://a.example" in page
    assert "http://b.example/x" in page
    assert "default/web-0" in page
    assert "HTTP 500" in page
    assert "timeout" in page
    assert "describe the real" in page


def test_a_tape_that_tells_neither_time_nor_file_says_so(editor):
    upload(editor, small_tape(recorded_at=0.0, source="", n_nodes=0), name="old")
    page = editor.get(f"{HERE}old/").content.decode()
    assert "<dd>unknown</dd>" in page
    assert "unknown file" in page


def test_calls_are_found_by_pod_and_paged(viewer, tape, monkeypatch):
    page = viewer.get(f"{HERE}monday/?q=web-1").content.decode()
    assert "default/web-1" in page
    assert "default/web-0" not in page
    monkeypatch.setattr(tape_views, "paginate", lambda source, query: paginate(source, query, size=2))
    page = viewer.get(f"{HERE}monday/?page=2").content.decode()
    assert "4 of 5" in page
    assert "No call is" in viewer.get(f"{HERE}monday/?q=nobody").content.decode()


paginate = tape_views.paginate


def test_a_small_tape_that_declares_millions_of_things_is_refused_in_one_sentence(editor):
    answer = upload(editor, bomb(2_100_000), name="monday")
    assert answer.status_code == 422
    assert "than 2,000,000 pieces" in answer.content.decode()
    assert not ExtenderTape.objects.exists()


def test_an_upload_leads_to_the_page_of_the_tape(editor):
    answer = upload(editor, small_tape(), name="monday", message="after the upgrade")
    assert answer["Location"] == f"{HERE}monday/"
    page = editor.get(HERE).content.decode()
    assert 'href="/w/team/extenders/tapes/monday/"' in page
    assert "after the upgrade" in editor.get(f"{HERE}monday/").content.decode()


def test_an_upload_that_is_refused_keeps_what_was_written(editor):
    answer = upload(editor, small_tape()[:-5], name="monday", message="mine")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "not taken in" in page
    assert "run.tape: byte" in page
    assert 'value="monday"' in page
    assert 'value="mine"' in page
    assert not ExtenderTape.objects.exists()


def test_without_a_file_the_form_says_so(editor):
    answer = editor.post(UPLOAD, {"name": "monday"})
    assert answer.status_code == 422
    assert "no file" in answer.content.decode()


def test_a_second_recording_of_a_tape_is_its_next_revision(editor, tape):
    assert "Upload a revision" in editor.get(f"{UPLOAD}?tape=monday").content.decode()
    upload(editor, small_tape(source="later.json"), tape="monday")
    assert "later.json" in editor.get(f"{HERE}monday/").content.decode()
    old = editor.get(f"{HERE}monday/?r=1").content.decode()
    assert "newest is revision" in old
    assert "prod.json" in old


def test_the_file_comes_back_as_it_was(viewer, tape):
    answer = viewer.get(f"{HERE}monday/export?r=1")
    assert answer.content == small_tape()
    assert answer["Content-Disposition"] == 'attachment; filename="monday-r1.tape"'


def test_a_password_in_an_address_is_not_shown(editor):
    header = small_tape()
    revision_page = editor.get  # the header's addresses are the user's: they may hold a user and password
    upload(editor, header, name="monday")
    tape = ExtenderTape.objects.get()
    revision = tape.revisions.get()
    revision.header["extenders"][0]["urlPrefix"] = "http://me:secret@a.example/x"
    revision.save()
    page = revision_page(f"{HERE}monday/").content.decode()
    assert "http://a.example/x" in page
    assert "secret" not in page


def test_hostile_names_are_text(editor):
    upload(editor, small_tape(source="<script>alert(1)</script>"), name="<b>monday</b>")
    tape = ExtenderTape.objects.get()
    page = editor.get(f"{HERE}{tape.slug}/").content.decode()
    assert "<script>alert" not in page
    assert "<b>monday" not in page


def test_archiving_and_deleting_lead_to_the_list(editor, tape):
    assert editor.post(f"{HERE}monday/archive", {"archived": "1"})["Location"] == HERE
    assert "Archived 1" in editor.get(HERE).content.decode()
    assert editor.post(f"{HERE}monday/delete")["Location"] == HERE
    assert not ExtenderTape.objects.exists()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_others_write_while_a_tape_is_read(editor, owner, monkeypatch):
    begun, written = Event(), Event()

    def read(file, name):
        begun.set()
        assert written.wait(20)
        return checked_tape(file, name)

    def uploaded():
        try:
            return upload(editor, small_tape(), name="monday").status_code
        finally:
            connections.close_all()

    monkeypatch.setattr(actions, "checked_tape", read)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(uploaded)
        assert begun.wait(20)
        made = owner.post("/w/team/clusters/new/", {"name": "meanwhile"})
        written.set()
        assert (made.status_code, answer.result()) == (302, 302)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda person: person.get(f"{HERE}monday/?q=nobody"), "No call is for a pod"),
        (lambda person: person.get(f"{UPLOAD}?tape=monday"), "Upload a revision of"),
        (lambda person: person.post(UPLOAD, {"name": "other"}), "There is no file"),
        (lambda person: upload(person, small_tape()[:-5], name="other"), "This tape is not taken in"),
    ],
)
def test_words(editor, tape, ask, sentence):
    assert sentence in ask(editor).content.decode()
