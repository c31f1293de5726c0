"""Pages of a cluster and its revisions: the list, old revisions, differences."""

from __future__ import annotations

from django.urls import reverse

from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.views import ClusterForm

HERE = "/w/team/clusters/prod/"


def test_an_empty_workspace_says_what_to_do(editor, viewer):
    assert "Import" in editor.get("/w/team/clusters/").content.decode()
    page = viewer.get("/w/team/clusters/").content.decode()
    assert "no cluster yet" in page
    assert reverse("clusters:import", kwargs={"slug": "team"}) not in page


def test_the_list_shows_sizes_and_hides_archived(editor, cluster):
    page = editor.get("/w/team/clusters/").content.decode()
    assert "prod" in page
    assert "1 pending" in page
    editor.post(HERE + "archive", {"archived": "1"})
    assert HERE not in editor.get("/w/team/clusters/").content.decode()
    assert HERE in editor.get("/w/team/clusters/?archived=1").content.decode()
    assert "out of the" in editor.get(HERE).content.decode()


def test_an_old_revision_is_marked_and_cannot_be_edited(editor, edited):
    page = editor.get(HERE + "object/?kind=Pod&ns=default&name=web-2&r=1").content.decode()
    assert "newest is revision" in page
    assert "Review and save" not in page
    assert "readonly" in page


def test_the_difference_counts_and_names_objects(viewer, edited):
    page = viewer.get(HERE + "diff/?from=1&to=2").content.decode()
    assert "Pod default/web-2" in page
    assert '<b class="tn">1</b><span>removed</span>' in page
    assert "the same objects" in viewer.get(HERE + "diff/?from=2&to=2").content.decode()
    assert '<b class="tn">6</b><span>added</span>' in viewer.get(HERE + "diff/?from=0&to=1").content.decode()


def test_a_name_is_needed_and_a_description_is_not():
    form = ClusterForm({"name": "prod"})
    assert form.is_valid()
    assert (form.new().name, form.new().description) == ("prod", "")
    assert list(ClusterForm({"description": "d"}).errors) == ["name"]


def test_names_that_are_too_long_or_hold_nul_are_refused():
    assert not ClusterForm({"name": "a" * (NAME_LENGTH + 1)}).is_valid()
    assert not ClusterForm({"name": "a\0b"}).is_valid()
    assert not ClusterForm({"name": "a", "description": "d\0"}).is_valid()


def test_a_new_cluster_has_examples_and_settings_say_that_the_address_stays():
    assert 'placeholder="prod-eu-1"' in str(ClusterForm().as_new()["name"])
    assert "Its address stays" in ClusterForm().as_settings()["name"].help_text


def test_words(editor, viewer, stranger, edited):
    assert "This workspace has no cluster yet" in stranger.get("/w/elsewhere/clusters/").content.decode()
    old = editor.get(HERE + "object/?kind=Pod&ns=default&name=web-2&r=1").content.decode()
    assert "The newest is revision 2" in old
    assert "Both revisions hold the same objects" in viewer.get(HERE + "diff/?from=2&to=2").content.decode()
    editor.post(HERE + "archive", {"archived": "1"})
    assert "It is out of the list" in editor.get(HERE).content.decode()
