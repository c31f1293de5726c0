"""Forms that make something, sent more than once: one thing, and every answer leads to it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.utils import timezone

from dashboard.accounts.models import SubmittedForm, Workspace
from dashboard.accounts.once import before_once, once
from dashboard.clusters.models import Cluster, ImportDraft, Revision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.common.problems import Problem, Repeated
from dashboard.documents.models import SchedulerConfig
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run
from tests.dashboard.run_helpers import cluster_of

CLICKS = 4


class _Fields(HTMLParser):
    """The hidden fields of a page by name, the last of each name."""

    def __init__(self):
        super().__init__()
        self.hidden_values = {}

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "input" and values.get("type") == "hidden":
            self.hidden_values[values["name"]] = values["value"]


def token_of(person, url):
    """Return the once-token of the form at the address."""
    fields = _Fields()
    fields.feed(person.get(url).content.decode())
    return fields.hidden_values["once"]


def clicked(person, url, data, at_once=False):
    """Return the addresses to which the answers of four clicks lead."""

    def one(_):
        try:
            response = person.post(url, data)
            assert response.status_code == 302, response.content.decode()
            return response["Location"]
        finally:
            if at_once:
                connections.close_all()

    if not at_once:
        return [one(n) for n in range(CLICKS)]
    with ThreadPoolExecutor(CLICKS) as pool:
        return list(pool.map(one, range(CLICKS)))


@pytest.fixture
def prod(workspace, monkeypatch):
    """A cluster that can be run; nobody is woken up."""
    monkeypatch.setattr(waiting, "_send", lambda _name: None)
    cluster = Cluster.objects.create(workspace=workspace, name="Prod", slug="prod")
    object_store.save_revision(cluster, cluster_of(2, 3), Saving(None))
    return cluster


@pytest.fixture
def draft(editor, prod):
    """The preview of an import that waits to be saved."""
    manifest = b"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4'}}\n"
    editor.post("/w/team/import/", {"files": SimpleUploadedFile("dump.yaml", manifest)})
    return ImportDraft.objects.get()


LAUNCH = {"cluster": "prod", "r": "1", "schedule": "all", "seed": "5"}


class TestLaunch:
    def test_four_clicks_make_one_run(self, editor, prod):
        data = {**LAUNCH, "once": token_of(editor, "/w/team/runs/new/?cluster=prod")}
        assert set(clicked(editor, "/w/team/runs/new/", data)) == {"/w/team/runs/1/"}
        assert Run.objects.count() == 1

    @pytest.mark.slow
    @pytest.mark.django_db(transaction=True)
    def test_four_clicks_at_the_same_moment_make_one_run(self, editor, prod):
        data = {**LAUNCH, "once": token_of(editor, "/w/team/runs/new/?cluster=prod")}
        assert set(clicked(editor, "/w/team/runs/new/", data, at_once=True)) == {"/w/team/runs/1/"}
        assert Run.objects.count() == 1

    def test_the_page_opened_again_starts_another_run(self, editor, prod):
        for _ in range(2):
            data = {**LAUNCH, "once": token_of(editor, "/w/team/runs/new/?cluster=prod")}
            assert editor.post("/w/team/runs/new/", data).status_code == 302
        assert Run.objects.count() == 2

    def test_the_same_page_with_another_seed_starts_another_run(self, editor, prod):
        data = {**LAUNCH, "once": token_of(editor, "/w/team/runs/new/?cluster=prod")}
        editor.post("/w/team/runs/new/", data)
        assert editor.post("/w/team/runs/new/", {**data, "seed": "6"})["Location"] == "/w/team/runs/2/"

    def test_a_refused_form_can_be_sent_again(self, editor, prod):
        Workspace.objects.update(max_storage_bytes=1)
        Run.everything.all().delete()
        data = {**LAUNCH, "once": "a-token"}
        assert editor.post("/w/team/runs/new/", {**data, "seed": "x"}).status_code == 422
        assert not SubmittedForm.objects.exists()
        Workspace.objects.update(max_storage_bytes=1 << 30)
        assert editor.post("/w/team/runs/new/", data).status_code == 302

    def test_htmx_is_led_to_the_same_run(self, editor, prod):
        data, headers = {**LAUNCH, "once": "a-token"}, {"HX-Request": "true"}
        answers = [editor.post("/w/team/runs/new/", data, headers=headers) for _ in range(2)]
        assert [answer["HX-Redirect"] for answer in answers] == ["/w/team/runs/1/"] * 2

    def test_the_token_of_somebody_else_is_another_one(self, editor, owner, prod):
        for person in (editor, owner):
            assert person.post("/w/team/runs/new/", {**LAUNCH, "once": "a-token"}).status_code == 302
        assert Run.objects.count() == 2

    def test_scripts_without_a_token_start_as_many_runs_as_they_ask_for(self, editor, prod):
        assert len(set(clicked(editor, "/w/team/runs/new/", LAUNCH))) == CLICKS


class TestBefore:
    """What is read before the transaction."""

    def test_a_check_that_fails_since_the_form_was_answered_meanwhile_leads_there(self, rf, editor):
        request = rf.post("/w/team/x/", {"once": "a-token"})
        request.user = editor.user

        def answer():
            with once(request) as claim:
                claim.leads_to("/made/")
            raise Problem("There is no room any more.")

        with pytest.raises(Repeated) as repeated, before_once(request):
            answer()
        assert repeated.value.location == "/made/"
        with pytest.raises(Repeated), before_once(request):
            pytest.fail("what is answered already is not read again")

    def test_a_check_that_fails_is_said(self, rf, editor):
        request = rf.post("/w/team/x/", {"once": "a-token"})
        request.user = editor.user
        with pytest.raises(Problem, match="no room"), before_once(request):
            raise Problem("There is no room.")


class TestImport:
    @pytest.mark.parametrize("into", ["", "prod"])
    def test_four_clicks_save_one_revision(self, editor, draft, into):
        before = Revision.objects.count()
        preview = f"/w/team/import/{draft.pk}/"
        data = {"into": into, "name": "dump", "message": "", "once": token_of(editor, preview)}
        leads = clicked(editor, f"{preview}save", data)
        assert set(leads) == {f"/w/team/clusters/{into or 'dump'}/"}
        assert Revision.objects.count() == before + 1

    @pytest.mark.slow
    @pytest.mark.django_db(transaction=True)
    def test_four_clicks_at_the_same_moment_save_one_revision(self, editor, draft):
        before = Revision.objects.count()
        data = {"into": "prod", "name": "", "message": "", "once": "a-token"}
        leads = clicked(editor, f"/w/team/import/{draft.pk}/save", data, at_once=True)
        assert set(leads) == {"/w/team/clusters/prod/"}
        assert Revision.objects.count() == before + 1


class TestOtherForms:
    def test_new_cluster(self, editor):
        data = {"name": "Fresh", "description": "", "once": token_of(editor, "/w/team/clusters/new/")}
        assert set(clicked(editor, "/w/team/clusters/new/", data)) == {"/w/team/clusters/fresh/"}

    def test_new_workspace(self, editor):
        data = {"name": "Squad", "slug": "", "once": token_of(editor, "/workspaces/new/")}
        assert set(clicked(editor, "/workspaces/new/", data)) == {"/w/squad/"}
        assert Workspace.objects.filter(name="Squad").count() == 1

    def test_new_configuration(self, editor):
        url = "/w/team/configurations/new/"
        text = re.search(r"(apiVersion: kubescheduler.*?)</textarea>", editor.get(url).content.decode(), re.DOTALL)[1]
        data = {"name": "Mine", "text": text, "step": "save", "base": "0", "thing": "", "once": token_of(editor, url)}
        assert set(clicked(editor, "/w/team/configurations/save", data)) == {"/w/team/configurations/mine/"}
        assert SchedulerConfig.objects.count() == 1


def test_old_rows_are_swept_away(editor, prod):
    for token in ("one", "two"):
        editor.post("/w/team/runs/new/", {**LAUNCH, "once": token})
        SubmittedForm.objects.update(created_at=timezone.now() - timedelta(days=2))
    assert SubmittedForm.objects.count() == 1
