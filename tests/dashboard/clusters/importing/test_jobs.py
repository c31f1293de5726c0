"""Imports as workers read and save them: each way of a form, from the files to what they become."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from dashboard.clusters.models import ImportDraft
from dashboard.runs.workers import background_tasks
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.background.task_helpers import led
from tests.dashboard.clusters.conftest import node, pod, small

URL = "/w/team/import/"
TEXT = dump_yaml(small())


def post(person, url=URL, **data):
    return person.post(url, data)


def test_the_same_import_comes_of_a_request_and_of_a_worker(editor, all_large, monkeypatch):
    by_worker = led(editor, post(editor, text=TEXT, keep_values="1"))
    monkeypatch.undo()
    at_once = post(editor, text=TEXT, keep_values="1")["Location"]
    reports = [ImportDraft.objects.get(pk=address.split("/")[-2]).report for address in (by_worker, at_once)]
    assert {**reports[0], "seconds": 0} == {**reports[1], "seconds": 0}


def test_an_import_goes_through_workers_from_the_files_to_the_cluster(editor, all_large):
    preview = led(editor, post(editor, text=TEXT))
    more = SimpleUploadedFile("b.yaml", dump_yaml([node("c")]).encode())
    preview = led(editor, post(editor, f"{preview}files", files=more))
    assert ImportDraft.objects.get().report["objects"] == 7
    preview = led(editor, post(editor, f"{preview}files", remove="1"))
    corrected = TEXT.replace("node-b", "node-9")
    preview = led(editor, post(editor, f"{preview}files/0/", text=corrected))
    cluster = led(editor, post(editor, f"{preview}save", name="mine"))
    assert cluster == "/w/team/clusters/mine/"
    page = editor.get(cluster).content.decode()
    assert "6 objects saved" in page
    assert "node-9" in editor.get(f"{cluster}nodes/").content.decode()
    assert not ImportDraft.objects.exists()


def test_an_import_is_merged_by_a_worker(editor, cluster, all_large):
    preview = led(editor, post(editor, text=dump_yaml([pod("new")])))
    address = led(editor, post(editor, f"{preview}merge", into=cluster.slug))
    assert address.startswith(f"/w/team/clusters/{cluster.slug}/drafts/")


def test_why_of_a_waiting_pod_is_asked_by_a_worker(editor, all_large):
    preview = led(editor, post(editor, text=TEXT))
    url = reverse("agreement:why_import", args=["team", preview.split("/")[-2]])
    address = led(editor, post(editor, url, name="mine", pod="default/job-1"))
    assert "pod=default/job-1" in address


def test_what_cannot_be_saved_is_said_on_the_page_of_the_task(editor, all_large):
    preview = led(editor, post(editor, text=dump_yaml([pod("bad", cpu="x y"), pod("good")])))
    task = post(editor, f"{preview}save", name="mine")["Location"]
    background_tasks.work()
    page = editor.get(task).content.decode()
    assert "have errors" in page
    assert f'href="{preview}"' in page
    assert led(editor, post(editor, f"{preview}save", name="mine", leave_out="1")) == "/w/team/clusters/mine/"


def test_a_name_that_is_taken_is_said_before_anything_is_read(editor, cluster, all_large):
    preview = led(editor, post(editor, text=TEXT))
    assert post(editor, f"{preview}save", name="prod").status_code == 422
