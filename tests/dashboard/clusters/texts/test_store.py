"""Texts beside objects: found for the content that they held, and written into for a later one."""

from __future__ import annotations

import hashlib

from dashboard.clusters.models import ObjectText
from dashboard.clusters.revisions.object_keys import Key, canonical
from dashboard.clusters.texts.changes import read_document
from dashboard.clusters.texts.store import KEPT_PER_OBJECT, MAX_KEPT_TEXT, WrittenText, keep, shown
from scheduler_core.manifests import dump_yaml

KEY = Key("Pod", "default", "web")
TEXT = "# mine\nkind: Pod\nmetadata:\n  name: web # its name\nspec:\n  priority: 1\n"


def address(raw):
    """Return the address of a content."""
    return hashlib.sha256(canonical(raw)).digest()


def put(cluster, text, key=KEY):
    """Keep a text under what it holds, and return that."""
    raw = read_document(text)
    keep(cluster, {key: WrittenText(address(raw), text)})
    return raw


def test_an_object_without_a_text_is_shown_in_the_usual_form(cluster):
    raw = read_document(TEXT)
    assert shown(cluster, KEY, address(raw), raw).text == dump_yaml([raw])


def test_a_text_is_shown_byte_for_byte_while_the_content_is_the_same(cluster):
    raw = put(cluster, TEXT)
    assert shown(cluster, KEY, address(raw), raw) == (TEXT, "")


def test_a_change_is_written_into_the_newest_text_and_changed_back_is_as_it_was(cluster):
    raw = put(cluster, TEXT)
    other = {**raw, "spec": {"priority": 2}}
    assert shown(cluster, KEY, address(other), other).text == TEXT.replace("priority: 1", "priority: 2")
    put(cluster, TEXT.replace("# mine", "# ours").replace("priority: 1", "priority: 3"))
    assert "# ours" in shown(cluster, KEY, address(other), other).text
    assert shown(cluster, KEY, address(raw), raw).text == TEXT


def test_of_an_object_the_newest_texts_are_kept_and_one_of_each_content(cluster):
    for number in range(KEPT_PER_OBJECT + 3):
        put(cluster, TEXT.replace("priority: 1", f"priority: {number}"))
    put(cluster, TEXT.replace("priority: 1", "priority: 9"))
    assert ObjectText.objects.filter(cluster=cluster).count() == KEPT_PER_OBJECT
    keep(cluster, {KEY: WrittenText(b"", "#" * (MAX_KEPT_TEXT + 1))})
    assert ObjectText.objects.filter(cluster=cluster).count() == KEPT_PER_OBJECT


def test_texts_belong_to_one_cluster_and_go_with_it(cluster, editor):
    from dashboard.clusters.revisions import actions

    raw = put(cluster, TEXT)
    other = actions.create_cluster(editor.member, actions.NewCluster("other"), [])
    assert shown(other, KEY, address(raw), raw).text == dump_yaml([raw])
    cluster.drafts.all().delete()
    cluster.revisions.all().delete()
    cluster.delete()
    assert not ObjectText.objects.exists()
